import { Field } from '../ui.tsx'
import { settingsWords as words } from '../words.ts'

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
