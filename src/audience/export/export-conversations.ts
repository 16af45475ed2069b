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
  summary: 'Export every conversation of a channel as NDJSON, in the lines of an import.',
  description:
    'For taking a whole channel elsewhere, or for a copy: of any number, with the lifetime value and, for a workspace, who is a VIP there. Each line has all fields, so that an import of the file restores the channel. Conversations that change meanwhile are as they are when their line is read; none is left out or there twice. Requests are answered meanwhile. An answer that ends early is not whole.',
  route: 'GET /channels/{channelId}/conversations',
  permission: 'audience:read',
  answers: [200, 400, 404],
  query: Joi.object({
    workspaceId: Joi.string().description('The VIP workspace of the field `vip`, which the lines lack without it.'),
  }),
  success: Joi.string().allow('').description('A line of JSON for each conversation; empty for an empty channel.'),
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
