import { readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { isLoopback, isSubnet } from './lib/addresses.js'
import { isBareDate } from './lib/dates.js'
import { limit } from './lib/limits.js'
import { PASSPHRASE_CHARS_MIN } from './lib/passphrase.js'
import { isOpen, overSettings, readSettingsFile, settingsFile } from './lib/settings-file.js'
import { findSimilar } from './lib/similar.js'

/** How the program is set: made once from the environment, frozen, and passed on. Nothing else reads process.env. */
export interface Config {
  host: string
  port: number
  dataDir: string
  /** What the embedded database may take on disk. */
  dataMaxBytes: number | undefined
  /** Selects a PostgreSQL; without it the embedded database in `dataDir` is used. */
  databaseUrl: string | undefined
  databasePoolMax: number
  /** Unnamed for a pooler that does not know prepared statements. */
  databaseStatements: 'named' | 'unnamed'
  /** 32 bytes; undefined on the embedded default, which makes and keeps one in `dataDir`. */
  masterKey: Buffer | undefined
  /** 32 bytes: the key that a rotation takes out of use. */
  masterKeyPrevious: Buffer | undefined
  /** Without it there is no operator surface. */
  operatorToken: string | undefined
  earlierVariant: boolean
  clockSkewSeconds: number
  /** A key ends so long after it was issued, whatever its own expiry; undefined: it does not. */
  keyMaxAgeMs: number | undefined
  /** The same for an operator token; that of the environment is none of them. */
  operatorTokenMaxAgeMs: number | undefined
  /** Of one key, unless the key says; 0 for no limit, like those below. */
  keyRequestsPerSecond: number
  /** One person may make so many changes a minute. */
  personChangesPerMinute: number
  /** By the people of one organization. */
  invitationsPerHour: number
  /** To one mail address. */
  invitationsPerAddress: number
  /** Of one organization. */
  importsPerMinute: number
  insightsPerMinute: number
  /** Of one address. */
  failedAttemptsPerMinute: number
  /** Whether people sign in with passwords, and set them. */
  passwords: boolean
  /** The identity provider by which people sign in. */
  oidc: Readonly<OidcConfig> | undefined
  /** Whose pages may call the service from a browser, such as `https://app.example`; none by default. */
  corsOrigins: readonly string[]
  /** Whether the web console is served at `/`. */
  console: boolean
  /** How browsers and platforms reach the service, without a slash at its end; undefined: as they have reached it, at the root. */
  publicUrl: string | undefined
  /** Proxies whose X-Forwarded-For is believed: addresses and subnets. */
  trustProxy: readonly string[]
  /** Guards `/metrics` and `/status`; without it both answer this machine alone. */
  metricsToken: string | undefined
  /** Where `/metrics` listens instead of at `port`. */
  metricsAddress: { host: string; port: number } | undefined
  /** Where uploaded media are kept; undefined: none are taken. */
  mediaDir: string | undefined
  /** `remove`: uploads lose what cameras write into them about place, device and person. */
  mediaMetadata: 'remove' | 'keep'
  /** The directory in which the service makes backups by itself. */
  backupDir: string | undefined
  /** The S3-compatible storage in which it makes them instead; its keys may be set for the commands alone. */
  backupS3: Readonly<S3Config> | undefined
  backupEveryMs: number
  /** How many of them are kept. */
  backupKeep: number
  /** Seals the master key in them. */
  backupPassphrase: string | undefined
  /** How long data is kept before it is removed (docs/operations.md). */
  retention: Readonly<RetentionConfig>
  /** The mail server; undefined: no mail is sent. */
  smtp: Readonly<SmtpConfig> | undefined
  /** Whether webhooks may lead to private addresses. */
  webhookPrivate: boolean
  graphBaseUrl: string
  graphVersion: string
  graphAppSecret: string | undefined
  graphTimeoutMs: number
  /** `YYYY-MM-DD`: campaigns created before it have no insights by day. */
  insightsCutoffDate: string
  /** A post that could not go out for so long after its time is failed instead. */
  latePostHours: number
  /** How often the publisher looks for posts that are due. */
  publisherIntervalMs: number
  logLevel: LogLevel
  logFormat: LogFormat
  /** Whether OpenTelemetry's own variables, which its SDK reads, ask for traces. */
  asksForTraces: boolean
  /** How long a stop serves on after it has said so to who routes requests. */
  drainMs: number
  stopTimeoutMs: number
  /** How long a PostgreSQL that is not there is waited for. */
  startTimeoutMs: number
  /** For the VIP lists of all channels together. */
  audienceMemoryBytes: number
  /** Undefined: as many as the process's descriptors allow. */
  maxConnections: number | undefined
  /** Variables that are no settings, and the settings that they were probably meant to be, which are not set. */
  misspelt: readonly Misspelt[]
}

/** How long data is kept that the work no longer needs; undefined: for good. */
export interface RetentionConfig {
  /** Entries of the audit trail are written into `exportDir` before they are removed. */
  audit: { keepMs: number; exportDir: string } | undefined
  /** The time for the contents of published and failed posts. */
  postContentMs: number | undefined
  revokedKeysMs: number | undefined
  /** The time for uploads that no post and no superpower names. */
  unusedMediaMs: number | undefined
}

export interface Misspelt {
  given: string
  meant: string
}

export const toMisspeltSentence = ({ given, meant }: Misspelt): string =>
  `${given} is set, and is no setting of this program: did you mean ${meant}?`

/** The mail server (docs/notifications.md). */
export interface SmtpConfig {
  /** With the password. */
  url: string
  /** As it stands in the mail. */
  from: string
}

/** An S3-compatible storage for backups (docs/operations.md). */
export interface S3Config {
  /** The URL of the storage, without a slash at its end. */
  endpoint: string
  region: string
  keyId: string
  secret: string
  /** The bucket and prefix that BACKUP_DIR names; undefined where it names a directory, or nothing. */
  place: S3Place | undefined
}

export interface S3Place {
  bucket: string
  /** Empty, or with a slash at its end. */
  prefix: string
}

/** Sign-in by an OpenID Connect provider (docs/access.md). */
export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: string
  /** The part of a call to the provider that carries the secret; `auto`: the part that the provider takes. */
  clientAuthentication: 'auto' | 'post' | 'basic'
  /** What the sign-in page calls it. */
  name: string
  scopes: string
  /** Of the mail addresses of new accounts: `*` for any. */
  allowedDomains: readonly string[]
  /** Whose members `defaultRole` and `roles` make. */
  organizationId: string | undefined
  /** `trusted`: its sign-ins count as with a second factor; `asked`: a person who has one is asked for it. */
  secondFactor: 'asked' | 'trusted'
  /** Undefined: no one becomes a member by signing in alone. */
  defaultRole: ProviderRole | undefined
  roleClaim: string | undefined
  /** By the values of the claim. */
  roles: ReadonlyMap<string, ProviderRole>
}

export interface ProviderRole {
  role: 'VIEWER' | 'EDITOR' | 'ADMIN'
  mayApprove: boolean
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const LOG_FORMATS = ['numbers', 'words'] as const
/** Levels as numbers and times as milliseconds, as pino does, or levels as words and times in ISO 8601. */
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Every variable with its default (as one would write it) and meaning; the README's table is held equal by a test. */
export const SETTINGS = {
  HOST: ['127.0.0.1', 'Address to listen on; `0.0.0.0` for every interface.'],
  PORT: ['8080', 'Port to listen on; `0` takes a free one.'],
  DATA_DIR: [
    '.greenroom',
    'Directory of the embedded database and of what the program makes for itself; `.greenroom-demo` for the demo.',
  ],
  DATA_MAX_MB: [
    '',
    'What the embedded database may take on disk, in MiB, 512 or more; past it writes are refused with 503, and reads go on.',
  ],
  DATABASE_URL: [
    '',
    'A PostgreSQL (15 or later) to use instead of the embedded database: `postgres://user:password@host/name`.',
  ],
  DATABASE_URL_FILE: ['', 'A file that holds DATABASE_URL, in its place.'],
  DATABASE_POOL_MAX: [
    '10',
    'Connections to PostgreSQL at most, 2 to 1000; two fifths of them read, the others make changes.',
  ],
  DATABASE_STATEMENTS: [
    'named',
    '`unnamed` behind a pooler that shares connections and does not know prepared statements, as PgBouncer before 1.21.',
  ],
  MASTER_KEY: [
    '',
    '64 hex digits that seal key secrets and access tokens. Required with DATABASE_URL; else made once in DATA_DIR.',
  ],
  MASTER_KEY_FILE: ['', 'A file that holds MASTER_KEY, in its place.'],
  MASTER_KEY_PREVIOUS: [
    '',
    'During a rotation of the master key: the one before, which opens what is not sealed again yet.',
  ],
  MASTER_KEY_PREVIOUS_FILE: ['', 'A file that holds MASTER_KEY_PREVIOUS, in its place.'],
  OPERATOR_TOKEN: ['', 'Bearer token of `/operator`, 16 characters or more; without it there is no `/operator`.'],
  OPERATOR_TOKEN_FILE: ['', 'A file that holds OPERATOR_TOKEN, in its place.'],
  KEY_MAX_AGE_DAYS: [
    '',
    'Greatest age of a key in days, 1 to 3650: it ends so long after it was issued, also one that was issued before this was set.',
  ],
  OPERATOR_TOKEN_MAX_AGE_DAYS: ['', 'The same for operator tokens; OPERATOR_TOKEN itself does not end.'],
  EARLIER_VARIANT: ['off', '`on` serves the earlier variant of the interface at `/v0`.'],
  CLOCK_SKEW_SECONDS: ['5', 'How far in the future an `x-date` may lie, 0 to 300.'],
  KEY_REQUESTS_PER_SECOND: [
    String(limit('keyRequestsPerSecond')),
    'Requests a second with one key, in bursts of twice as many, where the key has no rate of its own; `0` for no limit.',
  ],
  PERSON_CHANGES_PER_MINUTE: [
    String(limit('personChangesPerMinute')),
    'Changes a minute by one person who has signed in; `0` for no limit.',
  ],
  INVITATIONS_PER_HOUR: [
    String(limit('invitationsPerHour')),
    'Invitations an hour by the people of one organization; `0` for no limit.',
  ],
  INVITATIONS_PER_ADDRESS: [
    String(limit('invitationsPerAddress')),
    'Invitations an hour to one mail address, by the people of all organizations together; `0` for no limit.',
  ],
  IMPORTS_PER_MINUTE: [String(limit('importsPerMinute')), 'Imports a minute of one organization; `0` for no limit.'],
  INSIGHTS_PER_MINUTE: [
    String(limit('insightsPerMinute')),
    'Requests for insights a minute of one organization; `0` for no limit.',
  ],
  FAILED_ATTEMPTS_PER_MINUTE: [
    String(limit('failedAttemptsPerMinute')),
    'Failed authentications a minute from one address, before it must wait; `0` for no limit.',
  ],
  PASSWORDS: ['on', '`off` lets people sign in by OIDC_ISSUER alone; links made by the operator let in all the same.'],
  OIDC_ISSUER: [
    '',
    'The OpenID Connect provider by which people sign in, as it names itself: `https://login.example.com`. Needs PUBLIC_URL, under which `/sign-in/callback` is the redirect address.',
  ],
  OIDC_CLIENT_ID: ['', 'Id of this server at the provider.'],
  OIDC_CLIENT_SECRET: ['', 'Its secret there.'],
  OIDC_CLIENT_SECRET_FILE: ['', 'A file that holds OIDC_CLIENT_SECRET, in its place.'],
  OIDC_CLIENT_AUTH: [
    'auto',
    'Where a call of the provider has the secret: `post` in its body, `basic` in its Authorization header; `auto` takes the body where the provider offers that, and the other one when the provider refuses.',
  ],
  OIDC_NAME: ['single sign-on', 'What the sign-in page calls the provider: “Sign in with …”.'],
  OIDC_SCOPES: [
    'openid email profile',
    'What is asked of the provider, separated by spaces; some take `groups` for a role claim.',
  ],
  OIDC_ALLOWED_DOMAINS: [
    '',
    'Domains whose verified mail addresses get an account by signing in, separated by commas; `*` for everyone the provider knows.',
  ],
  OIDC_ORGANIZATION: ['', 'Id of the organization whose members OIDC_DEFAULT_ROLE and OIDC_ROLES make.'],
  OIDC_DEFAULT_ROLE: [
    '',
    'Role of who has none by OIDC_ROLES: VIEWER, EDITOR or ADMIN, with `+approve` for who may approve. Without it they get no account.',
  ],
  OIDC_ROLE_CLAIM: ['', 'Claim that holds the groups or roles of a person, such as `groups` or `realm_access.roles`.'],
  OIDC_ROLES: [
    '',
    'What its values give, separated by commas: `marketing=EDITOR,leads=EDITOR+approve`. At each sign-in they decide the membership.',
  ],
  OIDC_SECOND_FACTOR: [
    'asked',
    '`trusted` counts signing in by the provider as with a second factor, where it asks for one itself; `asked` asks a person who has one here.',
  ],
  CORS_ORIGINS: [
    '',
    'Origins whose pages may call the service from a browser, separated by commas: `https://app.example`.',
  ],
  CONSOLE: ['on', '`off` serves the API alone, without the web console at `/`.'],
  PUBLIC_URL: [
    '',
    'Address at which browsers and platforms reach the service, with the path that a proxy adds: `https://example.com/greenroom`. Uploaded media have their URLs under it.',
  ],
  TRUST_PROXY: [
    '',
    'Proxies whose X-Forwarded-For names the client, for the log, the addresses of keys and the limits: addresses or subnets, separated by commas.',
  ],
  METRICS_TOKEN: [
    '',
    'Bearer token of `/metrics` and `/status`, 16 characters or more; without it both answer this machine alone.',
  ],
  METRICS_TOKEN_FILE: ['', 'A file that holds METRICS_TOKEN, in its place.'],
  METRICS_ADDRESS: ['', 'Address and port for `/metrics` instead of HOST and PORT: `127.0.0.1:9464`.'],
  MEDIA_DIR: ['', 'Directory for uploaded media, the same for every node; without it none are taken.'],
  MEDIA_METADATA: [
    'remove',
    '`keep` stores uploaded files with the place, device and person that cameras write into them, which everyone sees who has the URL.',
  ],
  BACKUP_DIR: [
    '',
    'Directory, or `s3://bucket/prefix`, for backups that the service makes by itself; without it none are made.',
  ],
  BACKUP_EVERY: ['1d', 'How often it makes one: minutes, hours or days, such as `30m`, `6h` or `1d`.'],
  BACKUP_KEEP: ['7', 'How many of them are kept, 1 to 1000; older ones are deleted.'],
  BACKUP_PASSPHRASE: [
    '',
    'Encrypts and authenticates them, 12 characters or more; without it they are open and hold no master key, which must be kept apart.',
  ],
  BACKUP_PASSPHRASE_FILE: ['', 'A file that holds BACKUP_PASSPHRASE, in its place.'],
  AUDIT_KEEP_DAYS: [
    '',
    'Days for which entries stay in the audit trail, 30 to 3650; without it for good. Older ones are removed once a file in AUDIT_EXPORT_DIR has them.',
  ],
  AUDIT_EXPORT_DIR: ['', 'Directory for these files; needed with AUDIT_KEEP_DAYS.'],
  POST_CONTENT_KEEP_DAYS: [
    '',
    'Days for which what a published or failed post said is kept after its last change, 1 to 3650; without it for good. The post itself stays, with its times and channels.',
  ],
  REVOKED_KEYS_KEEP_DAYS: ['', 'Days for which a revoked key is still listed, 1 to 3650; without it for good.'],
  UNUSED_MEDIA_KEEP_DAYS: [
    '',
    'Days for which an uploaded file is kept that no post and no superpower names, 1 to 3650; without it for good.',
  ],
  BACKUP_S3_ENDPOINT: [
    '',
    'Where the S3-compatible storage of `s3://` answers, such as `https://minio.example.com:9000`; without it that of Amazon in BACKUP_S3_REGION.',
  ],
  BACKUP_S3_REGION: ['us-east-1', 'Region of the bucket, as the storage names it.'],
  BACKUP_S3_KEY_ID: ['', 'Id of the access key; the key must be allowed to list, read, write and delete there.'],
  BACKUP_S3_SECRET: ['', 'Its secret.'],
  BACKUP_S3_SECRET_FILE: ['', 'A file that holds BACKUP_S3_SECRET, in its place.'],
  SMTP_URL: [
    '',
    'Mail server for invitations, posts that wait for approval and failures: `smtp://user:password@host:587`, `smtps://` for TLS at once. Needs MAIL_FROM and PUBLIC_URL; without it no mail is sent.',
  ],
  SMTP_URL_FILE: ['', 'A file that holds SMTP_URL, in its place.'],
  MAIL_FROM: ['', 'Sender of the mails: `greenroom@example.com`, or `Greenroom <greenroom@example.com>`.'],
  WEBHOOK_PRIVATE: [
    'off',
    '`on` lets webhooks lead to private addresses and to this machine: only where every organization is trusted.',
  ],
  GRAPH_BASE_URL: ['https://graph.facebook.com', 'Where the ad platform answers.'],
  GRAPH_VERSION: ['v26.0', "Version of the ad platform's API."],
  GRAPH_APP_SECRET: ['', 'App secret of the ad platform; with it every call carries an `appsecret_proof`.'],
  GRAPH_TIMEOUT_MS: ['25000', 'Time for one call of the ad platform, in milliseconds.'],
  INSIGHTS_CUTOFF_DATE: ['2026-03-01', 'Campaigns created before this date have no insights by day.'],
  LATE_POST_HOURS: [
    '24',
    'How late a post may still be published, 1 to 8760; past that it is failed, and `retry` gives it a new time.',
  ],
  AUDIENCE_MEMORY_MB: [
    '256',
    'Memory for VIP lists, 16 to 65536, in MiB; a channel of 25000 conversations or more takes about 15, and its VIPs as much again.',
  ],
  MAX_CONNECTIONS: [
    '',
    "Connections of callers at once, 10 to 1000000; 10000 unless said, or half of the process's descriptors (`ulimit -n`).",
  ],
  PUBLISHER_INTERVAL_MS: [
    '1000',
    'How often the publisher looks for posts that are due, 100 to 60000, in milliseconds.',
  ],
  LOG_LEVEL: ['info', 'debug, info, warn, error or silent; probes are at debug.'],
  LOG_FORMAT: [
    'numbers',
    '`words` writes levels as words and times in ISO 8601; `numbers` writes 30 for info, and milliseconds.',
  ],
  START_TIMEOUT_MS: ['30000', 'How long a start waits for PostgreSQL to be there, 0 to 600000, in milliseconds.'],
  DRAIN_MS: [
    '3000',
    'How long a stopping server, whose `/readyz` is 503 already, answers requests, in milliseconds; `0` on a terminal.',
  ],
  STOP_TIMEOUT_MS: ['10000', 'How long running requests may take to finish at a stop, in milliseconds.'],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>

type Setting = keyof typeof SETTINGS

/** Secrets that `<NAME>_FILE` may give in their place. */
const FROM_FILES = [
  'DATABASE_URL',
  'MASTER_KEY',
  'MASTER_KEY_PREVIOUS',
  'OPERATOR_TOKEN',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
  'BACKUP_PASSPHRASE',
  'BACKUP_S3_SECRET',
  'SMTP_URL',
] as const

/** Where the demo keeps its data when DATA_DIR does not say: never among real data. */
export const DEMO_DATA_DIR = '.greenroom-demo'

/** How the command line reaches a running server; the same kind of table, held equal to that of docs/operations.md. */
export const CLIENT_SETTINGS = {
  GREENROOM_URL: ['http://127.0.0.1:8080', 'Where the server answers; `/v1`, `/v0` or `/operator` is added to it.'],
  GREENROOM_OPERATOR_TOKEN: ['', "The server's OPERATOR_TOKEN, for the operator's commands."],
  GREENROOM_METRICS_TOKEN: ['', "The server's METRICS_TOKEN, for `greenroom status`."],
  GREENROOM_KEY: ['', "Id of an API key, for an organization's own commands and `greenroom call`."],
  GREENROOM_SECRET: ['', 'The secret of that key.'],
  GREENROOM_PROFILE: ['', 'Name of the profile to use, in place of the current one.'],
  GREENROOM_PROFILES_FILE: [
    '',
    'File of the profiles, in place of `greenroom/profiles.json` in `XDG_CONFIG_HOME` or in `~/.config`.',
  ],
} as const satisfies Record<string, readonly [fallback: string, meaning: string]>

export interface ClientSettings {
  /** Without a slash at its end. */
  url: string | undefined
  operatorToken: string | undefined
  metricsToken: string | undefined
  keyId: string | undefined
  secret: string | undefined
  profile: string | undefined
  /** Undefined where there is no home directory to keep it in. */
  profilesFile: string | undefined
  /** The data directory of a service that `greenroom init` has set up here. */
  serviceDir: string
  /** The data directory of the demo, which is called when nothing else is said. */
  dataDir: string
}

/** Everything that is wrong with the environment, in sentences that say what to do. */
export class ConfigError extends Error {
  constructor(readonly mistakes: string[]) {
    super(`The configuration is wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/**
 * Gives the environment of a service on this machine: its variables, and those of `settings.env` in its data directory that are
 * not set. Throws a ConfigError for a file that cannot be read and for names that are no settings.
 */
export function readEnvironment(
  env: Record<string, string | undefined> = process.env,
  dataDir: string = SETTINGS.DATA_DIR[0],
): Record<string, string | undefined> {
  const directory = env.DATA_DIR || dataDir
  const path = settingsFile(directory)
  let settings: Record<string, string> | undefined
  try {
    settings = readSettingsFile(directory)
  } catch (error) {
    if (!isOpen(directory)) return env
    throw new ConfigError([`${path} cannot be read: ${(error as Error).message}.`])
  }
  if (settings === undefined) return env
  const mistakes = Object.keys(settings).flatMap((name) => {
    if (name === 'DATA_DIR') return [`${path} sets DATA_DIR, which is the directory of the file: set it outside.`]
    return name in SETTINGS ? [] : [`${path} sets ${name}, which is no setting: README.md lists them all.`]
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return overSettings(env, settings)
}

/**
 * Reads the environment; throws one ConfigError that names every mistake. An empty variable counts as not set; `defaults`
 * go before those of the table.
 */
export function readConfig(
  env: Record<string, string | undefined> = process.env,
  defaults: Partial<Record<Setting, string>> = {},
): Readonly<Config> {
  const mistakes: string[] = []
  const given = { ...env, ...readSecretFiles(env, mistakes) }
  const text = (name: Setting): string => given[name] || defaults[name] || SETTINGS[name][0]
  const optional = (name: Setting): string | undefined => text(name) || undefined
  const check = (ok: boolean, mistake: string): void => {
    if (!ok) mistakes.push(mistake)
  }
  const integer = (name: Setting, min: number, max: number): number => {
    const value = /^\d{1,9}$/.test(text(name)) ? Number(text(name)) : Number.NaN
    check(value >= min && value <= max, `${name} must be a whole number from ${min} to ${max}, not "${text(name)}".`)
    return value
  }
  const days = (name: Setting): number | undefined =>
    optional(name) === undefined ? undefined : integer(name, 1, 3_650) * UNIT_MS.d!
  const list = (name: Setting): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  const choice = <T extends string>(name: Setting, values: readonly T[]): T => {
    const value = values.find((candidate) => candidate === text(name))
    check(value !== undefined, `${name} must be ${values.join(', ')}, not "${text(name)}".`)
    return value as T
  }
  const url = (name: Setting, protocols: string[]): string | undefined => {
    const value = optional(name)
    if (value === undefined) return undefined
    const known = URL.canParse(value) && protocols.includes(new URL(value).protocol)
    // The value is not repeated: a database URL holds a password.
    check(known, `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
    return value
  }

  const databaseUrl = url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const key = (name: Setting): Buffer | undefined => {
    const value = optional(name)
    const isKey = value === undefined || /^[0-9a-f]{64}$/i.test(value)
    check(isKey, `${name} must be 64 hex digits: make one with \`openssl rand -hex 32\`.`)
    return value === undefined ? undefined : Buffer.from(value, 'hex')
  }
  const masterKey = key('MASTER_KEY')
  const masterKeyPrevious = key('MASTER_KEY_PREVIOUS')
  check(
    masterKeyPrevious === undefined || (masterKey !== undefined && !masterKey.equals(masterKeyPrevious)),
    'MASTER_KEY_PREVIOUS is the key before, during a rotation: set MASTER_KEY to the new one.',
  )
  if (masterKey === undefined && !mistakes.some((mistake) => mistake.startsWith('MASTER_KEY'))) {
    check(
      databaseUrl === undefined,
      'MASTER_KEY is required with DATABASE_URL, so that every node can open the sealed secrets: make one with `openssl rand -hex 32` and keep it.',
    )
  }
  const token = (name: Setting): string | undefined => {
    const value = optional(name)
    check(
      value === undefined || /^[\x21-\x7e]{16,}$/.test(value),
      `${name} must be 16 or more visible ASCII characters: make one with \`openssl rand -hex 32\`.`,
    )
    return value
  }
  const operatorToken = token('OPERATOR_TOKEN')
  const metricsToken = token('METRICS_TOKEN')
  const metricsAddress = optional('METRICS_ADDRESS')
  const [, metricsHost = '', metricsPort] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(metricsAddress ?? '') ?? []
  check(
    metricsAddress === undefined || Number(metricsPort) <= 65_535,
    'METRICS_ADDRESS must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464.',
  )
  const corsOrigins = list('CORS_ORIGINS')
  check(
    corsOrigins.every(isOrigin),
    'CORS_ORIGINS must be origins as a browser sends them, separated by commas: scheme, host and port alone, such as https://app.example.',
  )
  const publicUrl = url('PUBLIC_URL', ['https:', 'http:'])
  check(
    publicUrl === undefined || !URL.canParse(publicUrl) || isServerUrl(publicUrl),
    'PUBLIC_URL must have no query, no fragment and no password, such as https://example.com/greenroom.',
  )
  const passwords = choice('PASSWORDS', ['on', 'off']) === 'on'
  const oidc = readOidc({ text, optional, list, choice, check, publicUrl })
  check(passwords || oidc !== undefined, 'PASSWORDS=off needs OIDC_ISSUER: no one could sign in.')
  const trustProxy = list('TRUST_PROXY')
  check(
    trustProxy.every(isSubnet),
    'TRUST_PROXY must be addresses or subnets of proxies, separated by commas, such as 10.0.0.0/8 or ::1.',
  )
  const graphVersion = text('GRAPH_VERSION')
  check(/^v\d+\.\d+$/.test(graphVersion), `GRAPH_VERSION must look like v26.0, not "${graphVersion}".`)
  const insightsCutoffDate = text('INSIGHTS_CUTOFF_DATE')
  check(isBareDate(insightsCutoffDate), `INSIGHTS_CUTOFF_DATE must be a date YYYY-MM-DD, not "${insightsCutoffDate}".`)
  const dataDir = text('DATA_DIR')
  const [, every, unit] = /^(\d{1,6})([mhd])$/.exec(text('BACKUP_EVERY')) ?? []
  const backupEveryMs = Number(every) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
  check(
    backupEveryMs >= UNIT_MS.m! && backupEveryMs <= 366 * UNIT_MS.d!,
    `BACKUP_EVERY must be minutes, hours or days, such as 30m, 6h or 1d, not "${text('BACKUP_EVERY')}".`,
  )
  const backupPassphrase = optional('BACKUP_PASSPHRASE')
  check(
    backupPassphrase === undefined || backupPassphrase.length >= PASSPHRASE_CHARS_MIN,
    `BACKUP_PASSPHRASE must have ${PASSPHRASE_CHARS_MIN} characters or more.`,
  )

  const config: Config = {
    host: text('HOST'),
    port: integer('PORT', 0, 65_535),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    dataMaxBytes:
      optional('DATA_MAX_MB') === undefined ? undefined : integer('DATA_MAX_MB', 512, 999_999_999) * 1024 * 1024,
    databaseUrl,
    databasePoolMax: integer('DATABASE_POOL_MAX', 2, 1000),
    databaseStatements: choice('DATABASE_STATEMENTS', ['named', 'unnamed']),
    masterKey,
    masterKeyPrevious,
    operatorToken,
    keyMaxAgeMs: days('KEY_MAX_AGE_DAYS'),
    operatorTokenMaxAgeMs: days('OPERATOR_TOKEN_MAX_AGE_DAYS'),
    earlierVariant: choice('EARLIER_VARIANT', ['on', 'off']) === 'on',
    clockSkewSeconds: integer('CLOCK_SKEW_SECONDS', 0, 300),
    keyRequestsPerSecond: integer('KEY_REQUESTS_PER_SECOND', 0, 1_000_000),
    personChangesPerMinute: integer('PERSON_CHANGES_PER_MINUTE', 0, 1_000_000),
    invitationsPerHour: integer('INVITATIONS_PER_HOUR', 0, 1_000_000),
    invitationsPerAddress: integer('INVITATIONS_PER_ADDRESS', 0, 1_000_000),
    importsPerMinute: integer('IMPORTS_PER_MINUTE', 0, 1_000_000),
    insightsPerMinute: integer('INSIGHTS_PER_MINUTE', 0, 1_000_000),
    failedAttemptsPerMinute: integer('FAILED_ATTEMPTS_PER_MINUTE', 0, 1_000_000),
    passwords,
    oidc,
    corsOrigins: Object.freeze(corsOrigins),
    console: choice('CONSOLE', ['on', 'off']) === 'on',
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    trustProxy: Object.freeze(trustProxy),
    metricsToken,
    metricsAddress: metricsAddress === undefined ? undefined : { host: metricsHost, port: Number(metricsPort) },
    mediaDir: optional('MEDIA_DIR') === undefined ? undefined : resolve(text('MEDIA_DIR')),
    mediaMetadata: choice('MEDIA_METADATA', ['remove', 'keep']),
    ...readBackupPlace({ text, optional, url, check }),
    backupEveryMs,
    backupKeep: integer('BACKUP_KEEP', 1, 1_000),
    backupPassphrase,
    retention: readRetention({ optional, integer, days, check, dataDir, mediaDir: optional('MEDIA_DIR') }),
    smtp: readSmtp({ optional, url, check, publicUrl }),
    webhookPrivate: choice('WEBHOOK_PRIVATE', ['on', 'off']) === 'on',
    graphBaseUrl: (url('GRAPH_BASE_URL', ['https:', 'http:']) ?? '').replace(/\/+$/, ''),
    graphVersion,
    graphAppSecret: optional('GRAPH_APP_SECRET'),
    graphTimeoutMs: integer('GRAPH_TIMEOUT_MS', 1, 600_000),
    insightsCutoffDate,
    latePostHours: integer('LATE_POST_HOURS', 1, 8_760),
    publisherIntervalMs: integer('PUBLISHER_INTERVAL_MS', 100, 60_000),
    logLevel: choice('LOG_LEVEL', LOG_LEVELS),
    logFormat: choice('LOG_FORMAT', LOG_FORMATS),
    asksForTraces: asksForTraces(env),
    startTimeoutMs: integer('START_TIMEOUT_MS', 0, 600_000),
    drainMs: integer('DRAIN_MS', 0, 600_000),
    stopTimeoutMs: integer('STOP_TIMEOUT_MS', 0, 600_000),
    maxConnections: optional('MAX_CONNECTIONS') === undefined ? undefined : integer('MAX_CONNECTIONS', 10, 1_000_000),
    audienceMemoryBytes: integer('AUDIENCE_MEMORY_MB', 16, 65_536) * 1024 * 1024,
    misspelt: Object.freeze(findMisspelt(env)),
  }
  if (mistakes.length > 0) throw new ConfigError([...mistakes, ...config.misspelt.map(toMisspeltSentence)])
  return Object.freeze(config)
}

/** A misspelt name of one word cannot be told from another program's variable. */
const DISTINCT = (Object.keys(SETTINGS) as Setting[]).filter((name) => name.includes('_'))

function findMisspelt(env: Record<string, string | undefined>): Misspelt[] {
  const unset = DISTINCT.filter((name) => !env[name])
  return Object.keys(env)
    .filter((given) => env[given] && !(given in SETTINGS) && !(given in CLIENT_SETTINGS))
    .flatMap((given) => {
      const meant = findSimilar(given, unset)
      return meant === undefined ? [] : [{ given, meant }]
    })
}

/** As OpenTelemetry's specification reads its variables: an empty one counts as not set. */
function asksForTraces(env: Record<string, string | undefined>): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: all } = env
  return exporter ? exporter !== 'none' : Boolean(all || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

interface Reader {
  text(name: Setting): string
  optional(name: Setting): string | undefined
  list(name: Setting): string[]
  choice<T extends string>(name: Setting, values: readonly T[]): T
  check(ok: boolean, mistake: string): void
  publicUrl: string | undefined
}

function readOidc({ text, optional, list, choice, check, publicUrl }: Reader): Readonly<OidcConfig> | undefined {
  const issuer = optional('OIDC_ISSUER')
  if (issuer === undefined) {
    const others = (['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLES', 'OIDC_DEFAULT_ROLE'] as const).filter(
      optional,
    )
    check(others.length === 0, `${others[0]} is set without OIDC_ISSUER: set the address of the provider too.`)
    return undefined
  }
  const isSafe = (url: string | undefined): boolean =>
    url !== undefined && isServerUrl(url) && (url.startsWith('https:') || isLoopback(new URL(url).hostname))
  check(isSafe(issuer), 'OIDC_ISSUER must be an https:// URL without a query; http:// does on localhost alone.')
  check(isSafe(publicUrl), 'OIDC_ISSUER needs PUBLIC_URL, with https://: the provider sends people back to it.')
  const clientId = text('OIDC_CLIENT_ID')
  const clientSecret = text('OIDC_CLIENT_SECRET')
  check(clientId !== '', 'OIDC_CLIENT_ID is missing: take the client id that the provider has given this server.')
  check(clientSecret !== '', 'OIDC_CLIENT_SECRET is missing: take the secret that belongs to OIDC_CLIENT_ID.')
  const scopes = text('OIDC_SCOPES')
  check(scopes.split(' ').includes('openid'), 'OIDC_SCOPES must contain openid, such as: openid email profile.')
  const allowedDomains = list('OIDC_ALLOWED_DOMAINS').map((domain) => domain.toLowerCase())
  check(
    allowedDomains.every((domain) => domain === '*' || /^[^\s@*]+$/.test(domain)),
    'OIDC_ALLOWED_DOMAINS must be domains separated by commas, such as example.com, or *.',
  )
  const organizationId = optional('OIDC_ORGANIZATION')
  const defaultRole = parseRole(text('OIDC_DEFAULT_ROLE'))
  check(
    defaultRole !== undefined || optional('OIDC_DEFAULT_ROLE') === undefined,
    'OIDC_DEFAULT_ROLE must be VIEWER, EDITOR or ADMIN, with +approve for who may approve.',
  )
  const roleClaim = optional('OIDC_ROLE_CLAIM')
  const roles = new Map<string, ProviderRole>()
  for (const entry of list('OIDC_ROLES')) {
    // A value of the claim may hold an equals sign, as names of a directory do.
    const at = entry.lastIndexOf('=')
    const role = parseRole(entry.slice(at + 1))
    check(
      at > 0 && role !== undefined,
      `OIDC_ROLES must be such as marketing=EDITOR,leads=EDITOR+approve, not "${entry}".`,
    )
    if (role !== undefined) roles.set(entry.slice(0, at), role)
  }
  check(
    roles.size > 0 === (roleClaim !== undefined),
    'OIDC_ROLE_CLAIM and OIDC_ROLES belong together: set both or none.',
  )
  const makesMembers = roles.size > 0 || defaultRole !== undefined
  check(
    makesMembers === (organizationId !== undefined),
    'OIDC_ORGANIZATION and a role (OIDC_DEFAULT_ROLE or OIDC_ROLES) belong together: set both or none.',
  )
  check(
    !makesMembers || allowedDomains.length > 0,
    'OIDC_DEFAULT_ROLE and OIDC_ROLES need OIDC_ALLOWED_DOMAINS: the domains of your people, or * for everyone the provider knows.',
  )
  const name = text('OIDC_NAME')
  return Object.freeze({
    ...{ issuer, clientId, clientSecret, name, scopes },
    clientAuthentication: choice('OIDC_CLIENT_AUTH', ['auto', 'post', 'basic']),
    secondFactor: choice('OIDC_SECOND_FACTOR', ['asked', 'trusted']),
    ...{ allowedDomains, organizationId, defaultRole, roleClaim, roles },
  })
}

/** In less time, entries would be gone before a person or a provider asks about them. */
const AUDIT_DAYS_MIN = 30

function readRetention({
  optional,
  integer,
  days,
  check,
  dataDir,
  mediaDir,
}: Pick<Reader, 'optional' | 'check'> & {
  integer(name: Setting, min: number, max: number): number
  days(name: Setting): number | undefined
  dataDir: string
  mediaDir: string | undefined
}): Readonly<RetentionConfig> {
  const exportDir = optional('AUDIT_EXPORT_DIR')
  const isKept = optional('AUDIT_KEEP_DAYS') === undefined
  check(
    isKept || exportDir !== undefined,
    'AUDIT_KEEP_DAYS needs AUDIT_EXPORT_DIR: an entry is removed only when a file there has it.',
  )
  check(
    !isKept || exportDir === undefined,
    'AUDIT_EXPORT_DIR is set without AUDIT_KEEP_DAYS: nothing would be written there. Set both or none.',
  )
  const isWithin = (directory: string | undefined): boolean =>
    exportDir !== undefined && directory !== undefined && `${resolve(exportDir)}/`.startsWith(`${resolve(directory)}/`)
  check(!isWithin(mediaDir), 'AUDIT_EXPORT_DIR must not lie in MEDIA_DIR, whose files are served to everyone.')
  check(
    !isWithin(join(dataDir, 'database')),
    'AUDIT_EXPORT_DIR must not lie in the directory of the embedded database: set one beside it.',
  )
  const unusedMediaMs = days('UNUSED_MEDIA_KEEP_DAYS')
  check(
    unusedMediaMs === undefined || mediaDir !== undefined,
    'UNUSED_MEDIA_KEEP_DAYS needs MEDIA_DIR: there are no uploads without it.',
  )
  return Object.freeze({
    audit:
      isKept || exportDir === undefined
        ? undefined
        : { keepMs: integer('AUDIT_KEEP_DAYS', AUDIT_DAYS_MIN, 3_650) * UNIT_MS.d!, exportDir: resolve(exportDir) },
    postContentMs: days('POST_CONTENT_KEEP_DAYS'),
    revokedKeysMs: days('REVOKED_KEYS_KEEP_DAYS'),
    unusedMediaMs,
  })
}

function parseRole(text: string): ProviderRole | undefined {
  const [, role, approve] = /^(VIEWER|EDITOR|ADMIN)(\+approve)?$/.exec(text) ?? []
  return role === undefined ? undefined : { role: role as ProviderRole['role'], mayApprove: approve !== undefined }
}

const S3_BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const S3_PREFIX = /^(?:[\w.-]+(?:\/[\w.-]+)*)?$/

/** Reads `s3://bucket/prefix`; undefined where it is not well-formed. */
export function parseS3Place(text: string): S3Place | undefined {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/*(.*?)\/*$/.exec(text) ?? []
  if (!S3_BUCKET.test(bucket) || !S3_PREFIX.test(path) || path.split('/').includes('..')) return undefined
  return { bucket, prefix: path === '' ? '' : `${path}/` }
}

function readBackupPlace({
  text,
  optional,
  url,
  check,
}: Pick<Reader, 'text' | 'optional' | 'check'> & {
  url(name: Setting, protocols: string[]): string | undefined
}): Pick<Config, 'backupDir' | 'backupS3'> {
  const given = optional('BACKUP_DIR')
  const isS3 = given?.startsWith('s3:') === true
  const place = isS3 ? parseS3Place(given) : undefined
  check(
    !isS3 || place !== undefined,
    'BACKUP_DIR must be a directory, or a bucket and a prefix of letters, digits, dots and dashes, such as s3://backups/greenroom.',
  )
  const backupDir = given === undefined || isS3 ? undefined : resolve(given)
  const region = text('BACKUP_S3_REGION')
  check(/^[\w-]{1,64}$/.test(region), 'BACKUP_S3_REGION must be a name such as eu-central-1.')
  const endpoint = url('BACKUP_S3_ENDPOINT', ['https:', 'http:']) ?? `https://s3.${region}.amazonaws.com`
  check(
    !URL.canParse(endpoint) || isServerUrl(endpoint),
    'BACKUP_S3_ENDPOINT must have no query, no fragment and no password, such as https://minio.example.com:9000.',
  )
  const keyId = optional('BACKUP_S3_KEY_ID')
  const secret = optional('BACKUP_S3_SECRET')
  // The values are not repeated: a person may have put the secret into the place of the id.
  check(keyId === undefined || /^[\x21-\x7e]+$/.test(keyId), 'BACKUP_S3_KEY_ID must be visible ASCII characters.')
  check(
    (keyId === undefined) === (secret === undefined),
    'BACKUP_S3_KEY_ID and BACKUP_S3_SECRET belong together: set both.',
  )
  check(
    !isS3 || keyId !== undefined,
    'BACKUP_DIR=s3://… needs BACKUP_S3_KEY_ID and BACKUP_S3_SECRET: an access key of the storage.',
  )
  if (keyId === undefined || secret === undefined) return { backupDir, backupS3: undefined }
  return {
    backupDir,
    backupS3: Object.freeze({ endpoint: endpoint.replace(/\/+$/, ''), region, keyId, secret, place }),
  }
}

function isPercentEncoded({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

function readSmtp({
  optional,
  url,
  check,
  publicUrl,
}: Pick<Reader, 'optional' | 'check' | 'publicUrl'> & {
  url(name: Setting, protocols: string[]): string | undefined
}): Readonly<SmtpConfig> | undefined {
  const smtpUrl = url('SMTP_URL', ['smtp:', 'smtps:'])
  const from = optional('MAIL_FROM')
  check(
    from === undefined || /^(?:[^<>@\p{Cc}]+ )?(?:<[^\s<>@,]+@[^\s<>@,]+>|(?<! )[^\s<>@,]+@[^\s<>@,]+)$/u.test(from),
    'MAIL_FROM must be a mail address, such as greenroom@example.com or Greenroom <greenroom@example.com>.',
  )
  if (smtpUrl === undefined) {
    check(from === undefined, 'MAIL_FROM is set without SMTP_URL: set the address of the mail server too.')
    return undefined
  }
  check(
    !URL.canParse(smtpUrl) || (new URL(smtpUrl).hostname !== '' && isPercentEncoded(new URL(smtpUrl))),
    'SMTP_URL must name a host, and have its user and password percent-encoded, such as smtp://user%40example.com:password@host.',
  )
  check(from !== undefined, 'SMTP_URL needs MAIL_FROM: the address that mails come from.')
  check(publicUrl !== undefined, 'SMTP_URL needs PUBLIC_URL: mails hold links that lead there.')
  return Object.freeze({ url: smtpUrl, from: from ?? '' })
}

/** The secrets that are in files. Adds a mistake for a file that cannot be read, and for a secret that is set twice. */
function readSecretFiles(env: Record<string, string | undefined>, mistakes: string[]): Record<string, string> {
  const secrets: Record<string, string> = {}
  for (const name of FROM_FILES) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) {
      mistakes.push(`${name}_FILE and ${name} are both set: unset one of them.`)
      continue
    }
    try {
      // Editors end a file with a line break.
      secrets[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
      if (secrets[name] === '') mistakes.push(`${name}_FILE ${file} is empty: put the secret into it.`)
    } catch (error) {
      mistakes.push(`${name}_FILE ${file} cannot be read: ${(error as Error).message}.`)
    }
  }
  return secrets
}

/** Whether a browser would send it as the Origin of a page, to the letter: it is compared with that. */
const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Reads what the command line needs of the environment; throws one ConfigError that names every mistake. */
export function readClientSettings(env: Record<string, string | undefined> = process.env): Readonly<ClientSettings> {
  const mistakes: string[] = []
  // The values are not repeated in a mistake: they are secrets, or a URL that may hold one.
  const visible = (name: keyof typeof CLIENT_SETTINGS): string | undefined => {
    const value = env[name] || undefined
    if (value !== undefined && !isVisibleAscii(value)) mistakes.push(`${name} must be ${VISIBLE_ASCII}.`)
    return value
  }
  const url = env.GREENROOM_URL || undefined
  if (url !== undefined && !isServerUrl(url)) mistakes.push(`GREENROOM_URL must be ${SERVER_URL}.`)
  const settings: ClientSettings = {
    url: url?.replace(/\/+$/, ''),
    operatorToken: visible('GREENROOM_OPERATOR_TOKEN'),
    metricsToken: visible('GREENROOM_METRICS_TOKEN'),
    keyId: visible('GREENROOM_KEY'),
    secret: visible('GREENROOM_SECRET'),
    profile: env.GREENROOM_PROFILE || undefined,
    profilesFile: findProfilesFile(env),
    serviceDir: resolve(env.DATA_DIR || SETTINGS.DATA_DIR[0]),
    dataDir: resolve(env.DATA_DIR || DEMO_DATA_DIR),
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return Object.freeze(settings)
}

/** The words that run the command: npx sets a variable for what it runs. */
export const programName = (env: Record<string, string | undefined> = process.env): string =>
  env.npm_command === 'exec' ? 'npx greenroom' : 'greenroom'

/** Tells if an unexpected error is shown with its stack. */
export const showsStacks = (env: Record<string, string | undefined> = process.env): boolean => env.LOG_LEVEL === 'debug'

/** What the variables that programs of a terminal share say of it. */
export interface TerminalSettings {
  /** Its columns, for where the system does not tell. */
  columns: number | undefined
  /** It knows no escape codes. */
  isDumb: boolean
  /** Whether colours are wanted; undefined: on a terminal that knows them. */
  color: boolean | undefined
}

export function readTerminalSettings(env: Record<string, string | undefined> = process.env): TerminalSettings {
  const { COLUMNS = '', TERM, NO_COLOR, FORCE_COLOR } = env
  return {
    columns: /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined,
    isDumb: TERM === 'dumb',
    // As Node and most programs read them: FORCE_COLOR before NO_COLOR, an empty NO_COLOR says nothing.
    color: FORCE_COLOR !== undefined ? !['0', 'false'].includes(FORCE_COLOR) : NO_COLOR ? false : undefined,
  }
}

/** Completes the sentence that something must be. */
export const VISIBLE_ASCII = 'visible ASCII characters without a space or a line break'
export const isVisibleAscii = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

/** Completes the sentence that something must be. */
export const SERVER_URL = `the http or https address of the server, such as ${CLIENT_SETTINGS.GREENROOM_URL[0]}`

/** Whether `/v1` can be added to it: it has no query and no password of its own. */
export function isServerUrl(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || /[?#]/.test(url) || parsed.username !== '' || parsed.password !== '') return false
  return ['http:', 'https:'].includes(parsed.protocol)
}

function findProfilesFile(env: Record<string, string | undefined>): string | undefined {
  if (env.GREENROOM_PROFILES_FILE) return resolve(env.GREENROOM_PROFILES_FILE)
  const home = env.HOME || env.USERPROFILE
  // By the XDG specification a relative path counts as not set.
  const folder = isAbsolute(env.XDG_CONFIG_HOME ?? '') ? env.XDG_CONFIG_HOME! : home && join(home, '.config')
  return folder ? join(folder, 'greenroom', 'profiles.json') : undefined
}
