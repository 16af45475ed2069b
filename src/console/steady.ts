import { useRef, useState } from 'preact/hooks'

/** The rows of a list that is read again and again while someone reads it. */
interface Steady<Row> {
  rows: readonly Row[]
  /** How many rows have come, gone or moved since. */
  changed: number
  /** Shows the rows as they are now. */
  show: () => void
}

/**
 * Keeps the rows of a list in their places: what a row says follows the newest answer, but which rows there are, and their
 * order, only when the person asks. Another `list` is shown at once.
 */
export function useSteady<Row>(list: string, newest: readonly Row[], idOf: (row: Row) => string): Steady<Row> {
  const held = useRef<{ list: string; rows: readonly Row[] }>()
  const [, draw] = useState(0)
  if (held.current?.list !== list) held.current = { list, rows: newest }
  const byId = new Map(newest.map((row) => [idOf(row), row]))
  const rows = held.current.rows.map((row) => byId.get(idOf(row)) ?? row)
  held.current.rows = rows
  return {
    rows,
    changed: countChanges(rows.map(idOf), newest.map(idOf)),
    show: () => {
      held.current = { list, rows: newest }
      draw((times) => times + 1)
    },
  }
}

/** The rows that came or went, whichever are more, and those that have another place among the ones that stayed. */
function countChanges(before: readonly string[], now: readonly string[]): number {
  const places = new Map(now.map((id, place) => [id, place]))
  const stayed = before.flatMap((id) => places.get(id) ?? [])
  const others = Math.max(before.length, now.length) - stayed.length
  return others + stayed.length - longestRise(stayed)
}

/** The length of the longest subsequence that rises. */
function longestRise(places: readonly number[]): number {
  /** The smallest last place of a rise of each length. */
  const ends: number[] = []
  for (const place of places) {
    const longer = ends.findIndex((end) => end >= place)
    if (longer < 0) ends.push(place)
    else ends[longer] = place
  }
  return ends.length
}
