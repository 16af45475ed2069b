import { useState } from 'preact/hooks'
import type { ConfirmationMethod } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { PasswordField } from '../entrance.tsx'
import { FormDialog } from '../forms.tsx'
import { leave } from '../leave.ts'
import { Button, Dialog, Loading, Problem } from '../ui.tsx'
import { useRead } from '../use-read.ts'
import { factors as words } from '../words.ts'
import { CodeField, codeIn } from './code-field.tsx'
import { askForPasskey, knowsPasskeys } from './passkey.ts'

/** Asks the person to confirm their identity before a call is repeated. */
export function ConfirmDialog({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const [chosen, setChosen] = useState<ConfirmationMethod>()
  const choice = useRead({
    queryKey: ['confirmation'],
    queryFn: ({ signal }) => call('getConfirmation', {}, { signal }),
    gcTime: 0,
  })
  const onClose = (): void => onAnswer(false)
  if (choice.data === undefined) {
    return (
      <Dialog title={words.confirmTitle} onClose={onClose}>
        {choice.error ? <Problem error={choice.error} onRetry={choice.refetch} /> : <Loading lines={2} />}
      </Dialog>
    )
  }
  const methods = choice.data.methods.filter((method) => method !== 'passkey' || knowsPasskeys)
  const open = chosen ?? methods[0] ?? 'sign-in'
  const others = methods.filter((method) => method !== 'sign-in').filter((method) => method !== open)
  if (open === 'sign-in') {
    // People who signed in by a link or the identity provider can only prove it by signing in again.
    return (
      <FormDialog title={words.confirmTitle} submit={words.signOut} onSubmit={() => leave()} onClose={onClose}>
        <p>{words.confirmSignIn}</p>
      </FormDialog>
    )
  }
  const confirm = async (form: FormData): Promise<void> => {
    await PROOFS[open](form)
    onAnswer(true)
  }
  return (
    <FormDialog
      key={open}
      title={words.confirmTitle}
      submit={words.confirmBy[open]}
      isQuestion={open === 'passkey'}
      onSubmit={confirm}
      onClose={onClose}
    >
      <p>{words.confirmLead}</p>
      {open === 'password' && <PasswordField autocomplete="current-password" autofocus />}
      {open === 'totp' && <CodeField autofocus />}
      {others.length > 0 && (
        <div class="actions">
          {others.map((method) => (
            <Button key={method} kind="small" onClick={() => setChosen(method)}>
              {words.confirmWays[method]}
            </Button>
          ))}
        </div>
      )}
    </FormDialog>
  )
}

const PROOFS: Record<Exclude<ConfirmationMethod, 'sign-in'>, (form: FormData) => Promise<unknown>> = {
  passkey: async () => {
    const response = await askForPasskey(call('beginConfirmByPasskey', {}))
    return call('finishConfirmByPasskey', { body: { response } })
  },
  totp: (form) => call('confirmByTotp', { body: { code: codeIn(form) } }),
  password: (form) => call('confirmByPassword', { body: { password: String(form.get('password')) } }),
}
