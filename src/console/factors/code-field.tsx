import { Field } from '../ui.tsx'
import { factors as words } from '../words.ts'

/** Takes an authenticator app's six digits. Spaces are removed on submit. */
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

/** Focuses an element when it appears. The `autofocus` attribute only works when the page loads. */
export const focus = (element: HTMLElement | null): void => element?.focus()

export const codeIn = (form: FormData): string => String(form.get('code') ?? '').replaceAll(/\s/g, '')
