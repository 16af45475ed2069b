import Joi from 'joi'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import type { InboxEntry } from '../interface/generated/types.js'
import { INBOX_KINDS } from '../interface/inbox.js'
import { namedPostBody } from './inbox.js'
import { type InboxRow, listInboxRows } from './inbox.store.js'

const PAGE = { fallback: 50, max: 200 }

const entryBody = namedObject('InboxEntry', {
  id: Joi.string().required(),
  kind: Joi.string()
    .valid(...INBOX_KINDS)
    .required(),
  at: Joi.string().required(),
  actor: Joi.string().required().description('As in the history of the post, such as `user:<id>` or `publisher`.'),
  actorName: Joi.string().allow('').description('The name of a person who did it.'),
  post: namedPostBody.required().description('The post as it is now.'),
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
    outsider: Joi.string().description('The name of an outsider, who decided by a link.'),
  }).required(),
  isRead: Joi.boolean().required(),
})

/** The news of the person who calls, and of no one else; the newest first. Idempotent. */
export const listInbox = operation({
  operationId: 'listInbox',
  summary: 'List the news in your own inbox, the newest first.',
  description:
    'For a page that shows a person what happened to their posts. Each member has an inbox in each organization; a caller who is no member has an empty one. Costs one walk of an index.',
  route: 'GET /inbox',
  permission: 'personal',
  answers: [200],
  query: Joi.object({
    unread: Joi.boolean().default(false).description('Only what is not read.'),
    limit: limitSchema.default(PAGE.fallback).description('Entries per page: 50 by default, 200 at most.'),
    after: afterSchema,
  }),
  success: pageBody(entryBody),
  async handle({ query, principal: { organizationId, actor }, meter }, { database, cursorKey }) {
    const personId = actor.type === 'user' ? actor.id : ''
    const scope = ['inbox', organizationId, personId, query.unread]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the page before')
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
