import type { Ready } from '../lib/ready.js'

/**
 * What was read of organizations, keys, workspaces, channels and their connections. It is kept while none of them changes,
 * here or on another node (standing.ts), so that most requests ask the database nothing for it.
 */
export interface Directory {
  /**
   * What `load` gives, or gave since the last change, under a name of the parts given. What is undefined, or failed, is
   * loaded anew each time: callers can ask for no end of things that do not exist.
   */
  remember<T>(name: readonly string[], load: () => Promise<T>): Ready<T>
}

/** What is known under a name, and under the names that begin with it. */
interface Known {
  value: unknown
  parts: Map<string, Known>
}

const newKnown = (): Known => ({ value: undefined, parts: new Map() })

/** Of one revision: what is loaded is at least as new as that, because the revision was read before. */
export function newDirectory(): Directory {
  // By its parts and not as one text: the parts of most names are texts whose hash is known already.
  const root = newKnown()
  const loading = new Map<string, Promise<unknown>>()

  function load<T>(name: readonly string[], read: () => Promise<T>): Promise<T> {
    // U+0000 is in no id: neither a header nor the database can hold it.
    const id = name.join('\0')
    const shared = loading.get(id)
    if (shared !== undefined) return shared as Promise<T>
    const reading = read()
    loading.set(id, reading)
    const end = (value?: T): void => {
      loading.delete(id)
      if (value !== undefined) keep(name, value)
    }
    reading.then(end, () => end())
    return reading
  }

  function keep(name: readonly string[], value: unknown): void {
    let known = root
    for (const part of name) {
      const next = known.parts.get(part) ?? newKnown()
      known.parts.set(part, next)
      known = next
    }
    known.value = value
  }

  return {
    remember<T>(name: readonly string[], read: () => Promise<T>): Ready<T> {
      let known: Known | undefined = root
      for (const part of name) {
        known = known.parts.get(part)
        if (known === undefined) return load(name, read)
      }
      return known.value === undefined ? load(name, read) : (known.value as T)
    },
  }
}
