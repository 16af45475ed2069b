import Joi from 'joi'
import type { Context } from '../context.js'
import { type Answer, type ApiCall, ok, operation } from '../http/operation.js'
import { requireConnectedChannel, requireVipWorkspace } from '../workspaces/workspaces.store.js'
import { toCompactBody, toFullBody, vipUserListBody } from './vip-user.js'
import { scanVipUsers } from './vip-users.store.js'

/** interface 8: page sizes; a larger limit is clamped, not rejected. */
const FULL_PAGE = { fallback: 50, max: 200 }
const COMPACT_PAGE = { fallback: 5000, max: 5000 }

type Flag = 'true' | 'false'

interface EarlierQuery {
  workspaceId: string
  mediumId: string
  hasBirthday?: Flag
  birthdayMonth?: number
  limit?: number
  offset: number
}

interface CurrentQuery extends EarlierQuery {
  scope: 'vip' | 'all'
  compact?: Flag
}

const earlierQuery = {
  workspaceId: Joi.string().required().description('Id of a VIP workspace, from GET /workspaces.'),
  mediumId: Joi.string().required().description('Id of a channel connected to the workspace, from GET /channels.'),
  hasBirthday: Joi.string().valid('true', 'false').description('`true`: only users with a known birthday.'),
  birthdayMonth: Joi.number().integer().min(1).max(12).description('Only users whose birthday falls in this month.'),
  // unsafe: a limit beyond what a number holds exactly is still a larger one, which is clamped.
  limit: Joi.number().unsafe().integer().min(1).description('Users per page: 50 unless said, 200 at most.'),
  offset: Joi.number().integer().min(0).default(0).description('Users to skip.'),
}

const shared = {
  summary: 'List the VIP users of one channel, highest lifetime value first.',
  method: 'GET',
  path: '/vip-users',
  answers: [200, 400, 402, 403, 404, 422],
  success: vipUserListBody,
} as const

/** List the VIP users of one channel, highest lifetime value first (interface 4.1). Idempotent. */
export const listVipUsers = operation<unknown, CurrentQuery, unknown>({
  ...shared,
  operationId: 'listVipUsers',
  query: Joi.object<CurrentQuery, true>({
    ...earlierQuery,
    limit: earlierQuery.limit.description('Users per page: 50 unless said, 200 at most; compact: 5000 and 5000.'),
    scope: Joi.string()
      .valid('vip', 'all')
      .default('vip')
      .description('`vip`: users marked VIP for the workspace; `all`: every conversation on the channel.'),
    compact: Joi.string()
      .valid('true', 'false')
      .description('`true`: rows of conversationId, cuid and birthday alone.'),
  }),
  handle: handleListVipUsers,
})

/** The same list with the parameters that the earlier variant documents (interface 9.4). Idempotent. */
export const listVipUsersEarlier = operation<unknown, EarlierQuery, unknown>({
  ...shared,
  operationId: 'listVipUsersEarlier',
  query: Joi.object<EarlierQuery, true>(earlierQuery),
  handle: (call, context) => handleListVipUsers({ ...call, query: { ...call.query, scope: 'vip' } }, context),
})

async function handleListVipUsers(
  { query, principal, meter }: ApiCall<unknown, CurrentQuery>,
  { database }: Context,
): Promise<Answer> {
  const { organizationId } = principal
  await requireVipWorkspace(database, organizationId, query.workspaceId)
  await requireConnectedChannel(database, organizationId, query.workspaceId, query.mediumId)

  const compact = query.compact === 'true'
  const size = compact ? COMPACT_PAGE : FULL_PAGE
  const page = await scanVipUsers(database, {
    organizationId,
    workspaceId: query.workspaceId,
    channelId: query.mediumId,
    scope: query.scope,
    hasBirthday: query.hasBirthday === 'true',
    birthdayMonth: query.birthdayMonth,
    limit: Math.min(query.limit ?? size.fallback, size.max),
    offset: query.offset,
  })

  const nextOffset = query.offset + page.rows.length
  meter.rows = page.rows.length
  return ok({
    items: page.rows.map(compact ? toCompactBody : toFullBody),
    returned: page.rows.length,
    total: page.total,
    mayHaveMore: nextOffset < page.total,
    nextOffset,
    scanCapped: page.scanCapped,
  })
}
