import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import type { FoundPerson } from '../../interface/intake.js'
import { FIELD_LIST, FIELDS } from '../fields.js'

const COLUMNS = FIELD_LIST.map(({ name, column, double = column }) => `c.${double} as "${name}"`).join(', ')
const NAMES = `names_of(c.${FIELDS.firstName.column}, c.${FIELDS.lastName.column}, c.${FIELDS.userName.column})`
/** It comes after every character in the order of bytes. */
const LAST = '\u{10FFFF}'
/** Names are stored so. A beginning may be longer folded than it was. */
const BEGINNING = 'left(folded($2), 200)'
/** A text of characters alone that are not seen begins no name. */
const BEGUN = `name >= ${BEGINNING} and name < ${BEGINNING} || '${LAST}' and ${BEGINNING} <> ''
                and ($3::text is null or (name, channel_id, conversation_id) > ($3::text, $4::text, $5::text))`
const EXACT_MAX = 50

/** A place in the list of names. */
export type NamePosition = [name: string, channelId: string, conversationId: string]

/** Conversations whose own id, cuid or an outside id of whose person is this text. */
export const findByIds = (database: Queryable, organizationId: string, text: string): Promise<FoundPerson[]> =>
  listRows(
    database,
    `with people as (
       select $2::text as cuid
        union
       select p.cuid from person_ids p where p.organization_id = $1 and p.id = $2),
     found as (
       select c.channel_id, c.conversation_id from people
         join conversations c on c.organization_id = $1 and c.cuid = people.cuid
        union
       select h.channel_id, $2 from channels h
        where h.organization_id = $1
          and exists (select from conversations o
                       where o.organization_id = $1 and o.channel_id = h.channel_id and o.conversation_id = $2))
     select c.channel_id as "channelId", ${COLUMNS}
       from found join conversations c on c.organization_id = $1 and c.channel_id = found.channel_id
                                      and c.conversation_id = found.conversation_id
      order by c.channel_id, c.conversation_id limit ${EXACT_MAX}`,
    [organizationId, text],
  )

/** Conversations one of whose names begins so, in the order of the names; each by the first of its names that does. */
export const findByName = (
  database: Queryable,
  organizationId: string,
  { beginning, after, rows }: { beginning: string; after: NamePosition | undefined; rows: number },
): Promise<(FoundPerson & { place: string })[]> =>
  listRows(
    database,
    `select n.name as place, n.channel_id as "channelId", ${COLUMNS}
       from (select * from conversation_names
              where organization_id = $1 and ${BEGUN}
              order by name, channel_id, conversation_id limit $6) n
      cross join lateral (
            select * from conversations
             where organization_id = $1 and channel_id = n.channel_id and conversation_id = n.conversation_id limit 1) c
      where not exists (select from unnest(${NAMES}) as other (name)
                         where other.name collate "C" >= ${BEGINNING} and other.name collate "C" < n.name)
      order by n.name, n.channel_id, n.conversation_id`,
    [organizationId, beginning, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )

/** The place of the last name that a page has looked at; undefined where it was the last of all. */
export const findLastPlace = (
  database: Queryable,
  organizationId: string,
  { beginning, after, rows }: { beginning: string; after: NamePosition | undefined; rows: number },
): Promise<{ place: NamePosition; count: number }[]> =>
  listRows(
    database,
    `select json_build_array(name, channel_id, conversation_id) as place, count from (
       select name, channel_id, conversation_id, row_number() over (order by name, channel_id, conversation_id) as count
         from (select * from conversation_names
                where organization_id = $1 and ${BEGUN}
                order by name, channel_id, conversation_id limit $6 + 1) looked) numbered
      where count >= $6 order by count`,
    [organizationId, beginning, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )
