import type { FetchedBackup, LastBackup } from '../backup/last-backup.store.js'
import type { Config } from '../config/index.js'
import type { InboxFigures } from '../intake/inbox/inbox.store.js'
import type { BackupHealth, DiskHealth, HealthPart, HealthState, MadeBackup } from '../interface/generated/types.js'
import type { WaitingMails } from '../notifications/mails.store.js'
import { type Disk, judgeRoom, type listDirectories } from '../observability/disks.js'

/** Work is taken within seconds; what waits longer than this is late, and than the other is bad. */
const LATE_MS = 2 * 60_000
const BAD_MS = 15 * 60_000

/** How work is that waits since then. */
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

export const judgeMedia = (media: Config['media']): HealthPart =>
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
