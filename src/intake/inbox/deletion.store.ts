import type { Queryable } from '../../database/database.js'
import { deleteSomeOf, type KeyedTables } from '../../database/deletion.js'

/** The tables of deliveries, with the rest of their keys. */
const TABLES_OF_DELIVERIES: KeyedTables = [
  ['inbox', 'delivery_id'],
  ['problems', 'problem_id'],
  ['kept_deliveries', 'delivery_id'],
  ['incoming_comments', 'channel_id, comment_id'],
]

/** Deletes at most `limit` deliveries, problems and comments of an organization. */
export const deleteDeliveriesOfOrganization = (tx: Queryable, organizationId: string, limit: number) =>
  deleteSomeOf(tx, TABLES_OF_DELIVERIES, { organizationId }, limit)

/** Deletes at most `limit` comments of a channel. */
export const deleteCommentsOfChannel = (tx: Queryable, organizationId: string, channelId: string, limit: number) =>
  deleteSomeOf(tx, [['incoming_comments', 'channel_id, comment_id']], { organizationId, channelId }, limit)
