import { useState } from 'preact/hooks'
import { CheckField } from '../fields.tsx'
import { Refusal } from '../refusal.tsx'
import type { KeptText } from '../store.ts'
import { Button } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useLeaveGuard } from '../use-leave-guard.ts'
import { common, discussion as words } from '../words.ts'
import { MentionArea } from './mention-area.tsx'
import { type Mentionable, stillMentioned } from './mentions.ts'

const TEXT_CHARS_MAX = 2_000

/** A message being written. */
export interface Typed {
  text: string
  mentions: readonly Mentionable[]
  shared: boolean
}

interface MessageFormProps {
  label: string
  submit: string
  people?: readonly Mentionable[]
  /** The message being edited. */
  before?: Omit<Typed, 'shared'>
  /** True if a new thread may be shared. */
  mayShare?: boolean
  /** Keeps the draft until it is sent. Without it, the browser warns before the draft is lost. */
  draft?: KeptText
  isFocused?: boolean
  onSend: (typed: Typed) => Promise<unknown>
  onCancel?: () => void
}

const EMPTY: Typed = { text: '', mentions: [], shared: false }

function readDraft(draft: KeptText | undefined): Typed | undefined {
  try {
    return JSON.parse(draft?.get() ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps the draft of a message up to date, and sends it. */
function useMessage({ before, draft, onSend }: Pick<MessageFormProps, 'before' | 'draft' | 'onSend'>) {
  const [typed, setTyped] = useState<Typed>(() => readDraft(draft) ?? { ...EMPTY, ...before })
  const { busy, error, act } = useAct()
  const isUnchanged = typed.text === (before?.text ?? '')
  useLeaveGuard(draft === undefined && !isUnchanged)
  const change = (part: Partial<Typed>): void => {
    setTyped((now) => {
      const next = { ...now, ...part }
      draft?.set(next.text === '' ? undefined : JSON.stringify(next))
      return next
    })
  }
  const canSend = typed.text.trim() !== '' && !busy
  const send = async (): Promise<void> => {
    if (!canSend) return
    const text = typed.text.trim()
    const isSent = await act(
      () => onSend({ ...typed, text, mentions: stillMentioned(text, typed.mentions) }),
      words.sent,
    )
    if (!isSent) return
    draft?.set(undefined)
    setTyped(EMPTY)
  }
  return { typed, change, canSend, send, error }
}

/** The form for a new message, a reply or an edit. Ctrl+Enter sends it. */
export function MessageForm(props: MessageFormProps) {
  const { label, submit, people = [], mayShare = false, isFocused = false, onCancel } = props
  const { typed, change, canSend, send, error } = useMessage(props)
  return (
    <form
      class="form message-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <MentionArea
        label={label}
        text={typed.text}
        people={people}
        isFocused={isFocused}
        onText={(text) => change({ text })}
        onMention={(person) => change({ mentions: [...typed.mentions.filter(({ id }) => id !== person.id), person] })}
        area={{
          ...{ rows: 3, maxLength: TEXT_CHARS_MAX, class: 'short' },
          onKeyUp: (event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
          },
        }}
      />
      {mayShare && (
        <CheckField checked={typed.shared} onCheck={(shared) => change({ shared })}>
          {words.share}
        </CheckField>
      )}
      <div class="actions">
        <Button type="submit" kind="small primary" disabled={!canSend}>
          {submit}
        </Button>
        {onCancel && (
          <Button kind="small" onClick={onCancel}>
            {common.cancel}
          </Button>
        )}
      </div>
      <Refusal error={error} />
    </form>
  )
}
