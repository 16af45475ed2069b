import { type QueryKey, useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyField, FormDialog, SectionHead, ShownOnce } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { Loaded, Rows } from '../list.tsx'
import { announce, Button, Problem } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import type { Read } from '../use-read.ts'

/** A change that went through: `said` is announced, and `secret`, or a dialog of its own, is shown once. */
export interface Outcome {
  said?: string
  secret?: Secret
  dialog?: ComponentChildren
}

interface Secret {
  title: string
  lead: string
  fields: { label: string; value: string; hint?: string }[]
}

/** A dialog with a form. `run` makes the change; where it throws, the dialog stays and says why. */
export interface Question {
  title: string
  submit: string
  isBad?: boolean
  text?: string
  fields?: ComponentChildren
  run: (form: FormData) => Promise<Outcome>
}

export interface Changes {
  busy: boolean
  error: unknown
  dialog: ComponentChildren
  /** Opens the dialog of a question. */
  ask: (question: Question) => void
  /** Opens a dialog that is more than a question; `finish` or `close` closes it. */
  open: (dialog: ComponentChildren) => void
  close: () => void
  finish: (outcome: Outcome) => Promise<void>
  refresh: () => Promise<unknown>
  /** Makes a change at once, without a question. */
  change: (run: () => Promise<Outcome>) => Promise<boolean>
}

/** Makes the changes of a section of the settings, one dialog at a time. Each change reads `stale` again. */
export function useChanges(...stale: QueryKey[]): Changes {
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [dialog, setDialog] = useState<ComponentChildren>()
  const close = (): void => setDialog(undefined)
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
  const finish = async ({ said, secret, dialog: next }: Outcome): Promise<void> => {
    setDialog(secret ? <SecretDialog secret={secret} onClose={close} /> : next)
    if (said !== undefined) announce(said)
    await refresh()
  }
  const ask = ({ text, fields, run, ...question }: Question): void =>
    setDialog(
      <FormDialog {...question} onClose={close} onSubmit={async (form) => finish(await run(form))}>
        {text !== undefined && <p>{text}</p>}
        {fields}
      </FormDialog>,
    )
  const change = (run: () => Promise<Outcome>): Promise<boolean> => act(async () => finish(await run()))
  return { busy, error, dialog, ask, open: setDialog, close, finish, refresh, change }
}

function SecretDialog({ secret: { fields, ...head }, onClose }: { secret: Secret; onClose: () => void }) {
  return (
    <ShownOnce {...head} onClose={onClose}>
      {fields.map((field) => (
        <CopyField key={field.label} {...field} />
      ))}
    </ShownOnce>
  )
}

interface SectionProps {
  title: string
  hint?: string
  changes: Changes
  /** The button in the head. */
  add?: ComponentChildren
  children?: ComponentChildren
}

/** A part of a page of the settings: its head, why the last change failed, and the dialog that is open. */
export function Section({ title, hint, changes: { error, dialog }, add, children }: SectionProps) {
  return (
    <>
      <SectionHead title={title}>{add}</SectionHead>
      {hint !== undefined && <p class="quiet small-text">{hint}</p>}
      <Problem error={error} />
      {children}
      {dialog}
    </>
  )
}

/** A section that is a list, with a row for each item; `children` stand below it. */
export function ListSection<T>({
  read,
  lines,
  empty,
  keyOf,
  row,
  children,
  ...section
}: SectionProps & {
  read: Pick<Read<T[]>, 'data' | 'error' | 'refetch'>
  lines?: number
  /** Stands in for a list without rows. */
  empty?: ComponentChildren
  keyOf: (item: T) => string
  row: (item: T, index: number) => ComponentChildren
}) {
  return (
    <Section {...section}>
      <Loaded read={read} lines={lines} empty={empty ?? null}>
        {(items) => (
          <Rows label={section.title} items={items} keyOf={keyOf}>
            {row}
          </Rows>
        )}
      </Loaded>
      {children}
    </Section>
  )
}

/** The button that opens a question which adds something. */
export const AddButton = ({
  kind = 'primary',
  text,
  onClick,
}: {
  kind?: string
  text: string
  onClick: () => void
}) => (
  <Button kind={kind} onClick={onClick}>
    <Icon name="plus" /> {text}
  </Button>
)

export interface Action {
  text: string
  isPlain?: boolean
  disabled?: boolean
  run: () => unknown
}

/** The buttons of a row; `of` names its thing to users of screen readers. */
export const Actions = ({ of, all }: { of: string; all: (Action | false)[] }) =>
  all.map(
    (action) =>
      action && (
        <Button
          key={action.text}
          kind={action.isPlain ? 'small plain' : 'small'}
          of={of}
          disabled={action.disabled}
          onClick={() => void action.run()}
        >
          {action.text}
        </Button>
      ),
  )
