import Joi, { type ObjectSchema } from 'joi'
import { requireVipAudience } from '../channels/require-vip.js'
import { type Answer, type Call, operation } from '../http/operation.js'
import { limitSchema, offsetSchema } from '../http/params.js'
import type { ListVipUsersQuery } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import { type Ready, whenReady } from '../lib/ready.js'
import { timed } from '../observability/meter.js'
import type { AudienceContext } from './audience-context.js'
import { type AudienceQuery, toAudienceQuery } from './list/channel-audience.js'
import { chooseEncoding, findKnownEtag, pageHeaders } from './list/page-headers.js'
import { vipUserListBody } from './vip-user.js'

/** interface 8: page sizes; a larger limit is clamped, not rejected. */
const PAGES = { full: { fallback: 50, max: 200 }, compact: { fallback: 5000, max: 5000 } }
/** Everything a list has (interface 4.1.4). */
const WHOLE_LIST = { fallback: limit('scanRows'), max: limit('scanRows') }
const WHOLE = { full: WHOLE_LIST, compact: WHOLE_LIST }

/** The part of a query that the handler uses. */
interface PageRequest {
  workspaceId: string
  channelId: string
  page: AudienceQuery
}

/**
 * Adds the page request to validation, whose result is cached by URL (http/mount.ts). If it is made for each request, even
 * from a map, full 50 takes 17 % more instructions (bench/README.md).
 */
const toPageRequest = (query: ObjectSchema, sizes = PAGES): ObjectSchema<PageRequest> =>
  query.custom(
    ({ workspaceId, mediumId, ...query }: ListVipUsersQuery): PageRequest => ({
      workspaceId,
      channelId: mediumId,
      page: toPage(workspaceId, query, sizes),
    }),
  ) as ObjectSchema

const earlierQuery = {
  workspaceId: Joi.string().required().description('The id of a VIP workspace, from GET /workspaces.'),
  mediumId: Joi.string()
    .required()
    .description('The id of a channel that is connected to the workspace, from GET /channels.'),
  hasBirthday: Joi.string().valid('true', 'false').description('`true`: only users with a known birthday.'),
  birthdayMonth: Joi.number().integer().min(1).max(12).description('Only users whose birthday is in this month.'),
  limit: limitSchema.description('Users per page: 50 by default, at most 200.'),
  offset: offsetSchema.default(0).description('Users to skip.'),
}

const scopeAndForm = {
  scope: Joi.string()
    .valid('vip', 'all')
    .default('vip')
    .description('`vip`: users marked VIP for the workspace; `all`: every conversation on the channel.'),
  compact: Joi.string().valid('true', 'false').description('`true`: rows have only conversationId, cuid and birthday.'),
}

const shared = {
  summary: 'List the VIP users of one channel by lifetime value, highest first.',
  route: 'GET /vip-users',
  permission: 'audience:read',
  answers: [200, 304, 400, 404],
  headers: {
    'If-None-Match': 'The ETag of an earlier response. Returns 304 without a body if the page has not changed.',
    'Accept-Encoding': '`br` or `gzip` compresses all but small pages.',
  },
  answerHeaders: ['etag'],
  success: vipUserListBody,
} as const

/** List the VIP users of one channel, highest lifetime value first (interface 4.1). Idempotent. */
export const listVipUsers = operation({
  ...shared,
  operationId: 'listVipUsers',
  surfaces: ['v1', 'api'],
  description:
    'Use it for the top customers of a channel, for birthdays, or to page through a whole audience; poll it with If-None-Match. The response includes every change that was committed before the call. Costs almost nothing once the list of the channel is in memory.',
  query: toPageRequest(
    Joi.object({
      ...earlierQuery,
      ...scopeAndForm,
      limit: earlierQuery.limit.description(
        'Users per page: 50 by default, at most 200; in compact mode 5000 by default and at most.',
      ),
    }),
  ),
  handle: handleListVipUsers,
})

const { limit: _limit, offset: _offset, ...filters } = earlierQuery

/** Export the whole list at one moment, as a file: pages read one after the other come from several moments. Idempotent. */
export const exportVipUsers = operation({
  ...shared,
  operationId: 'exportVipUsers',
  summary: 'Export the VIP users of one channel by lifetime value, highest first, as one snapshot.',
  route: 'GET /vip-users/export',
  description:
    'Use it to save the list to a file: every user is in it exactly once, even if data changes during the export. If `scanCapped` is true, it has the 25,000 users with the highest lifetime value. Costs one response of several megabytes.',
  query: toPageRequest(Joi.object({ ...filters, ...scopeAndForm }), WHOLE),
  handle: handleListVipUsers,
})

/** The same list with the parameters of the earlier variant (interface 9.4). Idempotent. */
export const listVipUsersEarlier = operation({
  ...shared,
  operationId: 'listVipUsersEarlier',
  surfaces: ['v0'],
  description: 'For clients of the earlier variant: only VIPs, in full rows. Costs the same as GET /v1/vip-users.',
  query: toPageRequest(Joi.object(earlierQuery)),
  handle: handleListVipUsers,
})

/** Not `async`: with `await` instead of `whenReady`, full 50 takes 5 % more instructions (bench/README.md). */
function handleListVipUsers(
  { query, principal, snapshot, headers, meter }: Call<unknown, PageRequest>,
  { database, audienceCache }: AudienceContext,
): Ready<Answer> {
  const { organizationId } = principal
  const { workspaceId, channelId, page } = query
  return whenReady(
    whenReady(snapshot.cacheOf(organizationId), (cache) =>
      requireVipAudience(cache, database, { organizationId, workspaceId, channelId }),
    ),
    (channel) =>
      whenReady(timed(meter, snapshot.audienceRevision(channel)), (current) => {
        const known = findKnownEtag(headers['if-none-match'], current, page.name)
        if (known !== undefined) return { status: 304, body: undefined, headers: pageHeaders(known) }
        const encoding = chooseEncoding(headers['accept-encoding'])
        return whenReady(
          timed(meter, audienceCache.page(channel, page, current, encoding)),
          ({ body, headers, returned }) => {
            meter.rows = returned
            return { status: 200, body, headers }
          },
        )
      }),
  )
}

function toPage(
  workspaceId: string,
  query: Omit<ListVipUsersQuery, 'workspaceId' | 'mediumId'>,
  sizes: typeof PAGES,
): AudienceQuery {
  const compact = query.compact === 'true'
  const size = compact ? sizes.compact : sizes.full
  return toAudienceQuery({
    vipsOf: query.scope === 'all' ? undefined : workspaceId,
    // A birthday in a month is also a birthday.
    filter: query.birthdayMonth ?? (query.hasBirthday === 'true' ? 'birthday' : 'none'),
    compact,
    limit: Math.min(query.limit ?? size.fallback, size.max),
    offset: query.offset ?? 0,
  })
}
