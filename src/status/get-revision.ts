import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { holdsAny, idOfActor } from '../http/principal.js'
import type { Revision } from '../interface/generated/types.js'
import { FAILED_DAYS, FAILED_MAX } from '../interface/revision.js'
import { readRevisionRow } from './revision.store.js'

const DAY_MS = 86_400_000
/** Permissions of people who can act on a failure: writers, approvers, and those who connect channels. */
const MAY_REPAIR = ['posts:write', 'posts:approve', 'settings:write'] as const

const part = Joi.string().required()

export const getRevision = operation({
  operationId: 'getRevision',
  summary: 'Get short values that change when data of the organization changes.',
  description:
    'For an open page: poll this, and reload the data behind a value that differs. The values have no other meaning. The numbers are for the badges of the navigation. Idempotent. Costs one read of a few hundred index entries.',
  route: 'GET /revision',
  permission: ['posts:read', 'audience:read', 'insights:read', 'channels:read', 'settings:read'],
  isInternal: true,
  success: namedObject('Revision', {
    posts: part.description('Posts, with their histories, reviews and discussions.'),
    audience: part.description('Conversations, people and VIP marks.'),
    inbox: part.description("The caller's own inbox."),
    other: part.description('Everything else, including the rights of the caller.'),
    waiting: Joi.number().integer().description('Posts that wait for approval, for a caller who may read posts.'),
    unread: Joi.number().integer().required().description('Unread entries in your inbox.'),
    failed: Joi.number()
      .integer()
      .description(
        `Failed posts of the last ${FAILED_DAYS} days, at most ${FAILED_MAX}, for a caller who can act on them.`,
      ),
    refused: Joi.number()
      .integer()
      .description('Channels and ad accounts with an access token that the platform refuses, for the same callers.'),
  }),
  async handle({ principal: { organizationId, actor, permissions } }, { database, clock }) {
    const personId = idOfActor(actor) ?? ''
    // Whole days, as the page of failures counts them.
    const failedFrom = new Date(Math.trunc(clock.now() / DAY_MS - FAILED_DAYS) * DAY_MS)
    const row = await readRevisionRow(database, organizationId, { personId, failedFrom })
    const { posts, discussions, audience, inbox, access, trail, waiting, unread, failed, refused } = row
    const other = [access, trail].map(toText).join('-')
    return ok({
      posts: `${toText(posts)}-${toText(discussions)}`,
      audience: toText(audience),
      inbox: toText(inbox),
      // Another person may have signed in in another tab.
      other: `${other}-${personId.slice(-4)}`,
      ...(holdsAny(permissions, 'posts:read') ? { waiting } : {}),
      unread,
      ...(holdsAny(permissions, MAY_REPAIR) ? { failed, refused } : {}),
    } satisfies Revision)
  },
})

const toText = (revision: number): string => revision.toString(36)
