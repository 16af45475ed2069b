import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { holdsAny, idOfActor } from '../http/principal.js'
import type { Revision } from '../interface/revision.js'
import { readRevisionRow } from './revision.store.js'

const part = Joi.string().required()

/** Tells an open page by four short values whether it has to read anything again. Idempotent. */
export const getRevision = operation({
  operationId: 'getRevision',
  summary: 'Tell whether anything of the organization has changed.',
  description:
    'For a page that is open: ask this again and again, and read again what a value that differs stands for. The values say nothing by themselves. Costs one read of some hundred entries of indexes.',
  method: 'GET',
  path: '/revision',
  surfaces: ['console'],
  permission: ['posts:read', 'audience:read', 'insights:read', 'channels:read', 'settings:read'],
  answers: [200],
  success: Joi.object<Revision, true>({
    posts: part.description('Posts, with their histories, reviews and discussions.'),
    audience: part.description('Conversations, people and VIP marks.'),
    other: part.description('Everything else, the rights of the caller included.'),
    waiting: Joi.number().integer().description('Posts that wait for approval, for a caller who may read posts.'),
  }),
  async handle({ principal: { organizationId, actor, permissions } }, { database }) {
    const { posts, discussions, audience, access, trail, waiting } = await readRevisionRow(
      database,
      organizationId,
      idOfActor(actor) ?? '',
    )
    const other = [access, trail].map(toText).join('-')
    return ok({
      posts: `${toText(posts)}-${toText(discussions)}`,
      audience: toText(audience),
      // Another person may have signed in in another tab.
      other: `${other}-${(idOfActor(actor) ?? '').slice(-4)}`,
      ...(holdsAny(permissions, 'posts:read') ? { waiting } : {}),
    } satisfies Revision)
  },
})

const toText = (revision: number): string => revision.toString(36)
