import Joi from 'joi'
import { afterSchema, pageBody, readNumber } from '../../http/cursor.js'
import { named, namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { limitSchema } from '../../http/params.js'
import type { DiscussionAction, DiscussionChange } from '../../interface/generated/types.js'
import { createOpaqueNumbers } from '../../lib/opaque-numbers.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { type DiscussionChangeRow, listDiscussionChanges } from './discussion.store.js'
import { discussionActorBody, findNames, PAGE_ROWS_MAX, type StoredAuthor, toDiscussionActor } from './message.js'

/** The verb at the start of an operation's name decides. */
const ACTION_OF: Record<string, DiscussionAction> = {
  create: 'written',
  update: 'edited',
  delete: 'deleted',
  resolve: 'resolved',
  reopen: 'reopened',
}

/** List the changes of a post's discussion, oldest first. Idempotent. */
export const listDiscussionHistory = operation({
  operationId: 'listDiscussionHistory',
  summary: 'List who wrote, edited, deleted, resolved and reopened messages in the discussion of a post, oldest first.',
  description:
    'Use it to show the discussion next to the history of the post. It is a view of the audit trail, without the texts of messages. Costs two reads of the page.',
  route: 'GET /scheduled-posts/{scheduledPostId}/discussion-history',
  permission: 'posts:read',
  answers: [200, 404],
  query: Joi.object({
    limit: limitSchema.default(PAGE_ROWS_MAX).description('Changes per page: at most 200.'),
    after: afterSchema,
  }),
  success: pageBody(
    namedObject('DiscussionChange', {
      id: Joi.string().required(),
      at: Joi.string().isoDate().required(),
      actor: discussionActorBody.required(),
      action: named(
        'DiscussionAction',
        Joi.string().valid('written', 'edited', 'deleted', 'resolved', 'reopened'),
      ).required(),
      messageId: Joi.string().required(),
      shared: Joi.boolean().required().description('People with a review link also see the message.'),
    }),
  ),
  async handle({ params: { scheduledPostId }, query, principal: { organizationId }, meter }, { database, cursorKey }) {
    // All organizations share the numbering of entries, which ids and cursors hide.
    const numbers = createOpaqueNumbers(
      cursorKey,
      'greenroom discussion change',
      `${organizationId} ${scheduledPostId}`,
    )
    const after = readNumber(numbers, query.after) ?? 0
    const rows = Math.min(query.limit, PAGE_ROWS_MAX)
    const found = await listDiscussionChanges(database, { organizationId, scheduledPostId }, { after, rows: rows + 1 })
    const changes = found.slice(0, rows)
    if (changes.length === 0) await requireScheduledPost(database, organizationId, scheduledPostId)
    meter.rows = changes.length
    const names = await findNames(database, organizationId, changes.map(actorOf))
    const items = changes.map(
      (row): DiscussionChange => ({
        id: numbers.hide(row.audit_id),
        at: row.at.toISOString(),
        actor: toDiscussionActor(actorOf(row), names),
        action: ACTION_OF[/^[a-z]+/.exec(row.operation)![0]]!,
        messageId: row.changes.messageId,
        shared: row.changes.shared,
      }),
    )
    return ok({ items, nextCursor: found.length > rows ? numbers.hide(changes.at(-1)!.audit_id) : null })
  },
})

const actorOf = ({ actor_type: type, actor_id: id, changes: { detail } }: DiscussionChangeRow): StoredAuthor => ({
  type,
  id,
  outsiderName: detail?.outsider.name,
  linkOf: detail?.outsider.linkOf,
})
