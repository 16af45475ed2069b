import Joi, { type Schema } from 'joi'
import type { VipUser, VipUserList } from '../interface/audience.js'
import { FIELD_LIST, type StoredConversation } from './fields.js'

const SHOWN = FIELD_LIST.filter(({ shown }) => shown !== undefined)
const COMPACT = SHOWN.filter(({ isCompact }) => isCompact)

/**
 * The row of interface 2.1, to be written as JSON. `conversationId` and `cuid` are always there; a field without a value
 * is undefined, and so left out.
 */
export const toFullBody = (row: StoredConversation): VipUser => toBody(SHOWN, row)

/** The row of compact mode (interface 2.1, 4.1), likewise. */
export const toCompactBody = (row: StoredConversation): VipUser => toBody(COMPACT, row)

function toBody(fields: typeof SHOWN, row: StoredConversation): VipUser {
  const body: Record<string, unknown> = {}
  for (const { name, column } of fields) body[name] = row[column] ?? undefined
  return body as unknown as VipUser
}

/** The envelope of interface 2.2. */
export const vipUserListBody = Joi.object<VipUserList, true>({
  items: Joi.array()
    .items(Joi.object<VipUser>(Object.fromEntries(SHOWN.map(({ name, shown }) => [name, shown as Schema]))))
    .required(),
  returned: Joi.number().integer().required(),
  total: Joi.number().integer().required().description('A floor when `scanCapped` is true.'),
  mayHaveMore: Joi.boolean().required(),
  nextOffset: Joi.number().integer().required(),
  scanCapped: Joi.boolean().required(),
})
