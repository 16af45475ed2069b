import { useQueryClient } from '@tanstack/preact-query'
import type { OwnNotificationsPut, Session } from '../../interface/generated/types.ts'
import { INBOX_KINDS, type InboxKind } from '../../interface/inbox.ts'
import { call } from '../api.ts'
import { Switch } from '../forms.tsx'
import { lazyPage } from '../lazy-page.tsx'
import { leave } from '../leave.ts'
import { useMe, useOrganization } from '../organization.ts'
import { useSignInOptions } from '../provider.tsx'
import { PasswordDialog } from '../shell.tsx'
import { formatInstant } from '../times.ts'
import { usePolled, useRead } from '../use-read.ts'
import { textOf, settings as words } from '../words.ts'
import { Preferences } from './preferences.tsx'
import { done, ListSection, Row, Section, useChanges } from './section.tsx'

const SecondFactors = lazyPage(() => import('../factors/second-factors.tsx'), { isPart: true })
const Tokens = lazyPage(() => import('../tokens/tokens.tsx'), { isPart: true })

/** The person's own password, second factors, tokens and sessions. */
export function Own() {
  const { person } = useMe()
  const options = useSignInOptions()
  const changes = useChanges()
  const changePassword = {
    text: words.changePassword,
    run: () => changes.open(<PasswordDialog onClose={changes.close} />),
  }
  return (
    <>
      <Section title={person.name} changes={changes} action={options?.password && changePassword}>
        <p class="quiet">{person.mail}</p>
      </Section>
      <Preferences />
      <OwnMails />
      <SecondFactors />
      <Tokens />
      <Sessions />
    </>
  )
}

/** Turns emails about the organization and about kinds of news on or off; absent if there are none. */
function OwnMails() {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const changes = useChanges()
  const queryKey = ['own-notifications', organizationId]
  const { data } = useRead({
    queryKey,
    queryFn: ({ signal }) => call('getOwnNotifications', { organizationId }, { signal }),
  })
  if (data?.available !== true) return null
  const { mails, kinds } = data
  const set = async (body: OwnNotificationsPut) => {
    client.setQueryData(queryKey, await call('setOwnNotifications', { organizationId, body }))
    return { announcement: words.saved }
  }
  const choose = (kind: InboxKind, isChosen: boolean) =>
    set({ mails, kinds: isChosen ? [...kinds, kind] : kinds.filter((other) => other !== kind) })
  return (
    <Section
      title={words.mails}
      hint={mails ? words.mailsAreOn : words.mailsAreOff}
      changes={changes}
      action={{ text: mails ? words.mailsOff : words.mailsOn, change: () => set({ mails: !mails }) }}
    >
      {mails && (
        <fieldset class="row-choices">
          <legend class="quiet small-text">{words.mailsAbout}</legend>
          {INBOX_KINDS.map((kind) => (
            <Switch
              key={kind}
              checked={kinds.includes(kind)}
              onChange={async (isChosen) => void (await changes.change(() => choose(kind, isChosen)))}
            >
              {words.mailKinds[kind]}
            </Switch>
          ))}
        </fieldset>
      )}
    </Section>
  )
}

function Sessions() {
  const { timeZone } = useOrganization()
  const describe = ({ createdAt, lastSeenAt, address }: Session): string =>
    words.session({
      began: formatInstant(createdAt, timeZone, 'short'),
      seen: formatInstant(lastSeenAt, timeZone, 'short'),
    }) + (address === undefined ? '' : ` ${words.seenFrom({ address })}`)
  return (
    <ListSection
      title={words.sessions}
      hint={words.sessionsHint}
      changes={useChanges(['sessions'])}
      action={{ text: words.signOutEverywhere, change: () => done(leave(true)) }}
      read={usePolled(['sessions'], (options) => call('listSessions', {}, options))}
      lines={2}
      row={(session) => {
        const { id: sessionId, current } = session
        const browser = describeBrowser(session.userAgent ?? '')
        const end = () => done(call('endSession', { sessionId }), words.sessionEnded)
        return (
          <Row
            name={browser + (current ? ` (${words.thisOne})` : '')}
            about={describe(session)}
            of={browser}
            actions={!current && [{ text: words.endSession, change: end }]}
          />
        )
      }}
    />
  )
}

const SHORT: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }

function describeBrowser(userAgent: string): string {
  const found = /Edg|OPR|Firefox|Chrome|Safari/.exec(userAgent)?.[0] ?? words.aBrowser
  const system = /iPhone|iPad|Android|Windows|Mac OS|Linux/.exec(userAgent)?.[0]
  const browser = textOf(SHORT, found)
  return system === undefined ? browser : words.browserOn({ browser, system })
}
