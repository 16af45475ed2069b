import Joi from 'joi'
import type { Retry } from '../client/types.js'
import { operatorOperation } from '../http/operation.js'
import { parseIsoInstant } from '../lib/dates.js'
import { changePost } from '../scheduled-posts/change-post.js'
import { ifMatchHeader } from '../scheduled-posts/etag.js'
import { checkScheduledFor } from '../scheduled-posts/post-rules.js'
import { utcInstant } from '../scheduled-posts/post-schema.js'
import { scheduledPostBody, toPostAnswer } from '../scheduled-posts/scheduled-post.js'
import { resetFailedPublications } from '../scheduled-posts/scheduled-posts.store.js'
import { requireOrganization } from './organizations.store.js'
import { organizationPostParams } from './params.js'

/** Schedule a FAILED post anew: what failed is published then, and what is out on a channel stays as it is. */
export const retryScheduledPost = operatorOperation({
  operationId: 'retryScheduledPost',
  summary: 'Schedule a FAILED post anew, for the channels on which it failed.',
  method: 'POST',
  path: '/organizations/{organizationId}/scheduled-posts/{scheduledPostId}/retry',
  answers: [200, 400, 401, 404, 409, 412, 422],
  params: organizationPostParams,
  headers: ifMatchHeader,
  body: Joi.object<Retry, true>({
    scheduledFor: utcInstant.required().description('The new time: an ISO 8601 datetime in UTC (Z), in the future.'),
  }),
  success: scheduledPostBody,
  async handle({ params, body, headers }, context) {
    await requireOrganization(context.database, params.organizationId)
    const target = { ...params, ifMatch: headers['if-match'], actor: 'operator' } as const
    const post = await changePost(context, target, {
      trigger: 'retry',
      action: 'retried',
      async edit(before, tx, now) {
        checkScheduledFor(body, now.getTime())
        await resetFailedPublications(tx, before, now)
        return {
          ...before,
          scheduled_for: new Date(parseIsoInstant(body.scheduledFor)!),
          channels: before.channels.map((channel) => ({ ...channel, failed_to_publish: false })),
        }
      },
      describe: (_before, after) => ({ scheduledFor: after.scheduled_for?.toISOString() }),
    })
    return toPostAnswer(post)
  },
})
