/**
 * A service as people commonly write it: Express and Drizzle, a page by limit and offset plus a count, as their guides
 * show it. It has no signature, no validation and no scan guardrail. Takes DATABASE_URL; writes its port to standard
 * output.
 */
import { and, desc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, doublePrecision, pgTable, text } from 'drizzle-orm/pg-core'
import express from 'express'
import pg from 'pg'

const conversations = pgTable('conversations', {
  organizationId: text('organization_id'),
  channelId: text('channel_id'),
  conversationId: text('conversation_id').primaryKey(),
  userName: text('user_name'),
  firstName: text('first_name'),
  lastName: text('last_name'),
  cuid: text('cuid'),
  profilePic: text('profile_pic'),
  birthday: text('birthday'),
  lastPurchaseTimestamp: bigint('last_purchase_at_ms', { mode: 'number' }),
  lastUserMessageTimestamp: bigint('last_user_message_at_ms', { mode: 'number' }),
  lastAppOpenTimestamp: bigint('last_app_open_at_ms', { mode: 'number' }),
  lifetimeValue: doublePrecision('lifetime_value'),
})

const { conversationId, cuid, birthday } = conversations
const { organizationId: _, channelId: __, lifetimeValue: ___, ...full } = getTableColumns(conversations)

const database = drizzle(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }))
const app = express()

app.get('/vip-users', async (request, response) => {
  const { organizationId, mediumId, compact, birthdayMonth, hasBirthday } = request.query
  const where = and(
    eq(conversations.organizationId, organizationId),
    eq(conversations.channelId, mediumId),
    birthdayMonth === undefined
      ? undefined
      : sql`substr(right(${conversations.birthday}, 5), 1, 2) = ${String(birthdayMonth).padStart(2, '0')}`,
    hasBirthday === 'true' ? isNotNull(conversations.birthday) : undefined,
  )
  const limit = Number(request.query.limit ?? (compact === 'true' ? 5_000 : 50))
  const offset = Number(request.query.offset ?? 0)
  const [items, total] = await Promise.all([
    database
      .select(compact === 'true' ? { conversationId, cuid, birthday } : full)
      .from(conversations)
      .where(where)
      .orderBy(desc(conversations.lifetimeValue), conversations.conversationId)
      .limit(limit)
      .offset(offset),
    database.$count(conversations, where),
  ])
  const nextOffset = offset + items.length
  response.json({ items, returned: items.length, total, mayHaveMore: nextOffset < total, nextOffset })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${server.address().port}\n`)
})
process.stdin.resume().on('end', () => process.exit(0))
