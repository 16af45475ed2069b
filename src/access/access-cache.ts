import type { AccessCache } from '../http/snapshot.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import type { Ready } from '../lib/ready.js'

/** A point in the history of a scope. */
export interface AccessMoment {
  scope: string
  /** Revisions of different epochs cannot be compared. */
  epoch: string
  /** The revision of the scope, and that of data outside any scope. */
  revisions: readonly [own: number, common: number]
}

interface Entry extends AccessMoment {
  /** A promise while it is loading. */
  value: Ready<unknown>
}

/**
 * Caches organizations, keys, workspaces, channels and their connections until their scope changes, on this node or
 * another (snapshot.ts), so that most requests read none of them from the database. An entry is at least as new as
 * its revisions, which were read first. The least recently used entry is evicted.
 */
export class AccessValues {
  readonly #entries = createLru<string, Entry>(limit('accessEntries'))

  at(moment: AccessMoment): AccessCache {
    return {
      getOrLoad: <T>(key: readonly string[], load: () => Promise<T>): Ready<T> => {
        // U+0000 cannot occur in an id: neither a header nor the database can hold it.
        const id = `${moment.scope}\0${key.join('\0')}`
        const entry = this.#entries.get(id)
        if (entry === undefined || entry.epoch !== moment.epoch) return this.#load(id, moment, load)
        const [own, common] = moment.revisions
        const [entryOwn, entryCommon] = entry.revisions
        if (own === entryOwn && common === entryCommon) return entry.value as Ready<T>
        // A smaller revision comes from a slower, older select. What it loads must not replace a newer entry.
        return own < entryOwn || common < entryCommon ? load() : this.#load(id, moment, load)
      },
    }
  }

  #load<T>(id: string, moment: AccessMoment, load: () => Promise<T>): Promise<T> {
    const loading = load()
    const entry: Entry = { ...moment, value: loading }
    this.#entries.set(id, entry)
    const forget = (): void => {
      if (this.#entries.peek(id) === entry) this.#entries.delete(id)
    }
    loading.then((value) => {
      if (value === undefined) forget()
      else entry.value = value
    }, forget)
    return loading
  }
}
