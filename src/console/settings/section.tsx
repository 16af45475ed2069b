import { type QueryKey, useQueryClient } from '@tanstack/preact-query'
import { type ComponentChildren, type ComponentProps, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { FormDialog, SectionHead, ShownOnce } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { Loaded, Rows } from '../list.tsx'
import { Refusal } from '../refusal.tsx'
import { announce, Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'

/** A successful change: `announcement` is announced, and the next `question`, a `secret` or a `dialog` is shown. */
export interface Outcome {
  announcement?: string | undefined
  secret?: Omit<ComponentProps<typeof ShownOnce>, 'onClose'> | undefined
  question?: Question
  dialog?: ComponentChildren
}

/** Returns the outcome of a change whose answer is not shown. */
export async function done(change: Promise<unknown>, announcement?: string): Promise<Outcome> {
  await change
  return { announcement }
}

/** A dialog with a form. `run` makes the change; if it throws, the dialog stays and shows the error. */
export interface Question {
  title: string
  submit: string
  isBad?: boolean
  text?: string
  fields?: ComponentChildren
  run: (form: FormData) => Promise<Outcome>
}

interface Changes {
  busy: boolean
  error: unknown
  dialog: ComponentChildren
  /** Opens a question's dialog. */
  ask: (question: Question) => void
  /** Opens a custom dialog; `finish` or `close` closes it. */
  open: (dialog: ComponentChildren) => void
  close: () => void
  finish: (outcome: Outcome) => Promise<void>
  refresh: () => Promise<unknown>
  /** Makes a change immediately, without a dialog. */
  change: (run: () => Promise<Outcome>) => Promise<boolean>
  /** Makes a change for a button that shows its own errors. */
  make: (run: () => Promise<Outcome>) => Promise<void>
}

/** Makes the changes of a settings section, one dialog at a time. Each change reloads `stale`. */
export function useChanges(...stale: QueryKey[]): Changes {
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [dialog, open] = useState<ComponentChildren>()
  const close = (): void => open(undefined)
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
  const show = async ({ announcement, secret, question, dialog: next }: Outcome): Promise<void> => {
    if (question !== undefined) ask(question)
    else if (secret !== undefined) open(<ShownOnce {...secret} onClose={close} />)
    else if (next !== undefined) open(next)
    // Update the page before announcing the change.
    await refresh()
    if (announcement !== undefined) announce(announcement)
  }
  const finish = (outcome: Outcome): Promise<void> => {
    close()
    return show(outcome)
  }
  const ask = ({ text, fields, run, ...question }: Question): void =>
    open(
      <FormDialog {...question} onClose={close} onSubmit={async (form) => finish(await run(form))}>
        {text !== undefined && <p>{text}</p>}
        {fields}
      </FormDialog>,
    )
  // Leave a dialog open that was opened during the change.
  const make = async (run: () => Promise<Outcome>): Promise<void> => show(await run())
  const change = (run: () => Promise<Outcome>): Promise<boolean> => act(() => make(run))
  return { busy, error, dialog, ask, open, close, finish, refresh, change, make }
}

const SectionChanges = createContext<Changes | undefined>(undefined)
/** Returns the changes of the enclosing section, including from within its dialogs. */
export const useSectionChanges = (): Changes => useContext(SectionChanges)!

/** A button that opens a question or makes a change immediately. */
export type Action = { text: string; kind?: string; disabled?: boolean } & (
  | { ask: Question }
  | { change: () => Promise<Outcome> }
  | { run: () => void }
)

interface SectionProps {
  title: string
  hint?: string | undefined
  changes: Changes
  /** The question behind a button in the heading; the button has its title. */
  add?: Question | false
  addKind?: string
  /** Another button in the heading. */
  action?: Action | false | undefined
  children?: ComponentChildren
}

/** A part of a settings page: its heading, the last error, and the open dialog. */
export function Section({ title, hint, changes, add, addKind = 'primary', action, children }: SectionProps) {
  return (
    <SectionChanges.Provider value={changes}>
      <SectionHead title={title}>
        {add && (
          <Button kind={addKind} onClick={() => changes.ask(add)}>
            <Icon name="plus" /> {add.title}
          </Button>
        )}
        {action && <ActionButton action={action} />}
      </SectionHead>
      {hint !== undefined && <p class="quiet small-text">{hint}</p>}
      <Refusal error={changes.error} />
      {children}
      {changes.dialog}
    </SectionChanges.Provider>
  )
}

/** A section with a row per item; `children` are shown below the list. */
export function ListSection<T extends { id: string } | { name: string }>({
  read,
  lines,
  empty,
  row,
  children,
  ...section
}: SectionProps & {
  read: ComponentProps<typeof Loaded<T[]>>['read']
  lines?: number
  /** Shown if the list is empty. */
  empty?: ComponentChildren
  row: (item: T) => ComponentChildren
}) {
  return (
    <Section {...section}>
      <Loaded read={read} lines={lines} empty={empty ?? null}>
        {(items) => (
          <Rows label={section.title} items={items} keyOf={(item) => ('id' in item ? item.id : item.name)}>
            {row}
          </Rows>
        )}
      </Loaded>
      {children}
    </Section>
  )
}

interface RowProps {
  name: ComponentChildren
  /** False for a row below another one's name. */
  isStrong?: boolean
  /** The small line below the name. */
  about?: ComponentChildren
  /** Shown before the buttons of `actions`. */
  controls?: ComponentChildren
  of?: string | undefined
  actions?: (Action | false)[] | false
  children?: ComponentChildren
}

/** A row's texts, with its buttons beside them. */
export function Row({ name, isStrong = true, about, controls, of, actions, children }: RowProps) {
  return (
    <>
      <div class="row-text">
        {isStrong ? <strong>{name}</strong> : name}
        {about && <span class="quiet small-text">{about}</span>}
        {children}
      </div>
      {actions && (
        <Actions of={of} all={actions}>
          {controls}
        </Actions>
      )}
    </>
  )
}

interface ActionsProps {
  /** The name of the thing that the buttons act on, for screen readers. */
  of?: string | undefined
  all: (Action | false)[]
  /** Controls before the buttons. */
  children?: ComponentChildren
}

/** A group of small buttons. */
export const Actions = ({ of, all, children }: ActionsProps) => (
  <div class="actions">
    {children}
    {all.map((action) => action && <ActionButton key={action.text} of={of} small action={action} />)}
  </div>
)

function ActionButton({ action, of, small = false }: { action: Action; of?: string | undefined; small?: boolean }) {
  const { ask, make } = useSectionChanges()
  const { busy, error, act } = useAct()
  const { text, kind = '', disabled = busy } = action
  const onClick = (): void => {
    if ('ask' in action) ask(action.ask)
    else if ('change' in action) void act(() => make(action.change))
    else action.run()
  }
  return (
    <>
      <Button kind={small ? `small ${kind}` : kind} of={of} disabled={disabled} onClick={onClick}>
        {text}
      </Button>
      <Refusal error={error} />
    </>
  )
}
