import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { OwnSecondFactors, Passkey, TotpSetup } from '../../interface/second-factors.ts'
import { POLL_MS } from '../clock.ts'
import { FormDialog, SectionHead, textIn, useAct } from '../forms.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { announce, Field, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
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

type Asks =
  | { kind: 'passkey' | 'remove-totp' | 'codes' }
  | { kind: 'totp'; setup: TotpSetup }
  | { kind: 'remove-passkey'; passkey: Passkey }

/** Shows one's own passkeys, authenticator app and recovery codes. */
export default function SecondFactors() {
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [asks, setAsks] = useState<Asks>()
  const [codes, setCodes] = useState<string[]>()
  const factors = useRead({
    queryKey: ['second-factors'],
    queryFn: ({ signal }) => getSecondFactors({ signal }),
    refetchInterval: POLL_MS,
  })
  const close = (): void => setAsks(undefined)
  const setUpTotp = (): void => {
    void act(async () => setAsks({ kind: 'totp', setup: await beginTotp() }))
  }
  /** Closes the dialog of a change that is done, and shows the recovery codes that came with it. */
  const done = async (sentence: string, { recoveryCodes }: { recoveryCodes?: string[] } = {}): Promise<void> => {
    close()
    setCodes(recoveryCodes)
    announce(sentence)
    await Promise.all(['second-factors', 'me', 'members'].map((name) => client.invalidateQueries({ queryKey: [name] })))
  }
  return (
    <>
      <SectionHead title={words.title} />
      <p class="quiet small-text">{words.lead}</p>
      {error !== undefined && <Problem error={error} />}
      {factors.data === undefined ? (
        factors.error ? (
          <Problem error={factors.error} onRetry={factors.refetch} />
        ) : (
          <Loading lines={3} />
        )
      ) : (
        <Factors factors={factors.data} busy={busy} onAsk={setAsks} onSetUpTotp={setUpTotp} />
      )}
      {asks !== undefined && factors.data !== undefined && (
        <Question asks={asks} factors={factors.data} onDone={done} onClose={close} />
      )}
      {codes !== undefined && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </>
  )
}

interface FactorsProps {
  factors: OwnSecondFactors
  busy: boolean
  onAsk: (asks: Asks) => void
  onSetUpTotp: () => void
}

function Factors({ factors, busy, onAsk, onSetUpTotp }: FactorsProps) {
  const { timeZone } = useOrganization()
  const { passkeys, totp, recoveryCodesLeft } = factors
  const day = (instant: string): string => formatInstant(instant, timeZone, 'date')
  return (
    <ul class="card rows" aria-label={words.title}>
      <li>
        <div class="row-text">
          <strong>{words.passkeys}</strong>
          {passkeys.length === 0 && <span class="quiet small-text">{words.noPasskey}</span>}
          {!knowsPasskeys && <span class="quiet small-text">{words.noPasskeysHere}</span>}
        </div>
        {knowsPasskeys && (
          <div class="actions">
            <button type="button" class="button small" onClick={() => onAsk({ kind: 'passkey' })}>
              {words.addPasskey}
            </button>
          </div>
        )}
      </li>
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <div class="row-text">
            <bdi>{passkey.name}</bdi>
            <span class="quiet small-text">
              {words.added(day(passkey.createdAt))} ·{' '}
              {words.lastUsed(passkey.lastUsedAt && formatInstant(passkey.lastUsedAt, timeZone, 'short'))}
            </span>
          </div>
          <div class="actions">
            <button type="button" class="button small" onClick={() => onAsk({ kind: 'remove-passkey', passkey })}>
              {words.remove}
              <span class="hidden"> {passkey.name}</span>
            </button>
          </div>
        </li>
      ))}
      <li>
        <div class="row-text">
          <strong>{words.totp}</strong>
          <span class="quiet small-text">{totp === null ? words.noTotp : words.setUpSince(day(totp.createdAt))}</span>
        </div>
        <div class="actions">
          <button
            type="button"
            class="button small"
            disabled={busy}
            onClick={totp === null ? onSetUpTotp : () => onAsk({ kind: 'remove-totp' })}
          >
            {totp === null ? words.setUpTotp : words.remove}
            {totp !== null && <span class="hidden"> {words.totp}</span>}
          </button>
        </div>
      </li>
      {(totp !== null || passkeys.length > 0) && (
        <li>
          <div class="row-text">
            <strong>{words.recovery}</strong>
            <span class="quiet small-text">{words.recoveryLead}</span>
            <span class={recoveryCodesLeft === 0 ? 'state-bad' : ''}>{words.codesLeft(recoveryCodesLeft)}</span>
          </div>
          <div class="actions">
            <button type="button" class="button small" onClick={() => onAsk({ kind: 'codes' })}>
              {words.newCodes}
            </button>
          </div>
        </li>
      )}
    </ul>
  )
}

interface QuestionProps {
  asks: Asks
  factors: OwnSecondFactors
  onDone: (sentence: string, answer?: { recoveryCodes?: string[] }) => Promise<void>
  onClose: () => void
}

function Question({ asks, factors, onDone, onClose }: QuestionProps) {
  const isLast = factors.passkeys.length + (factors.totp === null ? 0 : 1) === 1
  const consequence = (
    <p>
      {words.removeText} {isLast && words.removeLast}
    </p>
  )
  switch (asks.kind) {
    case 'passkey':
      return <PasskeyDialog onDone={onDone} onClose={onClose} />
    case 'totp':
      return <TotpDialog setup={asks.setup} onDone={(added) => onDone(words.totpAdded, added)} onClose={onClose} />
    case 'remove-passkey':
      return (
        <FormDialog
          title={words.removePasskey(asks.passkey.name)}
          submit={words.remove}
          isBad
          onClose={onClose}
          onSubmit={async () => {
            await removePasskey(asks.passkey.id)
            await onDone(words.removed)
          }}
        >
          {consequence}
        </FormDialog>
      )
    case 'remove-totp':
      return (
        <FormDialog
          title={words.removeTotp}
          submit={words.remove}
          isBad
          onClose={onClose}
          onSubmit={async () => {
            await removeTotp()
            await onDone(words.removed)
          }}
        >
          {consequence}
        </FormDialog>
      )
    case 'codes':
      return (
        <FormDialog
          title={words.newCodesTitle}
          submit={words.newCodes}
          onClose={onClose}
          onSubmit={async () => onDone(words.codesMade, await makeRecoveryCodes())}
        >
          <p>{words.newCodesText}</p>
        </FormDialog>
      )
  }
}

function PasskeyDialog({ onDone, onClose }: Pick<QuestionProps, 'onDone' | 'onClose'>) {
  return (
    <FormDialog
      title={words.addPasskey}
      submit={words.addPasskey}
      onClose={onClose}
      onSubmit={async (form) => {
        const response = await makePasskey(beginPasskey)
        await onDone(words.passkeyAdded, await finishPasskey({ name: textIn(form, 'name'), response }))
      }}
    >
      <Field label={words.passkeyName} hint={words.passkeyNameHint}>
        {(attributes) => <input {...attributes} name="name" required maxLength={100} autofocus />}
      </Field>
      <p class="quiet">{words.passkeyLead}</p>
    </FormDialog>
  )
}
