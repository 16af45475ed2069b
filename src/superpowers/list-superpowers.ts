import Joi from 'joi'
import type { Context } from '../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { type Call, ok, operation } from '../http/operation.js'
import { NEXT_CURSOR } from '../http/params.js'
import type { ListSuperpowersQuery, SavedSuperpower } from '../interface/generated/types.js'
import type { Page } from '../interface/pages.js'
import { limit } from '../lib/limits.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { listSuperpowerRows, type SuperpowerPosition } from './superpowers.store.js'

const PAGE_ROWS_MAX = 1_000
const PAGE_BYTES_MAX = limit('pageBytes')

const shared = {
  route: 'GET /superpowers',
  permission: 'superpowers:read',
  answers: [200],
} as const

/** The active superpowers, by name. The body is an array, and a header has the cursor. Idempotent. */
export const listSuperpowers = operation({
  ...shared,
  operationId: 'listSuperpowers',
  summary: 'List the saved superpowers that a post may name by creativeTemplateId.',
  description:
    "For choosing the creativeTemplateId of a post's superpower. A key sees the active ones, the operator the deactivated ones as well. A page has 1,000 at most, and fewer large ones: go on until no x-next-cursor comes. Costs one read.",
  surfaces: ['v1'],
  query: Joi.object({
    after: Joi.string().description('The x-next-cursor of the page before.'),
  }),
  success: Joi.array().items(savedSuperpowerBody),
  answerHeaders: [NEXT_CURSOR],
  async handle(call, context) {
    const { items, nextCursor } = await readPage(call, context, {
      activeOnly: true,
      must: 'the x-next-cursor of an answer to this caller',
    })
    return ok(items, nextCursor === null ? undefined : { [NEXT_CURSOR]: nextCursor })
  },
})

/** All saved superpowers, by name. Idempotent. */
export const listOrganizationSuperpowers = operation({
  ...shared,
  operationId: 'listOrganizationSuperpowers',
  summary: 'List the saved superpowers, by name, deactivated ones included.',
  description:
    "For choosing the creativeTemplateId of a post's superpower, and for editing them. A page has 1,000 at most, and fewer large ones: go on until nextCursor is null. Costs one read.",
  query: Joi.object({ after: afterSchema }),
  success: pageBody(savedSuperpowerBody),
  async handle(call, context) {
    const must = 'the nextCursor of an answer to this caller'
    return ok(await readPage(call, context, { activeOnly: false, must }))
  },
})

async function readPage(
  { query, principal: { organizationId }, meter }: Call<unknown, ListSuperpowersQuery>,
  { database, cursorKey }: Context,
  { activeOnly, must }: { activeOnly: boolean; must: string },
): Promise<Page<SavedSuperpower>> {
  const scope = ['listSuperpowers', organizationId, activeOnly]
  const { superpowers, next } = await listSuperpowerRows(database, organizationId, {
    activeOnly,
    after: readCursor<SuperpowerPosition>(cursorKey, scope, query.after, must),
    rows: PAGE_ROWS_MAX,
    bytes: PAGE_BYTES_MAX,
  })
  meter.rows = superpowers.length
  return toPage(cursorKey, scope, superpowers.map(toSavedSuperpowerBody), next)
}
