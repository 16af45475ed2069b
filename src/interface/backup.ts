export interface NewBackup {
  /** Encrypts and authenticates the backup; without it there are checksums alone, and no master key. */
  passphrase?: string
  /** False leaves the master key out of a backup under a passphrase. */
  masterKey?: boolean
}
