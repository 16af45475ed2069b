import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import type { Context } from '../http/context.js'
import { afterSchema, pageBody, readCursor, toPage } from '../http/cursor.js'
import { named, namedObject } from '../http/named.js'
import { type Call, created, ok, operation } from '../http/operation.js'
import { NEXT_CURSOR, nameSchema } from '../http/params.js'
import type { ListSuperpowersQuery, SavedSuperpower } from '../interface/generated/types.js'
import type { Page } from '../interface/pages.js'
import { newId } from '../lib/ids.js'
import { limit } from '../lib/limits.js'
import { superpowerSchema } from './superpower-schema.js'
import {
  deleteSuperpowerRow,
  insertSuperpower,
  listSuperpowerRows,
  lockSuperpower,
  type SuperpowerPosition,
  updateSuperpowerRow,
} from './superpowers.store.js'

const savedSuperpowerBody = namedObject('SavedSuperpower', {
  creativeTemplateId: Joi.string()
    .required()
    .description('A post names the superpower by it: `"superpower": {"creativeTemplateId"}`.'),
  name: Joi.string().required(),
  active: Joi.boolean().required(),
  superpower: superpowerSchema.required(),
})

const PAGE_ROWS_MAX = 1_000
const PAGE_BYTES_MAX = limit('pageBytes')

const shared = {
  route: 'GET /superpowers',
  permission: 'superpowers:read',
  answers: [200],
} as const

/** List the active superpowers, by name. The body is an array, and a header has the cursor. Idempotent. */
export const listSuperpowers = operation({
  ...shared,
  operationId: 'listSuperpowers',
  summary: 'List the saved superpowers that a post may name by creativeTemplateId.',
  description:
    "Use it to choose the creativeTemplateId of a post's superpower. A key sees only active ones; the operator also sees deactivated ones. A page has at most 1,000, and fewer if they are large: continue until the answer has no x-next-cursor. Costs one read.",
  surfaces: ['v1'],
  query: Joi.object({
    after: Joi.string().description('The x-next-cursor of the previous page.'),
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

/** List all saved superpowers, by name. Idempotent. */
export const listOrganizationSuperpowers = operation({
  ...shared,
  operationId: 'listOrganizationSuperpowers',
  summary: 'List the saved superpowers by name, including deactivated ones.',
  description:
    "Use it to choose the creativeTemplateId of a post's superpower, and to edit superpowers. A page has at most 1,000, and fewer if they are large: continue until nextCursor is null. Costs one read.",
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
  return toPage(cursorKey, scope, superpowers, next)
}

/** Save a superpower, so that posts can name it by its creativeTemplateId. From then on it has its own id and name. */
export const createSuperpower = operation({
  operationId: 'createSuperpower',
  summary: 'Save a superpower that posts can name.',
  description:
    'Use it for a superpower that several posts share. A post that names its creativeTemplateId gets a copy of its current state. Not idempotent: each call saves another superpower. Costs one small transaction.',
  route: 'POST /superpowers',
  permission: 'superpowers:write',
  answers: [201, 400],
  body: namedObject('NewSuperpower', {
    name: nameSchema.required(),
    superpower: superpowerSchema.required().description('The whole superpower. The service makes its ids.'),
  }),
  success: savedSuperpowerBody,
  async handle({ body: { name, superpower }, principal }, context) {
    const creativeTemplateId = newId('template')
    const row = {
      ...{ creativeTemplateId, name, active: true },
      superpower: { ...superpower, creativeTemplateId, creativeTemplateName: name },
    }
    await changeAudited(context, principal, 'createSuperpower', async (tx, record) => {
      await insertSuperpower(tx, principal.organizationId, row)
      await record('superpower', creativeTemplateId, { name })
    })
    return created(row)
  },
})

/** Rename, replace, deactivate or activate a saved superpower. Posts with a copy keep it as it is. Idempotent. */
export const updateSuperpower = operation({
  operationId: 'updateSuperpower',
  summary: 'Rename or replace a saved superpower, or choose whether posts may name it.',
  description:
    'Deactivate a superpower that no further post should use. Posts keep their copies unchanged. Idempotent. Costs one small transaction.',
  route: 'PATCH /superpowers/{creativeTemplateId}',
  permission: 'superpowers:write',
  answers: [200, 400, 404],
  body: named(
    'SuperpowerPatch',
    Joi.object({
      name: nameSchema,
      superpower: superpowerSchema.description('Replaces the whole superpower.'),
      active: Joi.boolean().description('Whether posts may name it.'),
    }).min(1),
  ),
  success: savedSuperpowerBody,
  async handle({ params: { creativeTemplateId }, body, principal }, context) {
    const { organizationId } = principal
    const row = await changeAudited(context, principal, 'updateSuperpower', async (tx, record) => {
      const before = await lockSuperpower(tx, organizationId, creativeTemplateId)
      const { name = before.name, active = before.active, superpower: given = before.superpower } = body
      const superpower = { ...given, creativeTemplateId, creativeTemplateName: name }
      const after = { ...before, name, active, superpower }
      await updateSuperpowerRow(tx, organizationId, after)
      // The list of superpowers shows the new content.
      const changes = { ...body, ...(body.superpower === undefined ? {} : { superpower: 'replaced' }) }
      await record('superpower', creativeTemplateId, changes)
      return after
    })
    return ok(row)
  },
})

/** Permanently delete a saved superpower. Posts with a copy keep it. */
export const deleteSuperpower = operation({
  operationId: 'deleteSuperpower',
  summary: 'Delete a saved superpower permanently.',
  description:
    'Use it to remove a superpower from the list. To only keep posts from naming it, deactivate it instead. Posts keep their copies. Costs one small transaction.',
  route: 'DELETE /superpowers/{creativeTemplateId}',
  permission: 'superpowers:write',
  answers: [200, 404],
  success: namedObject('DeletedSuperpower', { creativeTemplateId: Joi.string().required() }),
  async handle({ params: { creativeTemplateId }, principal }, context) {
    const { organizationId } = principal
    await changeAudited(context, principal, 'deleteSuperpower', async (tx, record) => {
      const { name } = await lockSuperpower(tx, organizationId, creativeTemplateId)
      await deleteSuperpowerRow(tx, organizationId, creativeTemplateId)
      await record('superpower', creativeTemplateId, { name })
    })
    return ok({ creativeTemplateId })
  },
})
