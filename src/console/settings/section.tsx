import { type QueryKey, useQueryClient } from '@tanstack/preact-query'
import { type ComponentChildren, type ComponentProps, createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { FormDialog, SectionHead, ShownOnce } from '../forms.tsx'
import { Icon } from '../icons.tsx'
import { Loaded, Rows } from '../list.tsx'
import { Refusal } from '../refusal.tsx'
import { announce, Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'

/** A change that went through: `said` is announced, and the next `question`, a `secret` or a `dialog` is shown. */
export interface Outcome {
  said?: string | undefined
  secret?: Omit<ComponentProps<typeof ShownOnce>, 'onClose'> | undefined
  question?: Question
  dialog?: ComponentChildren
}

/** The outcome of a change whose answer is not shown. */
export async function done(change: Promise<unknown>, said?: string): Promise<Outcome> {
  await change
  return { said }
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

interface Changes {
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
  /** The same for a button that says itself why it was refused. */
  make: (run: () => Promise<Outcome>) => Promise<void>
}

/** Makes the changes of a section of the settings, one dialog at a time. Each change reads `stale` again. */
export function useChanges(...stale: QueryKey[]): Changes {
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [dialog, open] = useState<ComponentChildren>()
  const close = (): void => open(undefined)
  const refresh = () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
  const tell = async ({ said, secret, question, dialog: next }: Outcome): Promise<void> => {
    if (question !== undefined) ask(question)
    else if (secret !== undefined) open(<ShownOnce {...secret} onClose={close} />)
    else if (next !== undefined) open(next)
    // The page shows it before a reader of the screen is told.
    await refresh()
    if (said !== undefined) announce(said)
  }
  const finish = (outcome: Outcome): Promise<void> => {
    close()
    return tell(outcome)
  }
  const ask = ({ text, fields, run, ...question }: Question): void =>
    open(
      <FormDialog {...question} onClose={close} onSubmit={async (form) => finish(await run(form))}>
        {text !== undefined && <p>{text}</p>}
        {fields}
      </FormDialog>,
    )
  // A dialog that the person opened while the change was made stays open.
  const make = async (run: () => Promise<Outcome>): Promise<void> => tell(await run())
  const change = (run: () => Promise<Outcome>): Promise<boolean> => act(() => make(run))
  return { busy, error, dialog, ask, open, close, finish, refresh, change, make }
}

const SectionChanges = createContext<Changes | undefined>(undefined)
/** The changes of the section around a component, a dialog of the section among them. */
export const useSectionChanges = (): Changes => useContext(SectionChanges)!

/** A button, which opens a question or makes a change at once. */
export type Action = { text: string; kind?: string; disabled?: boolean } & (
  | { ask: Question }
  | { change: () => Promise<Outcome> }
  | { run: () => void }
)

interface SectionProps {
  title: string
  hint?: string | undefined
  changes: Changes
  /** The question of a button in the head, which has its title. */
  add?: Question | false
  addKind?: string
  /** Another button in the head. */
  action?: Action | false | undefined
  children?: ComponentChildren
}

/** A part of a page of the settings: its head, why the last change failed, and the dialog that is open. */
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

/** A section that is a list, with a row for each item; `children` stand below it. */
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
  /** Stands in for a list without rows. */
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
  /** Stand before the buttons of `actions`. */
  controls?: ComponentChildren
  of?: string | undefined
  actions?: (Action | false)[] | false
  children?: ComponentChildren
}

/** The texts of a row, and its buttons beside them. */
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
  /** Names the thing of the buttons to users of screen readers. */
  of?: string | undefined
  all: (Action | false)[]
  /** Controls before the buttons. */
  children?: ComponentChildren
}

/** Small buttons beside each other. */
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
