import type { Queryable } from '../database/database.js'
import { hitsRow, listRows } from '../database/queries.js'

type PersonIds = [organizationId: string, channelId: string, personId: string]

type OptOutSource = 'comment' | 'message' | 'hand'

export interface OptOut {
  channelId: string
  personId: string
  source: OptOutSource
}

/** Inserts people who asked for no automated messages. Existing entries stay as they are. */
export async function insertOptOuts(
  tx: Queryable,
  organizationId: string,
  optOuts: readonly OptOut[],
  now: Date,
): Promise<void> {
  if (optOuts.length === 0) return
  await tx.query(
    `insert into opt_outs (organization_id, channel_id, person_id, at, source)
     select $1, "channelId", "personId", $3, source
       from json_to_recordset($2::json) as t ("channelId" text, "personId" text, source text)
         on conflict do nothing`,
    [organizationId, JSON.stringify(optOuts), now],
  )
}

export interface OptOutRow {
  person_id: string
  at: Date
  source: OptOutSource
}

/** Lists the people on a channel's list, by id. */
export const listOptOutRows = (
  database: Queryable,
  [organizationId, channelId]: [string, string],
  { after, rows }: { after: string | undefined; rows: number },
): Promise<OptOutRow[]> =>
  listRows(
    database,
    `select person_id, at, source from opt_outs
      where organization_id = $1 and channel_id = $2 and person_id > $3 order by person_id limit $4`,
    [organizationId, channelId, after ?? '', rows],
  )

/** Returns false for a person who is not on the list. */
export const deleteOptOut = (tx: Queryable, ...person: PersonIds) =>
  hitsRow(tx, 'delete from opt_outs where organization_id = $1 and channel_id = $2 and person_id = $3', person)
