import { useState } from 'preact/hooks'
import type { SecondFactorMethod } from '../../interface/second-factors.ts'
import { signOut } from '../api.ts'
import { secondStep } from '../connection.ts'
import { Form, textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { Button, Field, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
import { beginPasskeyStep, finishPasskeyStep, getSecondFactorChoice, passByRecoveryCode, passByTotp } from './calls.ts'
import { CodeField, codeIn, focus } from './code-field.tsx'
import { askForPasskey, knowsPasskeys } from './passkey.ts'
import { words } from './words.ts'

type Pass = (work: () => Promise<unknown>) => unknown
interface WayProps {
  pass: Pass
  busy: boolean
}

/** Asks a person who has passed the first factor for the second. */
export default function SecondStep({ onDone }: { onDone: () => Promise<void> }) {
  const { busy, error, act } = useAct()
  const [chosen, setChosen] = useState<SecondFactorMethod>()
  const choice = useRead({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => getSecondFactorChoice({ signal }),
    // The methods of another person must not be shown.
    gcTime: 0,
  })
  const methods = (choice.data?.methods ?? []).filter((method) => method !== 'passkey' || knowsPasskeys)
  const leave = (): void => {
    void act(async () => {
      await signOut()
      secondStep.set(false)
    })
  }
  const pass: Pass = (work) =>
    act(async () => {
      await work()
      await onDone()
    })
  const open = chosen ?? methods[0]
  const Way = open === undefined ? undefined : WAYS[open]
  return (
    <div class="form">
      <h2>{words.stepTitle}</h2>
      <Problem error={error} />
      <Loaded read={choice} lines={2}>
        {() => (
          <>
            {Way === undefined ? <p>{words.stepImpossible}</p> : <Way key={open} pass={pass} busy={busy} />}
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
        <Button kind="small plain" disabled={busy} onClick={leave}>
          {words.signOut}
        </Button>
      </div>
    </div>
  )
}

function ByPasskey({ pass, busy }: WayProps) {
  const prove = async (): Promise<void> => {
    await finishPasskeyStep({ response: await askForPasskey(beginPasskeyStep) })
  }
  return (
    <>
      <p class="quiet">{words.passkeyLead}</p>
      <button type="button" ref={focus} class="button primary" disabled={busy} onClick={() => pass(prove)}>
        {words.ways.passkey}
      </button>
    </>
  )
}

function ByTotp({ pass, busy }: WayProps) {
  return (
    <CodeForm busy={busy} onSubmit={(form) => pass(() => passByTotp({ code: codeIn(form) }))}>
      <CodeField autofocus />
    </CodeForm>
  )
}

function ByRecoveryCode({ pass, busy }: WayProps) {
  return (
    <CodeForm busy={busy} onSubmit={(form) => pass(() => passByRecoveryCode({ code: textIn(form, 'code') }))}>
      <Field label={words.recoveryCode} hint={words.recoveryCodeHint}>
        {(attributes) => (
          <input {...attributes} ref={focus} class="code" name="code" autocomplete="off" spellcheck={false} required />
        )}
      </Field>
    </CodeForm>
  )
}

const WAYS = { passkey: ByPasskey, totp: ByTotp, 'recovery-code': ByRecoveryCode }

function CodeForm({
  busy,
  onSubmit,
  children,
}: {
  busy: boolean
  onSubmit: (form: FormData) => unknown
  children: preact.ComponentChildren
}) {
  return (
    <Form onSubmit={onSubmit}>
      {children}
      <Button type="submit" kind="primary" disabled={busy}>
        {words.stepSubmit}
      </Button>
    </Form>
  )
}
