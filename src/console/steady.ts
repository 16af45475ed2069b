import { useRef, useState } from 'preact/hooks'

/** The rows of a list that is polled while someone reads it. */
interface Steady<Row> {
  rows: readonly Row[]
  /** The number of rows added, removed or moved since. */
  changed: number
  /** Shows the current rows. */
  show: () => void
}

/**
 * Keeps rows in place: their content follows the newest answer, but rows are added, removed and reordered only when the
 * person asks. A different `list` is shown immediately.
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

/** Returns the number of rows added or removed, whichever is larger, plus those that moved. */
function countChanges(before: readonly string[], now: readonly string[]): number {
  const places = new Map(now.map((id, place) => [id, place]))
  const stayed = before.flatMap((id) => places.get(id) ?? [])
  const others = Math.max(before.length, now.length) - stayed.length
  return others + stayed.length - longestRise(stayed)
}

/** Returns the length of the longest increasing subsequence. */
function longestRise(places: readonly number[]): number {
  /** The smallest last element of an increasing subsequence of each length. */
  const ends: number[] = []
  for (const place of places) {
    const longer = ends.findIndex((end) => end >= place)
    if (longer < 0) ends.push(place)
    else ends[longer] = place
  }
  return ends.length
}
