import type { TextareaHTMLAttributes } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Field } from '../ui.tsx'
import { discussion as words } from '../words.ts'
import { findPeople, insertMention, type Mentionable, type TypedName, typedName } from './mentions.ts'

interface MentionAreaProps {
  label: string
  text: string
  people: readonly Mentionable[]
  /** Focus the area when it appears. */
  isFocused: boolean
  onText: (text: string) => void
  onMention: (person: Mentionable) => void
  area: TextareaHTMLAttributes<HTMLTextAreaElement>
}

/** A text area that suggests people after an @. Choose with the arrow keys and Enter, or with a click. */
export function MentionArea({ label, text, people, isFocused, onText, onMention, area }: MentionAreaProps) {
  const listId = useId()
  const element = useRef<HTMLTextAreaElement>(null)
  const caret = useRef<number>()
  const [typed, setTyped] = useState<TypedName>()
  const [active, setActive] = useState(0)
  const found = typed === undefined ? [] : findPeople(people, typed.name)
  const isOpen = found.length > 0
  useLayoutEffect(() => {
    if (isFocused) element.current?.focus()
  }, [])
  // Set the caret after the text has been rendered.
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    element.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  }, [text])
  const look = ({ value, selectionStart }: HTMLTextAreaElement): void => {
    setTyped(typedName(value, selectionStart))
    setActive(0)
  }
  const choose = (person: Mentionable | undefined): void => {
    if (person === undefined || typed === undefined) return
    const inserted = insertMention(text, typed, person)
    caret.current = inserted.caret
    setTyped(undefined)
    onMention(person)
    onText(inserted.text)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (!isOpen) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setActive((active + step + found.length) % found.length)
    else if (event.key === 'Escape') setTyped(undefined)
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey) choose(found[active])
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="mention-area">
      <Field label={label}>
        {(attributes) => (
          <textarea
            {...attributes}
            {...area}
            ref={element}
            value={text}
            aria-autocomplete="list"
            aria-controls={isOpen ? listId : undefined}
            aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
            onInput={({ currentTarget }) => {
              onText(currentTarget.value)
              look(currentTarget)
            }}
            onClick={({ currentTarget }) => look(currentTarget)}
            onBlur={() => setTyped(undefined)}
            onKeyDown={onKey}
          />
        )}
      </Field>
      <p class="hidden" role="status">
        {isOpen && words.found({ many: found.length })}
      </p>
      {isOpen && <People {...{ listId, found, active, choose }} />}
    </div>
  )
}

interface PeopleProps {
  listId: string
  found: readonly Mentionable[]
  active: number
  choose: (person: Mentionable) => void
}

/** The suggested people. The text area keeps the focus and refers to the active one. */
const People = ({ listId, found, active, choose }: PeopleProps) => (
  <ul id={listId} class="mention-list" role="listbox" aria-label={words.people}>
    {found.map((person, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the text area keeps the focus and handles the keys
      <li
        key={person.id}
        id={`${listId}-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === active}
        // Keep the focus in the text area.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => choose(person)}
      >
        <bdi>{person.name}</bdi>
      </li>
    ))}
  </ul>
)
