import type { Snapshot } from '../http/snapshot.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import { type Ready, whenReady } from '../lib/ready.js'
import type { ReadSnapshot } from './snapshot.js'

/** The outcome of looking up a key or a session. */
export interface Found<T> {
  snapshot: Snapshot
  /** Undefined where there is no such thing. */
  value: T | undefined
  /** True where the database was asked for it. */
  loaded: boolean
}

/**
 * Keys or sessions by their id, kept with the access data of their scope. The scope of one never changes: it is
 * learned when its id is first shown, and from then on the revision of the scope is read along with the request's
 * snapshot. What is first shown is therefore read twice: at that request, and at the next one, to be kept.
 */
export class Credentials<T> {
  readonly #scopes = createLru<string, string>(limit('accessEntries'))

  constructor(
    private readonly kind: string,
    private readonly readSnapshot: ReadSnapshot,
    private readonly load: (id: string) => Promise<T | undefined>,
    private readonly scopeOf: (value: T) => string,
  ) {}

  find(id: string): Ready<Found<T>> {
    const scope = this.#scopes.get(id)
    return whenReady(this.readSnapshot(scope), (snapshot) =>
      scope === undefined ? this.#meet(id, snapshot) : this.#findIn(scope, id, snapshot),
    )
  }

  async #meet(id: string, snapshot: Snapshot): Promise<Found<T>> {
    const value = await this.load(id)
    if (value !== undefined) this.#scopes.set(id, this.scopeOf(value))
    return { snapshot, value, loaded: true }
  }

  #findIn(scope: string, id: string, snapshot: Snapshot): Ready<Found<T>> {
    let loaded = false
    return whenReady(snapshot.cacheOf(scope), (cache) =>
      whenReady(
        cache.getOrLoad([this.kind, id], () => {
          loaded = true
          return this.load(id)
        }),
        (value) => ({ snapshot, value, loaded }),
      ),
    )
  }
}
