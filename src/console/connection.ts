/** A value that components can subscribe to. */
export interface Store<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** `there` if the last call reached the service. */
export const connection = createStore<'there' | 'lost'>('there')

/** Set when an answer says that the session is over. The page and its drafts stay below the sign-in form. */
export const sessionEnded = createStore(false)

/** Set while only the first factor is done; the sign-in form then asks for the second. */
export const secondStep = createStore(false)
