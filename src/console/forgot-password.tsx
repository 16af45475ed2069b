import { useState } from 'preact/hooks'
import { call } from './api.ts'
import { TextField } from './fields.tsx'
import { Form, textIn } from './forms.tsx'
import { Button } from './ui.tsx'
import { useAct } from './use-act.ts'
import { entrance as words } from './words.ts'

/** Asks for a reset email. The answer does not reveal whether the account exists. */
export default function ForgotPassword({ mail, onBack }: { mail: string; onBack: () => void }) {
  const { busy, error, act } = useAct()
  const [asked, setAsked] = useState<string>()
  const submit = (form: FormData) =>
    act(async () => {
      const given = textIn(form, 'mail')
      await call('requestPasswordLink', { body: { mail: given } })
      setAsked(given)
    })
  return (
    <Form error={error} onSubmit={submit}>
      {asked === undefined ? (
        <>
          <p>{words.forgot.lead}</p>
          <TextField
            label={words.signIn.mail}
            name="mail"
            type="email"
            autocomplete="username"
            required
            autofocus
            defaultValue={mail}
          />
          <Button type="submit" kind="primary" disabled={busy}>
            {words.forgot.submit}
          </Button>
        </>
      ) : (
        <p role="status">{words.forgot.sent({ mail: asked })}</p>
      )}
      <Button onClick={onBack}>{words.forgot.back}</Button>
    </Form>
  )
}
