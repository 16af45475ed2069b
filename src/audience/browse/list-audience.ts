import Joi, { type ObjectSchema } from 'joi'
import { requireVipAudience } from '../../channels/require-vip.js'
import { afterSchema, encodeCursor, readCursor } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { type Call, ok, operation } from '../../http/operation.js'
import { limitSchema, offsetSchema, oneOf } from '../../http/params.js'
import { AUDIENCE_SORTS } from '../../interface/audience.js'
import type {
  AudienceExport,
  AudienceList,
  AudienceRow,
  Queries,
  VipUserList,
} from '../../interface/generated/types.js'
import { toDateIn } from '../../lib/dates.js'
import type { AudienceContext } from '../audience-context.js'
import { toValueFields, valueFields } from '../fields.js'
import { toAudienceQuery } from '../list/channel-audience.js'
import { conditionFields } from '../segments/segment.js'
import { findSegment } from '../segments/segments.store.js'
import { toVipUser, vipUserBody } from '../vip-user.js'
import {
  type BrowsedRow,
  type BrowseQuery,
  browse,
  countPeople,
  listValuesAndMarks,
  type Place,
  readLocale,
  readRanks,
  SCAN_ROWS_MAX,
} from './browse.store.js'
import { isPlain, toConditions } from './conditions.js'

const PAGE = { fallback: 50, max: 200 }
/** How many rows a page examines: enough for a page, or for finding rows that meet conditions. */
const LOOK = { plain: PAGE.max + 1, conditions: 10_000 }

const filters = {
  workspaceId: Joi.string().required().description('The id of a VIP workspace.'),
  channelId: Joi.string().required().description('The id of a channel that is connected to the workspace.'),
  scope: Joi.string()
    .valid('vip', 'all')
    .default('vip')
    .description('`vip`: people marked VIP for the workspace; `all`: every conversation on the channel.'),
  hasBirthday: Joi.string().valid('true', 'false').description('`true`: only people with a known birthday.'),
  birthdayMonth: Joi.number().integer().min(1).max(12).description('Only people whose birthday is in this month.'),
  segmentId: Joi.string().description('Only people in this segment.'),
  ...conditionFields,
  sort: oneOf(AUDIENCE_SORTS)
    .default('value')
    .description(
      '`value`: highest first; `name`; `lastPurchase` and `lastMessage`: latest first; `birthday`: next first, and only people with a known birthday.',
    ),
}

const listed = {
  items: Joi.array()
    .items(
      named(
        'AudienceRow',
        (vipUserBody as ObjectSchema<AudienceRow>).keys({
          ...valueFields,
          rank: Joi.number()
            .integer()
            .required()
            .allow(null)
            .description("The person's rank by lifetime value in the scope; null beyond the first 25,000."),
          vip: Joi.boolean().required(),
        }),
      ),
    )
    .required(),
  currency: Joi.string().required().allow(null),
  scanCapped: Joi.boolean().required().description('The channel has more people than the query examined.'),
}

const shared = {
  permission: 'audience:read',
  answers: [200, 400, 404],
} as const

type Filters = Queries['exportAudience']
type PageQuery = Queries['listAudience']

/** List the people of a channel with their values, in one of several orders, by conditions or a segment. Idempotent. */
export const listAudience = operation({
  ...shared,
  operationId: 'listAudience',
  summary: 'List the people of a channel with their value, rank and VIP mark, sorted and filtered.',
  description:
    'Use it to browse an audience. Sorted by value and without filters, it is the list of GET /vip-users and pages by offset; otherwise it pages by `after`. Each page examines at most 10,000 people for matches, so a page can be short or empty while more follow. Costs a few milliseconds, even for a million people.',
  route: 'GET /audience',
  query: Joi.object({
    ...filters,
    limit: limitSchema.default(PAGE.fallback).description('People per page: 50 by default, at most 200.'),
    offset: offsetSchema.description('People to skip, if the list is sorted by value without filters.'),
    after: afterSchema,
  }),
  success: namedObject('AudienceList', {
    ...listed,
    skipped: Joi.number().integer().required().description('The number of people before this page.'),
    total: Joi.number().integer().required().description('A lower bound if `scanCapped` is true.'),
    mayHaveMore: Joi.boolean().required(),
    nextCursor: Joi.string().required().allow(null).description('Null if the next page starts at an offset.'),
  }),
  async handle(call, context: AudienceContext) {
    const { query, meter } = call
    const asked = await toBrowseQuery(call, context)
    const rows = Math.min(query.limit, PAGE.max)
    const { vipsOf } = asked.conditions
    const isCached = query.sort === 'value' && query.after === undefined && query.segmentId === undefined
    const isOfList = { ...asked.conditions, hasBirthday: false, birthdayMonth: null }
    const page =
      isCached && isPlain(isOfList)
        ? await readCachedPage(call, context, asked, rows)
        : await readBrowsedPage(call, context, { ...asked, rows })
    if (page.items.some(({ rank }) => rank === null)) {
      const ids = page.items.map(({ conversationId }) => conversationId)
      const ranks = await readRanks(context.database, asked, query.scope === 'vip' ? vipsOf : null, ids)
      for (const item of page.items) item.rank = ranks.get(item.conversationId) ?? null
    }
    meter.rows = page.items.length
    return ok(page satisfies AudienceList)
  },
})

/** Export the whole list at one moment, as a file. Idempotent. */
export const exportAudience = operation({
  ...shared,
  operationId: 'exportAudience',
  summary: 'Export the people of a list with their value, rank and VIP mark, as one snapshot.',
  description:
    'Use it to save what listAudience shows to a file: everyone is in it exactly once, even if data changes during the export. Examines at most 25,000 people, in the order of the list; `scanCapped` is true if there are more. Costs one response of several megabytes.',
  route: 'GET /audience/export',
  query: Joi.object(filters),
  success: namedObject('AudienceExport', listed),
  async handle(call, context: AudienceContext) {
    const { query, meter } = call
    const asked = await toBrowseQuery(call, context)
    const all = { ...asked, rows: SCAN_ROWS_MAX, look: SCAN_ROWS_MAX }
    const { rows, last } = await browse(context.database, all)
    const ids = rows.map(({ values }) => values[0] as string)
    const ranks = await readRanks(context.database, asked, query.scope === 'vip' ? query.workspaceId : null, ids)
    meter.rows = rows.length
    return ok({
      items: rows.map((row) => toRow(row, ranks)),
      currency: asked.currency,
      scanCapped: last !== undefined,
    } satisfies AudienceExport)
  },
})

type Asked = Omit<BrowseQuery, 'after' | 'rows'> & { currency: string | null }

async function toBrowseQuery(
  { query, principal: { organizationId }, snapshot }: Call<unknown, Filters>,
  { database, clock }: AudienceContext,
): Promise<Asked & { after: undefined }> {
  const { workspaceId, channelId, segmentId, sort } = query
  const cache = await snapshot.cacheOf(organizationId)
  await requireVipAudience(cache, database, { organizationId, workspaceId, channelId })
  const { currency, timeZone } = await readLocale(database, organizationId)
  const segment = segmentId === undefined ? undefined : await findSegment(database, organizationId, segmentId)
  const nowMs = clock.now()
  const today = toDateIn(timeZone, nowMs)
  const conditions = toConditions(query, segment?.conditions, { nowMs, today })
  // The VIPs are read whole if they are few.
  const look = isPlain(conditions) && conditions.vipsOf === null ? LOOK.plain : LOOK.conditions
  const target = { organizationId, channelId, workspaceId }
  return { ...target, conditions, sort, today: today.slice(5), after: undefined, look, currency }
}

const toRow = ({ values, vip }: BrowsedRow, ranks?: ReadonlyMap<string, number>): AudienceRow => ({
  ...toVipUser(values),
  ...toValueFields(values.at(-1) as number),
  rank: ranks?.get(values[0] as string) ?? null,
  vip,
})

/** Reads a page of the list in memory, with the values of its rows. */
async function readCachedPage(
  { query, principal: { organizationId }, snapshot }: Call<unknown, PageQuery>,
  { database, audienceCache }: AudienceContext,
  asked: Asked,
  limit: number,
): Promise<AudienceList> {
  const { workspaceId, channelId, hasBirthday, birthdayMonth, offset = 0 } = query
  const { vipsOf } = asked.conditions
  const filter = birthdayMonth ?? (hasBirthday === 'true' ? 'birthday' : 'none')
  const cache = await snapshot.cacheOf(organizationId)
  const channel = await requireVipAudience(cache, database, { organizationId, workspaceId, channelId })
  const wanted = toAudienceQuery({ vipsOf: vipsOf ?? undefined, filter, compact: false, limit, offset })
  const current = await snapshot.audienceRevision(channel)
  const { body } = await audienceCache.page(channel, wanted, current, 'identity')
  const list = JSON.parse(body.toString('utf8')) as VipUserList
  const ids = list.items.map(({ conversationId }) => conversationId)
  const known = new Map((await listValuesAndMarks(database, asked, ids)).map((row) => [row.id, row]))
  // A row that was deleted after the list was read is omitted.
  const items = list.items.flatMap((item, index): AudienceRow[] => {
    const row = known.get(item.conversationId)
    const rank = filter === 'none' ? offset + index + 1 : null
    return row === undefined ? [] : [{ ...item, ...toValueFields(row.value), rank, vip: row.vip }]
  })
  const { total, mayHaveMore, scanCapped } = list
  return { items, currency: asked.currency, skipped: offset, total, mayHaveMore, nextCursor: null, scanCapped }
}

/** A place with the number of people before it, and the total. */
type Position = [place: Place, skipped: number, total: number, isCapped: boolean]

async function readBrowsedPage(
  { query: { limit: _, offset: __, ...query }, principal: { organizationId } }: Call<unknown, PageQuery>,
  { database, cursorKey }: AudienceContext,
  asked: Asked & { rows: number },
): Promise<AudienceList> {
  const { after, ...rest } = query
  const scope = ['listAudience', organizationId, rest]
  const position = readCursor<Position>(cursorKey, scope, after, 'the nextCursor of the previous page')
  const whole: BrowseQuery = { ...asked, after: position?.[0] }
  const { rows, last, total } = await browse(database, whole)
  const counted =
    total !== undefined
      ? { total, scanCapped: false }
      : position !== undefined
        ? { total: position[2], scanCapped: position[3] }
        : await countPeople(database, whole)
  const skipped = position?.[1] ?? 0
  const next: Position | undefined = last && [last, skipped + rows.length, counted.total, counted.scanCapped]
  return {
    items: rows.map((row) => toRow(row)),
    currency: asked.currency,
    skipped,
    ...counted,
    mayHaveMore: next !== undefined,
    nextCursor: next === undefined ? null : encodeCursor(cursorKey, scope, next),
  }
}
