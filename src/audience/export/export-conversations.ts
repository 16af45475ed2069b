import { Readable } from 'node:stream'
import Joi from 'joi'
import { requireChannel } from '../../channels/channels.store.js'
import { requireVipChannel } from '../../channels/require-vip.js'
import { ok, operation } from '../../http/operation.js'
import { letOthersWork } from '../../lib/turns.js'
import { readExportedLines } from './exported-lines.store.js'

const BATCH_ROWS = 500

/** Export all conversations of a channel in the form that an import accepts. */
export const exportConversations = operation({
  operationId: 'exportConversations',
  summary: 'Export every conversation of a channel as NDJSON, in the format of imports.',
  description:
    'Use it to move a channel elsewhere, or to keep a copy. It has no size limit, and includes the lifetime value and, if a workspace is named, the VIP marks of that workspace. Each line has all fields, so importing the file restores the channel. Each conversation appears exactly once, in its state when its line is read. The server answers other requests during the export. A response that ends early is incomplete.',
  route: 'GET /channels/{channelId}/conversations',
  permission: 'audience:read',
  answers: [200, 400, 404],
  query: Joi.object({
    workspaceId: Joi.string().description(
      'The VIP workspace for the field `vip`; without it, the lines have no `vip`.',
    ),
  }),
  success: Joi.string().allow('').description('One line of JSON per conversation; empty if the channel has none.'),
  successType: 'application/x-ndjson',
  async handle({ params: { channelId }, query: { workspaceId }, principal: { organizationId }, meter }, { database }) {
    if (workspaceId === undefined) await requireChannel(database, organizationId, channelId)
    else await requireVipChannel(database, organizationId, workspaceId, channelId)
    const target = { organizationId, channelId, workspaceId }
    async function* lines(): AsyncGenerator<string> {
      meter.rows = 0
      for (let after = ''; ; ) {
        const startedAt = performance.now()
        const found = await readExportedLines(database, target, after, BATCH_ROWS)
        if (found === undefined) return
        meter.rows += found.count
        yield found.lines
        if (found.count < BATCH_ROWS) return
        after = found.last
        await letOthersWork(performance.now() - startedAt)
      }
    }
    return ok(Readable.from(lines(), { objectMode: false }), { 'content-type': 'application/x-ndjson' })
  },
})
