import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { oneOf } from '../http/params.js'
import type { LastReview, PostWaitAnswer, Review } from '../interface/generated/types.js'
import { WAIT_REASONS } from '../interface/post-waits.js'
import { checkMedia, UPLOAD } from './outside-media.js'
import { findReview, type ReviewRow } from './reviews.store.js'
import { contentFields, mediaCheckBody, postBodies, toPostAnswer } from './scheduled-post.js'
import { requireScheduledPost } from './scheduled-posts.store.js'
import { readWait } from './waits.js'

/** Get a post as PATCH answers it (interface 2.4), with the ETag for If-Match. */
export const getScheduledPost = operation({
  operationId: 'getScheduledPost',
  summary: 'Read a scheduled post',
  description: 'Use it for the current status and content, and for the ETag that If-Match takes. Costs one read.',
  route: 'GET /scheduled-posts/{scheduledPostId}',
  surfaces: ['v1', 'api'],
  permission: 'posts:read',
  answers: [200, 404],
  answerHeaders: ['etag'],
  ...postBodies,
  async handle({ params, principal }, { database }) {
    return toPostAnswer(
      await requireScheduledPost(database, principal.organizationId, params.scheduledPostId),
      principal,
    )
  },
})

const reviewBody = namedObject('Review', {
  decision: Joi.string().valid('approved', 'rejected').required(),
  version: Joi.number().integer().required().description('The version that the decision was about.'),
  at: Joi.string().isoDate().required(),
  content: namedObject('ReviewedContent', contentFields).required(),
})

/** Get the content of a post when it was last approved or returned. Idempotent. */
export const getLastReview = operation({
  operationId: 'getLastReview',
  summary: 'Get the content of a post when it was last approved or rejected.',
  description:
    'Use it to compare with the current content. `review` is null if nobody has decided about the post since decisions were first recorded. Costs two reads.',
  route: 'GET /scheduled-posts/{scheduledPostId}/last-review',
  permission: 'posts:read',
  answers: [200, 404],
  success: namedObject('LastReview', { review: reviewBody.allow(null).required() }),
  async handle({ params: { scheduledPostId }, principal: { organizationId } }, { database }) {
    await requireScheduledPost(database, organizationId, scheduledPostId)
    const row = await findReview(database, organizationId, scheduledPostId)
    return ok({ review: row === undefined ? null : toReviewBody(row) } satisfies LastReview)
  },
})

const toReviewBody = ({ decision, version, decided_at, content }: ReviewRow): Review => ({
  decision,
  version,
  at: decided_at.toISOString(),
  content,
})

/** Fetch the media of a post now, and say whether an approval can record them. Stores nothing. */
export const checkPostMedia = operation({
  operationId: 'checkPostMedia',
  summary: 'Fetch media from an outside address, and report whether an approval can store a copy of them.',
  description:
    'For the page on which a person decides: it warns if the owner of the address can still replace the picture or video after the approval. An upload to this server is fixed, and is not fetched. Idempotent, and stores nothing. Costs a fetch of the media, of 10 seconds at most.',
  route: 'POST /scheduled-posts/{scheduledPostId}/check-media',
  permission: 'posts:approve',
  inChannels: 'anywhere',
  answers: [200, 404],
  success: mediaCheckBody,
  async handle({ params: { scheduledPostId }, principal }, { config, database }) {
    const { media } = await requireScheduledPost(database, principal.organizationId, scheduledPostId)
    return ok((await checkMedia(config, media)) ?? UPLOAD)
  },
})

const reason = oneOf(WAIT_REASONS).required()

const waitBody = namedObject('PostWait', {
  reason: reason.description('The most important reason, if there are several.'),
  text: Joi.string().required().description('The reason in one sentence.'),
  dueAt: Joi.string().isoDate().required().description("The post's time."),
  since: Joi.string().isoDate().description('When the publisher first noticed the wait.'),
  nextAttemptAt: Joi.string().isoDate().description('When the next attempt is; absent if none is planned.'),
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
    .description('The channels that wait for reasons of their own.'),
})

/** Get the reason why a post that is due has not been published. Idempotent. */
export const getScheduledPostWait = operation({
  operationId: 'getScheduledPostWait',
  summary: 'Get why a due post has not been published yet.',
  description:
    "Returns the reason, the platform's words and the time of the next attempt. `wait` is null if the post is not due, is being published, is published, or failed. Costs four small reads.",
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
