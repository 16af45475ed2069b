import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { holdChannel, requireChannel } from '../channels/channels.store.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { deleteOptOut, insertOptOuts, listOptOutRows } from './opt-outs.store.js'

const PAGE = { fallback: 100, max: 1_000 }
const FROM_ID = "The platform's id of the person on the channel: from.id of their comments."

/** List the people who get no automated messages on a channel. Idempotent. */
export const listOptOuts = operation({
  operationId: 'listOptOuts',
  summary: 'List the people who get no automated messages on a channel.',
  description:
    'Use it to see who opted out in a comment or a message, or was added by hand. Sorted by id. Costs one index scan.',
  route: 'GET /channels/{channelId}/opt-outs',
  permission: 'automation:manage',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('People per page: 100 by default, at most 1,000.'),
    after: afterSchema,
  }),
  success: pageBody(
    namedObject('OptOut', {
      fromId: Joi.string().required().description(FROM_ID),
      at: Joi.string().isoDate().required(),
      source: Joi.string().valid('comment', 'message', 'hand').required(),
    }),
  ),
  async handle({ params: { channelId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    await requireChannel(database, organizationId, channelId)
    const scope = ['listOptOuts', organizationId, channelId]
    const [after] = readCursor<[string]>(cursorKey, scope, query.after, 'the nextCursor of the previous page') ?? []
    const rows = Math.min(query.limit, PAGE.max)
    const found = await listOptOutRows(database, [organizationId, channelId], { after, rows: rows + 1 })
    const page = found.slice(0, rows)
    meter.rows = page.length
    const items = page.map((row) => ({ fromId: row.person_id, at: row.at.toISOString(), source: row.source }))
    return ok(toPage(cursorKey, scope, items, found.length > rows ? [page.at(-1)!.person_id] : undefined))
  },
})

const shared = {
  permission: 'automation:manage',
  answers: [200, 404],
  params: namedObject('OptOutKey', {
    channelId: Joi.string().required(),
    fromId: Joi.string().max(200).required().description(FROM_ID),
  }),
  success: namedObject('OptOutKey', { channelId: Joi.string().required(), fromId: Joi.string().required() }),
} as const

/** Stop automated messages to a person on a channel. Idempotent. */
export const addOptOut = operation({
  ...shared,
  operationId: 'addOptOut',
  summary: 'Stop automated messages to a person on a channel.',
  description: 'Use it if a person opted out in some way other than a comment or a message. Costs one transaction.',
  route: 'PUT /channels/{channelId}/opt-outs/{fromId}',
  async handle({ params: { channelId, fromId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'addOptOut', async (tx, record) => {
      await holdChannel(tx, organizationId, channelId)
      const now = new Date(context.clock.now())
      await insertOptOuts(tx, organizationId, [{ channelId, personId: fromId, source: 'hand' }], now)
      await record('channel', channelId)
    })
    return ok({ channelId, fromId })
  },
})

/** Remove a person from the list. Idempotent. */
export const removeOptOut = operation({
  ...shared,
  operationId: 'removeOptOut',
  summary: 'Allow automated messages to a person on a channel again.',
  description: 'Use it if a person asks for them again. Costs one transaction.',
  route: 'DELETE /channels/{channelId}/opt-outs/{fromId}',
  async handle({ params: { channelId, fromId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'removeOptOut', async (tx, record) => {
      await holdChannel(tx, organizationId, channelId)
      await deleteOptOut(tx, organizationId, channelId, fromId)
      await record('channel', channelId)
    })
    return ok({ channelId, fromId })
  },
})
