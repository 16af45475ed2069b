import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { findEndingByAge } from './access/greatest-age.js'
import { sealedKeySecrets } from './access/keys.store.js'
import { openMasterKeys } from './access/master-keys.js'
import { sealedTotpSecrets } from './access/second-factors/second-factors.store.js'
import { findLastBackup } from './backup/last-backup.store.js'
import { StorageError } from './backup/storage/backup-storage.js'
import { findDirectoryMistake } from './backup/storage/directory.js'
import { makesBackups, openStorage } from './backup/storage/open-storage.js'
import { listTokenProblems, sealedChannelTokens } from './channels/channels.store.js'
import { type Config, ConfigError, readConfig } from './config.js'
import { type Database, DatabaseUnavailableError } from './database/database.js'
import { pendingMigrations } from './database/migrate.js'
import { openDatabase } from './database/open.js'
import { refuseOtherPurpose } from './database/purpose.js'
import { refuseUnfinished, serverVersion } from './database/rows.js'
import { NO_PLACE, type SealedColumn, type SealedPlace } from './database/sealed-column.js'
import { reach } from './graph/reachability.js'
import { sealedAccessTokens } from './insights/ad-accounts.store.js'
import { type Clock, systemClock } from './lib/clock.js'
import { type Sealer, UnsealError } from './lib/seal.js'
import { StartError } from './lib/start-error.js'
import { hasMedia } from './media/media.store.js'
import { createSmtp } from './notifications/smtp.js'
import { sealedPreviousWebhookSecrets, sealedWebhookSecrets } from './notifications/webhooks.store.js'
import { listDirectories, readDisk, type Statfs } from './observability/disks.js'

/** What one check has found. No text of it holds a secret. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'problem'
  finding: string
  /** What to do; empty where nothing is. */
  remedy: string
}

interface Options {
  env?: Record<string, string | undefined> | undefined
  clock?: Clock
  /** For tests. */
  statfs?: Statfs
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3
/** The embedded database writes its log in files of 16 MiB. */
const FREE_BYTES_NEEDED = 64 * MIB
const NODE_NEEDED = [20, 19] as const
const POSTGRES_NEEDED = 15
/** A signature is refused this far off; the platform is compared with that too. */
const CLOCK_PROBLEM_MS = 5_000
const CLOCK_WARNING_MS = 2_000
const NO_KEY = '-'

const ok = (check: string, finding: string): Finding => ({ check, state: 'ok', finding, remedy: '' })
const warning = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  finding,
  remedy,
})
const problem = (check: string, finding: string, remedy: string): Finding => ({
  check,
  state: 'problem',
  finding,
  remedy,
})

/** Looks at everything that a service needs, and changes nothing. */
export async function examine({ env, clock = systemClock, statfs }: Options = {}): Promise<Finding[]> {
  const findings = [checkNode()]
  let config: Readonly<Config>
  try {
    config = readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      ...findings,
      ...error.mistakes.map((mistake) => problem('configuration', mistake, 'Set it right, and run this again.')),
    ]
  }
  findings.push(...checkConfig(config), ...(await checkDisks(config, statfs)), ...(await checkStorage(config)))
  findings.push(...(await checkDatabase(config, clock)))
  findings.push(await checkClock(config, clock), ...(await checkProxy(config)), ...(await checkMail(config)))
  return findings
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])
  const found = `Node ${process.versions.node}`
  return isNew ? ok('node', found) : problem('node', found, `Install Node ${NODE_NEEDED.join('.')} or later.`)
}

function checkConfig(config: Config): Finding[] {
  const { operatorToken, metricsToken, host, backupPassphrase, publicUrl } = config
  const findings: Finding[] = []
  const isLocal = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  if (operatorToken === undefined) {
    findings.push(warning('configuration', 'There is no operator side.', 'Set OPERATOR_TOKEN: openssl rand -hex 32'))
  }
  if (!isLocal && metricsToken === undefined) {
    findings.push(
      warning(
        'configuration',
        '/metrics and /status answer this machine alone.',
        'Set METRICS_TOKEN, and give it to the scraper.',
      ),
    )
  }
  if (!isLocal && publicUrl?.startsWith('https:') !== true) {
    findings.push(
      warning(
        'configuration',
        `${host} is open to other machines, and nothing says that TLS stands before it.`,
        'Put a proxy with TLS before it, and set PUBLIC_URL to its https address.',
      ),
    )
  }
  if (!makesBackups(config)) {
    findings.push(
      warning(
        'backups',
        'No backups are made by themselves.',
        'Set BACKUP_DIR, or run `greenroom backup` from a timer.',
      ),
    )
  } else if (backupPassphrase === undefined) {
    findings.push(
      warning(
        'backups',
        'The backups are neither encrypted nor authenticated, and hold no master key.',
        'Set BACKUP_PASSPHRASE_FILE, or guard them, and keep the key elsewhere.',
      ),
    )
  }
  return findings.length > 0 ? findings : [ok('configuration', 'Every variable is well-formed.')]
}

async function checkDisks(config: Config, statfs: Statfs | undefined): Promise<Finding[]> {
  return await Promise.all(
    listDirectories(config).map(async ({ setting, path }) => {
      const mistake = setting === 'BACKUP_DIR' ? findDirectoryMistake(config) : undefined
      if (mistake !== undefined) return problem('disk', mistake, 'As it says.')
      let there = path
      while (!existsSync(there)) there = dirname(there)
      try {
        accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
      } catch {
        return problem(
          'disk',
          `${setting} ${path} cannot be written by this user.`,
          `chown it to the user of the service, or set another ${setting}.`,
        )
      }
      if (!statSync(there).isDirectory()) return problem('disk', `${there} is no directory.`, `Set another ${setting}.`)
      const { freeBytes, sizeBytes } = await readDisk(path, statfs)
      if (freeBytes < FREE_BYTES_NEEDED) {
        return problem(
          'disk',
          `The disk of ${setting} ${path} is full: ${Math.floor(freeBytes / MIB)} MiB are free.`,
          'Make room now: nothing can be written there.',
        )
      }
      const found = `${setting} ${path}: ${(freeBytes / GIB).toFixed(1)} GiB free`
      return freeBytes < GIB || freeBytes / Math.max(1, sizeBytes) < 0.05
        ? warning(
            'disk',
            found,
            'Make room: a full disk refuses every write, and a backup of the embedded database needs as much again.',
          )
        : ok('disk', found)
    }),
  )
}

/** Asks the storage that BACKUP_DIR names, where that is no directory. */
async function checkStorage(config: Config): Promise<Finding[]> {
  if (config.backupDir !== undefined) return []
  try {
    const storage = await openStorage(config)
    if (storage === undefined) return []
    await storage.check()
    return [ok('backups', `${storage.title} can be listed and written.`)]
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return [problem('backups', error.message, 'As it says.')]
  }
}

async function checkDatabase(config: Readonly<Config>, clock: Clock): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config
  if (
    databaseUrl === undefined &&
    !existsSync(join(dataDir, 'database')) &&
    !existsSync(join(dataDir, 'database.filling'))
  ) {
    return [ok('database', `There is none in ${dataDir}: the first start makes it.`)]
  }
  const place = databaseUrl === undefined ? `DATA_DIR ${dataDir}` : 'DATABASE_URL'
  const warnings: string[] = []
  // What a start would log as a warning is a finding here.
  const log = Object.assign(pino({ level: 'silent' }), { warn: (_: unknown, text: string) => void warnings.push(text) })
  let database: Database
  try {
    database = await openDatabase({ ...config, startTimeoutMs: 0 }, log)
  } catch (error) {
    return [await unopened(error, config)]
  }
  try {
    await refuseUnfinished(database, place)
    await refuseOtherPurpose(database, 'service', place)
    const pending = await pendingMigrations(database)
    const version = await serverVersion(database)
    const findings = [
      version >= POSTGRES_NEEDED
        ? ok('database', `${place} answers (PostgreSQL ${version}).`)
        : problem('database', `${place} is a PostgreSQL ${version}.`, `Use PostgreSQL ${POSTGRES_NEEDED} or later.`),
      ...warnings.map((text) => warning('database', text.split(': run ')[0]!, text.split(': run ')[1] ?? '')),
    ]
    if (pending.length > 0) {
      const made = databaseUrl === undefined ? 'It backs the data up before.' : 'Back it up before.'
      return [...findings, warning('database', `The next start changes the schema (${pending.join(', ')}).`, made)]
    }
    return [
      ...findings,
      ...(await checkKeys(database, config, clock)),
      ...(await checkBackups(database, config, clock)),
      ...(await checkGreatestAges(database, config, clock)),
    ]
  } catch (error) {
    if (error instanceof StartError) return [problem('database', error.message, 'As it says.')]
    if (error instanceof DatabaseUnavailableError) return [await unopened(error, config)]
    throw error
  } finally {
    await database.close()
  }
}

async function unopened(error: unknown, { host, port }: Config): Promise<Finding> {
  if (error instanceof StartError && /in use by process/.test(error.message)) {
    const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host.includes(':') ? `[${host === '::' ? '::1' : host}]` : host}:${port}`
    const answer = await reach(`${url}/readyz`).catch(() => undefined)
    return answer?.status === 200
      ? ok('database', `A service that is ready holds it (${url}). Stop it to look at the keys and tokens too.`)
      : problem(
          'database',
          `${error.message.split(':')[0]}, and ${url}/readyz does not say that it is ready.`,
          'See its log, and `greenroom status`.',
        )
  }
  if (error instanceof StartError) return problem('database', error.message, 'As it says.')
  const { message = '', code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return problem(
    'database',
    `It cannot be opened: ${message || code}.`,
    'Start it, or set DATABASE_URL or DATA_DIR to where it is.',
  )
}

/** The master key, and whether what rests under it opens. */
async function checkKeys(database: Database, config: Readonly<Config>, clock: Clock): Promise<Finding[]> {
  const file = join(config.dataDir, 'master.key')
  if (config.masterKey === undefined && !existsSync(file)) {
    return [problem('master key', `${file} is missing.`, 'Restore it from a backup: without it no secret opens.')]
  }
  const columns = [
    ['key secret', sealedKeySecrets],
    ['channel token', sealedChannelTokens],
    ['ad account token', sealedAccessTokens],
    ['webhook secret', sealedWebhookSecrets],
    ['earlier webhook secret', sealedPreviousWebhookSecrets],
    ['secret of an authenticator app', sealedTotpSecrets],
  ] as const
  const findings: Finding[] = []
  let sealer: Sealer
  try {
    ;({ sealer } = await openMasterKeys(database, {
      config,
      columns: columns.map(([, column]) => column),
      log: pino({ level: 'silent' }),
      clock,
    }))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem('master key', error.message, 'As it says.')]
  }
  if (config.masterKey === undefined && process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    findings.push(problem('master key', `${file} is open to others on this machine.`, `chmod 600 ${file}`))
  }
  findings.push(ok('master key', 'It is that of the database.'))
  for (const [noun, column] of columns) {
    const { count, unopened } = await countSealed(database, column, sealer)
    if (count === 0) continue
    findings.push(
      unopened.length === 0
        ? ok('tokens', `${count} ${noun}s open.`)
        : problem(
            'tokens',
            `${unopened.length} of ${count} ${noun}s do not open, such as that of ${unopened[0]}.`,
            'Connect it again, or issue another key.',
          ),
    )
  }
  const refused = await listTokenProblems(database)
  if (refused.length > 0) {
    const { organization_id, channel_id, token_problem } = refused[0]!
    findings.push(
      warning(
        'tokens',
        `The platform has refused the tokens of ${refused.length} channels, such as ${channel_id}: ${token_problem}`,
        `greenroom channels connect-platform ${organization_id} ${channel_id} < token.txt`,
      ),
    )
  }
  return findings
}

async function countSealed(
  database: Database,
  column: SealedColumn,
  sealer: Sealer,
): Promise<{ count: number; unopened: string[] }> {
  const found = { count: 0, unopened: [] as string[] }
  for (let after: SealedPlace | undefined = NO_PLACE; after !== undefined; ) {
    const values: Awaited<ReturnType<SealedColumn['listOthers']>> = await column.listOthers(
      database,
      NO_KEY,
      after,
      500,
    )
    for (const { place, sealed } of values) {
      found.count += 1
      try {
        sealer.open(sealed, column.contextOf(place))
      } catch (error) {
        if (!(error instanceof UnsealError)) throw error
        found.unopened.push(place[1])
      }
    }
    after = values.at(-1)?.place
  }
  return found
}

async function checkBackups(database: Database, config: Config, clock: Clock): Promise<Finding[]> {
  const { mediaDir, backupEveryMs } = config
  if (!makesBackups(config)) return []
  if (mediaDir === undefined && (await hasMedia(database))) {
    return [
      problem(
        'backups',
        'There are uploaded media and no MEDIA_DIR, so that the backups lack them.',
        'Set MEDIA_DIR to the directory of the other nodes, or unset BACKUP_DIR here.',
      ),
      ...(await checkLastBackup(database, backupEveryMs, clock)),
    ]
  }
  return await checkLastBackup(database, backupEveryMs, clock)
}

async function checkLastBackup(database: Database, backupEveryMs: number, clock: Clock): Promise<Finding[]> {
  const last = await findLastBackup(database)
  if (last === undefined) return [warning('backups', 'None was made yet.', 'See the log of the service.')]
  const found = `The last one is ${last.file}.`
  const isLate = clock.now() - last.made_at.getTime() > 2 * backupEveryMs
  if (!isLate && last.missing_media > 0) {
    return [
      problem(
        'backups',
        `${found} It lacks ${last.missing_media} uploaded files.`,
        'Set MEDIA_DIR right on the node that makes the backups, or restore the files into it.',
      ),
    ]
  }
  return [
    isLate
      ? problem('backups', `${found} It is older than twice BACKUP_EVERY.`, 'See the log of the service.')
      : ok('backups', found),
  ]
}

/** Names the keys and tokens that KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS end, before refused callers notice. */
async function checkGreatestAges(database: Database, config: Readonly<Config>, clock: Clock): Promise<Finding[]> {
  const found = await findEndingByAge({ database, config, clock })
  return found.map(({ setting, what, ending, ended, examples }) => {
    const noun = what === 'keys' ? 'keys' : 'operator tokens'
    if (ending + ended === 0) return ok('greatest age', `${setting} ends no ${noun} within 14 days.`)
    return warning(
      'greatest age',
      `Of the ${noun} ${setting} ends ${ending} within 14 days and has ended ${ended}, such as ${examples.join(', ')}.`,
      what === 'keys'
        ? 'Issue others, move the callers, revoke these: greenroom keys issue, greenroom keys revoke'
        : 'Issue others and revoke these: greenroom operator-tokens issue, greenroom operator-tokens revoke',
    )
  })
}

async function checkClock({ graphBaseUrl }: Config, clock: Clock): Promise<Finding> {
  const askedAt = clock.now()
  const answer = await reach(graphBaseUrl).catch(() => undefined)
  if (answer === undefined) {
    return warning(
      'clock',
      `${graphBaseUrl} does not answer: posts and insights need it.`,
      'Let this machine reach it, or set GRAPH_BASE_URL.',
    )
  }
  if (answer.date === undefined)
    return warning('clock', `${graphBaseUrl} does not tell its time.`, 'Compare the clock with another one.')
  // The Date is of a whole second, at some time between the two.
  const offMs = Math.max(0, askedAt - answer.date.getTime() - 1_000, answer.date.getTime() - clock.now())
  const found = `It is ${offMs === 0 ? 'that' : `${(offMs / 1000).toFixed(1)} s off that`} of ${new URL(graphBaseUrl).host}.`
  if (offMs > CLOCK_PROBLEM_MS) return problem('clock', found, 'Set it, and keep it by NTP (timedatectl set-ntp true).')
  return offMs > CLOCK_WARNING_MS
    ? warning('clock', found, 'Keep it by NTP (timedatectl set-ntp true).')
    : ok('clock', found)
}

async function checkMail({ smtp }: Config): Promise<Finding[]> {
  if (smtp === undefined) return []
  const { host } = new URL(smtp.url)
  const server = createSmtp(smtp)
  try {
    await server.verify()
    return [ok('mail', `The mail server ${host} answers.`)]
  } catch (error) {
    // Its message may repeat what was sent.
    const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number }
    const found = [code, responseCode].filter((part) => part !== undefined).join(' ')
    return [
      problem(
        'mail',
        `The mail server ${host} cannot be used (${found}).`,
        code === 'EAUTH' ? 'Set SMTP_URL to a user and a password that it accepts.' : 'Set SMTP_URL to where it is.',
      ),
    ]
  } finally {
    server.close()
  }
}

async function checkProxy({ publicUrl, trustProxy }: Config): Promise<Finding[]> {
  if (publicUrl === undefined) {
    return trustProxy.length > 0
      ? [
          warning(
            'proxy',
            'There are proxies (TRUST_PROXY), and no PUBLIC_URL.',
            'Set PUBLIC_URL to the address of the proxy.',
          ),
        ]
      : []
  }
  const findings: Finding[] = []
  const answer = await reach(`${publicUrl}/healthz`).catch(() => undefined)
  if (answer === undefined) {
    findings.push(
      warning(
        'proxy',
        `PUBLIC_URL ${publicUrl} does not answer from here.`,
        'Start the service and the proxy, or look from another machine.',
      ),
    )
  } else if (answer.status !== 200 || !answer.isGreenroom) {
    findings.push(
      problem(
        'proxy',
        `PUBLIC_URL ${publicUrl} answers ${answer.status}${answer.isGreenroom ? '' : ', and not from this service'}.`,
        'Let the proxy pass its path on without the prefix (deploy/).',
      ),
    )
  } else findings.push(ok('proxy', `PUBLIC_URL ${publicUrl} leads here.`))
  if (trustProxy.length === 0) {
    findings.push(
      warning(
        'proxy',
        'Callers have the address of the proxy, for the log, the limits and the addresses of keys.',
        'Set TRUST_PROXY to its address, and let it set X-Forwarded-For.',
      ),
    )
  }
  return findings
}
