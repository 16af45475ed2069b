import Joi from 'joi'
import { changeAudited } from '../access/audited-change.js'
import { named } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { superpowerSchema } from './superpower-schema.js'
import { lockSuperpower, updateSuperpowerRow } from './superpowers.store.js'

/** Rename, replace, deactivate or activate a saved superpower. Posts that hold a copy keep it as it is. Idempotent. */
export const updateSuperpower = operation({
  operationId: 'updateSuperpower',
  summary: 'Rename or replace a saved superpower, or say whether posts may name it.',
  description:
    'Deactivate a superpower that no further post should use; posts that hold a copy keep it as it is. Idempotent. Costs one small transaction.',
  route: 'PATCH /superpowers/{creativeTemplateId}',
  permission: 'superpowers:write',
  answers: [200, 400, 404],
  body: named(
    'SuperpowerPatch',
    Joi.object({
      name: nameSchema,
      superpower: superpowerSchema.description('Replaces the whole of it.'),
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
      // The new content is in the list of superpowers.
      const changes = { ...body, ...(body.superpower === undefined ? {} : { superpower: 'replaced' }) }
      await record('superpower', creativeTemplateId, changes)
      return after
    })
    return ok(toSavedSuperpowerBody(row))
  },
})
