import { useState } from 'preact/hooks'
import type { SecondFactorMethod } from '../../interface/generated/types.ts'
import { call, signOut } from '../api.ts'
import { secondStep } from '../connection.ts'
import { Form, textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { Refusal } from '../refusal.tsx'
import { Button, Field } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
import { factors as words } from '../words.ts'
import { CodeField, codeIn, focus } from './code-field.tsx'
import { askForPasskey, knowsPasskeys } from './passkey.ts'

/** Asks for the second factor after the first has passed. */
export default function SecondStep({ onDone }: { onDone: () => Promise<void> }) {
  const { busy, error, act } = useAct()
  const [chosen, setChosen] = useState<SecondFactorMethod>()
  const choice = useRead({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => call('getSecondFactor', {}, { signal }),
    // Never show another person's methods.
    gcTime: 0,
  })
  const methods = (choice.data?.methods ?? []).filter((method) => method !== 'passkey' || knowsPasskeys)
  const leave = () =>
    act(async () => {
      await signOut()
      secondStep.set(false)
    })
  const open = chosen ?? methods[0]
  const pass = (form: FormData) =>
    act(async () => {
      await PROOFS[open!](form)
      await onDone()
    })
  return (
    <div class="form">
      <h2>{words.stepTitle}</h2>
      <Loaded read={choice} lines={2}>
        {() => (
          <>
            {open === undefined ? (
              <p>{words.stepImpossible}</p>
            ) : (
              <Way key={open} method={open} busy={busy} pass={pass} />
            )}
            <Refusal error={error} />
            <div class="actions">
              {methods
                .filter((method) => method !== open)
                .map((method) => (
                  <Button key={method} kind="small" onClick={() => setChosen(method)}>
                    {words.ways[method]}
                  </Button>
                ))}
            </div>
          </>
        )}
      </Loaded>
      <div class="actions">
        <Button kind="small plain" disabled={busy} onClick={() => void leave()}>
          {words.signOut}
        </Button>
      </div>
    </div>
  )
}

const PROOFS: Record<SecondFactorMethod, (form: FormData) => Promise<unknown>> = {
  passkey: async () => {
    const response = await askForPasskey(call('beginPassPasskey', {}))
    return call('finishPassPasskey', { body: { response } })
  },
  totp: (form) => call('passTotp', { body: { code: codeIn(form) } }),
  'recovery-code': (form) => call('passRecoveryCode', { body: { code: textIn(form, 'code') } }),
}

interface WayProps {
  method: SecondFactorMethod
  busy: boolean
  pass: (form: FormData) => unknown
}

/** A method's fields and submit button. */
function Way({ method, busy, pass }: WayProps) {
  const isPasskey = method === 'passkey'
  return (
    <Form onSubmit={pass}>
      {isPasskey && <p class="quiet">{words.passkeyLead}</p>}
      {method === 'totp' && <CodeField autofocus />}
      {method === 'recovery-code' && (
        <Field label={words.recoveryCode} hint={words.recoveryCodeHint}>
          {(attributes) => (
            <input
              {...attributes}
              ref={focus}
              class="code"
              name="code"
              autocomplete="off"
              spellcheck={false}
              required
            />
          )}
        </Field>
      )}
      <button type="submit" ref={isPasskey ? focus : null} class="button primary" disabled={busy}>
        {isPasskey ? words.ways.passkey : words.stepSubmit}
      </button>
    </Form>
  )
}
