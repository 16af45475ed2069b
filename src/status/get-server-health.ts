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
  .description('`off`: not set up, which may be meant so.')

const found = (...values: string[]) =>
  Joi.string()
    .valid(...values)
    .required()
const since = Joi.string().isoDate().description('When the one was due, or came, that waits longest.')
const count = Joi.number().integer().description('How many wait, or are problems.')
const partOf = <Part extends string>(part: Part, fields: SchemaMap) =>
  Joi.object({ part: Joi.string().valid(part).required(), state, ...fields })

const platformBody = named(
  'PlatformHealth',
  partOf('platform', {
    found: found(...Object.keys(PLATFORM_ADVICE)).description(
      '`ending`: within 60 days. `unannounced`: it is so old that its end may have been announced since. `newer`, `unknown`: it is not in the table of versions.',
    ),
    version: Joi.string().required().description("The version of Meta's API that is called (GRAPH_VERSION)."),
    newest: Joi.string().description('The newest version that this Greenroom knows, if it is another one.'),
    api: Joi.string()
      .valid('graph', 'marketing')
      .description('The API that ends first; absent, like `endsOn`, if no end was announced.'),
    endsOn: Joi.string().description('YYYY-MM-DD.'),
  }),
)

const diskBody = named(
  'DiskHealth',
  partOf('disk', {
    found: found('room', 'low', 'full', 'silent').description('`silent`: it gave no answer.'),
    directory: Joi.string()
      .valid('data', 'media', 'backups', 'audit-exports')
      .required()
      .description('What it is for. Directories may share one.'),
    freeBytes: Joi.number().integer().description('Absent if it is silent, like `sizeBytes`.'),
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
        '`problems`: items that a person decides about. `unused`: no organization has a source.',
      ),
      since,
      count,
    }),
    partOf('mail', {
      found: found('on_time', 'late', 'failing', 'off').description('`failing`: mails were tried and did not go.'),
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
      '`making`: the first is being made by this process. `late`: older than twice its interval. `incomplete`: it lacks media files. `fetched`: none are made by themselves, and a program has fetched one within two days.',
    ),
  place: Joi.string().description('A directory, or a bucket with its prefix; absent where they are off.'),
  everyMs: Joi.number().integer(),
  madeAt: Joi.string()
    .isoDate()
    .description('Of the last that was made by itself; absent before the first one, like the rest.'),
  bytes: Joi.number().integer(),
  hasMasterKey: Joi.boolean(),
  missingMedia: Joi.number().integer(),
  file: Joi.string(),
  fetched: madeBody.description('The last that a program has fetched (createBackup); absent before the first one.'),
  weaknesses: Joi.array()
    .items(Joi.string().valid(...Object.keys(BACKUP_WEAKNESSES)))
    .required()
    .description(
      'With any of them the state is a warning at least. `same_disk`: the backups are on the disk of the embedded database or of the media. `no_master_key`: a backup alone opens no secret.',
    ),
})

/** How the server is, for its owners. Idempotent. */
export const getServerHealth = serverOperation({
  operationId: 'getServerHealth',
  summary: "Read how the server is: its parts, its last backup, its version and its master key's use.",
  description:
    'Of the whole installation, where its database knows it, and of the process that answers for its disks and for the version of the platform. Each part has a state and the reason. Of a backup that a program fetches with createBackup it tells that it was sent whole, not where it is kept. Costs a few small reads, and one count of the sealed secrets. 503 where the database does not answer.',
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
            '`unfinished`: a rotation was not finished. `lost`: some secrets are sealed under a key that is not here.',
          ),
        keyId: Joi.string().required().description('It tells nothing of the key itself.'),
        otherSecrets: Joi.number()
          .integer()
          .required()
          .description('Secrets that are sealed under another key: a rotation was not finished, or they open no more.'),
        lostSecrets: Joi.number()
          .integer()
          .required()
          .description('How many of them this process cannot open; it tries 500 of each kind.'),
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

/** One for each configuration, so that a disk that hangs is asked once by all calls. */
const diskReaders = new WeakMap<Readonly<Config>, () => Promise<Disk[]>>()

function diskReaderOf(config: Readonly<Config>): () => Promise<Disk[]> {
  const reader = diskReaders.get(config) ?? createDiskReader(config)
  diskReaders.set(config, reader)
  return reader
}

/** Work is normally claimed within seconds. Waiting longer than the first is late; longer than the second is bad. */
const LATE_MS = 2 * 60_000
const BAD_MS = 15 * 60_000

/** The level of a queue whose oldest work has waited since then. */
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
  /** False where the place could not be used the last time. */
  isPlaceUsable?: boolean | undefined
  /** This process is making one. */
  isRunning: boolean
  weaknesses: BackupHealth['weaknesses']
}

/** A backup that is fetched each day is older than this when one was left out. */
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
