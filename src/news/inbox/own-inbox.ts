import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema, utcInstant } from '../../http/params.js'
import type { InboxEntry, InboxMarked } from '../../interface/generated/types.js'
import { INBOX_KINDS } from '../../interface/inbox.js'
import { limit } from '../../lib/limits.js'
import { namedPostBody } from './inbox.js'
import { type InboxRow, listInboxRows, markInboxRows } from './inbox.store.js'

const PAGE = { fallback: 50, max: 200 }

const entryBody = namedObject('InboxEntry', {
  id: Joi.string().required(),
  kind: Joi.string()
    .valid(...INBOX_KINDS)
    .required(),
  at: Joi.string().required(),
  actor: Joi.string().required().description('As in the history of a post, such as `user:<id>` or `publisher`.'),
  actorName: Joi.string().allow('').description('The name, if a person acted.'),
  post: namedPostBody.required().description('The current state of the post.'),
  detail: namedObject('InboxDetail', {
    notes: Joi.string().allow('').description('Why a post was returned.'),
    text: Joi.string().allow('').description('The beginning of a message.'),
    messageId: Joi.string(),
    failures: Joi.array()
      .items(
        named(
          'InboxFailure',
          Joi.object({ channelId: Joi.string().required(), reason: Joi.string().allow('').required() }),
        ),
      )
      .description('Why a post failed, by channel.'),
    outsider: Joi.string().description('The name of a reviewer who decided with a link.'),
  }).required(),
  isRead: Joi.boolean().required(),
})

export const listInbox = operation({
  operationId: 'listInbox',
  summary: 'List the entries of your own inbox, newest first.',
  description:
    'For showing people what happened to their posts. Each member has an inbox in each organization; for a caller who is not a member it is empty. Idempotent. Costs one index scan.',
  route: 'GET /inbox',
  permission: 'personal',
  query: Joi.object({
    unread: Joi.boolean().default(false).description('Only unread entries.'),
    limit: limitSchema.default(PAGE.fallback).description('Entries per page: 50 by default, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody(entryBody),
  async handle({ query, principal: { organizationId, actor }, meter }, { database, cursorKey }) {
    const personId = actor.type === 'user' ? actor.id : ''
    const scope = ['inbox', organizationId, personId, query.unread]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the previous page')
    const limit = Math.min(query.limit, PAGE.max)
    const unread = query.unread
    const found = await listInboxRows(database, organizationId, personId, { unread, after, rows: limit + 1 })
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    meter.rows = rows.length
    return ok(toPage(cursorKey, scope, rows.map(toEntryBody), last && [last.position, last.entry_id]))
  },
})

const toEntryBody = (row: InboxRow): InboxEntry => ({
  id: row.entry_id,
  kind: row.kind,
  at: row.at.toISOString(),
  actor: row.actor,
  ...(row.actor_name === null ? {} : { actorName: row.actor_name }),
  post: {
    id: row.scheduled_post_id,
    text: row.text,
    status: row.status,
    ...(row.scheduled_for === null ? {} : { scheduledFor: row.scheduled_for.toISOString() }),
  },
  detail: row.detail ?? {},
  isRead: row.read_at !== null,
})

const ID_CHARS_MAX = 64

/** Not in the audit trail, because it changes nothing of the organization. */
export const markInboxRead = operation({
  operationId: 'markInboxRead',
  summary: 'Mark entries of your own inbox as read or unread.',
  description:
    'Marks single entries, or all up to the newest one that the person has seen, so that entries that arrived since are not marked. `read: false` marks them as unread. Unknown ids are ignored. Idempotent. Costs one small transaction.',
  route: 'POST /inbox/read',
  permission: 'personal',
  body: named(
    'InboxMark',
    Joi.object({
      ids: Joi.array()
        .items(Joi.string().max(ID_CHARS_MAX))
        .min(1)
        .max(limit('inboxEntries'))
        .description('The entries to mark.'),
      until: utcInstant.description('Instead of ids: all entries up to this instant.'),
      read: Joi.boolean().default(true),
    }).xor('ids', 'until'),
  ),
  success: namedObject('InboxMarked', {
    ids: Joi.array().items(Joi.string()).required().description('The entries that this call changed.'),
    unread: Joi.number().integer().required().description('The number of unread entries afterwards.'),
  }),
  async handle({ body, principal: { organizationId, actor } }, { database, clock }) {
    const personId = actor.type === 'user' ? actor.id : ''
    const mark = { ...body, read: body.read !== false, now: new Date(clock.now()) }
    // Two tabs may mark the same rows in different orders; the transaction is repeated if the database detects a
    // deadlock.
    const marked = await database.transaction((tx) => markInboxRows(tx, organizationId, personId, mark))
    return ok(marked satisfies InboxMarked)
  },
})
