import type { Queryable } from '../../database/database.js'
import { hitsRow, listRows } from '../../database/queries.js'

export interface SlotRow {
  weekday: number
  minute_of_day: number
}

/** The slots of channels that are there, in the order of the week. */
export const listSlotRows = (
  database: Queryable,
  organizationId: string,
): Promise<(SlotRow & { channel_id: string })[]> =>
  listRows(
    database,
    `select s.channel_id, weekday, minute_of_day
       from posting_slots s join channels c using (organization_id, channel_id)
      where s.organization_id = $1 and c.deleted_at is null
      order by s.channel_id collate "C", weekday, minute_of_day`,
    [organizationId],
  )

/** Replaces the slots of a channel, one writer after the other. False for a channel that is not there. */
export async function replaceSlots(
  tx: Queryable,
  organizationId: string,
  channelId: string,
  slots: readonly SlotRow[],
): Promise<boolean> {
  const isThere = await hitsRow(
    tx,
    `select from channels where organization_id = $1 and channel_id = $2 and deleted_at is null for no key update`,
    [organizationId, channelId],
  )
  if (!isThere) return false
  await tx.query('delete from posting_slots where organization_id = $1 and channel_id = $2', [
    organizationId,
    channelId,
  ])
  await tx.query(
    `insert into posting_slots (organization_id, channel_id, weekday, minute_of_day)
     select $1, $2, weekday, minute_of_day from unnest($3::smallint[], $4::smallint[]) as s (weekday, minute_of_day)`,
    [organizationId, channelId, slots.map(({ weekday }) => weekday), slots.map((slot) => slot.minute_of_day)],
  )
  return true
}
