/** A value that components can follow. */
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

/** True where the last call reached the service. */
export const connection = createStore<'there' | 'lost'>('there')

/** Set by the first answer that says so: the page stays under the form to sign in, with what was typed. */
export const sessionEnded = createStore(false)

/** Set while the session has passed the first factor alone: the form to sign in then asks for the second. */
export const secondStep = createStore(false)
