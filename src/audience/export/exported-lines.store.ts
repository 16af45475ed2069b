import type { Queryable } from '../../database/database.js'
import type { ConversationTarget } from '../conversations.store.js'
import { FIELD_LIST, REQUIRED_FIELDS } from '../fields.js'

// A double, because the database prints a decimal of 1e300 with 301 digits.
const EXPORTED = [...new Set([...REQUIRED_FIELDS, ...FIELD_LIST])]
  .map(({ name, column, double = column }) => `'${name}', ${double}`)
  .join(', ')

/** Lines of an export, each in JSON with all of its fields, and the id of the last one. */
export interface ExportedLines {
  lines: string
  count: number
  last: string
}

/** Reads the next lines of the channel, ordered by id; undefined if there are none. */
export async function readExportedLines(
  database: Queryable,
  { organizationId, channelId, workspaceId }: ConversationTarget,
  after: string,
  limit: number,
): Promise<ExportedLines | undefined> {
  const vip = `exists (select from vip_marks v
                        where v.organization_id = $1 and v.channel_id = $2 and v.workspace_id = $5
                          and v.conversation_id = c.conversation_id)`
  // The database formats the lines: formatting them here takes four times as long.
  const { rows } = await database.query<ExportedLines>(
    `select string_agg(line::text || chr(10), '' order by conversation_id) as lines, count(*) as count,
            max(conversation_id) as last
       from (select conversation_id,
                    json_build_object(
                      ${EXPORTED}
                      ${workspaceId === undefined ? '' : `, 'vip', ${vip}`}) as line
               from conversations c
              where organization_id = $1 and channel_id = $2 and conversation_id > $3
              order by conversation_id
              limit $4) listed`,
    [organizationId, channelId, after, limit, ...(workspaceId === undefined ? [] : [workspaceId])],
  )
  const [found] = rows
  return found === undefined || found.count === 0 ? undefined : found
}
