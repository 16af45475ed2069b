import type { Queryable } from '../../database/database.js'
import { listRows } from '../../database/queries.js'
import { FIELDS } from '../fields.js'

const MESSAGED = FIELDS.lastUserMessageTimestamp.column

export interface ConversationKey {
  channelId: string
  conversationId: string
}

export interface KnownConversation extends ConversationKey {
  cuid: string
}

const keysOf = (keys: readonly ConversationKey[]): [string[], string[]] => [
  keys.map(({ channelId }) => channelId),
  keys.map(({ conversationId }) => conversationId),
]

/** Finds the stored conversations among those named. */
export const findConversations = (
  tx: Queryable,
  organizationId: string,
  keys: readonly ConversationKey[],
): Promise<KnownConversation[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : listRows(
        tx,
        `select c.channel_id as "channelId", c.conversation_id as "conversationId", c.cuid
           from unnest($2::text[], $3::text[]) as wanted (channel_id, conversation_id)
          cross join lateral (
                select * from conversations
                 where organization_id = $1 and channel_id = wanted.channel_id
                   and conversation_id = wanted.conversation_id limit 1) c`,
        [organizationId, ...keysOf(keys)],
      )

/** Finds conversations with one of these ids, on any channel. */
export const findConversationsById = (
  tx: Queryable,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<KnownConversation[]> =>
  conversationIds.length === 0
    ? Promise.resolve([])
    : listRows(
        tx,
        `select c.channel_id as "channelId", c.conversation_id as "conversationId", c.cuid
           from channels h cross join unnest($2::text[]) as wanted (id)
          cross join lateral (
                select * from conversations
                 where organization_id = $1 and channel_id = h.channel_id and conversation_id = wanted.id limit 1) c
          where h.organization_id = $1`,
        [organizationId, conversationIds],
      )

/** Inserts conversations that a message began. They have no opening value: everything counts. */
export async function insertConversations(
  tx: Queryable,
  organizationId: string,
  rows: readonly (KnownConversation & { lastMessageAt: number | null })[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, ${MESSAGED},
                                ${FIELDS.lifetimeValue.column}, ${FIELDS.lifetimeValue.double}, opening_amount)
     select $1, t.channel_id, t.conversation_id, t.cuid, t.at, 0, 0, 0
       from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as t (channel_id, conversation_id, cuid, at)
         on conflict do nothing`,
    [organizationId, ...keysOf(rows), rows.map(({ cuid }) => cuid), rows.map(({ lastMessageAt }) => lastMessageAt)],
  )
}

/** Inserts conversations whose profile must be read from the platform. */
export async function insertWantedProfiles(
  tx: Queryable,
  organizationId: string,
  rows: readonly ConversationKey[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `insert into wanted_profiles (organization_id, channel_id, conversation_id, next_attempt_at)
     select $1, t.channel_id, t.conversation_id, $4
       from unnest($2::text[], $3::text[]) as t (channel_id, conversation_id)
         on conflict do nothing`,
    [organizationId, ...keysOf(rows), now],
  )
}

/** Moves the last message of conversations forward, never back. */
export async function updateLastMessages(
  tx: Queryable,
  organizationId: string,
  rows: readonly (ConversationKey & { lastMessageAt: number })[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `update conversations c set ${MESSAGED} = t.at
       from unnest($2::text[], $3::text[], $4::bigint[]) as t (channel_id, conversation_id, at)
      where c.organization_id = $1 and c.channel_id = t.channel_id and c.conversation_id = t.conversation_id
        and t.at > coalesce(c.${MESSAGED}, -1)`,
    [organizationId, ...keysOf(rows), rows.map(({ lastMessageAt }) => lastMessageAt)],
  )
}

/** Assigns conversations to other people. */
export async function moveConversations(
  tx: Queryable,
  organizationId: string,
  rows: readonly KnownConversation[],
): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    `update conversations c set cuid = t.cuid
       from unnest($2::text[], $3::text[], $4::text[]) as t (channel_id, conversation_id, cuid)
      where c.organization_id = $1 and c.channel_id = t.channel_id and c.conversation_id = t.conversation_id`,
    [organizationId, ...keysOf(rows), rows.map(({ cuid }) => cuid)],
  )
}
