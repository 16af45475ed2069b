import { useEffect, useState } from 'preact/hooks'
import type { Store } from './connection.ts'

/** The store's value; the component follows it. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get())
  useEffect(() => {
    const follow = (): void => setValue(() => store.get())
    follow()
    return store.subscribe(follow)
  }, [store])
  return value
}

/** A storage of the browser, which may refuse to keep anything. */
const storageOf = (find: () => Storage) => ({
  get(name: string): string | undefined {
    try {
      return find().getItem(`greenroom.${name}`) ?? undefined
    } catch {
      return undefined
    }
  },
  set(name: string, value: string | undefined): void {
    try {
      if (value === undefined) find().removeItem(`greenroom.${name}`)
      else find().setItem(`greenroom.${name}`, value)
    } catch {
      // Nothing is kept.
    }
  },
})

/** A text that a storage keeps. */
export interface KeptText {
  get(): string | undefined
  set(text: string | undefined): void
}

export const keptUnder = (storage: ReturnType<typeof storageOf>, name: string): KeptText => ({
  get: () => storage.get(name),
  set: (text) => storage.set(name, text),
})

/** Deletes what a storage keeps under names that begin with this. */
function deleteBelow(find: () => Storage, beginning: string): void {
  try {
    const storage = find()
    for (const name of Object.keys(storage)) if (name.startsWith(`greenroom.${beginning}`)) storage.removeItem(name)
  } catch {
    // Nothing is kept.
  }
}

/** Deletes it in this tab, and in the browser. */
export function forgetKept(beginning: string): void {
  deleteBelow(() => sessionStorage, beginning)
  deleteBelow(() => localStorage, beginning)
}

/** The preferences of a person in this browser, such as whether single keys act, and their drafts. */
export const preferences = storageOf(() => localStorage)

/** Survives a reload, in this tab alone. */
export const tabStorage = storageOf(() => sessionStorage)
