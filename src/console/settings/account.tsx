import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { ErrorBoundary, lazy } from 'preact-iso'
import type { Session } from '../../interface/people.ts'
import { endSession, getOwnNotifications, listSessions, setOwnNotifications } from '../api.ts'
import { SectionHead } from '../forms.tsx'
import { leave } from '../leave.ts'
import { Row } from '../list.tsx'
import { useSignInOptions } from '../provider.tsx'
import { useMe, useOrganization } from '../session.tsx'
import { PasswordDialog } from '../shell.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { usePolled, useRead } from '../use-read.ts'
import { Actions, ListSection, Section, useChanges } from './section.tsx'
import { words } from './words.ts'

const SecondFactors = lazy(() => import('../factors/second-factors.tsx'))

/** Shows one's own password, second factors and sessions. */
export function Own() {
  const { person } = useMe()
  const options = useSignInOptions()
  const [changesPassword, setChangesPassword] = useState(false)
  return (
    <section class="section">
      <SectionHead title={person.name}>
        {options?.password && <Button onClick={() => setChangesPassword(true)}>{words.changePassword}</Button>}
      </SectionHead>
      <p class="quiet">{person.mail}</p>
      <OwnMails />
      <ErrorBoundary>
        <SecondFactors />
      </ErrorBoundary>
      <Sessions />
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </section>
  )
}

/** Switches one's mails about the organization on or off; absent where the server sends none. */
function OwnMails() {
  const { id } = useOrganization()
  const client = useQueryClient()
  const changes = useChanges()
  const queryKey = ['own-notifications', id]
  const { data } = useRead({ queryKey, queryFn: ({ signal }) => getOwnNotifications(id, { signal }) })
  if (data?.available !== true) return null
  const toggle = () =>
    changes.change(async () => {
      client.setQueryData(queryKey, await setOwnNotifications(id, { mails: !data.mails }))
      return { said: words.saved }
    })
  return (
    <Section
      title={words.mails}
      hint={data.mails ? words.mailsAreOn : words.mailsAreOff}
      changes={changes}
      add={
        <Button disabled={changes.busy} onClick={() => void toggle()}>
          {data.mails ? words.mailsOff : words.mailsOn}
        </Button>
      }
    />
  )
}

function Sessions() {
  const { timeZone } = useOrganization()
  const changes = useChanges(['sessions'])
  const { busy, change } = changes
  const end = ({ id }: Session) =>
    change(async () => {
      await endSession(id)
      return { said: words.sessionEnded }
    })
  const endAll = () =>
    change(async () => {
      await leave(true)
      return {}
    })
  const describe = ({ createdAt, lastSeenAt, address }: Session): string =>
    words.session(formatInstant(createdAt, timeZone, 'short'), formatInstant(lastSeenAt, timeZone, 'short')) +
    (address === undefined ? '' : ` ${words.seenFrom(address)}`)
  return (
    <ListSection
      title={words.sessions}
      hint={words.sessionsHint}
      changes={changes}
      add={
        <Button disabled={busy} onClick={() => void endAll()}>
          {words.signOutEverywhere}
        </Button>
      }
      read={usePolled(['sessions'], listSessions)}
      lines={2}
      keyOf={({ id }) => id}
      row={(session) => {
        const browser = words.browser(session.userAgent ?? '')
        const actions = [{ text: words.endSession, disabled: busy, run: () => end(session) }]
        return (
          <Row
            name={browser + (session.current ? ` (${words.thisOne})` : '')}
            actions={!session.current && <Actions of={browser} all={actions} />}
          >
            <span class="quiet small-text">{describe(session)}</span>
          </Row>
        )
      }}
    />
  )
}
