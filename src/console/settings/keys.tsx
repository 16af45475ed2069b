import { useState } from 'preact/hooks'
import type { Key, KeyPatch, KeyPermission, NewKey } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { CheckField, Choice, TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { knownPeople } from '../people.ts'
import { formatInstant } from '../times.ts'
import { Button, Empty, Field } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { byClock, usePolled } from '../use-read.ts'
import { list } from '../wording.ts'
import { common, keys as keyWords, settings as words } from '../words.ts'
import { dayOf, ExpiresField, expiryIn, isOver, LifetimeText } from './lifetime.tsx'
import { isUnlimited, likeKey, PERMISSIONS } from './like-key.ts'
import { type Action, done, ListSection, type Outcome, type Question, Row, useChanges } from './section.tsx'

/** The keys with which programs call `/v1`. */
export function Keys() {
  const { id: organizationId, may } = useOrganization()
  const nowMs = useNow()
  const mayWrite = may('settings:write')
  const keys = usePolled(['keys', organizationId], (options) => call('listKeys', { organizationId }, options), {
    refetchInterval: byClock,
  })
  const changes = useChanges(['keys', organizationId])
  const [showsOver, setShowsOver] = useState(false)
  const { add, edit, rotate, revoke } = useQuestions()
  const all = keys.data?.toReversed()
  const shown = all?.filter((key) => showsOver || !isOver(key, nowMs))
  const hidden = (all?.length ?? 0) - (shown?.length ?? 0)
  const actionsOf = (key: Key): Action[] => [
    { text: words.edit, ask: edit(key) },
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
          <KeyFacts issued={key} all={keys.data ?? []} nowMs={nowMs} />
        </Row>
      )}
    >
      {(hidden > 0 || showsOver) && (
        <div class="actions">
          <Button kind="small plain" onClick={() => setShowsOver(!showsOver)}>
            {showsOver ? words.hideOver : words.showOver({ many: hidden })}
          </Button>
        </div>
      )}
    </ListSection>
  )
}

/** The dialogs that issue a key, issue a similar one, and revoke one. */
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
  const edit = (key: Key): Question => ({
    title: keyWords.editTitle({ name: key.name || key.id }),
    submit: common.save,
    text: keyWords.editHint,
    fields: <KeyFields present={key} timeZone={timeZone} />,
    run: (form) => {
      const body = readPatch(form, key, timeZone)
      return done(call('updateKey', { organizationId, keyId: key.id, body }), words.saved)
    },
  })
  const rotate = (key: Key): Question => ({
    title: words.rotateTitle({ name: key.name || key.id }),
    submit: words.issue,
    text: words.rotateText,
    run: () => issue({ ...likeKey(key), replaces: key.id }, words.keyRotated),
  })
  const revoke = ({ id: keyId, name, lastUsedAt }: Key): Question => ({
    title: words.revokeTitle({ name: name || keyId }),
    submit: words.revoke,
    isBad: true,
    text: words.revokeText({ used: lastUsedAt && formatInstant(lastUsedAt, timeZone) }),
    run: () => done(call('revokeKey', { organizationId, keyId }), words.revoked),
  })
  return { add, edit, rotate, revoke }
}

function KeyFacts({ issued: key, all, nowMs }: { issued: Key; all: readonly Key[]; nowMs: number }) {
  const { timeZone } = useOrganization()
  const { createdAt, createdBy, lastUsedAt, requestsPerSecond, refused, replacedBy } = key
  const replacement = all.find(({ id }) => id === replacedBy)
  const issuer = createdBy?.type === 'user' ? knownPeople.get(createdBy.id ?? '') : undefined
  return (
    <>
      <span>{describePermissions(key.permissions)}</span>
      {key.allowedAddresses.length > 0 && <span>{words.onlyFrom({ addresses: list(key.allowedAddresses) })}</span>}
      <span class="quiet small-text">
        {words.issued({ day: formatInstant(createdAt, timeZone, 'date'), who: issuer })} ·{' '}
        {words.lastUsed({ time: lastUsedAt && formatInstant(lastUsedAt, timeZone, 'short') })}
      </span>
      {requestsPerSecond !== undefined && <span>{keyWords.limitedTo({ perSecond: requestsPerSecond })}</span>}
      {refused !== undefined && (
        <span class="quiet small-text">
          {keyWords.refused({
            many: refused.count,
            time: formatInstant(refused.lastAt, timeZone, 'short'),
            reason: keyWords.refusals[refused.lastReason],
          })}
        </span>
      )}
      {replacedBy !== undefined && (
        <span>
          {keyWords.replacedBy({ name: replacement?.name || replacedBy })}{' '}
          <span class="id">{replacement && replacedBy}</span>
        </span>
      )}
      <LifetimeText of={key} nowMs={nowMs} />
    </>
  )
}

const describePermissions = (permissions: readonly KeyPermission[]): string =>
  isUnlimited(permissions) || permissions.length === 0
    ? words.mayAll
    : words.mayOf({ permissions: list(permissions.map((one) => words.permissionsWithin[one])) })

/** The permissions that each kind of program needs. */
const PRESETS = {
  audience: ['channels:read', 'audience:read'],
  vips: ['channels:read', 'audience:read', 'audience:mark'],
  insights: ['insights:read'],
  posts: ['channels:read', 'posts:read', 'posts:write', 'superpowers:read'],
  intake: ['channels:read', 'audience:write'],
  activity: ['audit:read', 'settings:read'],
} satisfies Record<string, KeyPermission[]>
type PresetName = keyof typeof PRESETS
const NONE = ''

function KeyFields({ present, timeZone }: { present?: Key; timeZone: string }) {
  const [chosen, choose] = useState<ReadonlySet<KeyPermission>>(new Set(present?.permissions))
  const has = (permissions: readonly KeyPermission[]): boolean =>
    permissions.length === chosen.size && permissions.every((permission) => chosen.has(permission))
  const presets = Object.entries(PRESETS) as [PresetName, KeyPermission[]][]
  const preset = presets.find(([, permissions]) => has(permissions))?.[0] ?? NONE
  const expiresAt = present?.expiresByAge ? undefined : present?.expiresAt
  return (
    <>
      <TextField
        label={words.keyName}
        hint={words.keyNameHint}
        name="name"
        required
        maxLength={200}
        autofocus
        defaultValue={present?.name ?? ''}
      />
      <fieldset class="form">
        <legend class="label">{words.keyMay}</legend>
        <Choice
          label={keyWords.purpose}
          value={preset}
          options={[[NONE, keyWords.ownChoice], ...presets.map(([name]) => [name, keyWords.presets[name]] as const)]}
          onChoose={(name) => choose(new Set(name === NONE ? [] : PRESETS[name]))}
        />
        <span class="quiet small-text">{keyWords.purposeHint}</span>
        <div class="permissions">
          {PERMISSIONS.map((permission) => (
            <CheckField
              key={permission}
              name="permission"
              value={permission}
              checked={chosen.has(permission)}
              onCheck={(checked) => {
                const next = new Set(chosen)
                if (checked) next.add(permission)
                else next.delete(permission)
                choose(next)
              }}
            >
              {words.permissions[permission]}
            </CheckField>
          ))}
        </div>
      </fieldset>
      <Field label={words.addresses} hint={words.addressesHint}>
        {(attributes) => (
          <textarea
            {...attributes}
            class="short"
            name="addresses"
            defaultValue={present?.allowedAddresses.join('\n') ?? ''}
          />
        )}
      </Field>
      <ExpiresField timeZone={timeZone} day={expiresAt && dayOf(expiresAt, timeZone)} />
      <TextField
        label={keyWords.perSecond}
        hint={keyWords.perSecondHint}
        name="perSecond"
        type="number"
        min={0}
        max={1_000_000}
        defaultValue={present?.requestsPerSecond ?? ''}
      />
    </>
  )
}

/** Reads the form; empty fields become null. */
function readFields(form: FormData, timeZone: string) {
  const permissions = form.getAll('permission').map(String) as KeyPermission[]
  if (permissions.length === 0) throw new Error(words.keyMayNothing)
  const perSecond = textIn(form, 'perSecond')
  return {
    name: textIn(form, 'name'),
    permissions: isUnlimited(permissions) ? null : permissions,
    allowedAddresses: textIn(form, 'addresses')
      .split(/[\s,]+/)
      .filter(Boolean),
    day: textIn(form, 'expires'),
    expiresAt: expiryIn(form, timeZone).expiresAt ?? null,
    requestsPerSecond: perSecond === '' ? null : Number(perSecond),
  }
}

function readKey(form: FormData, timeZone: string): NewKey {
  const { permissions, expiresAt, requestsPerSecond, name, allowedAddresses } = readFields(form, timeZone)
  return {
    name,
    ...(permissions !== null && { permissions }),
    ...(allowedAddresses.length > 0 && { allowedAddresses }),
    ...(expiresAt !== null && { expiresAt }),
    ...(requestsPerSecond !== null && { requestsPerSecond }),
  }
}

/** Keeps the exact expiry if its day is unchanged. */
function readPatch(form: FormData, { expiresAt: before, expiresByAge }: Key, timeZone: string): KeyPatch {
  const { day, expiresAt, ...others } = readFields(form, timeZone)
  const dayBefore = before === undefined || expiresByAge ? '' : dayOf(before, timeZone)
  return day === dayBefore ? others : { ...others, expiresAt }
}
