import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { named } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { FoundPerson } from '../../interface/generated/types.js'
import { conversationFields } from '../fields.js'
import { findByIds, findByName, findLastPlace, type NamePosition } from './search.store.js'

const PAGE = { fallback: 20, max: 100 }
const SEARCH_CHARS_MAX = 200
/** People write it before a user name; in some names it is a part of the name. */
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
    'For a person on the phone, or an id from another system. Each conversation of theirs is a row; those found by an id come first, the others in the order of their names. Costs a few look-ups, also among a million conversations.',
  route: 'GET /people',
  permission: 'audience:read',
  answers: [200],
  query: Joi.object({
    search: Joi.string()
      .trim()
      .min(1)
      .max(SEARCH_CHARS_MAX)
      .required()
      .description(
        'The beginning of a name or user name, in any case, with or without accents or an @; or a whole id.',
      ),
    limit: limitSchema.default(PAGE.fallback).description('Conversations per page: 20 by default, 100 at most.'),
    after: afterSchema,
  }),
  success: pageBody<FoundPerson>(foundPersonBody),
  async handle({ query, principal: { organizationId }, meter }, { database, cursorKey }) {
    const { search } = query
    const rows = Math.min(query.limit, PAGE.max)
    const scope = ['people', organizationId, search]
    const after = readCursor<NamePosition>(cursorKey, scope, query.after, 'the nextCursor of the page before')
    const wanted = { beginnings: [...new Set([search, search.replace(HANDLE_SIGN, '')])], after, rows }
    const [exact, named, [last, more]] = await Promise.all([
      after === undefined ? findByIds(database, organizationId, search) : [],
      findByName(database, organizationId, wanted),
      findLastPlace(database, organizationId, wanted),
    ])
    const isExact = new Set(exact.map(keyOf))
    const items = [...exact, ...named.filter((row) => !isExact.has(keyOf(row))).map(({ place: _, ...row }) => row)]
    meter.rows = items.length
    return ok(toPage(cursorKey, scope, items, more === undefined ? undefined : last!.place))
  },
})

const keyOf = ({ channelId, conversationId }: FoundPerson): string => JSON.stringify([channelId, conversationId])
