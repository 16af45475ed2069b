import Joi from 'joi'
import { named, namedObject } from '../http/named.js'
import type { VipUser } from '../interface/generated/types.js'
import { FIELD_LIST, type PackedConversation } from './fields.js'

const SHOWN = FIELD_LIST.flatMap(({ name, shown, isCompact }, place) =>
  shown === undefined ? [] : [{ name, shown, isCompact, place }],
)
const COMPACT = SHOWN.filter(({ isCompact }) => isCompact)

/**
 * Returns the row of interface 2.1 as JSON. `conversationId` and `cuid` are always present; a field without a value is
 * omitted.
 */
export const toFullJson = (values: PackedConversation): string => toJson(SHOWN, values)

/** Returns the row of compact mode (interface 2.1, 4.1) in the same way. */
export const toCompactJson = (values: PackedConversation): string => toJson(COMPACT, values)

function toJson(fields: typeof SHOWN, values: PackedConversation): string {
  const body: Record<string, unknown> = {}
  for (const { name, place } of fields) body[name] = values[place] ?? undefined
  return JSON.stringify(body)
}

/** Returns the row of interface 2.1. */
export const toVipUser = (values: PackedConversation): VipUser => JSON.parse(toFullJson(values)) as VipUser

/** The row of interface 2.1 in answers. */
export const vipUserBody = named(
  'VipUser',
  Joi.object(Object.fromEntries(SHOWN.map(({ name, shown }) => [name, shown]))),
)

/** The envelope of interface 2.2. */
export const vipUserListBody = namedObject('VipUserList', {
  items: Joi.array().items(vipUserBody).required(),
  returned: Joi.number().integer().required(),
  total: Joi.number().integer().required().description('A lower bound if `scanCapped` is true.'),
  mayHaveMore: Joi.boolean().required(),
  nextOffset: Joi.number().integer().required(),
  scanCapped: Joi.boolean().required(),
})
