import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { deleteFiles, requireMediaPlace, urlOf } from '../media/media.js'
import { deleteMediaRow } from '../media/media.store.js'
import { isMediaAwaited } from '../posts/scheduled-posts.store.js'

/** Delete an uploaded file. Here because posts know who uses it. */
export const deleteMedia = operation({
  operationId: 'deleteMedia',
  summary: 'Delete an uploaded file that no post is waiting to publish.',
  description:
    'For files that are not needed any more. Refused while a post that uses it waits for approval, is scheduled or is being published. A draft that uses it needs another one, and a post that failed cannot be retried without it. Its small picture goes too. What is out keeps the copy that the platform has made. Costs one transaction.',
  route: 'DELETE /media/{mediaId}',
  permission: 'posts:write',
  answers: [200, 404, 409],
  success: namedObject('DeletedMedia', { id: Joi.string().required() }),
  async handle({ params: { mediaId }, principal }, { config, clock, database }) {
    const { organizationId } = principal
    const place = requireMediaPlace(config)
    const deleted = await database.transaction(async (tx) => {
      const row = await deleteMediaRow(tx, organizationId, mediaId)
      if (row === undefined) throw new ApiError('media_not_found')
      if (await isMediaAwaited(tx, organizationId, urlOf(place, organizationId, row))) {
        throw new ApiError('media_in_use')
      }
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'deleteMedia',
        target: { type: 'media', id: mediaId },
        changes: { ...(row.name !== null && { name: row.name }), contentType: row.content_type, bytes: row.bytes },
      })
      return row
    })
    await deleteFiles(place, organizationId, deleted)
    return ok({ id: mediaId })
  },
})
