import Joi from 'joi'
import { utcInstant } from '../http/params.js'
import { FIRST_STATUSES } from '../interface/post-status.js'
import type {
  NewScheduledPost,
  ScheduledPostChannelFields,
  ScheduledPostEdit,
  ScheduledPostPatch,
} from '../interface/posts.js'
import { limit } from '../lib/limits.js'
import { superpowerSchema } from '../superpowers/superpower-schema.js'

export const NOTES_CHARS_MAX = limit('notesChars')
export const MEDIA_CHARS_MAX = 2048
/** Longer than any channel id; a 400 can name it. */
const CHANNEL_ID_CHARS_MAX = 256

const channelFields = Joi.object<ScheduledPostChannelFields, true>({
  mediumType: Joi.string(),
  caption: Joi.string().allow('').max(limit('captionChars')),
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
  notes: Joi.string().allow('').max(NOTES_CHARS_MAX),
}

/** The body of an update. Statuses other than DRAFT have endpoints of their own (interface 3.1 and 3.2). */
export const postPatchSchema = Joi.object<ScheduledPostPatch, true>({
  ...postFields,
  status: Joi.string().valid('DRAFT'),
})

/** The body of a change by a person, which can clear the time and the picture or video too. */
export const postEditSchema = Joi.object<ScheduledPostEdit, true>({
  ...postFields,
  scheduledFor: postFields.scheduledFor.allow(null).description('When to publish, in UTC (Z); null clears it.'),
  media: postFields.media.allow(null).description('The URL of the image or video; null clears it, and its type.'),
  status: Joi.string().valid('DRAFT'),
})

/** The body of a creation: what is said of the post is the same (interface 4.3.1). */
export const newPostSchema = Joi.object<NewScheduledPost, true>({
  ...postFields,
  status: Joi.string()
    .valid(...FIRST_STATUSES)
    .description('DRAFT unless said.'),
})
