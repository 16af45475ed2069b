import type { ComponentChildren } from 'preact'
import type { OwnSecondFactors, Passkey } from '../../interface/second-factors.ts'
import { TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded, Row } from '../list.tsx'
import { useOrganization } from '../session.tsx'
import { Actions, type Changes, type Question, Section, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import {
  beginPasskey,
  beginTotp,
  finishPasskey,
  getSecondFactors,
  makeRecoveryCodes,
  removePasskey,
  removeTotp,
} from './calls.ts'
import { knowsPasskeys, makePasskey } from './passkey.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpDialog } from './totp-dialog.tsx'
import { words } from './words.ts'

/** Shows one's own passkeys, authenticator app and recovery codes. */
export default function SecondFactors() {
  const changes = useChanges(['second-factors'], ['me'], ['members'])
  return (
    <Section title={words.title} hint={words.lead} changes={changes}>
      <Loaded read={usePolled(['second-factors'], getSecondFactors)} lines={3}>
        {(factors) => (
          <ul class="card rows" aria-label={words.title}>
            <Passkeys factors={factors} changes={changes} />
            <Totp factors={factors} changes={changes} />
            {countFactors(factors) > 0 && <Codes left={factors.recoveryCodesLeft} changes={changes} />}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}

const countFactors = ({ passkeys, totp }: OwnSecondFactors): number => passkeys.length + (totp === null ? 0 : 1)

interface FactorsProps {
  factors: OwnSecondFactors
  changes: Changes
}

function Passkeys({ factors, changes: { ask, close } }: FactorsProps) {
  const { timeZone } = useOrganization()
  const { passkeys } = factors
  const add: Question = {
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
      const response = await makePasskey(beginPasskey)
      const { recoveryCodes } = await finishPasskey({ name: textIn(form, 'name'), response })
      return { said: words.passkeyAdded, dialog: codesDialog(recoveryCodes, close) }
    },
  }
  const remove = ({ id, name }: Passkey): Question =>
    removal(words.removePasskey(name), factors, () => removePasskey(id))
  return (
    <>
      <li>
        <Row
          name={words.passkeys}
          actions={
            knowsPasskeys && (
              <Button kind="small" onClick={() => ask(add)}>
                {words.addPasskey}
              </Button>
            )
          }
        >
          {passkeys.length === 0 && <span class="quiet small-text">{words.noPasskey}</span>}
          {!knowsPasskeys && <span class="quiet small-text">{words.noPasskeysHere}</span>}
        </Row>
      </li>
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <div class="row-text">
            <bdi>{passkey.name}</bdi>
            <span class="quiet small-text">
              {words.added(formatInstant(passkey.createdAt, timeZone, 'date'))} ·{' '}
              {words.lastUsed(passkey.lastUsedAt && formatInstant(passkey.lastUsedAt, timeZone, 'short'))}
            </span>
          </div>
          <div class="actions">
            <Actions of={passkey.name} all={[{ text: words.remove, run: () => ask(remove(passkey)) }]} />
          </div>
        </li>
      ))}
    </>
  )
}

function Totp({ factors, changes: { busy, ask, change, close, finish } }: FactorsProps) {
  const { timeZone } = useOrganization()
  const { totp } = factors
  const setUp = () =>
    change(async () => {
      const setup = await beginTotp()
      const onDone = ({ recoveryCodes }: { recoveryCodes?: string[] }) =>
        finish({ said: words.totpAdded, dialog: codesDialog(recoveryCodes, close) })
      return { dialog: <TotpDialog setup={setup} onDone={onDone} onClose={close} /> }
    })
  return (
    <li>
      <Row
        name={words.totp}
        actions={
          totp === null ? (
            <Button kind="small" disabled={busy} onClick={() => void setUp()}>
              {words.setUpTotp}
            </Button>
          ) : (
            <Button kind="small" of={words.totp} onClick={() => ask(removal(words.removeTotp, factors, removeTotp))}>
              {words.remove}
            </Button>
          )
        }
      >
        <span class="quiet small-text">
          {totp === null ? words.noTotp : words.setUpSince(formatInstant(totp.createdAt, timeZone, 'date'))}
        </span>
      </Row>
    </li>
  )
}

function Codes({ left, changes: { ask, close } }: { left: number; changes: Changes }) {
  const renew: Question = {
    title: words.newCodesTitle,
    submit: words.newCodes,
    text: words.newCodesText,
    run: async () => {
      const { recoveryCodes } = await makeRecoveryCodes()
      return { said: words.codesMade, dialog: codesDialog(recoveryCodes, close) }
    },
  }
  return (
    <li>
      <Row
        name={words.recovery}
        actions={
          <Button kind="small" onClick={() => ask(renew)}>
            {words.newCodes}
          </Button>
        }
      >
        <span class="quiet small-text">{words.recoveryLead}</span>
        <span class={left === 0 ? 'state-bad' : ''}>{words.codesLeft(left)}</span>
      </Row>
    </li>
  )
}

/** The first factor brings recovery codes, and so does a renewal; other changes bring none. */
const codesDialog = (codes: string[] | undefined, close: () => void): ComponentChildren =>
  codes && <RecoveryCodes codes={codes} onClose={close} />

/** Removing the last factor removes the recovery codes too. */
const removal = (title: string, factors: OwnSecondFactors, remove: () => Promise<unknown>): Question => ({
  title,
  submit: words.remove,
  isBad: true,
  text: countFactors(factors) === 1 ? `${words.removeText} ${words.removeLast}` : words.removeText,
  run: async () => {
    await remove()
    return { said: words.removed }
  },
})
