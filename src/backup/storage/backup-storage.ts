import type { Write } from '../backup-file.js'

export interface StoredBackup {
  name: string
  bytes: number
}

/** A place for backups: a directory, or a bucket of an S3-compatible storage. */
export interface BackupStorage {
  /** The name of the storage for people, without a key. */
  readonly title: string
  /** Returns the path or the address of a backup, as the commands take it. */
  pathOf(name: string): string
  /** Throws StorageError if a backup could not be written. Leaves nothing behind. */
  check(): Promise<void>
  /** Writes a backup. It is listed once it is complete, and never if `fill` or the storage fails. */
  write<T>(name: string, fill: (write: Write) => Promise<T>): Promise<{ bytes: number; result: T }>
  /** Lists the backups by name. */
  list(): Promise<StoredBackup[]>
  has(name: string): Promise<boolean>
  read(name: string): AsyncIterable<Uint8Array>
  remove(name: string): Promise<void>
  /** Removes what killed processes left of backups with such names. */
  removeUnfinished(pattern: RegExp): Promise<string[]>
}

/** The storage cannot be used. The message says why and what to do, in a sentence without a key. */
export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/** A backup in a storage, as people name it: a path, or s3://bucket/prefix/name. */
export interface BackupPlace {
  storage: BackupStorage
  /** The name of the backup in the storage. */
  name: string
}

/** Keeps the newest backups with matching names. Returns the names of the removed ones. */
export async function keepNewest(storage: BackupStorage, pattern: RegExp, keep: number): Promise<string[]> {
  const names = (await storage.list()).map(({ name }) => name).filter((name) => pattern.test(name))
  const old = names.slice(0, -keep)
  for (const name of old) await storage.remove(name)
  return old
}
