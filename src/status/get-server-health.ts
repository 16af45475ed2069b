import Joi, { type SchemaMap } from 'joi'
import { judgeMasterKey } from '../access/sealed-values.js'
import { type FetchedBackup, findFetchedBackup, findLastBackup, type LastBackup } from '../backup/last-backup.store.js'
import { findBackupWeaknesses } from '../backup/weaknesses.js'
import { judgeGraphVersion } from '../config/graph-versions.js'
import type { Config } from '../config/index.js'
import { named, namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'
import { type InboxFigures, readInboxFigures } from '../intake/inbox/inbox.store.js'
import type {
  BackupHealth,
  DiskHealth,
  HealthPart,
  HealthState,
  MadeBackup,
  ServerHealth,
} from '../interface/generated/types.js'
import { BACKUP_WEAKNESSES, MASTER_KEY_ADVICE, PLATFORM_ADVICE } from '../interface/server.js'
import { programVersion } from '../lib/version.js'
import { countWaitingMails, type WaitingMails } from '../news/mails/mails.store.js'
import { createDiskReader, type Disk, judgeRoom, listDirectories } from '../observability/disks.js'
import { findOldestDueAt } from '../publisher/due-posts.store.js'
import { hasLivingHolder } from '../work/holders.store.js'

const state = named('HealthState', Joi.string().valid('good', 'warning', 'bad', 'off'))
  .required()
  .description('`off`: not set up, possibly on purpose.')

const found = (...values: string[]) =>
  Joi.string()
    .valid(...values)
    .required()
const since = Joi.string().isoDate().description('When the longest-waiting item was due or arrived.')
const count = Joi.number().integer().description('The number of waiting items or problems.')
const partOf = <Part extends string>(part: Part, fields: SchemaMap) =>
  Joi.object({ part: Joi.string().valid(part).required(), state, ...fields })

const platformBody = named(
  'PlatformHealth',
  partOf('platform', {
    found: found(...Object.keys(PLATFORM_ADVICE)).description(
      '`ending`: ends within 60 days. `unannounced`: so old that its end may have been announced since. `newer`, `unknown`: not in the table of versions.',
    ),
    version: Joi.string().required().description("The version of Meta's API that is called (GRAPH_VERSION)."),
    newest: Joi.string().description('The newest version that this Greenroom knows, if it is a different one.'),
    api: Joi.string()
      .valid('graph', 'marketing')
      .description('The API that ends first. Absent, as is `endsOn`, if no end was announced.'),
    endsOn: Joi.string().description('YYYY-MM-DD.'),
  }),
)

const diskBody = named(
  'DiskHealth',
  partOf('disk', {
    found: found('room', 'low', 'full', 'silent').description('`silent`: the disk did not respond.'),
    directory: Joi.string()
      .valid('data', 'media', 'backups', 'audit-exports')
      .required()
      .description('The directory on the disk. Several directories may share a disk.'),
    freeBytes: Joi.number().integer().description('Absent, as is `sizeBytes`, if the disk did not respond.'),
    sizeBytes: Joi.number().integer(),
  }),
)

const partBody = named(
  'HealthPart',
  Joi.alternatives(
    partOf('publisher', {
      found: found('on_time', 'late', 'stopped').description('`stopped`: no process publishes.'),
      since,
    }),
    partOf('intake', {
      found: found('on_time', 'late', 'problems', 'unused').description(
        '`problems`: items that need a decision. `unused`: no organization has a source.',
      ),
      since,
      count,
    }),
    partOf('mail', {
      found: found('on_time', 'late', 'failing', 'off').description('`failing`: attempts to send emails failed.'),
      since,
      count,
    }),
    partOf('media', { found: found('on', 'off') }),
    platformBody,
    diskBody,
  ),
)

const madeBody = namedObject('MadeBackup', {
  madeAt: Joi.string().isoDate().required(),
  bytes: Joi.number().integer().required(),
  hasMasterKey: Joi.boolean().required(),
  missingMedia: Joi.number().integer().required(),
})

const backupBody = namedObject('BackupHealth', {
  state,
  found: Joi.string()
    .valid('made', 'late', 'incomplete', 'unusable', 'none', 'making', 'fetched', 'off')
    .required()
    .description(
      '`making`: this process is making the first one. `late`: older than twice the interval. `incomplete`: media files are missing. `fetched`: automatic backups are off, and a program fetched one within two days.',
    ),
  place: Joi.string().description('A directory, or a bucket with its prefix. Absent if automatic backups are off.'),
  everyMs: Joi.number().integer(),
  madeAt: Joi.string()
    .isoDate()
    .description('When the last automatic backup was made. Absent, as are the next fields, before the first one.'),
  bytes: Joi.number().integer(),
  hasMasterKey: Joi.boolean(),
  missingMedia: Joi.number().integer(),
  file: Joi.string(),
  fetched: madeBody.description('The last backup that a program fetched (createBackup). Absent before the first one.'),
  weaknesses: Joi.array()
    .items(Joi.string().valid(...Object.keys(BACKUP_WEAKNESSES)))
    .required()
    .description(
      'Any weakness makes the state at least a warning. `same_disk`: the backups are on the disk of the embedded database or of the media. `no_master_key`: secrets in a backup cannot be opened without the master key.',
    ),
})

export const getServerHealth = serverOperation({
  operationId: 'getServerHealth',
  summary: 'Get the health of the server: its parts, its last backup, its version and its master key.',
  description:
    'Covers the whole installation as far as its database knows it; disks and the version of the platform are those of the answering process. Each part has a state and a reason. A backup that a program fetched with createBackup was sent completely; where it is kept is unknown. Idempotent. Costs a few small reads and one count of the sealed secrets. Answers 503 if the database does not respond.',
  route: 'GET /server/health',
  permission: 'operator',
  success: namedObject('ServerHealth', {
    version: Joi.string().required(),
    database: Joi.string().valid('pglite', 'postgres').required(),
    parts: Joi.array().items(partBody).required(),
    backup: backupBody.required(),
    masterKey: named(
      'MasterKeyHealth',
      Joi.object({
        state,
        found: Joi.string()
          .valid(...Object.keys(MASTER_KEY_ADVICE))
          .required()
          .description(
            '`unfinished`: a rotation was not finished. `lost`: some secrets are sealed under a key that is missing here.',
          ),
        keyId: Joi.string().required().description('The id of the key. It reveals nothing about the key itself.'),
        otherSecrets: Joi.number()
          .integer()
          .required()
          .description(
            'Secrets that are sealed under another key: a rotation was not finished, or they can no longer be opened.',
          ),
        lostSecrets: Joi.number()
          .integer()
          .required()
          .description('The number of these that this process cannot open; it tries 500 of each kind.'),
      }),
    ).required(),
  }),
  async handle(_request, { backups, clock, config, database, sealer }) {
    const nowMs = clock.now()
    const now = new Date(nowMs)
    const isPublishing = await hasLivingHolder(database, 'publishing')
    const oldestDueAt = await findOldestDueAt(database, now)
    const inbox = await readInboxFigures(database)
    const mails = await countWaitingMails(database, now)
    const last = await findLastBackup(database)
    const fetched = await findFetchedBackup(database)
    const masterKey = await judgeMasterKey(database, sealer)
    const disks = await diskReaderOf(config)()
    const made = { backup: config.backup, last, fetched }
    const weaknesses = findBackupWeaknesses(made, disks)
    return ok({
      version: programVersion(),
      database: database.engine,
      parts: [
        judgePublisher(isPublishing, oldestDueAt, nowMs),
        judgeIntake(inbox, nowMs),
        judgeMail(config.mail, mails, nowMs),
        judgeMedia(config.media),
        judgeGraphVersion(config.graph.version, nowMs),
        ...listDirectories(config).map((directory) => judgeDisk(directory, disks)),
      ],
      backup: judgeBackup({ ...made, ...backups, weaknesses }, nowMs),
      masterKey,
    } satisfies ServerHealth)
  },
})

/** One reader per configuration, so that all calls share one request to a hanging disk. */
const diskReaders = new WeakMap<Readonly<Config>, () => Promise<Disk[]>>()

function diskReaderOf(config: Readonly<Config>): () => Promise<Disk[]> {
  const reader = diskReaders.get(config) ?? createDiskReader(config)
  diskReaders.set(config, reader)
  return reader
}

/** Work is normally claimed within seconds. Waiting longer than the first is late; longer than the second is bad. */
const LATE_MS = 2 * 60_000
const BAD_MS = 15 * 60_000

/** Rates a queue by how long its oldest item has waited. */
function judgeWait(since: Date | null | undefined, nowMs: number): { state: HealthState; since?: string } {
  const waitedMs = since ? nowMs - since.getTime() : 0
  if (!since || waitedMs <= LATE_MS) return { state: 'good' }
  return { state: waitedMs > BAD_MS ? 'bad' : 'warning', since: since.toISOString() }
}

export function judgePublisher(isPublishing: boolean, oldestDueAt: Date | undefined, nowMs: number): HealthPart {
  const wait = judgeWait(oldestDueAt, nowMs)
  if (!isPublishing) return { part: 'publisher', ...wait, state: 'bad', found: 'stopped' }
  return { part: 'publisher', ...wait, found: wait.state === 'good' ? 'on_time' : 'late' }
}

type Inbox = Pick<InboxFigures, 'sources' | 'waiting' | 'oldest_at' | 'problems'>

export function judgeIntake({ sources, waiting, oldest_at, problems }: Inbox, nowMs: number): HealthPart {
  const wait = judgeWait(oldest_at, nowMs)
  if (wait.state !== 'good') return { part: 'intake', ...wait, found: 'late', count: waiting }
  if (problems > 0) return { part: 'intake', state: 'warning', found: 'problems', count: problems }
  if (sources === 0) return { part: 'intake', state: 'off', found: 'unused' }
  return { part: 'intake', state: 'good', found: 'on_time' }
}

export function judgeMail(mail: Config['mail'], { waiting, failing, due_at }: WaitingMails, nowMs: number): HealthPart {
  if (mail === null) return { part: 'mail', state: 'off', found: 'off' }
  const wait = judgeWait(due_at, nowMs)
  if (failing > 0) {
    return { part: 'mail', ...wait, state: wait.state === 'bad' ? 'bad' : 'warning', found: 'failing', count: failing }
  }
  if (wait.state !== 'good') return { part: 'mail', ...wait, found: 'late', count: waiting }
  return { part: 'mail', state: 'good', found: 'on_time' }
}

const judgeMedia = (media: Config['media']): HealthPart =>
  media === null ? { part: 'media', state: 'off', found: 'off' } : { part: 'media', state: 'good', found: 'on' }

const DISK_STATES = { room: 'good', low: 'warning', full: 'bad' } as const

export function judgeDisk(
  { directory }: ReturnType<typeof listDirectories>[number],
  disks: readonly Disk[],
): DiskHealth {
  const disk = disks.find((one) => one.directory === directory)
  if (disk === undefined) return { part: 'disk', directory, state: 'bad', found: 'silent' }
  const { freeBytes, sizeBytes } = disk
  const found = judgeRoom(disk)
  return { part: 'disk', directory, state: DISK_STATES[found], found, freeBytes, sizeBytes }
}

interface BackupFacts {
  backup: Config['backup']
  last: LastBackup | undefined
  fetched: FetchedBackup | undefined
  /** False if the place could not be used the last time. */
  isPlaceUsable?: boolean | undefined
  /** True if this process is making a backup. */
  isRunning: boolean
  weaknesses: BackupHealth['weaknesses']
}

/** If a backup is fetched every day, one that is older than this means that one was missed. */
const FETCHED_LATE_MS = 2 * 86_400_000

export function judgeBackup(facts: BackupFacts, nowMs: number): BackupHealth {
  const { weaknesses } = facts
  const judged = judgeMade(facts, nowMs)
  const state = judged.state === 'good' && weaknesses.length > 0 ? 'warning' : judged.state
  return { ...judged, state, weaknesses }
}

function judgeMade(
  { backup, last, fetched, isPlaceUsable, isRunning }: BackupFacts,
  nowMs: number,
): Omit<BackupHealth, 'weaknesses'> {
  const made = {
    ...(last && { file: last.file, ...toMade(last) }),
    ...(fetched && { fetched: toMade(fetched) }),
  }
  if (backup === null) {
    const isFetched = fetched !== undefined && nowMs - fetched.made_at.getTime() <= FETCHED_LATE_MS
    if (!isFetched) return { state: 'warning', found: 'off', ...made }
    return { ...(fetched.missing_media > 0 ? INCOMPLETE : ({ state: 'good', found: 'fetched' } as const)), ...made }
  }
  const facts = { place: placeOf(backup), everyMs: backup.everyMs, ...made }
  if (isPlaceUsable === false) return { state: 'bad', found: 'unusable', ...facts }
  if (last === undefined && isRunning) return { state: 'warning', found: 'making', ...facts }
  if (last === undefined) return { state: 'bad', found: 'none', ...facts }
  if (nowMs - last.made_at.getTime() > 2 * backup.everyMs) return { state: 'bad', found: 'late', ...facts }
  if (last.missing_media > 0) return { ...INCOMPLETE, ...facts }
  return { state: 'good', found: 'made', ...facts }
}

const INCOMPLETE = { state: 'warning', found: 'incomplete' } as const

const toMade = (made: FetchedBackup): MadeBackup => ({
  ...{ madeAt: made.made_at.toISOString(), bytes: made.bytes, hasMasterKey: made.master_key },
  missingMedia: made.missing_media,
})

const placeOf = ({ dir, bucket }: NonNullable<Config['backup']>): string =>
  bucket === undefined ? dir! : `s3://${bucket.bucket}/${bucket.prefix}`
