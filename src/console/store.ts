import { useEffect, useState } from 'preact/hooks'
import type { Store } from './connection.ts'

/** Returns the store's value and subscribes the component to it. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get())
  useEffect(() => {
    const follow = (): void => setValue(() => store.get())
    follow()
    return store.subscribe(follow)
  }, [store])
  return value
}

/** A browser storage, which may refuse to store anything. */
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
      // Not stored.
    }
  },
})

/** A stored text. */
export interface KeptText {
  get(): string | undefined
  set(text: string | undefined): void
}

export const keptUnder = (storage: ReturnType<typeof storageOf>, name: string): KeptText => ({
  get: () => storage.get(name),
  set: (text) => storage.set(name, text),
})

/** Deletes all stored values whose names start with a prefix. */
function deleteBelow(find: () => Storage, beginning: string): void {
  try {
    const storage = find()
    for (const name of Object.keys(storage)) if (name.startsWith(`greenroom.${beginning}`)) storage.removeItem(name)
  } catch {
    // Not stored.
  }
}

/** Deletes stored values in this tab and in the browser. */
export function forgetKept(beginning: string): void {
  deleteBelow(() => sessionStorage, beginning)
  deleteBelow(() => localStorage, beginning)
}

/** A person's preferences and drafts in this browser, such as whether single keys act. */
export const preferences = storageOf(() => localStorage)

/** Survives a reload, but only in this tab. */
export const tabStorage = storageOf(() => sessionStorage)
