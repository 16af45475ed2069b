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

/** A box that is ticked at once, and as it was where the change is refused. The focus stays in it. */
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

/** A form that keeps what was typed when it is refused, and says why below its buttons. `submitter` is the button used. */
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
  /** Enter answers it at once: the focus starts on the button, not in a field. */
  isQuestion?: boolean
  /** True while the fields cannot be submitted as they are. */
  disabled?: boolean
  onSubmit: (form: FormData) => unknown
  onClose: () => void
  children?: ComponentChildren
}

/** A form in a dialog: what was typed stays where it is refused. `onSubmit` closes it where that is right. */
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

/** The text of a field, without spaces around it. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '').trim()

/** Copies the text of a field. */
export async function copyFrom(field: HTMLInputElement | HTMLTextAreaElement): Promise<void> {
  field.select()
  try {
    await navigator.clipboard.writeText(field.value)
    announce(common.copied)
  } catch {
    // Over plain http a page may not; what is selected is copied with the keyboard.
    announce(common.copyYourself)
  }
}

/** A text to take along, with a button that copies it. */
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

/** A dialog for a secret that is shown once: only its button closes it. */
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
