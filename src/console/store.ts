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

/** The preferences of a person in this browser, such as whether single keys act. */
export const preferences = storageOf(() => localStorage)

/** Survives a reload, in this tab alone. */
export const tabStorage = storageOf(() => sessionStorage)
