import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { announce, Dialog, Field, Problem } from './ui.tsx'
import { common } from './words.ts'

/** Runs one change at a time, and keeps why the last one failed. */
export function useAct() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      if (done !== undefined) announce(done)
      return true
    } catch (thrown) {
      setError(thrown)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, act }
}

/** A box that is ticked at once, and as it was where the change is refused. The focus stays in it. */
export function Switch({
  checked,
  disabled = false,
  onChange,
  children,
}: {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => Promise<unknown>
  children: ComponentChildren
}) {
  const [next, setNext] = useState<boolean>()
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={next ?? checked}
        disabled={disabled}
        onChange={(event) => {
          setNext(event.currentTarget.checked)
          void onChange(event.currentTarget.checked).finally(() => setNext(undefined))
        }}
      />
      {children}
    </label>
  )
}

/** A form in a dialog: what was typed stays where it is refused. `onSubmit` closes it where that is right. */
export function FormDialog({
  title,
  submit,
  isBad = false,
  isQuestion = false,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  submit: string
  isBad?: boolean
  /** Enter answers it at once: the focus starts on the button, not in a field. */
  isQuestion?: boolean
  /** Of what cannot be submitted as it is. */
  disabled?: boolean
  onSubmit: (form: FormData) => unknown
  onClose: () => void
  children?: ComponentChildren
}) {
  const { busy, error, act } = useAct()
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          if (!disabled) void act(async () => onSubmit(form))
        }}
      >
        {error !== undefined && <Problem error={error} />}
        {children}
        <div class="actions">
          <button
            type="submit"
            class={`button ${isBad ? 'bad' : 'primary'}`}
            disabled={busy || disabled}
            autofocus={isQuestion}
          >
            {submit}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** What one field of a form holds, without spaces around it. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()

/** A text to take along, with a button that copies it. */
export function CopyField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const input = useRef<HTMLInputElement>(null)
  const copy = async (): Promise<void> => {
    input.current?.select()
    try {
      await navigator.clipboard.writeText(value)
      announce(common.copied)
    } catch {
      // Over plain http a page may not; what is selected is copied with the keyboard.
      announce(common.copyYourself)
    }
  }
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <span class="copy">
          <input {...attributes} ref={input} readOnly value={value} onFocus={() => input.current?.select()} />
          <button type="button" class="button" onClick={() => void copy()}>
            {common.copy}
            <span class="hidden"> {label}</span>
          </button>
        </span>
      )}
    </Field>
  )
}

/** What is shown once: closed only by who says that they have it. */
export function ShownOnce({
  title,
  lead,
  onClose,
  children,
}: {
  title: string
  lead: string
  onClose: () => void
  children: ComponentChildren
}) {
  return (
    <Dialog title={title} canClose={false} onClose={onClose}>
      <div class="form">
        <p>{lead}</p>
        {children}
        <div class="actions">
          <button type="button" class="button primary" onClick={onClose}>
            {common.haveIt}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** The address of a link that the service made, below which the console is served. */
export const toLink = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).href

/** The head of a section, with what can be added to it. */
export function SectionHead({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="bar">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
