import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { textOfForm } from '../http/params.js'
import type { MediaUse } from '../interface/generated/types.js'
import { POST_STATUSES } from '../interface/post-status.js'
import { requireMediaPlace, urlOf } from '../media/media.js'
import { listMediaByIds } from '../media/media.store.js'
import { listPostsWithMedia } from './media-uses.store.js'

const IDS_MAX = 100
const ID_CHARS_MAX = 64
/** A file that more posts use is in use all the same. */
const POSTS_MAX = 5

/** The posts that use uploaded files. Here because posts know what they use. Idempotent. */
export const listMediaUses = operation({
  operationId: 'listMediaUses',
  summary: 'List the posts that use uploaded files, by the ids of the files.',
  description: `For a library of files: one call for all files of a page. Of each file at most ${POSTS_MAX} posts, the last changed first. Costs one read.`,
  route: 'GET /media-uses',
  permission: 'posts:read',
  answers: [200, 409],
  query: Joi.object({
    ids: textOfForm(
      new RegExp(`^[\\w-]{1,${ID_CHARS_MAX}}(,[\\w-]{1,${ID_CHARS_MAX}}){0,${IDS_MAX - 1}}$`),
      `ids with commas between them, at most ${IDS_MAX}`,
    )
      .required()
      .description(`Ids of files with commas between them, ${IDS_MAX} at most.`),
  }),
  success: Joi.array().items(
    namedObject('MediaUse', {
      mediaId: Joi.string().required(),
      scheduledPostId: Joi.string().required(),
      status: Joi.string()
        .valid(...POST_STATUSES)
        .required(),
      text: Joi.string().allow('').required().description('The beginning of the first text that the post has.'),
    }),
  ),
  async handle({ query: { ids }, principal: { organizationId }, meter }, { config, database }) {
    const place = requireMediaPlace(config)
    const files = await listMediaByIds(database, organizationId, [...new Set(ids.split(','))])
    const named = files.map((row) => ({ mediaId: row.media_id, url: urlOf(place, organizationId, row) }))
    const uses = await listPostsWithMedia(database, organizationId, named, POSTS_MAX)
    meter.rows = uses.length
    return ok(uses satisfies MediaUse[])
  },
})
