import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ok, operatorOperation } from '../http/operation.js'
import { organizationParams } from '../http/params.js'
import { toWorkspaceBody, workspaceBody } from './channel.js'
import { listWorkspaceRows } from './channels.store.js'

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
