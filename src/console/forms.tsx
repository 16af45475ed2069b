import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { CheckField } from './fields.tsx'
import { Refusal } from './refusal.tsx'
import { announce, Button, Dialog, Field } from './ui.tsx'
import { useAct } from './use-act.ts'
import { common } from './words.ts'

interface SwitchProps {
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => Promise<unknown>
  children: ComponentChildren
}

/** A checkbox that saves immediately and reverts if the change is refused. It keeps the focus. */
export function Switch({ checked, disabled = false, onChange, children }: SwitchProps) {
  const [next, setNext] = useState<boolean>()
  return (
    <CheckField
      checked={next ?? checked}
      disabled={disabled}
      onCheck={(now) => {
        setNext(now)
        void onChange(now).finally(() => setNext(undefined))
      }}
    >
      {children}
    </CheckField>
  )
}

interface FormProps {
  error?: unknown
  onSubmit: (form: FormData, submitter: HTMLButtonElement | null) => unknown
  className?: string
  children: ComponentChildren
}

/** A form that keeps the input if it is refused and shows the error below its buttons. `submitter` is the button used. */
export function Form({ error, onSubmit, className = 'form', children }: FormProps) {
  return (
    <form
      class={className}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(new FormData(event.currentTarget), event.submitter as HTMLButtonElement | null)
      }}
    >
      {children}
      <Refusal error={error} />
    </form>
  )
}

interface FormDialogProps {
  title: string
  submit: string
  isBad?: boolean
  /** Starts with the focus on the button rather than a field, so that Enter answers. */
  isQuestion?: boolean
  /** True while the fields cannot be submitted. */
  disabled?: boolean
  onSubmit: (form: FormData) => unknown
  onClose: () => void
  children?: ComponentChildren
}

/** A form in a dialog. Input is kept if it is refused; `onSubmit` closes the dialog when appropriate. */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, isBad, isQuestion, disabled, onSubmit, onClose, children } = props
  const { busy, error, act } = useAct()
  return (
    <Dialog title={title} onClose={onClose}>
      <Form error={error} onSubmit={(form) => !disabled && act(async () => onSubmit(form))}>
        {children}
        <div class="actions">
          <Button type="submit" kind={isBad ? 'bad' : 'primary'} disabled={busy || disabled} autofocus={isQuestion}>
            {submit}
          </Button>
          <Button onClick={onClose}>{common.cancel}</Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Returns a field's text, trimmed. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()

/** Copies a field's text. */
export async function copyFrom(field: HTMLInputElement | HTMLTextAreaElement): Promise<void> {
  field.select()
  try {
    await navigator.clipboard.writeText(field.value)
    announce(common.copied)
  } catch {
    // Pages over plain http may not copy; the text is selected, so the person can press the copy keys.
    announce(common.copyYourself)
  }
}

/** A read-only text with a copy button. */
export function CopyField({ label, value, hint }: { label: string; value: string; hint?: string }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <span class="copy">
          <input {...attributes} ref={input} readOnly value={value} onFocus={() => input.current?.select()} />
          <Button of={label} onClick={() => void copyFrom(input.current!)}>
            {common.copy}
          </Button>
        </span>
      )}
    </Field>
  )
}

interface ShownOnceProps {
  title: string
  lead: string
  onClose: () => void
  children: ComponentChildren
}

/** A dialog for a secret that is shown once. Only its button closes it. */
export function ShownOnce({ title, lead, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} canClose={false} onClose={onClose}>
      <div class="form">
        <p>{lead}</p>
        {children}
        <div class="actions">
          <Button kind="primary" onClick={onClose}>
            {common.haveIt}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Returns the full URL of a link that the service created, under the console's base path. */
export const toLink = (path: string): string => new URL(path.replace(/^\//, ''), document.baseURI).href

/** A section's heading and its actions. */
export function SectionHead({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="bar">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
