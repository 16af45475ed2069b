import { useState } from 'preact/hooks'
import type { CalendarPost } from '../../interface/generated/types.ts'
import { Button } from '../ui.tsx'
import { calendar as words } from '../words.ts'

export interface Selection {
  ids: ReadonlySet<string>
  toggle: (id: string) => void
  clear: () => void
}

/** The posts selected to be moved together. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    toggle: (id) =>
      setIds((before) => {
        const after = new Set(before)
        if (!after.delete(id)) after.add(id)
        return after
      }),
    clear: () => setIds(new Set()),
  }
}

interface SelectionBarProps {
  posts: readonly CalendarPost[]
  busy: boolean
  onShift: (days: number) => void
  onClear: () => void
}

/** Moves the selected posts by days. Placed below the calendar and not over it, so that no post slides under the pointer. */
export function SelectionBar({ posts, busy, onShift, onClear }: SelectionBarProps) {
  const [days, setDays] = useState('1')
  const many = Number(days)
  const isSound = Number.isInteger(many) && many !== 0 && Math.abs(many) <= 366
  return (
    <form
      class="calendar-selection"
      aria-label={words.selection}
      onSubmit={(event) => {
        event.preventDefault()
        if (isSound && !busy) onShift(many)
      }}
    >
      <p role="status">{words.selected({ many: posts.length })}</p>
      {([-7, -1, 1, 7] as const).map((by) => (
        <Button key={by} kind="small" disabled={busy} onClick={() => onShift(by)}>
          {words.shifts[by]}
        </Button>
      ))}
      <label>
        <span>{words.shiftDays}</span>
        <input
          type="number"
          min={-366}
          max={366}
          value={days}
          onInput={(event) => setDays(event.currentTarget.value)}
        />
      </label>
      <Button kind="small" type="submit" disabled={busy || !isSound}>
        {words.shift}
      </Button>
      <Button kind="small plain" onClick={onClear}>
        {words.clearSelection}
      </Button>
    </form>
  )
}
