import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { ok, operatorOperation } from '../http/operation.js'
import type { OrganizationParams } from '../http/params.js'
import { savedSuperpowerBody, toSavedSuperpowerBody } from './saved-superpower.js'
import { deactivateSuperpowerRow } from './superpowers.store.js'

/** Deactivate a saved superpower: no post can name it any more; posts that hold a copy keep it. Idempotent. */
export const deactivateSuperpower = operatorOperation({
  operationId: 'deactivateSuperpower',
  summary: 'Deactivate a saved superpower: no post can name it any more.',
  method: 'DELETE',
  path: '/organizations/{organizationId}/superpowers/{creativeTemplateId}',
  answers: [200, 401, 404, 422],
  params: Joi.object<OrganizationParams & { creativeTemplateId: string }, true>({
    organizationId: Joi.string().required(),
    creativeTemplateId: Joi.string().required(),
  }),
  success: savedSuperpowerBody,
  async handle({ params: { organizationId, creativeTemplateId } }, { database }) {
    await requireOrganization(database, organizationId)
    const row = await deactivateSuperpowerRow(database, organizationId, creativeTemplateId)
    if (row === undefined) throw new ApiError('superpower_not_found')
    return ok(toSavedSuperpowerBody(row))
  },
})
