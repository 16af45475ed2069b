import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { IssuedOperatorToken, OperatorToken, Organization } from '../../interface/access.ts'
import type { EntryLink } from '../../interface/people.ts'
import {
  createOrganization,
  inviteOwner,
  issueOperatorToken,
  listOperatorTokens,
  listOrganizations,
  revokeOperatorToken,
  updateOrganization,
} from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { addDays } from '../days.ts'
import { CopyField, FormDialog, SectionHead, ShownOnce, textIn, toLink, useAct } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { hrefOf } from '../navigation.ts'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant, today } from '../times.ts'
import { announce, Field, Loading, Note, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { useRead } from '../use-read.ts'
import { startOfDay } from '../zoned.ts'
import { ServerPeople } from './server-people.tsx'
import { words } from './words.ts'

/** The server as a whole: its organizations, the tokens of its operator, and another owner. */
export function Server() {
  const { version } = useMe()
  const { timeZone } = useOrganization()
  const { busy, error, act } = useAct()
  const [link, setLink] = useState<EntryLink>()
  return (
    <section class="section">
      <p class="quiet">{words.version(version)}</p>
      <Organizations />
      <ServerPeople />
      <OperatorTokens />
      <SectionHead title={words.owners}>
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => void act(async () => setLink(await inviteOwner()))}
        >
          {words.inviteOwner}
        </button>
      </SectionHead>
      <p class="quiet small-text">{words.ownersHint}</p>
      {error !== undefined && <Problem error={error} />}
      {link !== undefined && (
        <ShownOnce
          title={words.inviteReady}
          lead={words.ownerLead(formatInstant(link.expiresAt, timeZone))}
          onClose={() => setLink(undefined)}
        >
          <CopyField label={words.link} value={toLink(link.path)} />
        </ShownOnce>
      )}
    </section>
  )
}

function Organizations() {
  const { id: openId, timeZone } = useOrganization()
  const client = useQueryClient()
  const [adds, setAdds] = useState(false)
  const [stops, setStops] = useState<Organization>()
  const { busy, error, act } = useAct()
  const organizations = useRead({
    queryKey: ['organizations'],
    queryFn: async ({ signal }) => {
      const found: Organization[] = []
      let after: string | undefined
      do {
        const page = await listOrganizations(after, { signal })
        found.push(...page.items)
        after = page.nextCursor
      } while (after !== undefined)
      return found
    },
    refetchInterval: POLL_MS,
  })
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['organizations'] })
    await client.invalidateQueries({ queryKey: ['me'] })
  }
  const setActive = async ({ id }: Organization, active: boolean): Promise<void> => {
    await updateOrganization(id, { active })
    setStops(undefined)
    await refresh()
  }
  return (
    <>
      <SectionHead title={words.organizations}>
        <button type="button" class="button" onClick={() => setAdds(true)}>
          <Icon name="plus" /> {words.addOrganization}
        </button>
      </SectionHead>
      {error !== undefined && <Problem error={error} />}
      {organizations.data === undefined ? (
        organizations.error ? (
          <Problem error={organizations.error} onRetry={organizations.refetch} />
        ) : (
          <Loading />
        )
      ) : (
        <ul class="card rows" aria-label={words.organizations}>
          {organizations.data.map((one) => (
            <li key={one.id}>
              <div class="row-text">
                <a href={hrefOf(one.id, 'settings', ['organization'])}>
                  <bdi>{one.name}</bdi>
                </a>
                <span class="quiet small-text">
                  {one.id} · {words.since(formatInstant(one.createdAt, timeZone, 'date'))}
                </span>
                {!one.active && <span class="state-bad">{words.stopped}</span>}
              </div>
              <div class="actions">
                {one.active ? (
                  <button
                    type="button"
                    class="button small plain"
                    disabled={one.id === openId}
                    onClick={() => setStops(one)}
                  >
                    {words.stop}
                    <span class="hidden"> {one.name}</span>
                  </button>
                ) : (
                  <button
                    type="button"
                    class="button small"
                    disabled={busy}
                    onClick={() => void act(() => setActive(one, true), words.saved)}
                  >
                    {words.start}
                    <span class="hidden"> {one.name}</span>
                  </button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {adds && (
        <FormDialog
          title={words.addOrganization}
          submit={words.add}
          onClose={() => setAdds(false)}
          onSubmit={async (form) => {
            await createOrganization(textIn(form, 'name'))
            setAdds(false)
            announce(words.saved)
            await refresh()
          }}
        >
          <Field label={words.name}>
            {(attributes) => <input {...attributes} name="name" required maxLength={200} autofocus />}
          </Field>
        </FormDialog>
      )}
      {stops !== undefined && (
        <FormDialog
          title={words.stopTitle(stops.name)}
          submit={words.stop}
          isBad
          onClose={() => setStops(undefined)}
          onSubmit={() => setActive(stops, false)}
        >
          <p>{words.stopText}</p>
        </FormDialog>
      )}
    </>
  )
}

function OperatorTokens() {
  const { timeZone } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const [adds, setAdds] = useState(false)
  const [revokes, setRevokes] = useState<OperatorToken>()
  const [issued, setIssued] = useState<IssuedOperatorToken>()
  const tokens = useRead({
    queryKey: ['operator-tokens'],
    queryFn: ({ signal }) => listOperatorTokens({ signal }),
    refetchInterval: POLL_MS,
  })
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['operator-tokens'] })
  const isOver = ({ revokedAt, expiresAt }: OperatorToken): boolean =>
    revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)
  return (
    <>
      <SectionHead title={words.operatorTokens}>
        <button type="button" class="button" onClick={() => setAdds(true)}>
          <Icon name="plus" /> {words.newToken}
        </button>
      </SectionHead>
      <p class="quiet small-text">{words.operatorTokensHint}</p>
      {tokens.error && tokens.data === undefined && <Problem error={tokens.error} onRetry={tokens.refetch} />}
      {(tokens.data ?? []).length > 0 && (
        <ul class="card rows" aria-label={words.operatorTokens}>
          {tokens.data!.map((token) => (
            <li key={token.name}>
              <div class="row-text">
                <strong>{token.name}</strong>
                <span class="quiet small-text">{words.since(formatInstant(token.createdAt, timeZone, 'date'))}</span>
                {isOver(token) ? (
                  <span class="state-bad">
                    {token.revokedAt !== undefined
                      ? words.revokedAt(formatInstant(token.revokedAt, timeZone, 'short'))
                      : words.expiredAt(formatInstant(token.expiresAt!, timeZone, 'short'))}
                  </span>
                ) : (
                  token.expiresAt !== undefined && <span>{words.until(formatInstant(token.expiresAt, timeZone))}</span>
                )}
              </div>
              {!isOver(token) && (
                <div class="actions">
                  <button type="button" class="button small" onClick={() => setRevokes(token)}>
                    {words.revoke}
                    <span class="hidden"> {token.name}</span>
                  </button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {adds && (
        <FormDialog
          title={words.newToken}
          submit={words.issue}
          onClose={() => setAdds(false)}
          onSubmit={async (form) => {
            const expires = textIn(form, 'expires')
            const expiresAt = expires === '' ? {} : { expiresAt: startOfDay(expires, timeZone) }
            setIssued(await issueOperatorToken({ name: textIn(form, 'name'), ...expiresAt }))
            setAdds(false)
            await refresh()
          }}
        >
          <Field label={words.name} hint={words.tokenNameHint}>
            {(attributes) => <input {...attributes} name="name" required maxLength={64} autofocus />}
          </Field>
          <Field label={words.expires} hint={words.expiresHint}>
            {(attributes) => (
              <input {...attributes} type="date" name="expires" min={addDays(today(now(), timeZone), 1)} />
            )}
          </Field>
        </FormDialog>
      )}
      {revokes !== undefined && (
        <FormDialog
          title={words.revokeTitle(revokes.name)}
          submit={words.revoke}
          isBad
          onClose={() => setRevokes(undefined)}
          onSubmit={async () => {
            await revokeOperatorToken(revokes.name)
            setRevokes(undefined)
            announce(words.revoked)
            await refresh()
          }}
        >
          <Note kind="warn">
            <p>{words.revokeToken}</p>
          </Note>
        </FormDialog>
      )}
      {issued !== undefined && (
        <ShownOnce title={words.tokenReady} lead={words.keyLead} onClose={() => setIssued(undefined)}>
          <CopyField label={words.operatorToken} value={issued.token} hint={words.secretHint} />
        </ShownOnce>
      )}
    </>
  )
}
