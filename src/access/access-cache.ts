import type { AccessCache } from '../http/snapshot.js'
import type { Ready } from '../lib/ready.js'

/** A value, and the values whose keys begin with its key. */
interface Node {
  value: unknown
  children: Map<string, Node>
}

const newNode = (): Node => ({ value: undefined, children: new Map() })

/**
 * Organizations, keys, workspaces, channels and their connections as they were read. Kept while none of them changes, on
 * this node or another (snapshot.ts), so that most requests read none of it from the database. An entry is at
 * least as new as the revision, which was read before it.
 */
export function newAccessCache(): AccessCache {
  // A tree of the parts, not one joined text: most parts are strings whose hash is known already.
  const root = newNode()
  const loading = new Map<string, Promise<unknown>>()

  function load<T>(key: readonly string[], read: () => Promise<T>): Promise<T> {
    // U+0000 is in no id: neither a header nor the database can hold it.
    const id = key.join('\0')
    const shared = loading.get(id)
    if (shared !== undefined) return shared as Promise<T>
    const reading = read()
    loading.set(id, reading)
    const end = (value?: T): void => {
      loading.delete(id)
      if (value !== undefined) store(key, value)
    }
    reading.then(end, () => end())
    return reading
  }

  function store(key: readonly string[], value: unknown): void {
    let node = root
    for (const part of key) {
      const child = node.children.get(part) ?? newNode()
      node.children.set(part, child)
      node = child
    }
    node.value = value
  }

  return {
    getOrLoad<T>(key: readonly string[], read: () => Promise<T>): Ready<T> {
      let node: Node | undefined = root
      for (const part of key) {
        node = node.children.get(part)
        if (node === undefined) return load(key, read)
      }
      return node.value === undefined ? load(key, read) : (node.value as T)
    },
  }
}
