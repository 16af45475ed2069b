import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import type { OrganizationPatch } from '../interface/access.js'
import { recordAudit } from './audit.store.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { updateOrganizationRow } from './organizations.store.js'

/** Rename, activate or deactivate an organization. Every key of an inactive one is answered 402, from now on. */
export const updateOrganization = operation({
  operationId: 'updateOrganization',
  summary: 'Rename, activate or deactivate an organization.',
  description:
    'Deactivate an organization to answer each of its keys with 402 at once, on every node; nothing of it is deleted. Idempotent. Costs one small transaction.',
  method: 'PATCH',
  path: '',
  surfaces: ['operator'],
  permission: 'settings:write',
  answers: [200, 400, 404],
  body: Joi.object<OrganizationPatch, true>({ name: nameSchema, active: Joi.boolean() }).min(1),
  success: organizationBody,
  async handle({ body, principal }, { database, clock }) {
    const { organizationId } = principal
    const row = await database.transaction(async (tx) => {
      const updated = await updateOrganizationRow(tx, organizationId, body)
      await recordAudit(tx, {
        principal,
        at: new Date(clock.now()),
        operation: 'updateOrganization',
        target: { type: 'organization', id: organizationId },
        changes: { ...body },
      })
      return updated
    })
    return ok(toOrganizationBody(row))
  },
})
