import { Field } from '../ui.tsx'
import { factors as words } from '../words.ts'

/** Takes the six digits of an authenticator app; spaces between them are left out when they are sent. */
export function CodeField({ autofocus = false }: { autofocus?: boolean }) {
  return (
    <Field label={words.code} hint={words.codeHint}>
      {(attributes) => (
        <input
          {...attributes}
          ref={autofocus ? focus : null}
          autofocus={autofocus}
          class="code"
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          pattern="\s*([0-9]\s*){6}"
          title={words.codeHint}
          required
        />
      )}
    </Field>
  )
}

/** Takes the focus when the element appears: `autofocus` acts only in what the browser itself opens. */
export const focus = (element: HTMLElement | null): void => element?.focus()

export const codeIn = (form: FormData): string => String(form.get('code') ?? '').replaceAll(/\s/g, '')
