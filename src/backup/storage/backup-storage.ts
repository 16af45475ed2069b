import type { Write } from '../backup-file.js'

export interface StoredBackup {
  name: string
  bytes: number
}

/** A place that keeps backups: a directory, or a bucket of an S3-compatible storage. */
export interface BackupStorage {
  /** Names the storage for a person, without a key. */
  readonly title: string
  /** Gives the path or the address of a backup, as the commands take it. */
  pathOf(name: string): string
  /** Throws StorageError where a backup could not be written. Leaves nothing behind. */
  check(): Promise<void>
  /** Writes a backup that is listed when it is whole, and not at all when `fill` or the storage fails. */
  write<T>(name: string, fill: (write: Write) => Promise<T>): Promise<{ bytes: number; result: T }>
  /** Lists the backups in the order of their names. */
  list(): Promise<StoredBackup[]>
  has(name: string): Promise<boolean>
  read(name: string): AsyncIterable<Uint8Array>
  remove(name: string): Promise<void>
  /** Removes what processes that were killed have left of backups with such names. */
  removeUnfinished(pattern: RegExp): Promise<string[]>
}

/** The storage cannot be used. The message says why and what to do, in a sentence without a key. */
export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** A backup in a storage, as a person names it: a path, or s3://bucket/prefix/name. */
export interface BackupPlace {
  storage: BackupStorage
  /** The name of the backup in the storage. */
  name: string
}

/** Leaves the newest backups whose names match, by their names. Gives those that it removed. */
export async function keepNewest(storage: BackupStorage, pattern: RegExp, keep: number): Promise<string[]> {
  const names = (await storage.list()).map(({ name }) => name).filter((name) => pattern.test(name))
  const old = names.slice(0, -keep)
  for (const name of old) await storage.remove(name)
  return old
}
