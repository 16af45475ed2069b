export interface NewBackup {
  /** Seals the master key in the backup; without it the backup holds none. */
  passphrase?: string
}
