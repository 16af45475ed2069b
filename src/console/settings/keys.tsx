import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { IssuedKey, Key, KeyPermission, NewKey } from '../../interface/access.ts'
import { issueKey, listKeys, revokeKey } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { addDays } from '../days.ts'
import { CopyField, FormDialog, SectionHead, ShownOnce, textIn } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { knownPeople } from '../people.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant, today } from '../times.ts'
import { announce, Empty, Field, Loading, Problem } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { useRead } from '../use-read.ts'
import { startOfDay } from '../zoned.ts'
import { likeKey, PERMISSIONS } from './like-key.ts'
import { words } from './words.ts'

type Asks = { kind: 'issue' } | { kind: 'rotate' | 'revoke'; key: Key }

/** The keys by which programs call `/v1`. */
export function Keys() {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const nowMs = useNow()
  const mayWrite = may('settings:write')
  const keys = useRead({
    queryKey: ['keys', organizationId],
    queryFn: ({ signal }) => listKeys(organizationId, { signal }),
    refetchInterval: POLL_MS,
  })
  const [asks, setAsks] = useState<Asks>()
  const [issued, setIssued] = useState<{ key: IssuedKey; isRotation: boolean }>()
  const [showsRevoked, setShowsRevoked] = useState(false)
  const close = (): void => setAsks(undefined)
  const issue = async (body: NewKey, isRotation: boolean): Promise<void> => {
    setIssued({ key: await issueKey(organizationId, body), isRotation })
    close()
    await client.invalidateQueries({ queryKey: ['keys', organizationId] })
  }
  if (keys.data === undefined) {
    return keys.error ? <Problem error={keys.error} onRetry={keys.refetch} /> : <Loading />
  }
  const isOver = ({ revokedAt, expiresAt }: Key): boolean =>
    revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)
  const shown = keys.data.filter((key) => showsRevoked || !isOver(key)).toReversed()
  const hidden = keys.data.length - shown.length
  return (
    <section class="section">
      <SectionHead title={words.sections.keys}>
        {mayWrite && (
          <button type="button" class="button primary" onClick={() => setAsks({ kind: 'issue' })}>
            <Icon name="plus" /> {words.newKey}
          </button>
        )}
      </SectionHead>
      <p class="quiet small-text">{words.keysHint}</p>
      {shown.length === 0 ? (
        <Empty title={words.noKeyTitle}>{words.noKey}</Empty>
      ) : (
        <ul class="card rows" aria-label={words.sections.keys}>
          {shown.map((key) => (
            <li key={key.id}>
              <div class="row-text">
                <strong>
                  <bdi>{key.name || words.unnamed}</bdi>
                </strong>
                <span class="quiet small-text">{key.id}</span>
                <span>{words.mayOf(key.permissions.length === PERMISSIONS.length ? [] : key.permissions)}</span>
                {key.allowedAddresses.length > 0 && <span>{words.onlyFrom(key.allowedAddresses)}</span>}
                <span class="quiet small-text">
                  {words.issued(formatInstant(key.createdAt, timeZone, 'date'), nameOfIssuer(key))} ·{' '}
                  {words.lastUsed(key.lastUsedAt && formatInstant(key.lastUsedAt, timeZone, 'short'))}
                </span>
                {isOver(key) ? (
                  <span class="state-bad">
                    {key.revokedAt !== undefined
                      ? words.revokedAt(formatInstant(key.revokedAt, timeZone, 'short'))
                      : words.expiredAt(formatInstant(key.expiresAt!, timeZone, 'short'))}
                  </span>
                ) : (
                  key.expiresAt !== undefined && <span>{words.until(formatInstant(key.expiresAt, timeZone))}</span>
                )}
              </div>
              {mayWrite && !isOver(key) && (
                <div class="actions">
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'rotate', key })}>
                    {words.rotate}
                    <span class="hidden"> {key.name || key.id}</span>
                  </button>
                  <button type="button" class="button small" onClick={() => setAsks({ kind: 'revoke', key })}>
                    {words.revoke}
                    <span class="hidden"> {key.name || key.id}</span>
                  </button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      {(hidden > 0 || showsRevoked) && (
        <div class="actions">
          <button type="button" class="button small plain" onClick={() => setShowsRevoked(!showsRevoked)}>
            {showsRevoked ? words.hideOver : words.showOver(hidden)}
          </button>
        </div>
      )}

      {asks?.kind === 'issue' && (
        <FormDialog
          title={words.newKey}
          submit={words.issue}
          onClose={close}
          onSubmit={(form) => issue(readKey(form, timeZone), false)}
        >
          <KeyFields />
        </FormDialog>
      )}
      {asks?.kind === 'rotate' && (
        <FormDialog
          title={words.rotateTitle(asks.key.name || asks.key.id)}
          submit={words.issue}
          onClose={close}
          onSubmit={() => issue(likeKey(asks.key), true)}
        >
          <p>{words.rotateText}</p>
        </FormDialog>
      )}
      {asks?.kind === 'revoke' && (
        <FormDialog
          title={words.revokeTitle(asks.key.name || asks.key.id)}
          submit={words.revoke}
          isBad
          onClose={close}
          onSubmit={async () => {
            await revokeKey(organizationId, asks.key.id)
            close()
            announce(words.revoked)
            await client.invalidateQueries({ queryKey: ['keys', organizationId] })
          }}
        >
          <p>{words.revokeText(asks.key.lastUsedAt && formatInstant(asks.key.lastUsedAt, timeZone))}</p>
        </FormDialog>
      )}
      {issued !== undefined && (
        <ShownOnce
          title={words.keyReady}
          lead={issued.isRotation ? words.keyRotated : words.keyLead}
          onClose={() => setIssued(undefined)}
        >
          <CopyField label={words.keyId} value={issued.key.id} />
          <CopyField label={words.secret} value={issued.key.secret} hint={words.secretHint} />
        </ShownOnce>
      )}
    </section>
  )
}

function nameOfIssuer({ createdBy }: Key): string | undefined {
  if (createdBy === undefined) return undefined
  return (createdBy.type === 'user' ? knownPeople.get(createdBy.id ?? '') : undefined) ?? undefined
}

function KeyFields() {
  const { timeZone } = useOrganization()
  return (
    <>
      <Field label={words.keyName} hint={words.keyNameHint}>
        {(attributes) => <input {...attributes} name="name" required maxLength={200} autofocus />}
      </Field>
      <fieldset class="form">
        <legend class="label">{words.keyMay}</legend>
        <div class="permissions">
          {PERMISSIONS.map((permission) => (
            <label key={permission} class="check">
              <input type="checkbox" name="permission" value={permission} defaultChecked />
              {words.permissions[permission]}
            </label>
          ))}
        </div>
      </fieldset>
      <Field label={words.addresses} hint={words.addressesHint}>
        {(attributes) => <textarea {...attributes} class="short" name="addresses" />}
      </Field>
      <Field label={words.expires} hint={words.expiresHint}>
        {(attributes) => <input {...attributes} type="date" name="expires" min={addDays(today(now(), timeZone), 1)} />}
      </Field>
    </>
  )
}

function readKey(form: FormData, timeZone: string): NewKey {
  const permissions = form.getAll('permission').map(String) as KeyPermission[]
  const allowedAddresses = textIn(form, 'addresses')
    .split(/[\s,]+/)
    .filter(Boolean)
  const expires = textIn(form, 'expires')
  if (permissions.length === 0) throw new Error(words.keyMayNothing)
  return {
    name: textIn(form, 'name'),
    ...(permissions.length === PERMISSIONS.length ? {} : { permissions }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
    ...(expires === '' ? {} : { expiresAt: startOfDay(expires, timeZone) }),
  }
}
