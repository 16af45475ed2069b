import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import type { FoundPerson } from '../../interface/generated/types.js'
import { FIELD_LIST, FIELDS } from '../fields.js'

const COLUMNS = FIELD_LIST.map(({ name, column, double = column }) => `c.${double} as "${name}"`).join(', ')
const NAMES = `names_of(c.${FIELDS.firstName.column}, c.${FIELDS.lastName.column}, c.${FIELDS.userName.column})`
/** It comes after every character in the order of bytes. */
const LAST = '\u{10FFFF}'
/**
 * The beginnings, as names are stored: one may be longer folded than it was. A text of characters that are not seen begins
 * no name.
 */
const BEGINNINGS = `(select left(folded(given), 200) collate "C" as text from unnest($2::text[]) as g (given)) b`
/** The next `limit` names that begin with one of them: each beginning is a walk of the index. */
const begun = (limit: string): string => `
  select n.* from ${BEGINNINGS}
   cross join lateral (
         select * from conversation_names
          where organization_id = $1 and b.text <> '' and name >= b.text and name < b.text || '${LAST}'
            and ($3::text is null or (name, channel_id, conversation_id) > ($3::text, $4::text, $5::text))
          order by name, channel_id, conversation_id limit ${limit}) n
   order by n.name, n.channel_id, n.conversation_id limit ${limit}`
const EXACT_MAX = 50

/** The texts with which the names may begin, which do not begin with each other, and the place of the page before. */
interface WantedNames {
  beginnings: readonly string[]
  after: NamePosition | undefined
  rows: number
}

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
  { beginnings, after, rows }: WantedNames,
): Promise<(FoundPerson & { place: string })[]> =>
  listRows(
    database,
    `select n.name as place, n.channel_id as "channelId", ${COLUMNS}
       from (${begun('$6')}) n
      cross join lateral (
            select * from conversations
             where organization_id = $1 and channel_id = n.channel_id and conversation_id = n.conversation_id limit 1) c
      where not exists (select from unnest(${NAMES}) as other (name), ${BEGINNINGS}
                         where other.name collate "C" >= b.text and other.name collate "C" < b.text || '${LAST}'
                           and other.name collate "C" < n.name)
      order by n.name, n.channel_id, n.conversation_id`,
    [organizationId, beginnings, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )

/** The place of the last name that a page has looked at; undefined where it was the last of all. */
export const findLastPlace = (
  database: Queryable,
  organizationId: string,
  { beginnings, after, rows }: WantedNames,
): Promise<{ place: NamePosition; count: number }[]> =>
  listRows(
    database,
    `select json_build_array(name, channel_id, conversation_id) as place, count from (
       select name, channel_id, conversation_id, row_number() over (order by name, channel_id, conversation_id) as count
         from (${begun('$6 + 1')}) looked) numbered
      where count >= $6 order by count`,
    [organizationId, beginnings, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null, rows],
  )
