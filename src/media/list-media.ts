import Joi from 'joi'
import { encodeCursor, readCursor } from '../http/cursor.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import type { MediaPage, MediaQuery } from '../interface/media.js'
import { mediaBody, requireMediaPlace, toMediaBody } from './media.js'
import { listMediaRows } from './media.store.js'

const PAGE = { fallback: 50, max: 200 }

/** The uploaded files of an organization, the newest first. Idempotent. */
export const listMedia = operation({
  operationId: 'listMedia',
  summary: 'List the uploaded files, the newest first.',
  description: 'For choosing a file that is there already, and for clearing up. Costs one walk of an index.',
  method: 'GET',
  path: '/media',
  surfaces: ['operator', 'console'],
  permission: 'posts:read',
  answers: [200, 404, 409],
  query: Joi.object<MediaQuery & { limit: number }, true>({
    limit: limitSchema.default(PAGE.fallback).description('Files per page: 50 unless said, 200 at most.'),
    after: Joi.string().description('The nextCursor of the page before; continue until mayHaveMore is false.'),
  }),
  success: Joi.object<MediaPage, true>({
    items: Joi.array().items(mediaBody).required(),
    returned: Joi.number().integer().required(),
    mayHaveMore: Joi.boolean().required(),
    nextCursor: Joi.string().required().allow(null),
  }),
  async handle({ query, principal: { organizationId }, meter }, { config, database, cursorKey }) {
    const place = requireMediaPlace(config)
    const scope = ['media', organizationId]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the page before')
    const limit = Math.min(query.limit, PAGE.max)
    const found = await listMediaRows(database, organizationId, { after, rows: limit + 1 })
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const mayHaveMore = found.length > limit
    meter.rows = rows.length
    return ok({
      items: rows.map((row) => toMediaBody(place, organizationId, row)),
      returned: rows.length,
      mayHaveMore,
      nextCursor: mayHaveMore ? encodeCursor(cursorKey, scope, [last!.created_at.toISOString(), last!.media_id]) : null,
    } satisfies MediaPage)
  },
})
