import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { ErrorBoundary, lazy } from 'preact-iso'
import { endSession, listSessions } from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { SectionHead, useAct } from '../forms.tsx'
import { leave } from '../leave.ts'
import { useSignInOptions } from '../provider.tsx'
import { useMe, useOrganization } from '../session.tsx'
import { PasswordDialog } from '../shell.tsx'
import { formatInstant } from '../times.ts'
import { Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { OwnMails } from './notifications.tsx'
import { words } from './words.ts'

const SecondFactors = lazy(() => import('../factors/second-factors.tsx'))

/** Shows one's own password, second factors and sessions. */
export function Own() {
  const { person } = useMe()
  const options = useSignInOptions()
  const { timeZone } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [changesPassword, setChangesPassword] = useState(false)
  const sessions = useRead({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => listSessions({ signal }),
    refetchInterval: POLL_MS,
  })
  return (
    <section class="section">
      <SectionHead title={person.name}>
        {options?.password && (
          <button type="button" class="button" onClick={() => setChangesPassword(true)}>
            {words.changePassword}
          </button>
        )}
      </SectionHead>
      <p class="quiet">{person.mail}</p>
      <OwnMails />
      <ErrorBoundary>
        <SecondFactors />
      </ErrorBoundary>
      <SectionHead title={words.sessions}>
        <button type="button" class="button" disabled={busy} onClick={() => void act(() => leave(true))}>
          {words.signOutEverywhere}
        </button>
      </SectionHead>
      <p class="quiet small-text">{words.sessionsHint}</p>
      {error !== undefined && <Problem error={error} />}
      {sessions.data === undefined ? (
        sessions.error ? (
          <Problem error={sessions.error} onRetry={sessions.refetch} />
        ) : (
          <Loading lines={2} />
        )
      ) : (
        <ul class="card rows" aria-label={words.sessions}>
          {sessions.data.map((session) => (
            <li key={session.id}>
              <div class="row-text">
                <strong>
                  {words.browser(session.userAgent ?? '')}
                  {session.current && ` (${words.thisOne})`}
                </strong>
                <span class="quiet small-text">
                  {words.session(
                    formatInstant(session.createdAt, timeZone, 'short'),
                    formatInstant(session.lastSeenAt, timeZone, 'short'),
                  )}
                  {session.address !== undefined && ` ${words.seenFrom(session.address)}`}
                </span>
              </div>
              {!session.current && (
                <div class="actions">
                  <button
                    type="button"
                    class="button small"
                    disabled={busy}
                    onClick={() =>
                      void act(async () => {
                        await endSession(session.id)
                        await client.invalidateQueries({ queryKey: ['sessions'] })
                      }, words.sessionEnded)
                    }
                  >
                    {words.endSession}
                    <span class="hidden"> {words.browser(session.userAgent ?? '')}</span>
                  </button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {changesPassword && <PasswordDialog onClose={() => setChangesPassword(false)} />}
    </section>
  )
}
