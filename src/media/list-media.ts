import Joi from 'joi'
import { afterSchema, countedPageBody, encodeCursor, readCursor, toCountedPage } from '../http/cursor.js'
import { ok, operation } from '../http/operation.js'
import { limitSchema } from '../http/params.js'
import { mediaBody, NAME_CHARS_MAX, requireMediaPlace, toMediaBody } from './media.js'
import { listMediaRows } from './media.store.js'

const PAGE = { fallback: 50, max: 200 }

/** The uploaded files of an organization, the newest first. Idempotent. */
export const listMedia = operation({
  operationId: 'listMedia',
  summary: 'List the uploaded files, the newest first.',
  description:
    'For choosing a file that is there already, and for clearing up. Costs one walk of an index; a search by name looks at each file on the way.',
  route: 'GET /media',
  permission: 'posts:read',
  answers: [200, 404, 409],
  query: Joi.object({
    limit: limitSchema.default(PAGE.fallback).description('Files per page: 50 by default, 200 at most.'),
    after: afterSchema,
    mediaType: Joi.string().valid('IMAGE', 'VIDEO').description('Only images, or only videos.'),
    search: Joi.string().max(NAME_CHARS_MAX).description('Only files with this in their name.'),
  }),
  success: countedPageBody(mediaBody),
  async handle({ query, principal: { organizationId }, meter }, { config, database, cursorKey }) {
    const place = requireMediaPlace(config)
    const { mediaType, search } = query
    const filters = mediaType === undefined && search === undefined ? [] : [mediaType ?? null, search ?? null]
    const scope = ['media', organizationId, ...filters]
    const after = readCursor<[string, string]>(cursorKey, scope, query.after, 'the nextCursor of the page before')
    const limit = Math.min(query.limit, PAGE.max)
    const found = await listMediaRows(database, organizationId, { mediaType, search, after, rows: limit + 1 })
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    meter.rows = rows.length
    const items = rows.map((row) => toMediaBody(place, organizationId, row))
    const next = last && encodeCursor(cursorKey, scope, [last.created_at.toISOString(), last.media_id])
    return ok(toCountedPage(items, next ?? null))
  },
})
