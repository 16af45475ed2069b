import { FormDialog, textIn } from '../forms.tsx'
import { Field } from '../ui.tsx'
import { words } from './words.ts'

/** An access token: not shown while it is typed, and offered to no store of passwords. */
export function TokenField({ hint, isRequired = false }: { hint: string; isRequired?: boolean }) {
  return (
    <Field label={isRequired ? words.token : words.tokenOptional} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          name="accessToken"
          type="password"
          autocomplete="off"
          required={isRequired}
          autofocus={isRequired}
        />
      )}
    </Field>
  )
}

interface TokenDialog {
  /** Of the channel or ad account. */
  name: string
  onClose: () => void
  /** Gives it this token, or none. */
  onToken: (accessToken: string | null) => Promise<unknown>
}

export function ConnectDialog({ name, hint, onClose, onToken }: TokenDialog & { hint: string }) {
  return (
    <FormDialog
      title={words.connectTitle(name)}
      submit={words.connect}
      onClose={onClose}
      onSubmit={(form) => onToken(textIn(form, 'accessToken'))}
    >
      <TokenField hint={hint} isRequired />
    </FormDialog>
  )
}

export function DisconnectDialog({ name, text, onClose, onToken }: TokenDialog & { text: string }) {
  return (
    <FormDialog
      title={words.disconnectTitle(name)}
      submit={words.disconnect}
      isBad
      onClose={onClose}
      onSubmit={() => onToken(null)}
    >
      <p>{text}</p>
    </FormDialog>
  )
}
