import Joi from 'joi'
import { ok, operatorOperation } from '../http/operation.js'
import { nameSchema, organizationParams } from '../http/params.js'
import type { OrganizationPatch } from '../interface/access.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { updateOrganizationRow } from './organizations.store.js'

/** Rename, activate or deactivate an organization. Of an inactive one every key is answered 402, from now on. */
export const updateOrganization = operatorOperation({
  operationId: 'updateOrganization',
  summary: 'Rename, activate or deactivate an organization.',
  method: 'PATCH',
  path: '/organizations/{organizationId}',
  answers: [200, 400, 401, 404, 422],
  params: organizationParams,
  body: Joi.object<OrganizationPatch, true>({ name: nameSchema, active: Joi.boolean() }).min(1),
  success: organizationBody,
  async handle({ params, body }, { database }) {
    return ok(toOrganizationBody(await updateOrganizationRow(database, params.organizationId, body)))
  },
})
