/** `off`: not set up, which may be meant so. */
export type HealthState = 'good' | 'warning' | 'bad' | 'off'

/** The answer of `getServerHealth`: the whole server as its database and this process see it. */
export interface ServerHealth {
  version: string
  /** The database has answered, where this is read. */
  database: 'pglite' | 'postgres'
  parts: HealthPart[]
  backup: BackupHealth
  masterKey: MasterKeyHealth
}

export type HealthPart =
  | { part: 'publisher'; state: HealthState; found: PublisherFinding; since?: string }
  | { part: 'intake'; state: HealthState; found: IntakeFinding; since?: string; count?: number }
  | { part: 'mail'; state: HealthState; found: MailFinding; since?: string; count?: number }
  | { part: 'media'; state: HealthState; found: 'on' | 'off' }
  | DiskHealth

/** `stopped`: no process publishes. `late`: a post waits since its time. */
export type PublisherFinding = 'on_time' | 'late' | 'stopped'

/** `late`: a delivery waits. `problems`: some wait for a person. `unused`: no organization has a source. */
export type IntakeFinding = 'on_time' | 'late' | 'problems' | 'unused'

/** `failing`: mails were tried and did not go. `late`: some are due and no process sends them. */
export type MailFinding = 'on_time' | 'late' | 'failing' | 'off'

export interface DiskHealth {
  part: 'disk'
  state: HealthState
  /** `silent`: it gave no answer. */
  found: DiskFinding
  directory: 'data' | 'media' | 'backups' | 'audit-exports'
  /** Absent where it is silent, like `sizeBytes`. */
  freeBytes?: number
  sizeBytes?: number
}

export type DiskFinding = 'room' | 'low' | 'full' | 'silent'

/** The last backup that the service made by itself, and whether there should be a newer one. */
export interface MadeBackup {
  madeAt: string
  bytes: number
  hasMasterKey: boolean
  missingMedia: number
}

export interface BackupHealth extends Partial<MadeBackup> {
  state: HealthState
  /**
   * `off`: none are made by themselves. `none`: there is none yet. `late`: the last is older than twice its interval.
   * `unusable`: nothing can be written to the place. `incomplete`: the last lacks media files. `fetched`: none are made by
   * themselves, and a program has fetched one within two days.
   */
  found: BackupFinding
  /** A directory, or a bucket and its prefix; absent where they are off. */
  place?: string
  everyMs?: number
  /** The last backup that the service made by itself, with the fields of MadeBackup; absent before the first one. */
  file?: string
  /** The last that a program has fetched: where it is kept is not known. */
  fetched?: MadeBackup
}

export type BackupFinding = 'made' | 'late' | 'incomplete' | 'unusable' | 'none' | 'fetched' | 'off'

export interface MasterKeyHealth {
  state: HealthState
  /** It tells nothing of the key itself. */
  keyId: string
  /** Secrets that are sealed under another one: a rotation was not finished, or they open no more. */
  otherSecrets: number
}
