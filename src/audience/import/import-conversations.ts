import Joi from 'joi'
import { recordAudit } from '../../access/audit.store.js'
import { requireChannel } from '../../channels/channels.store.js'
import { requireVipChannel } from '../../channels/require-vip-channel.js'
import { DatabaseUnavailableError, type Queryable } from '../../database/database.js'
import { ApiError, DATABASE_RETRY_SECONDS } from '../../errors.js'
import { recordEvent } from '../../events/events.store.js'
import { ok, operation } from '../../http/operation.js'
import { channelParams } from '../../http/params.js'
import { readAtLeast } from '../../http/read-body.js'
import type { ImportQuery, ImportReport, RejectedLine } from '../../interface/audience.js'
import { limit } from '../../lib/limits.js'
import type { ConversationRow } from '../conversations.store.js'
import { parseConversation } from './conversation-line.js'
import { readCsv, readNdjson } from './conversation-lines.js'
import { importConversationRows } from './import-rows.js'
import { runImport } from './running-import.js'
import type { Numbered } from './split-lines.js'

const REJECTED_LISTED_MAX = limit('importRejectsListed')

/**
 * Import the conversations of a channel from NDJSON or CSV of any size (see ConversationLine). Good lines land in
 * batches while the file arrives, bad ones are reported. Idempotent: what landed of a broken import is simply sent again.
 */
export const importConversations = operation({
  operationId: 'importConversations',
  summary: 'Import conversations from NDJSON or CSV of any size; bad lines are reported while the good ones land.',
  description:
    'For filling a channel from a CRM export, and for keeping it current: a field that a line does not name stays as it is. Lines of erased people are left out and counted. One import of a channel runs at a time. Idempotent. Costs one transaction a batch; requests are answered between them.',
  method: 'POST',
  path: '/channels/{channelId}/conversations',
  surfaces: ['operator', 'console'],
  permission: 'audience:write',
  rateLimit: 'imports',
  answers: [200, 400, 404, 408, 409],
  params: channelParams,
  query: Joi.object<ImportQuery, true>({
    workspaceId: Joi.string().description('The VIP workspace that the lines name VIPs of; needed when they do.'),
  }),
  streams: ['application/x-ndjson', 'text/csv'],
  success: Joi.object<ImportReport, true>({
    received: Joi.number().integer().required().description('Lines, without blank ones and the header of a CSV.'),
    imported: Joi.number().integer().required(),
    erased: Joi.number().integer().required().description('Lines of erased people, which are left out.'),
    rejected: Joi.array()
      .items(
        Joi.object<RejectedLine, true>({ line: Joi.number().integer().required(), reason: Joi.string().required() }),
      )
      .required()
      .description(`The first ${REJECTED_LISTED_MAX}.`),
    rejectedCount: Joi.number().integer().required(),
  }),
  async handle(
    { params: { channelId }, query: { workspaceId }, headers, body, principal, meter },
    { database, clock },
  ) {
    const { organizationId } = principal
    if (workspaceId === undefined) await requireChannel(database, organizationId, channelId)
    else await requireVipChannel(database, organizationId, workspaceId, channelId)

    const marksVips = workspaceId !== undefined
    // Not destroyed when we stop early: the connection carries our answer.
    const chunks = readAtLeast(body.iterator({ destroyOnReturn: false }))
    const isCsv = headers['content-type']?.toLowerCase().startsWith('text/csv')
    const records = isCsv ? readCsv(chunks, marksVips) : readNdjson(chunks)
    const rejects = new Rejects()
    let imported = 0
    let erased = 0
    // One entry when the first lines land and one at the end: an import that breaks off has the first alone.
    const audit = (tx: Queryable, changes: Record<string, unknown>): Promise<void> =>
      recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'importConversations',
        target: { type: 'channel', id: channelId },
        changes,
      })
    try {
      await runImport(database, { organizationId, channelId }, async (assertHeld) => {
        const rows = keepSoundRows(records, marksVips, rejects)
        await importConversationRows(database, { organizationId, channelId, workspaceId }, rows, {
          onLanded(landed, leftOut) {
            imported += landed
            erased += leftOut
            meter.rows = imported
            assertHeld()
          },
          withFirst: (tx) => audit(tx, { state: 'begun', workspaceId }),
        })
      })
      const rejected = rejects.count
      await database.transaction(async (tx) => {
        if (imported + erased > 0) await audit(tx, { state: 'ended', imported, erased, rejected })
        const data = { channelId, imported, erased, rejected }
        await recordEvent(tx, { organizationId, type: 'import.finished', at: new Date(clock.now()), data })
      })
    } catch (error) {
      if (error instanceof ApiError && imported > 0) {
        throw new ApiError(error.code, { message: `After ${imported} lines had landed: ${error.message}` })
      }
      if (!(error instanceof DatabaseUnavailableError)) throw error
      throw new ApiError('database_unavailable', {
        message: `The database went out of reach after ${imported} lines had landed: send the same file again later.`,
        cause: error,
        retryAfterSeconds: DATABASE_RETRY_SECONDS,
      })
    } finally {
      // What we did not read is still on its way: unread it would hold up the connection and hide our answer.
      body.resume()
    }
    return ok({
      received: imported + erased + rejects.count,
      imported,
      erased,
      rejected: rejects.listed,
      rejectedCount: rejects.count,
    })
  },
})

class Rejects {
  readonly listed: RejectedLine[] = []
  count = 0
  add(line: number, reason: string): void {
    this.count += 1
    if (this.listed.length < REJECTED_LISTED_MAX) this.listed.push({ line, reason })
  }
}

async function* keepSoundRows(
  records: AsyncIterable<Numbered<unknown>>,
  marksVips: boolean,
  rejects: Rejects,
): AsyncGenerator<ConversationRow> {
  for await (const record of records) {
    const row = 'reason' in record ? record.reason : parseConversation(record.value, marksVips)
    if (typeof row === 'string') rejects.add(record.line, row)
    else yield row
  }
}
