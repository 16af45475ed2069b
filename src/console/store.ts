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

/** What this browser remembers of a person's taste, such as whether single keys act. Survives a browser that keeps nothing. */
export const taste = {
  get(name: string): string | undefined {
    try {
      return localStorage.getItem(`greenroom.${name}`) ?? undefined
    } catch {
      return undefined
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(`greenroom.${name}`, value)
    } catch {
      // Then it holds until the page is left.
    }
  },
}
