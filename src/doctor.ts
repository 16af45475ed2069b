import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { findEndingByAge } from './access/greatest-age.js'
import { sealedKeySecrets } from './access/keys.store.js'
import { openMasterKeys } from './access/master-keys.js'
import { sealedTotpSecrets } from './access/second-factors/second-factors.store.js'
import { findLastBackup } from './backup/last-backup.store.js'
import { findNewestBackup } from './backup/newest-backup.js'
import { StorageError } from './backup/storage/backup-storage.js'
import { findDirectoryMistake } from './backup/storage/directory.js'
import { makesBackups, openStorage } from './backup/storage/open-storage.js'
import { listTokenProblems, sealedChannelTokens } from './channels/channels.store.js'
import { type Config, ConfigError, readConfig, readEnvironment } from './config.js'
import { type Database, DatabaseUnavailableError } from './database/database.js'
import { pendingMigrations } from './database/migrate.js'
import { openDatabase } from './database/open.js'
import { asDamage, DamagedDirectoryError, putAside } from './database/pglite/damage.js'
import { mixesStatements } from './database/pooler.js'
import { refuseOtherPurpose } from './database/purpose.js'
import { refuseUnfinished, serverVersion } from './database/rows.js'
import { NO_PLACE, type SealedColumn, type SealedPlace } from './database/sealed-column.js'
import { refuseSetAside, SetAsideError } from './database/set-aside.js'
import { UnsuitableDatabaseError } from './database/suitability.js'
import { checkClock, checkDatabaseClock } from './doctor/check-clock.js'
import { checkListening, toReachable } from './doctor/check-listening.js'
import { checkMail } from './doctor/check-mail.js'
import { checkMedia } from './doctor/check-media.js'
import { checkProvider } from './doctor/check-provider.js'
import { checkProxy } from './doctor/check-proxy.js'
import { checkVariables } from './doctor/check-variables.js'
import { type Finding, ok, problem, warning } from './doctor/finding.js'
import { reach } from './graph/reachability.js'
import { sealedAccessTokens } from './insights/ad-accounts.store.js'
import { type Clock, systemClock } from './lib/clock.js'
import { describeFault } from './lib/fault.js'
import { type Sealer, UnsealError } from './lib/seal.js'
import { StartError } from './lib/start-error.js'
import { hasMedia } from './media/media.store.js'
import { sealedPreviousWebhookSecrets, sealedWebhookSecrets } from './notifications/webhooks.store.js'
import { listDirectories, readDisk, type Statfs } from './observability/disks.js'
import { listTasks } from './retention/housekeeping.store.js'
import { tasksOf } from './retention/retention.js'

export type { Finding }

interface Options {
  env?: Record<string, string | undefined> | undefined
  clock?: Clock
  /** For tests. */
  statfs?: Statfs
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3
const DAY_MS = 86_400_000
/** The embedded database writes its log in files of 16 MiB. */
const FREE_BYTES_NEEDED = 64 * MIB
const NODE_NEEDED = [20, 19] as const
const POSTGRES_NEEDED = 15
const NO_KEY = '-'

/** Looks at everything that a service needs, and changes nothing. */
export async function examine({ env, clock = systemClock, statfs }: Options = {}): Promise<Finding[]> {
  const findings = [checkNode()]
  let config: Readonly<Config>
  try {
    config = readConfig(readEnvironment(env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      ...findings,
      ...error.mistakes.map((mistake) => problem('configuration', mistake, 'Set it right, and run this again.')),
    ]
  }
  findings.push(...checkConfig(config), ...(await checkDisks(config, statfs)), ...(await checkStorage(config)))
  findings.push(...(await checkListening(config)))
  findings.push(...(await checkDatabase(config, clock)))
  findings.push(await checkClock(config, clock), ...(await checkProxy(config)))
  findings.push(...(await checkProvider(config)), ...(await checkMail(config)))
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
  const findings = checkVariables(config)
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
  const warnings: Finding[] = []
  // What a start would log as a warning is a finding here.
  const warn = ({ remedy }: { remedy?: string }, text: string): void => {
    const [finding = '', command = ''] = remedy === undefined ? text.split(': run ') : [text, remedy]
    warnings.push(warning('database', finding, command))
  }
  const log = Object.assign(pino({ level: 'silent' }), { warn })
  let database: Database
  try {
    const pooled = await checkPooler(config)
    warnings.push(...pooled)
    // Whatever else is wrong is looked for as well.
    const databaseStatements = pooled.length > 0 ? 'unnamed' : config.databaseStatements
    database = await openDatabase({ ...config, databaseStatements, startTimeoutMs: 0 }, log)
  } catch (error) {
    return [...warnings, ...(await unopened(error, config))]
  }
  try {
    await refuseUnfinished(database, place)
    await refuseOtherPurpose(database, 'service', place)
    await refuseSetAside(database, place)
    const pending = await pendingMigrations(database)
    const version = await serverVersion(database)
    const findings = [
      version >= POSTGRES_NEEDED
        ? ok('database', `${place} answers (PostgreSQL ${version}).`)
        : problem('database', `${place} is a PostgreSQL ${version}.`, `Use PostgreSQL ${POSTGRES_NEEDED} or later.`),
      ...warnings,
      ...(database.engine === 'postgres' ? [await checkDatabaseClock(database, clock)] : []),
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
      ...(await checkRetention(database, config, clock)),
      ...(await checkMedia(database, config)),
    ]
  } catch (error) {
    const found = databaseUrl === undefined ? asDamage(error, dataDir) : error
    if (found instanceof SetAsideError) return [problem('database', found.finding, found.remedy)]
    if (found instanceof StartError || found instanceof DatabaseUnavailableError) return await unopened(found, config)
    return [problem('database', `It cannot be read: ${describeFault(found)}.`, 'Restore a backup, or report it.')]
  } finally {
    await database.close()
  }
}

/** Looks for a pooler that mixes up prepared statements. A database that does not answer is told of later. */
async function checkPooler({ databaseUrl, databaseStatements }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined || databaseStatements === 'unnamed') return []
  if (!(await mixesStatements(databaseUrl).catch(() => false))) return []
  return [
    problem(
      'database',
      'A pooler before PostgreSQL, such as PgBouncer, shares connections and mixes up the prepared statements of its clients.',
      'Set DATABASE_STATEMENTS=unnamed, or give the pooler max_prepared_statements (PgBouncer 1.21 or later).',
    ),
  ]
}

async function unopened(error: unknown, config: Config): Promise<Finding[]> {
  if (error instanceof StartError && /in use by process/.test(error.message)) return [await heldBy(error, config)]
  if (error instanceof UnsuitableDatabaseError) {
    return error.reasons.map(({ finding, remedy }) => problem('database', finding, remedy))
  }
  if (error instanceof DamagedDirectoryError) return [damaged(error, config)]
  if (error instanceof StartError) return [problem('database', error.message, 'As it says.')]
  const { message = '', code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return [
    problem(
      'database',
      `It cannot be opened: ${message || code}.`,
      'Start it, or set DATABASE_URL or DATA_DIR to where it is.',
    ),
  ]
}

async function heldBy(error: StartError, { host, port }: Config): Promise<Finding> {
  const url = `http://${toReachable(host)}:${port}`
  const answer = await reach(`${url}/readyz`).catch(() => undefined)
  return answer?.status === 200
    ? ok('database', `A service that is ready holds it (${url}). Stop it to look at the keys and tokens too.`)
    : problem(
        'database',
        `${error.message.split(':')[0]}, and ${url}/readyz does not say that it is ready.`,
        'See its log, and `greenroom status`.',
      )
}

/** Names the backup that is to be restored. */
function damaged({ dataDir, reason }: DamagedDirectoryError, { backupDir }: Config): Finding {
  const found = `The embedded database in ${dataDir} is damaged: ${reason}.`
  const newest = findNewestBackup([join(dataDir, 'backups'), ...(backupDir === undefined ? [] : [backupDir])])
  const aside = putAside(dataDir)
  return newest === undefined
    ? problem(
        'database',
        found,
        `There is no backup in BACKUP_DIR or ${join(dataDir, 'backups')}: ${aside}, and take the directory from a copy of this disk, or restore a backup from elsewhere (greenroom restore).`,
      )
    : problem(
        'database',
        found,
        `${aside.charAt(0).toUpperCase()}${aside.slice(1)}, and restore the newest backup: DATA_DIR=${dataDir} greenroom restore ${newest}. What was written since it was made is lost.`,
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

/** Retention that is set and not done, and a trail that is shorter than a restore needs. */
async function checkRetention(database: Database, config: Readonly<Config>, clock: Clock): Promise<Finding[]> {
  const tasks = tasksOf(config)
  if (tasks.length === 0) return []
  const rows = new Map((await listTasks(database)).map((row) => [row.task, row]))
  const late = tasks.filter(({ name }) => clock.now() - (rows.get(name)?.next_at.getTime() ?? clock.now()) > DAY_MS)
  const { audit } = config.retention
  const backupsMs = makesBackups(config) ? config.backupEveryMs * config.backupKeep : 0
  const findings = late.map(({ name }) =>
    warning(
      'retention',
      `What is kept too long (${name}) has not been removed for more than a day.`,
      'See the log of the service; where the roles are split, the publisher does it: give it these settings too.',
    ),
  )
  if (audit !== undefined && audit.keepMs < backupsMs) {
    findings.push(
      warning(
        'retention',
        'The audit trail is kept for less time than the backups: after a restore `--replaces` cannot name all that is undone.',
        'Set AUDIT_KEEP_DAYS to more than BACKUP_EVERY times BACKUP_KEEP.',
      ),
    )
  }
  return findings.length > 0
    ? findings
    : [ok('retention', `It is set for ${tasks.map(({ name }) => name).join(', ')}.`)]
}
