import Joi from 'joi'
import { created, operatorOperation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import type { NewOrganization } from '../interface/access.js'
import { newId } from '../lib/ids.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { insertOrganization } from './organizations.store.js'

/** Create an organization: a tenant with keys, workspaces, channels and ad accounts of its own. */
export const createOrganization = operatorOperation({
  operationId: 'createOrganization',
  summary: 'Create an organization.',
  method: 'POST',
  path: '/organizations',
  answers: [201, 400, 401, 422],
  body: Joi.object<NewOrganization, true>({ name: nameSchema.required() }),
  success: organizationBody,
  async handle({ body }, { database, clock }) {
    const row = await insertOrganization(database, {
      organizationId: newId('org'),
      name: body.name,
      createdAt: new Date(clock.now()),
    })
    return created(toOrganizationBody(row))
  },
})
