import Joi from 'joi'
import { changeAudited } from '../../audit/audited-change.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { FoundPerson, LinkedPerson } from '../../interface/generated/types.js'
import { type ExternalId, isPlaceholder } from '../facts.js'
import { conversationFields } from '../fields.js'
import { findForgotten } from '../live/forgotten-ids.store.js'
import { deleteLink, findPeopleOf, insertLinks, keyOf, listTakenCuids } from '../live/ids.store.js'
import { lockLiveAudience } from '../live/live-audiences.store.js'
import { refreshPeople } from '../live/refresh.store.js'
import { findByIds, findByName, findLastPlace, findPersonDetails, type NamePosition } from './people.store.js'
import { personDetailsBody } from './person.js'

const MAX = { conversations: 1_000, purchases: 100 }

/** Get everything known about a person: conversations, the parts of the value, purchases, ids, and profile. */
export const getPerson = operation({
  operationId: 'getPerson',
  summary: 'Get a person: conversations, the parts of the lifetime value, purchases, ids and profile.',
  description:
    'Use it to see how a value is made up, and to answer a person who asks what is stored about them. Costs a few lookups.',
  route: 'GET /people/{cuid}',
  permission: 'audience:read',
  answers: [200, 404],
  success: personDetailsBody,
  async handle({ params: { cuid }, principal: { organizationId } }, { database }) {
    const details = await findPersonDetails(database, organizationId, cuid, MAX)
    if (details === undefined) throw new ApiError('person_not_found')
    return ok(details)
  },
})

const PAGE = { fallback: 20, max: 100 }
const SEARCH_CHARS_MAX = 200
/** People write it before a user name; in some names it is part of the name. */
const HANDLE_SIGN = /^[@\uFF20][@\uFF20\s]*(?=[^@\uFF20\s])/

const foundPersonBody = named(
  'FoundPerson',
  Joi.object({
    channelId: Joi.string().required(),
    ...conversationFields,
  }),
)

/** Find people by the beginning of a name, or by any of their ids. */
export const searchPeople = operation({
  operationId: 'searchPeople',
  summary: 'Find people by the beginning of a name or user name, or by a whole cuid, outside id or conversation id.',
  description:
    'Use it for a person on the phone, or for an id from another system. Each result is a conversation: matches by id come first, then matches by name. Costs a few lookups, even among a million conversations.',
  route: 'GET /people',
  permission: 'audience:read',
  answers: [200],
  query: Joi.object({
    search: Joi.string()
      .trim()
      .min(1)
      .max(SEARCH_CHARS_MAX)
      .required()
      .description('The beginning of a name or user name, ignoring case, accents and a leading @; or a whole id.'),
    limit: limitSchema.default(PAGE.fallback).description('Conversations per page: 20 by default, at most 100.'),
    after: afterSchema,
  }),
  success: pageBody<FoundPerson>(foundPersonBody),
  async handle({ query, principal: { organizationId }, meter }, { database, cursorKey }) {
    const { search } = query
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['people', organizationId, search]
    const after = readCursor<NamePosition>(cursorKey, scope, query.after, 'the nextCursor of the previous page')
    const wanted = { beginnings: [...new Set([search, search.replace(HANDLE_SIGN, '')])], after, rows }
    const [exact, named, [last, more]] = await Promise.all([
      after === undefined ? findByIds(database, organizationId, search) : [],
      findByName(database, organizationId, wanted),
      findLastPlace(database, organizationId, wanted),
    ])
    const isExact = new Set(exact.map(placeOf))
    const items = [...exact, ...named.filter((row) => !isExact.has(placeOf(row))).map(({ place: _, ...row }) => row)]
    meter.rows = items.length
    return ok(toPage(cursorKey, scope, items, more === undefined ? undefined : last!.place))
  },
})

const placeOf = ({ channelId, conversationId }: FoundPerson): string => JSON.stringify([channelId, conversationId])

const ANY = { conversations: 1, purchases: 1 }
const KINDS = ['userId', 'anonymousId', 'shopify', 'woocommerce'] as const
const kindSchema = Joi.string<(typeof KINDS)[number]>().valid(...KINDS)

const shared = {
  permission: 'audience:write',
  success: namedObject('LinkedPerson', {
    cuid: Joi.string().required(),
    kind: Joi.string().required(),
    id: Joi.string().required(),
  }),
} as const

/** Link an external id to a person by hand. Purchases made with the id count at once. Idempotent. */
export const linkPerson = operation({
  ...shared,
  operationId: 'linkPerson',
  summary: 'Link an outside id to a person.',
  description:
    'Use it for an id that no event links. Purchases and profile fields that arrived with the id count at once. An id of another person is refused: unlink it first. Idempotent. Costs one small transaction.',
  route: 'POST /people/{cuid}/links',
  answers: [200, 400, 404, 409],
  body: namedObject('NewPersonLink', {
    kind: kindSchema.required(),
    id: Joi.string()
      .max(256)
      .custom((id: string, { error }) => (isPlaceholder(id) ? error('string.placeholder') : id))
      .messages({ 'string.placeholder': '{{#label}} is a placeholder for an unknown id and links no one' })
      .required(),
  }),
  async handle({ params: { cuid }, body, principal }, context) {
    const { organizationId } = principal
    const outside = body as ExternalId
    await changeAudited(context, principal, 'linkPerson', async (tx, record) => {
      const live = await requireLive(tx, organizationId)
      if ((await findPersonDetails(tx, organizationId, cuid, ANY)) === undefined) throw new ApiError('person_not_found')
      if ((await findForgotten(tx, organizationId, [outside])).size > 0) throw new ApiError('id_forgotten')
      const owner = (await findPeopleOf(tx, organizationId, [outside])).get(keyOf(outside))
      if ((owner ?? ownCuid(outside)) === cuid) return
      const isTaken = outside.kind === 'userId' && (await listTakenCuids(tx, organizationId, [outside.id])).length > 0
      if (owner !== undefined || isTaken) throw new ApiError('id_linked')
      await insertLinks(tx, organizationId, [{ ...outside, cuid }], {
        sourceId: null,
        at: new Date(context.clock.now()),
      })
      await refreshPeople(tx, organizationId, live, [cuid])
      await record('personLink', outside.kind)
    })
    return ok({ cuid, ...body } satisfies LinkedPerson)
  },
})

const ownCuid = ({ kind, id }: ExternalId): string | undefined => (kind === 'userId' ? id : undefined)

/** Unlink an external id from a person. Purchases made with it no longer count for them. */
export const unlinkPerson = operation({
  ...shared,
  operationId: 'unlinkPerson',
  summary: 'Unlink an outside id from a person.',
  description:
    'Use it for an id that was linked by mistake. Its purchases wait for a person again. Profile fields from it stay in conversations until newer ones arrive. Costs one small transaction.',
  route: 'DELETE /people/{cuid}/links/{kind}/{id}',
  answers: [200, 404],
  async handle({ params: { cuid, kind, id }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'unlinkPerson', async (tx, record) => {
      const live = await requireLive(tx, organizationId)
      if (!(await deleteLink(tx, organizationId, { kind, id, cuid }))) throw new ApiError('link_not_found')
      // A cuid that was an id of another person becomes a separate person again.
      await refreshPeople(tx, organizationId, live, kind === 'userId' ? [cuid, id] : [cuid])
      await record('personLink', kind)
    })
    return ok({ cuid, kind, id } satisfies LinkedPerson)
  },
})

/** An organization without a source has no external ids, and so no person with one. */
async function requireLive(tx: Queryable, organizationId: string) {
  const live = await lockLiveAudience(tx, organizationId)
  if (live === undefined) throw new ApiError('person_not_found')
  return live
}
