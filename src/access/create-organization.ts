import { namedObject } from '../http/named.js'
import { created, serverOperation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import { newId } from '../lib/ids.js'
import { recordAudit } from './audit.store.js'
import { organizationBody, toOrganizationBody } from './organization.js'
import { insertOrganization } from './organizations.store.js'

/** Create an organization: a tenant with keys, workspaces, channels and ad accounts of its own. */
export const createOrganization = serverOperation({
  operationId: 'createOrganization',
  summary: 'Create an organization.',
  description:
    'The first step of a new tenant: keys, workspaces, channels and ad accounts belong to an organization. Not idempotent: each call creates one. Costs one small transaction.',
  route: 'POST /organizations',
  permission: 'operator',
  answers: [201, 400],
  body: namedObject('NewOrganization', { name: nameSchema.required() }),
  success: organizationBody,
  async handle({ body: { name }, principal: { actor } }, { database, clock }) {
    const organizationId = newId('org')
    const createdAt = new Date(clock.now())
    const row = await database.transaction(async (tx) => {
      const inserted = await insertOrganization(tx, { organizationId, name, createdAt })
      await recordAudit(tx, {
        principal: { organizationId, actor },
        at: createdAt,
        operation: 'createOrganization',
        target: { type: 'organization', id: organizationId },
        changes: { name },
      })
      return inserted
    })
    return created(toOrganizationBody(row))
  },
})
