import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { TextField } from '../fields.tsx'
import { preferences } from '../store.ts'
import { Dialog, Empty } from '../ui.tsx'
import { writing as words } from '../words.ts'
import { EMOJI } from './emoji.ts'
import type { TextTool } from './insert-text.ts'

const RECENT_MAX = 16
const RECENT = 'emoji'

const readRecent = (): string[] => preferences.get(RECENT)?.split(' ').filter(Boolean) ?? []
const noteRecent = (emoji: string): void =>
  preferences.set(RECENT, [emoji, ...readRecent().filter((one) => one !== emoji)].slice(0, RECENT_MAX).join(' '))

/** The emoji's name, for screen readers and search. */
const nameOf = (emoji: string): string => EMOJI.find(([one]) => one === emoji)?.[1] ?? emoji

/** A searchable grid of emoji, with recently used ones first. */
export default function EmojiPicker({ onInsert, onClose }: TextTool) {
  const [search, setSearch] = useState('')
  const [recent] = useState(readRecent)
  const wanted = search.trim().toLowerCase().split(/\s+/)
  const found = EMOJI.filter(([, name]) => wanted.every((word) => ` ${name}`.includes(` ${word}`))).map(
    ([emoji]) => emoji,
  )
  const take = (emoji: string): void => {
    noteRecent(emoji)
    onInsert(emoji)
  }
  return (
    <Dialog title={words.emojiTitle} onClose={onClose}>
      <div class="form">
        <TextField
          label={words.search}
          hint={words.emojiHint}
          type="search"
          autofocus
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || found[0] === undefined || search.trim() === '') return
            event.preventDefault()
            take(found[0])
          }}
        />
        {search === '' && recent.length > 0 && <EmojiGrid label={words.recent} emoji={recent} onTake={take} />}
        {found.length === 0 ? (
          <Empty title={words.noEmoji} />
        ) : (
          <EmojiGrid
            label={search === '' ? words.allEmoji : words.found({ many: found.length })}
            emoji={found}
            onTake={take}
          />
        )}
      </div>
    </Dialog>
  )
}

interface EmojiGridProps {
  label: string
  emoji: readonly string[]
  onTake: (emoji: string) => void
}

/** One emoji is in the tab order; arrow keys move to the others. */
function EmojiGrid({ label, emoji, onTake }: EmojiGridProps) {
  const grid = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState(0)
  const current = Math.min(place, emoji.length - 1)
  const isMoved = useRef(false)
  useLayoutEffect(() => {
    if (isMoved.current) grid.current?.querySelectorAll('button')[current]?.focus()
    isMoved.current = false
  }, [current])
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moveIn(event.key, current, emoji.length, columnsOf(grid.current))
    if (next === undefined) return
    event.preventDefault()
    isMoved.current = next !== current
    setPlace(next)
  }
  return (
    <section>
      <h3>{label}</h3>
      <div ref={grid} class="emoji-grid" role="group" aria-label={label} onKeyDown={onKeyDown}>
        {emoji.map((one, index) => (
          <button
            key={one}
            type="button"
            aria-label={nameOf(one)}
            title={nameOf(one)}
            tabIndex={index === current ? 0 : -1}
            onFocus={() => setPlace(index)}
            onClick={() => onTake(one)}
          >
            {one}
          </button>
        ))}
      </div>
    </section>
  )
}

/** Returns the number of columns. */
function columnsOf(grid: HTMLElement | null): number {
  const buttons = [...(grid?.children ?? [])] as HTMLElement[]
  const many = buttons.findIndex((button) => button.offsetTop > buttons[0]!.offsetTop)
  return many === -1 ? buttons.length : many
}

/** Returns the index that a key moves to; undefined for other keys. */
function moveIn(key: string, place: number, many: number, columns: number): number | undefined {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }
  const step = steps[key]
  if (key === 'Home') return 0
  if (key === 'End') return many - 1
  if (step === undefined) return undefined
  const next = place + step
  return next < 0 || next >= many ? place : next
}
