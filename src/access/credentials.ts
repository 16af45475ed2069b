import type { Snapshot } from '../http/snapshot.js'
import { limit } from '../lib/limits.js'
import { createLru } from '../lib/lru.js'
import { type Ready, whenReady } from '../lib/ready.js'
import type { ReadSnapshot } from './snapshot.js'

/** The result of looking up a key or a session. */
export interface Found<T> {
  snapshot: Snapshot
  /** Undefined if it does not exist. */
  value: T | undefined
  /** True if it was read from the database. */
  loaded: boolean
}

/**
 * Keys or sessions by id, cached with the access data of their scope. The scope of a credential never changes. It is
 * learned when the id first arrives; from then on the revision of the scope is read along with the request's
 * snapshot. A credential is therefore loaded twice: at its first request, and at the next one, which caches it.
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
      scope === undefined ? this.#loadFirst(id, snapshot) : this.#findIn(scope, id, snapshot),
    )
  }

  async #loadFirst(id: string, snapshot: Snapshot): Promise<Found<T>> {
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
