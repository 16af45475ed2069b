import Joi from 'joi'
import { parseIsoInstant } from '../lib/dates.js'
import { FIRST_STATUSES } from './lifecycle.js'
import { type Superpower, superpowerSchema } from './superpower-schema.js'

/** What a caller may say of a post, on creation and on update alike (interface 4.3.1). */
export interface PostFields {
  /** ISO 8601 in UTC. */
  scheduledFor?: string
  /** By channel id; null removes the channel. */
  channels?: Record<string, ChannelFields | null>
  media?: string
  mediaType?: 'IMAGE' | 'VIDEO'
  notes?: string
}

export interface ChannelFields {
  mediumType?: string
  caption?: string
  /** Replaces the whole superpower, alone with its creativeTemplateId by a copy of that saved one; null removes it. */
  superpower?: Superpower | null
}

export interface PostPatch extends PostFields {
  status?: 'DRAFT'
}

export interface NewPost extends PostFields {
  status?: (typeof FIRST_STATUSES)[number]
}

const MEDIA_CHARS_MAX = 2048
/** Longer than any channel id; a 400 can name it. */
const CHANNEL_ID_CHARS_MAX = 256

/** An ISO 8601 datetime in UTC. */
export const utcInstant = Joi.string()
  .custom((value: string, helpers) =>
    /(?:Z|\+00:00)$/.test(value) && parseIsoInstant(value) !== undefined ? value : helpers.error('string.isoDateUtc'),
  )
  .messages({ 'string.isoDateUtc': '{{#label}} must be an ISO 8601 datetime in UTC, such as 2026-11-20T09:00:00Z' })

const channelFields = Joi.object<ChannelFields, true>({
  mediumType: Joi.string(),
  caption: Joi.string().allow(''),
  superpower: superpowerSchema
    .allow(null)
    .description('Replaces the whole superpower; creativeTemplateId alone names a saved one; null removes it.'),
})

const postFields = {
  scheduledFor: utcInstant.description('When to publish: an ISO 8601 datetime in UTC (Z), in the future.'),
  channels: Joi.object()
    .pattern(Joi.string().max(CHANNEL_ID_CHARS_MAX), channelFields.allow(null))
    .description('By channel id: the given fields replace, null removes the channel, an unnamed channel stays.'),
  media: Joi.string().max(MEDIA_CHARS_MAX).description('The URL of the image or video.'),
  mediaType: Joi.string().valid('IMAGE', 'VIDEO'),
  notes: Joi.string().allow(''),
}

/** The body of an update. Statuses other than DRAFT have endpoints of their own (interface 3.1 and 3.2). */
export const postPatchSchema = Joi.object<PostPatch, true>({ ...postFields, status: Joi.string().valid('DRAFT') })

/** The body of a creation: what is said of the post is the same (interface 4.3.1). */
export const newPostSchema = Joi.object<NewPost, true>({
  ...postFields,
  status: Joi.string()
    .valid(...FIRST_STATUSES)
    .description('DRAFT unless said.'),
})
