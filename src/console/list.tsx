import type { QueryKey } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { Icon } from './icons.tsx'
import { Button, Loading, Problem } from './ui.tsx'
import { type Read, type ReadOptions, usePolled } from './use-read.ts'

/** A page of a list, and the cursor of the next page if there is one. */
export interface ListPage<T> {
  items: readonly T[]
  nextCursor?: string | null | undefined
}

/** Reads the page at a cursor, or the first page. `found` is the number of rows so far. */
export type ReadPage<T> = (
  after: { after?: string },
  options: { signal?: AbortSignal | undefined },
  found: number,
) => Promise<ListPage<T>>

interface PagesOptions {
  after?: string | undefined
  rows?: number
  pages?: number
  signal?: AbortSignal | undefined
  onRead?: ((found: number) => void) | undefined
}

/** Reads pages from a cursor until there are `rows` rows, `pages` pages, or no more; returns the next cursor. */
export async function readPages<T>(
  read: ReadPage<T>,
  { after, rows = Number.MAX_VALUE, pages = Number.MAX_VALUE, signal, onRead }: PagesOptions = {},
): Promise<{ items: T[]; nextCursor: string | undefined }> {
  const items: T[] = []
  let nextCursor = after
  for (let many = 0; many < pages; many += 1) {
    const page = await read(nextCursor === undefined ? {} : { after: nextCursor }, { signal }, items.length)
    for (const item of page.items) items.push(item)
    onRead?.(items.length)
    nextCursor = page.nextCursor ?? undefined
    if (nextCursor === undefined || items.length >= rows) break
  }
  return { items, nextCursor }
}

/** Reads a whole list page by page, and polls while it is shown. */
export const useList = <T,>(queryKey: QueryKey, read: ReadPage<T>, options?: ReadOptions<T[]>): Read<T[]> =>
  usePolled(queryKey, async (given) => (await readPages(read, given)).items, options)

interface LoadedProps<T> {
  read: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> }
  lines?: number
  empty?: ComponentChildren
  children: (data: T) => ComponentChildren
}

/** Shows the data; before that a placeholder or the error. `empty` replaces a list without rows. */
export function Loaded<T>({ read: { data, error, refetch }, lines, empty, children }: LoadedProps<T>) {
  if (data === undefined) return error ? <Problem error={error} onRetry={refetch} /> : <Loading lines={lines} />
  return <>{empty !== undefined && Array.isArray(data) && data.length === 0 ? empty : children(data)}</>
}

interface RowsProps<T> {
  label: string
  items: readonly T[]
  keyOf: (item: T) => string
  children: (item: T, index: number) => ComponentChildren
}

/** A card with a row per item. */
export function Rows<T>({ label, items, keyOf, children }: RowsProps<T>) {
  return (
    <ul class="card rows" aria-label={label}>
      {items.map((item, index) => (
        <li key={keyOf(item)}>{children(item, index)}</li>
      ))}
    </ul>
  )
}

interface Turn {
  text: string
  /** Undefined if there is no such page. */
  go: (() => void) | undefined
}

/** Links to the previous and the next page; absent if there is only one. */
export function Pager({ label, before, next }: { label: string; before: Turn; next: Turn }) {
  if (before.go === undefined && next.go === undefined) return null
  return (
    <nav class="actions" aria-label={label}>
      <Button disabled={before.go === undefined} onClick={() => before.go?.()}>
        <Icon name="left" /> {before.text}
      </Button>
      <Button disabled={next.go === undefined} onClick={() => next.go?.()}>
        {next.text} <Icon name="right" />
      </Button>
    </nav>
  )
}
