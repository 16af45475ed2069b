import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import type { PostWaitAnswer } from '../interface/generated/types.js'
import { WAIT_REASONS } from '../interface/post-waits.js'
import { requireScheduledPost } from './scheduled-posts.store.js'
import { readWait } from './waits.js'

const reason = Joi.string()
  .valid(...WAIT_REASONS)
  .required()

const waitBody = namedObject('PostWait', {
  reason: reason.description('Of several that hold, the foremost.'),
  text: Joi.string().required().description('The reason in a sentence.'),
  dueAt: Joi.string().isoDate().required().description("The post's time."),
  since: Joi.string().isoDate().description('Since when the publisher has known of a wait.'),
  nextAttemptAt: Joi.string().isoDate().description('The next try; absent where none is set.'),
  channels: Joi.array()
    .items(
      namedObject('ChannelWait', {
        channelId: Joi.string().required(),
        reason,
        words: Joi.string().allow('').description('What the platform said, or what the publisher found.'),
        nextAttemptAt: Joi.string().isoDate(),
      }),
    )
    .required()
    .description('The channels on which it waits for something of their own.'),
})

/** Why a post that is due is not out. Idempotent. */
export const getScheduledPostWait = operation({
  operationId: 'getScheduledPostWait',
  summary: 'Read why a post that is due is not out yet.',
  description:
    "For the reason, the platform's words and the next try. `wait` is null while the post is not due, is on its way, is out, or failed. Costs four small reads.",
  route: 'GET /scheduled-posts/{scheduledPostId}/wait',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('PostWaitAnswer', { wait: waitBody.allow(null).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId } }, { clock, database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const wait = await readWait(database, organizationId, scheduledPostId, new Date(clock.now()))
    return ok({ wait: wait ?? null } satisfies PostWaitAnswer)
  },
})
