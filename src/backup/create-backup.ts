import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import Joi from 'joi'
import { recordAudit, SERVER } from '../audit/audit.store.js'
import { errorCode } from '../database/database.js'
import { ApiError, DATABASE_RETRY_SECONDS } from '../errors.js'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'
import { unrepeated } from '../http/params.js'
import { limit } from '../lib/limits.js'
import { PASSPHRASE_CHARS_MIN } from '../lib/passphrase.js'
import { recordFetchedBackup } from './last-backup.store.js'
import { type BackupReport, backupOf, makeBackup, warnOfMissingMedia } from './make-backup.js'

const STREAM_BYTES = 1024 * 1024
const STALL_MS = limit('backupStallMs')

/** Make a backup of the whole server, and send it while it is being made. */
export const createBackup = serverOperation({
  operationId: 'createBackup',
  summary: 'Back up the whole running server as one file.',
  description:
    'Contains all rows, as of one moment, and the uploaded media. With a passphrase, the backup is encrypted and authenticated in the age format and contains the master key. `greenroom backup` writes it to a file; `greenroom restore` reads it. The server keeps answering requests. Only one backup runs at a time. A complete backup ends with its own checksum; a response that ends early is not a backup. Audited.',
  route: 'POST /server/backups',
  permission: 'operator',
  answers: [200, 409],
  body: namedObject('NewBackup', {
    passphrase: unrepeated(Joi.string().min(PASSPHRASE_CHARS_MIN).max(1_024)).description(
      'Encrypts and authenticates the backup. Without it the backup has only checksums and no master key.',
    ),
    masterKey: Joi.boolean().description('`false` leaves the master key out of a backup with a passphrase.'),
  }),
  success: Joi.string().description('The backup: a file that `greenroom restore` and `greenroom backup verify` read.'),
  successType: 'application/octet-stream',
  async handle({ body: { passphrase, masterKey = true }, principal: { actor } }, context) {
    const { backups, clock, database, log, metrics } = context
    const at = new Date(clock.now())
    if (backups.isRunning) throw new ApiError('backup_running')
    backups.isRunning = true
    await recordAudit(database, {
      principal: { organizationId: SERVER, actor },
      at,
      operation: 'createBackup',
      target: { type: 'server', id: SERVER },
      changes: { encrypted: passphrase !== undefined, masterKey: passphrase !== undefined && masterKey },
    }).catch((error) => {
      backups.isRunning = false
      throw error
    })
    const stream = new PassThrough({ highWaterMark: STREAM_BYTES })
    const gone = new AbortController()
    // Logged below.
    stream.on('error', () => {}).once('close', () => gone.abort())
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let sent = 0
    const write = async (bytes: Buffer): Promise<void> => {
      begin()
      sent += bytes.length
      gone.signal.throwIfAborted()
      if (stream.write(bytes)) return
      await once(stream, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(STALL_MS)]) })
    }
    const send = async (): Promise<BackupReport> => {
      const report = await makeBackup(backupOf(context, { passphrase, masterKey, at }), write)
      stream.end()
      // A response that its reader abandons before the end is not a backup.
      await finished(stream, { signal: AbortSignal.timeout(STALL_MS) })
      return report
    }
    const ended = send().then(
      (report) => {
        log.info(report, 'a backup was made')
        warnOfMissingMedia(report, context)
        metrics.countBackup('made')
        return report
      },
      (error) => {
        // The response ends in the middle, which its reader notices.
        stream.destroy(error)
        throw error
      },
    )
    // Only an error before the first byte is answered.
    const report = ended
      .catch((error) => {
        metrics.countBackup('failed')
        log.warn({ err: error }, 'a backup was interrupted')
      })
      .finally(() => {
        backups.isRunning = false
      })
    void report.then((whole) => whole && noteFetched(context, { at, bytes: sent, report: whole }))
    try {
      await Promise.race([begun, ended])
    } catch (error) {
      stream.destroy()
      throw errorCode(error) === 'ENOSPC' || errorCode((error as Error).cause) === 'ENOSPC' ? noRoom(error) : error
    }
    return ok(stream, { 'content-type': 'application/octet-stream' })
  },
})

/** Its reader has the backup whether or not this is recorded. */
async function noteFetched(
  { database, log }: Pick<Context, 'database' | 'log'>,
  { at, bytes, report }: { at: Date; bytes: number; report: BackupReport },
): Promise<void> {
  const { masterKey: master_key, missingMediaFiles: missing_media } = report
  await recordFetchedBackup(database, { made_at: at, bytes, master_key, missing_media }).catch((error) =>
    log.warn({ err: error }, 'a backup was made, but could not be recorded'),
  )
}

const noRoom = (cause: unknown): ApiError =>
  new ApiError('database_unavailable', {
    message: 'The disk has no space for a copy of the embedded database: free some space, or use PostgreSQL.',
    cause,
    retryAfterSeconds: DATABASE_RETRY_SECONDS,
  })
