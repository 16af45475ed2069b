import { useState } from 'preact/hooks'
import type { Key, KeyPermission, NewKey } from '../../interface/access.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { knownPeople } from '../people.ts'
import { formatInstant } from '../times.ts'
import { Button, Empty, Field } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { byClock, usePolled } from '../use-read.ts'
import { ExpiresField, expiryIn, isOver, LifetimeText } from './lifetime.tsx'
import { likeKey, PERMISSIONS } from './like-key.ts'
import { type Action, done, ListSection, type Outcome, type Question, Row, useChanges } from './section.tsx'
import { words } from './words.ts'

/** The keys by which programs call `/v1`. */
export function Keys() {
  const { id: organizationId, may } = useOrganization()
  const nowMs = useNow()
  const mayWrite = may('settings:write')
  const keys = usePolled(['keys', organizationId], (options) => call('listKeys', { organizationId }, options), {
    refetchInterval: byClock,
  })
  const changes = useChanges(['keys', organizationId])
  const [showsOver, setShowsOver] = useState(false)
  const { add, rotate, revoke } = useQuestions()
  const all = keys.data?.toReversed()
  const shown = all?.filter((key) => showsOver || !isOver(key, nowMs))
  const hidden = (all?.length ?? 0) - (shown?.length ?? 0)
  const actionsOf = (key: Key): Action[] => [
    { text: words.rotate, ask: rotate(key) },
    { text: words.revoke, ask: revoke(key) },
  ]
  return (
    <ListSection
      title={words.sections.keys}
      hint={words.keysHint}
      changes={changes}
      add={mayWrite && add}
      read={{ ...keys, data: shown }}
      empty={<Empty title={words.noKeyTitle}>{words.noKey}</Empty>}
      row={(key) => (
        <Row
          name={<bdi>{key.name || words.unnamed}</bdi>}
          about={key.id}
          of={key.name || key.id}
          actions={mayWrite && !isOver(key, nowMs) && actionsOf(key)}
        >
          <KeyFacts issued={key} nowMs={nowMs} />
        </Row>
      )}
    >
      {(hidden > 0 || showsOver) && (
        <div class="actions">
          <Button kind="small plain" onClick={() => setShowsOver(!showsOver)}>
            {showsOver ? words.hideOver : words.showOver(hidden)}
          </Button>
        </div>
      )}
    </ListSection>
  )
}

/** The questions that issue a key, issue another like it, and revoke it. */
function useQuestions() {
  const { id: organizationId, timeZone } = useOrganization()
  const issue = async (body: NewKey, lead: string): Promise<Outcome> => {
    const { id, secret } = await call('issueKey', { organizationId, body })
    const children = (
      <>
        <CopyField label={words.keyId} value={id} />
        <CopyField label={words.secret} value={secret} hint={words.secretHint} />
      </>
    )
    return { secret: { title: words.keyReady, lead, children } }
  }
  const add: Question = {
    title: words.newKey,
    submit: words.issue,
    fields: <KeyFields timeZone={timeZone} />,
    run: (form) => issue(readKey(form, timeZone), words.keyLead),
  }
  const rotate = (key: Key): Question => ({
    title: words.rotateTitle(key.name || key.id),
    submit: words.issue,
    text: words.rotateText,
    run: () => issue(likeKey(key), words.keyRotated),
  })
  const revoke = ({ id: keyId, name, lastUsedAt }: Key): Question => ({
    title: words.revokeTitle(name || keyId),
    submit: words.revoke,
    isBad: true,
    text: words.revokeText(lastUsedAt && formatInstant(lastUsedAt, timeZone)),
    run: () => done(call('revokeKey', { organizationId, keyId }), words.revoked),
  })
  return { add, rotate, revoke }
}

function KeyFacts({ issued: key, nowMs }: { issued: Key; nowMs: number }) {
  const { timeZone } = useOrganization()
  const { createdAt, createdBy, lastUsedAt } = key
  const issuer = createdBy?.type === 'user' ? knownPeople.get(createdBy.id ?? '') : undefined
  return (
    <>
      <span>{words.mayOf(key.permissions.length === PERMISSIONS.length ? [] : key.permissions)}</span>
      {key.allowedAddresses.length > 0 && <span>{words.onlyFrom(key.allowedAddresses)}</span>}
      <span class="quiet small-text">
        {words.issued(formatInstant(createdAt, timeZone, 'date'), issuer)} ·{' '}
        {words.lastUsed(lastUsedAt && formatInstant(lastUsedAt, timeZone, 'short'))}
      </span>
      <LifetimeText of={key} nowMs={nowMs} />
    </>
  )
}

function KeyFields({ timeZone }: { timeZone: string }) {
  return (
    <>
      <TextField label={words.keyName} hint={words.keyNameHint} name="name" required maxLength={200} autofocus />
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
      <ExpiresField timeZone={timeZone} />
    </>
  )
}

function readKey(form: FormData, timeZone: string): NewKey {
  const permissions = form.getAll('permission').map(String) as KeyPermission[]
  const allowedAddresses = textIn(form, 'addresses')
    .split(/[\s,]+/)
    .filter(Boolean)
  if (permissions.length === 0) throw new Error(words.keyMayNothing)
  return {
    name: textIn(form, 'name'),
    ...(permissions.length === PERMISSIONS.length ? {} : { permissions }),
    ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
    ...expiryIn(form, timeZone),
  }
}
