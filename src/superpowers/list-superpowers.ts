import Joi from 'joi'
import { encodeCursor, readCursor } from '../http/cursor.js'
import { ok, operation } from '../http/operation.js'
import { NEXT_CURSOR, nextCursorHeader } from '../http/params.js'
import type { SuperpowerQuery } from '../interface/superpowers.js'
import { limit } from '../lib/limits.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { listSuperpowerRows, type SuperpowerPosition } from './superpowers.store.js'

const PAGE_ROWS_MAX = 1_000
const PAGE_BYTES_MAX = limit('pageBytes')

/** The saved superpowers, by name: those that a post may name, and for the operator the deactivated ones too. Idempotent. */
export const listSuperpowers = operation({
  operationId: 'listSuperpowers',
  summary: 'List the saved superpowers that a post may name by creativeTemplateId.',
  description:
    "For choosing the creativeTemplateId of a post's superpower. A key sees the active ones, the operator the deactivated ones as well. A page has 1,000 at most, and fewer large ones: go on until no x-next-cursor comes. Costs one read.",
  method: 'GET',
  path: '/superpowers',
  surfaces: ['v1', 'operator', 'console'],
  permission: 'superpowers:read',
  answers: [200],
  query: Joi.object<SuperpowerQuery, true>({
    after: Joi.string().description('The x-next-cursor of the page before.'),
  }),
  success: Joi.array().items(savedSuperpowerBody),
  answerHeaders: nextCursorHeader,
  async handle({ query, principal: { organizationId, actor }, meter }, { database, cursorKey }) {
    const activeOnly = actor.type === 'key'
    const scope = ['listSuperpowers', organizationId, activeOnly]
    const must = 'the x-next-cursor of an answer to this caller'
    const { superpowers, next } = await listSuperpowerRows(database, organizationId, {
      activeOnly,
      after: readCursor<SuperpowerPosition>(cursorKey, scope, query.after, must),
      rows: PAGE_ROWS_MAX,
      bytes: PAGE_BYTES_MAX,
    })
    meter.rows = superpowers.length
    const headers = next && { [NEXT_CURSOR]: encodeCursor(cursorKey, scope, next) }
    return ok(superpowers.map(toSavedSuperpowerBody), headers)
  },
})
