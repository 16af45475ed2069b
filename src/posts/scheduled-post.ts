import Joi, { type ObjectSchema, type StrictSchemaMap } from 'joi'
import { named, namedObject } from '../http/named.js'
import type { Answer } from '../http/operation.js'
import { oneOf } from '../http/params.js'
import { holdsAny, type Principal } from '../http/principal.js'
import type {
  DocumentInstant,
  PostForPeople,
  ReviewedContent,
  ScheduledPost,
  ScheduledPostChannel,
  ScheduledPostDocument,
} from '../interface/generated/types.js'
import { POST_STATUSES } from '../interface/post-status.js'
import { superpowerSchema } from '../superpowers/superpower-schema.js'
import { toEtag } from './etag.js'
import { NOTES_CHARS_MAX } from './post-schema.js'
import type { MediaProof, PostChannelRow, ScheduledPostRow } from './scheduled-post-row.js'

/** A post on one of its channels, as shown there. */
const shownChannelFields = {
  caption: Joi.string().allow(''),
  superpower: superpowerSchema,
  mediumType: Joi.string().required(),
  mediumName: Joi.string().allow('').required(),
}

export const shownChannelBody = namedObject('ShownChannel', shownChannelFields)

/** The fields of what is published, and its time. */
export const contentFields = {
  media: Joi.string(),
  mediaType: Joi.string(),
  altText: Joi.string().description('Describes the picture for people who cannot see it.'),
  aiGenerated: Joi.boolean().description('True if AI made or edited the content; absent otherwise.'),
  scheduledFor: Joi.string().isoDate(),
  mediumsData: Joi.object()
    .pattern(
      Joi.string(),
      namedObject('ScheduledPostChannel', {
        ...shownChannelFields,
        failedToPublish: Joi.boolean().required(),
      }),
    )
    .required()
    .description('By channel id.'),
}

const { media, mediaType, altText, aiGenerated, scheduledFor, mediumsData } = contentFields

/** interface 2.4 */
export const scheduledPostBody = namedObject('ScheduledPost', {
  id: Joi.string().required(),
  orgId: Joi.string().required(),
  type: Joi.string().valid('POST').required(),
  media,
  mediaType,
  scheduledFor,
  taskId: Joi.string().description('The publishing task, while the post is SCHEDULED or PUBLISHING.'),
  mediumsData,
  status: oneOf(POST_STATUSES).required(),
  notes: Joi.string().allow(''),
})

export const mediaCheckBody = named(
  'MediaCheck',
  Joi.object({
    fixed: Joi.boolean()
      .required()
      .description('Only these bytes are published; if they differ, the post waits for approval again.'),
    sha256: Joi.string().description('The digest of the bytes, in hexadecimal.'),
    problem: named(
      'MediaProblem',
      Joi.string().valid('UNREACHABLE', 'REFUSED', 'REDIRECTS', 'PRIVATE', 'TOO_LARGE', 'TOO_SLOW', 'OFF', 'CHANGED'),
    ).description('Why the media are not fixed. CHANGED: they changed between the approval and the time of the post.'),
  }).description('The result of fetching media from an outside address; absent for an upload, and before an approval.'),
)

/** The same for people, who see more. */
export const postForPeopleBody = named(
  'PostForPeople',
  (scheduledPostBody as ObjectSchema<PostForPeople>).keys({ altText, aiGenerated, mediaCheck: mediaCheckBody }),
)

/** The bodies of an operation that keys and people share. */
export const postBodies = { success: scheduledPostBody, successOn: { api: postForPeopleBody } } as const

const documentInstant = namedObject('DocumentInstant', {
  _seconds: Joi.number().integer().required(),
  _nanoseconds: Joi.number().integer().required(),
}).required()

const documentFields: StrictSchemaMap<Omit<ScheduledPostDocument, keyof ScheduledPost>> = {
  _fsDocScope: Joi.string().required(),
  selfPath: Joi.string().required(),
  docName: Joi.string().required(),
  docVer: Joi.number().integer().required(),
  created: documentInstant,
  updated: documentInstant,
}

/** Why a post is not approved. */
export const rejectionBody = namedObject('Rejection', {
  notes: Joi.string().max(NOTES_CHARS_MAX).pattern(/\S/, 'not blank').required().description('Why; not blank.'),
})

/** interface 2.4, the variant with the document-metadata fields. */
export const scheduledPostDocument = named(
  'ScheduledPostDocument',
  (scheduledPostBody as ObjectSchema).keys(documentFields),
)

/** Returns the post as every operation answers it, with the ETag for If-Match. */
export const toPostAnswer = (post: ScheduledPostRow, principal: Principal): Answer => ({
  status: 200,
  body: withoutContent(toScheduledPostBody(post, principal), principal),
  headers: { etag: toEtag(post) },
})

/**
 * Returns the post for a caller who may write but not read: in the declared form, with its id and status but none of its
 * content. The ETag has its version.
 */
export function withoutContent<T extends ScheduledPost>(post: T, { permissions }: Principal): T {
  if (holdsAny(permissions, 'posts:read')) return post
  const { media: _1, mediaType: _2, scheduledFor: _3, taskId: _4, notes: _5, ...more } = post
  const { altText: _6, aiGenerated: _7, mediaCheck: _8, ...rest } = more as Omit<PostForPeople, 'media'>
  return { ...rest, mediumsData: {} } as T
}

/**
 * Returns the notes for a caller. People see the writer's notes, and the review next to them, in the history. Other callers
 * have one field for both, with whichever was written last.
 */
const notesFor = ({ notes, review_notes: review }: ScheduledPostRow, { actor }: Pick<Principal, 'actor'>) =>
  actor.type === 'user' ? notes : (review ?? notes)

/** Returns the part of a post that is published, and its time. */
export const toContentBody = (post: ScheduledPostRow): ReviewedContent => ({
  media: post.media ?? undefined,
  mediaType: post.media_type ?? undefined,
  altText: post.alt_text ?? undefined,
  aiGenerated: post.ai_generated || undefined,
  scheduledFor: post.scheduled_for?.toISOString(),
  mediumsData: Object.fromEntries(post.channels.map((channel) => [channel.channel_id, toChannelEntry(channel)])),
})

/** Returns the post for a response; a field without a value is omitted. */
export function toScheduledPostBody(post: ScheduledPostRow, principal: Pick<Principal, 'actor'>): PostForPeople {
  const { altText, aiGenerated, ...content } = toContentBody(post)
  return {
    id: post.scheduled_post_id,
    orgId: post.organization_id,
    type: 'POST',
    ...content,
    ...(principal.actor.type === 'user' ? { altText, aiGenerated, ...toMediaCheck(post) } : {}),
    taskId: post.task_id ?? undefined,
    status: post.status,
    notes: notesFor(post, principal) ?? undefined,
  }
}

/** Describes the result of fetching media at an external address. */
export function toMediaCheck({
  media_sha256: sha256,
  media_problem: problem,
  media_checked_at,
}: MediaProof): Pick<PostForPeople, 'mediaCheck'> {
  if (media_checked_at === null) return {}
  return {
    mediaCheck: {
      fixed: sha256 !== null,
      ...(sha256 === null ? {} : { sha256 }),
      ...(problem === null ? {} : { problem }),
    },
  }
}

function toChannelEntry(channel: PostChannelRow): ScheduledPostChannel {
  return {
    caption: channel.caption ?? undefined,
    superpower: channel.superpower ?? undefined,
    mediumType: channel.type,
    mediumName: channel.name,
    failedToPublish: channel.failed_to_publish,
  }
}

/** The same with the fields that the post would have in a document store: the response of the earlier variant. */
export function toScheduledPostDocument(
  post: ScheduledPostRow,
  principal: Pick<Principal, 'actor'>,
): ScheduledPostDocument {
  const scope = `organizations/${post.organization_id}`
  return {
    ...toScheduledPostBody(post, principal),
    _fsDocScope: scope,
    selfPath: `${scope}/scheduledPosts/${post.scheduled_post_id}`,
    docName: post.scheduled_post_id,
    docVer: post.version,
    created: toDocumentInstant(post.created_at),
    updated: toDocumentInstant(post.updated_at),
  }
}

function toDocumentInstant(instant: Date): DocumentInstant {
  const ms = instant.getTime()
  const seconds = Math.floor(ms / 1000)
  return { _seconds: seconds, _nanoseconds: (ms - seconds * 1000) * 1_000_000 }
}
