import type { OwnSecondFactors, Passkey, TotpSetup } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextField } from '../fields.tsx'
import { CopyField, textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { done, type Outcome, type Question, Row, Section, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { usePolled } from '../use-read.ts'
import { factors as words } from '../words.ts'
import { CodeField, codeIn } from './code-field.tsx'
import { knowsPasskeys, makePasskey } from './passkey.ts'
import { Qr } from './qr.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** The person's own passkeys, authenticator app and recovery codes. */
export default function SecondFactors() {
  const read = usePolled(['second-factors'], (options) => call('getOwnSecondFactors', {}, options))
  return (
    <Section title={words.title} hint={words.lead} changes={useChanges(['second-factors'], ['me'], ['members'])}>
      <Loaded read={read} lines={3}>
        {(factors) => (
          <ul class="card rows" aria-label={words.title}>
            <Passkeys factors={factors} />
            <Totp factors={factors} />
            {countFactors(factors) > 0 && <Codes left={factors.recoveryCodesLeft} />}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

const countFactors = ({ passkeys, totp }: OwnSecondFactors): number => passkeys.length + (totp === null ? 0 : 1)

function Passkeys({ factors }: { factors: OwnSecondFactors }) {
  const { timeZone } = useOrganization()
  const { passkeys } = factors
  const remove = ({ id: passkeyId, name }: Passkey): Question =>
    removal(words.removePasskey({ name }), factors, () => call('removeOwnPasskey', { passkeyId }))
  const describe = ({ createdAt, lastUsedAt }: Passkey): string =>
    `${words.added({ day: formatInstant(createdAt, timeZone, 'date') })} · ` +
    words.lastUsed({ time: lastUsedAt && formatInstant(lastUsedAt, timeZone, 'short') })
  return (
    <>
      <li>
        <Row
          name={words.passkeys}
          about={passkeys.length === 0 && words.noPasskey}
          actions={knowsPasskeys && [{ text: words.addPasskey, ask: addition }]}
        >
          {!knowsPasskeys && <span class="quiet small-text">{words.noPasskeysHere}</span>}
        </Row>
      </li>
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <Row
            isStrong={false}
            name={<bdi>{passkey.name}</bdi>}
            about={describe(passkey)}
            of={passkey.name}
            actions={[{ text: words.remove, ask: remove(passkey) }]}
          />
        </li>
      ))}
    </>
  )
}

/** The dialog that adds a passkey. */
const addition: Question = {
  title: words.addPasskey,
  submit: words.addPasskey,
  fields: (
    <>
      <TextField
        label={words.passkeyName}
        hint={words.passkeyNameHint}
        name="name"
        required
        maxLength={100}
        autofocus
      />
      <p class="quiet">{words.passkeyLead}</p>
    </>
  ),
  run: async (form) => {
    const response = await makePasskey(call('beginOwnPasskey', {}))
    const body = { name: textIn(form, 'name'), response }
    return added(words.passkeyAdded, await call('finishOwnPasskey', { body }))
  },
}

function Totp({ factors }: { factors: OwnSecondFactors }) {
  const { timeZone } = useOrganization()
  const { totp } = factors
  const setUp = async () => ({ question: setUpOf(await call('beginOwnTotp', {})) })
  const remove = () => removal(words.removeTotp, factors, () => call('removeOwnTotp', {}))
  return (
    <li>
      <Row
        name={words.totp}
        about={
          totp === null ? words.noTotp : words.setUpSince({ day: formatInstant(totp.createdAt, timeZone, 'date') })
        }
        of={totp === null ? undefined : words.totp}
        actions={[totp === null ? { text: words.setUpTotp, change: setUp } : { text: words.remove, ask: remove() }]}
      />
    </li>
  )
}

/** The dialog that shows a new secret and asks for the app's first code. */
const setUpOf = ({ uri, secret }: TotpSetup): Question => ({
  title: words.setUpTotp,
  submit: words.finish,
  text: words.scan,
  fields: (
    <>
      <Qr text={uri} />
      <CopyField label={words.secret} value={secret} />
      <CodeField />
    </>
  ),
  run: async (form) => added(words.totpAdded, await call('finishOwnTotp', { body: { code: codeIn(form) } })),
})

function Codes({ left }: { left: number }) {
  const renew: Question = {
    title: words.newCodesTitle,
    submit: words.newCodes,
    text: words.newCodesText,
    run: async () => added(words.codesMade, await call('replaceOwnRecoveryCodes', {})),
  }
  return (
    <li>
      <Row name={words.recovery} about={words.recoveryLead} actions={[{ text: words.newCodes, ask: renew }]}>
        <span class={left === 0 ? 'state-bad' : ''}>{words.codesLeft({ many: left })}</span>
      </Row>
    </li>
  )
}

/** Adding the first factor and renewing the codes return recovery codes; other changes do not. */
const added = (announcement: string, { recoveryCodes: codes }: { recoveryCodes?: string[] }): Outcome => ({
  announcement,
  secret: codes && { title: words.codesTitle, lead: words.codesReady, children: <RecoveryCodes codes={codes} /> },
})

/** Removing the last factor also removes the recovery codes. */
const removal = (title: string, factors: OwnSecondFactors, remove: () => Promise<unknown>): Question => ({
  title,
  submit: words.remove,
  isBad: true,
  text: countFactors(factors) === 1 ? `${words.removeText} ${words.removeLast}` : words.removeText,
  run: () => done(remove(), words.removed),
})
