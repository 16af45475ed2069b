import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { operatorOperation } from '../http/operation.js'
import { organizationPostParams } from '../http/params.js'
import type { Retry } from '../interface/posts.js'
import { parseIsoInstant } from '../lib/dates.js'
import { changePost } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { checkScheduledFor } from './post-rules.js'
import { utcInstant } from './post-schema.js'
import { scheduledPostBody, toPostAnswer } from './scheduled-post.js'
import { resetFailedPublications } from './scheduled-posts.store.js'

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
