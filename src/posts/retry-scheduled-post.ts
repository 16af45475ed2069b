import { namedObject } from '../http/named.js'
import { operation } from '../http/operation.js'
import { utcInstant } from '../http/params.js'
import { parseIsoInstant } from '../lib/dates.js'
import { answerChange, postChange } from './change-post.js'
import { resetFailedPublications } from './channel-failures.store.js'
import { checkScheduledFor } from './post-rules.js'

/** A scheduled post is due in the future. */
const SOON_MS = 1_000

/** Schedule a FAILED post again: what failed is published then, and what is out on a channel stays as it is. */
export const retryScheduledPost = operation({
  ...postChange,
  operationId: 'retryScheduledPost',
  summary: 'Schedule a FAILED post again, for the channels on which it failed.',
  description:
    'For a post whose cause of failure is mended, such as a token that has been replaced. A channel on which the post may have been published already is not tried again by itself: look first. Costs one transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/retry',
  permission: 'posts:approve',
  answers: [200, 400, 404, 409, 412],
  body: namedObject('Retry', {
    scheduledFor: utcInstant.description('The new time: an ISO 8601 datetime in UTC (Z), in the future; else at once.'),
  }),
  handle: (call, context) =>
    answerChange(call, context, {
      permission: 'posts:approve',
      trigger: 'retry',
      action: 'retried',
      async edit(before, tx, now) {
        const { scheduledFor } = call.body
        checkScheduledFor({ scheduledFor }, now.getTime())
        await resetFailedPublications(tx, before)
        return {
          ...before,
          scheduled_for: new Date(
            scheduledFor === undefined ? now.getTime() + SOON_MS : parseIsoInstant(scheduledFor)!,
          ),
          // A channel that was deleted since stays failed.
          channels: before.channels.map((channel) => ({
            ...channel,
            failed_to_publish: channel.deleted && !channel.published,
          })),
        }
      },
      describe: (_before, after) => ({ scheduledFor: after.scheduled_for?.toISOString() }),
    }),
})
