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
  | PlatformHealth
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

/** The version of Meta's API that is called. */
export interface PlatformHealth {
  part: 'platform'
  state: HealthState
  found: PlatformFinding
  /** GRAPH_VERSION. */
  version: string
  /** The newest version that this Greenroom knows, if it is another one. */
  newest?: string
  /** The API of this version that ends first, and its bare date; absent if Meta had announced no end. */
  api?: PlatformApi
  endsOn?: string
}

/** Insights are read from the Marketing API; all else is the Graph API. */
export type PlatformApi = 'graph' | 'marketing'

/**
 * `ending`: within 60 days. `unannounced`: the version is so old that an end may have been announced since. `newer`,
 * `unknown`: it is not in the table of versions.
 */
export type PlatformFinding = 'supported' | 'ending' | 'ended' | 'unannounced' | 'newer' | 'unknown'

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
   * `off`: none are made by themselves. `none`: there is none yet. `making`: the
   * first is being made. `late`: the last is older than twice its interval.
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
  /** Reasons for which the backups may be of no use after a loss. With any of them the state is a warning at least. */
  weaknesses: BackupWeakness[]
}

export type BackupFinding = 'made' | 'late' | 'incomplete' | 'unusable' | 'none' | 'making' | 'fetched' | 'off'

export type BackupWeakness = 'same_disk' | 'no_master_key'

/** A weakness of the server in words, and what to do about it: the same for every reader. */
interface Advice {
  finding: string
  remedy: string
}

export const BACKUP_WEAKNESSES: Readonly<Record<BackupWeakness, Advice>> = {
  same_disk: {
    finding: 'The backups are on the same disk as the data.',
    remedy:
      'Set BACKUP_DIR to a directory on another disk, or to s3://bucket/prefix; or copy the backups to another machine.',
  },
  no_master_key: {
    finding: 'The backups hold no master key, so that a backup alone opens no secret.',
    remedy:
      'Set BACKUP_PASSPHRASE_FILE, which encrypts the backups and puts the key into them; or keep a copy of the master key on another machine.',
  },
}

const PLATFORM_APIS: Readonly<Record<PlatformApi, (version: string) => string>> = {
  graph: (version) => `The Graph API ${version}, which publishing and replies use,`,
  marketing: (version) => `The Marketing API ${version}, which insights use,`,
}

export const PLATFORM_ADVICE: Readonly<Record<PlatformFinding, (health: PlatformHealth) => Advice>> = {
  supported: (health) => ({
    finding: health.endsOn === undefined ? `No end of ${health.version} is announced.` : toEnd(health),
    remedy: '',
  }),
  ending: (health) => ({ finding: toEnd(health), remedy: toRemedy(health) }),
  ended: (health) => ({
    finding: `${toSubject(health)} ended on ${health.endsOn}: Meta refuses such calls, or answers them by another version.`,
    remedy: toRemedy(health),
  }),
  unannounced: (health) => ({
    finding: `This Greenroom does not know when ${health.version} ends, and versions of the Marketing API have ended within a year.`,
    remedy: toRemedy(health),
  }),
  newer: ({ version, newest }) => ({
    finding: `${version} is not in the table of versions of this Greenroom, which ends at ${newest}: when it ends is not known.`,
    remedy: '',
  }),
  unknown: (health) => ({
    finding: `${health.version} is not in the table of versions of this Greenroom: Meta may have ended it, or never had it.`,
    remedy: toRemedy(health),
  }),
}

const toSubject = ({ api = 'graph', version }: PlatformHealth): string => PLATFORM_APIS[api](version)

const toEnd = (health: PlatformHealth): string => `${toSubject(health)} ends on ${health.endsOn}.`

const toRemedy = ({ newest }: PlatformHealth): string =>
  newest === undefined
    ? 'Update Greenroom, which knows no newer version.'
    : `Set GRAPH_VERSION=${newest}, or update Greenroom.`

/** `unfinished`: some secrets are sealed under the key before. `lost`: some are sealed under a key that is not here. */
export type MasterKeyFinding = 'good' | 'unfinished' | 'lost'

export const MASTER_KEY_ADVICE: Readonly<Record<MasterKeyFinding, (many: number) => Advice>> = {
  good: () => ({ finding: 'It is that of the database, and every secret is sealed under it.', remedy: '' }),
  unfinished: (many) => ({
    finding: `${many} ${many === 1 ? 'secret is' : 'secrets are'} sealed under the master key before: a rotation was not finished.`,
    remedy: 'Run `greenroom master-key rotate`, which goes on where it was.',
  }),
  lost: (many) => ({
    finding: `${many} ${many === 1 ? 'secret is' : 'secrets are'} sealed under a master key that is not here, and cannot be opened.`,
    remedy: 'Set MASTER_KEY_PREVIOUS to that key; or connect the channels and ad accounts again, and issue other keys.',
  }),
}

export interface MasterKeyHealth {
  state: HealthState
  found: MasterKeyFinding
  /** It tells nothing of the key itself. */
  keyId: string
  /** Secrets that are sealed under another one: a rotation was not finished, or they open no more. */
  otherSecrets: number
  /** How many of them this process cannot open; it tries 500 of each kind. */
  lostSecrets: number
}
