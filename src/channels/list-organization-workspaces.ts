import Joi from 'joi'
import { ok, operatorOperation } from '../http/operation.js'
import { toWorkspaceBody, workspaceBody } from '../workspaces/workspace.js'
import { listWorkspaceRows } from '../workspaces/workspaces.store.js'
import { requireOrganization } from './organizations.store.js'
import { organizationParams } from './params.js'

/** List an organization's workspaces, by name. Idempotent. */
export const listOrganizationWorkspaces = operatorOperation({
  operationId: 'listOrganizationWorkspaces',
  summary: "List an organization's workspaces, by name.",
  method: 'GET',
  path: '/organizations/{organizationId}/workspaces',
  answers: [200, 401, 404, 422],
  params: organizationParams,
  success: Joi.array().items(workspaceBody),
  async handle({ params, meter }, { database }) {
    await requireOrganization(database, params.organizationId)
    const rows = await listWorkspaceRows(database, params.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toWorkspaceBody))
  },
})
