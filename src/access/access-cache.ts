import type { AccessCache } from '../http/snapshot.js'
import type { Ready } from '../lib/ready.js'

/**
 * Organizations, keys, workspaces, channels and their connections as they were read. Kept while none of them changes, on
 * this node or another (snapshot.ts), so that most requests read none of it from the database. An entry is at
 * least as new as the revision, which was read before it. A plain Map: bounded by the rows that exist, dropped at the next
 * change.
 */
export function newAccessCache(): AccessCache {
  /** A promise while its value is loaded. */
  const values = new Map<string, Ready<unknown>>()

  function load<T>(id: string, read: () => Promise<T>): Promise<T> {
    const loading = read()
    values.set(id, loading)
    loading.then(
      (value) => (value === undefined ? values.delete(id) : values.set(id, value)),
      () => values.delete(id),
    )
    return loading
  }

  return {
    getOrLoad<T>(key: readonly string[], read: () => Promise<T>): Ready<T> {
      // U+0000 is in no id: neither a header nor the database can hold it.
      const id = key.join('\0')
      return (values.get(id) as Ready<T> | undefined) ?? load(id, read)
    },
  }
}
