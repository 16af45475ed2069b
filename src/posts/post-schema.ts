import Joi from 'joi'
import { named, namedObject } from '../http/named.js'
import { oneOf, utcInstant } from '../http/params.js'
import { ALT_TEXT_CHARS_MAX } from '../interface/media-rules.js'
import { FIRST_STATUSES } from '../interface/post-status.js'
import { limit } from '../lib/limits.js'
import { superpowerSchema } from '../superpowers/superpower-schema.js'

export const NOTES_CHARS_MAX = limit('notesChars')
export const MEDIA_CHARS_MAX = 2048
/** Longer than any channel id, so that a 400 can name it. */
const CHANNEL_ID_CHARS_MAX = 256

const channelFields = namedObject('ScheduledPostChannelFields', {
  mediumType: Joi.string(),
  caption: Joi.string().allow('').max(limit('captionChars')),
  superpower: superpowerSchema
    .allow(null)
    .description('Replaces the whole superpower; creativeTemplateId by itself names a saved one; null removes it.'),
})

const postFields = {
  scheduledFor: utcInstant.description('When to publish: an ISO 8601 datetime in UTC (Z), in the future.'),
  channels: Joi.object()
    .pattern(Joi.string().max(CHANNEL_ID_CHARS_MAX), channelFields.allow(null))
    .description(
      'By channel id: the given fields replace the old ones, null removes the channel, and a channel that is not named stays.',
    ),
  media: Joi.string().max(MEDIA_CHARS_MAX).description('The URL of the image or video.'),
  mediaType: Joi.string().valid('IMAGE', 'VIDEO'),
  notes: Joi.string().allow('').max(NOTES_CHARS_MAX).description('Notes for the people who work on the post.'),
}

/** The body of an update. Statuses other than DRAFT have their own endpoints (interface 3.1 and 3.2). */
export const postPatchSchema = namedObject('ScheduledPostPatch', {
  ...postFields,
  status: Joi.string().valid('DRAFT').description('Returns a rejected post to draft.'),
})

/** Only people set it: the interface has no field for it. */
const altText = Joi.string()
  .allow('', null)
  .max(ALT_TEXT_CHARS_MAX)
  .description('Describes the picture for people who cannot see it. It is removed with the picture; null clears it.')

/** Only people set it, for the same reason. */
const aiGenerated = Joi.boolean()
  .allow(null)
  .description('Whether AI made or edited the content: Instagram labels it, Facebook does not. Null is false.')

const sources = Joi.array().items(Joi.string().max(CHANNEL_ID_CHARS_MAX)).unique().max(limit('copiedFrom'))

/** Only people name it: the interface has no field for it, and a key approves nothing. */
const copiedFrom = named(
  'CopiedFrom',
  Joi.object({
    posts: sources.description(
      "Ids of posts, including deleted ones; the post's own id if the text was copied within it.",
    ),
    savedTexts: sources.description('Ids of saved texts and hashtag groups.'),
  }).description(
    'The sources of text copied into the post. Under four eyes, their writers count as writers of the post.',
  ),
)

/** The body of a change by a person, who can also clear the time and the media. */
export const postEditSchema = namedObject('ScheduledPostEdit', {
  ...postFields,
  scheduledFor: postFields.scheduledFor.allow(null).description('When to publish, in UTC (Z); null clears it.'),
  media: postFields.media.allow(null).description('The URL of the image or video; null clears it, and its type.'),
  altText,
  aiGenerated,
  copiedFrom,
  status: Joi.string().valid('DRAFT').description('Returns a rejected post to draft.'),
})

const newPostFields = {
  ...postFields,
  status: oneOf(FIRST_STATUSES).description('`DRAFT` by default.'),
}

/** The body of a creation, with the same facts about the post (interface 4.3.1). */
export const newPostSchema = namedObject('NewScheduledPost', newPostFields)

/** The same by a person. */
export const newPostByPersonSchema = namedObject('NewPostByPerson', {
  ...newPostFields,
  altText,
  aiGenerated,
  copiedFrom,
})
