import type { Database } from '../database/database.js'
import { createSharedRead } from '../database/shared-read.js'
import { readDirectoryRevision } from './directory.store.js'

/**
 * What was read of organizations, keys, workspaces, channels and their connections. It is kept while none of them changes,
 * here or on another node, so that most requests ask the database nothing for it.
 */
export interface Directory {
  /**
   * What `load` gives, or gave since the last change, under a name of the parts given. What is undefined, or failed, is
   * loaded anew each time: callers can ask for no end of things that do not exist.
   */
  remember<T>(name: readonly string[], load: () => Promise<T>): Promise<T>
}

/** Gives the directory as it stands: a change that was committed before the call is in it. */
export type ReadDirectory = () => Promise<Directory>

export function createDirectory(database: Database): ReadDirectory {
  const readRevision = createSharedRead<undefined, number>(
    database,
    async (current) => [await readDirectoryRevision(current)],
    () => '',
  )
  let kept = { revision: -1, directory: newDirectory() }
  return async () => {
    const revision = await readRevision(undefined)
    if (revision > kept.revision) kept = { revision, directory: newDirectory() }
    // Smaller: an answer that was overtaken, or a database that was set back. Neither may use what was read after it.
    return revision === kept.revision ? kept.directory : newDirectory()
  }
}

/** Of one revision: what is loaded is at least as new as that, because the revision was read before. */
function newDirectory(): Directory {
  const loaded = new Map<string, Promise<unknown>>()
  return {
    remember<T>(name: readonly string[], load: () => Promise<T>): Promise<T> {
      // U+0000 is in no id: neither a header nor the database can hold it.
      const id = name.join('\0')
      const known = loaded.get(id)
      if (known !== undefined) return known as Promise<T>
      const loading = load()
      loaded.set(id, loading)
      const forget = (): void => {
        loaded.delete(id)
      }
      loading.then((value) => (value === undefined ? forget() : undefined), forget)
      return loading
    },
  }
}
