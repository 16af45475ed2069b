import Joi from 'joi'
import type { VipUser, VipUserList } from '../interface/audience.js'

/** A conversation as the list reads it; instants in milliseconds since the epoch. */
export interface VipUserRow {
  conversation_id: string
  cuid: string
  user_name: string | null
  first_name: string | null
  last_name: string | null
  profile_pic: string | null
  birthday: string | null
  last_purchase_at_ms: number | null
  last_user_message_at_ms: number | null
  last_app_open_at_ms: number | null
}

/**
 * The row of interface 2.1, to be written as JSON. `conversationId` and `cuid` are always there; a field without a value
 * is undefined, and so left out.
 */
export function toFullBody(row: VipUserRow): VipUser {
  return {
    conversationId: row.conversation_id,
    userName: row.user_name ?? undefined,
    firstName: row.first_name ?? undefined,
    lastName: row.last_name ?? undefined,
    cuid: row.cuid,
    profilePic: row.profile_pic ?? undefined,
    birthday: row.birthday ?? undefined,
    lastPurchaseTimestamp: row.last_purchase_at_ms ?? undefined,
    lastUserMessageTimestamp: row.last_user_message_at_ms ?? undefined,
    lastAppOpenTimestamp: row.last_app_open_at_ms ?? undefined,
  }
}

/** The row of compact mode (interface 2.1, 4.1), likewise. */
export function toCompactBody(row: VipUserRow): VipUser {
  return { conversationId: row.conversation_id, cuid: row.cuid, birthday: row.birthday ?? undefined }
}

/** The envelope of interface 2.2. */
export const vipUserListBody = Joi.object<VipUserList, true>({
  items: Joi.array()
    .items(
      Joi.object<VipUser, true>({
        conversationId: Joi.string().required(),
        userName: Joi.string(),
        firstName: Joi.string(),
        lastName: Joi.string(),
        cuid: Joi.string().required(),
        profilePic: Joi.string(),
        birthday: Joi.string()
          .pattern(/^(\d{4}|-)-\d{2}-\d{2}$/)
          .description('`YYYY-MM-DD`, or `--MM-DD` where the year is unknown.'),
        lastPurchaseTimestamp: Joi.number().integer().description('Milliseconds since the epoch, like each timestamp.'),
        lastUserMessageTimestamp: Joi.number().integer(),
        lastAppOpenTimestamp: Joi.number().integer(),
      }),
    )
    .required(),
  returned: Joi.number().integer().required(),
  total: Joi.number().integer().required().description('A floor when `scanCapped` is true.'),
  mayHaveMore: Joi.boolean().required(),
  nextOffset: Joi.number().integer().required(),
  scanCapped: Joi.boolean().required(),
})
