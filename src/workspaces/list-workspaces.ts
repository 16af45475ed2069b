import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { listWorkspaceRows, type WorkspaceRow } from './workspaces.store.js'

/** A workspace as it goes out: `{id, name, type}`. */
export const workspaceBody = Joi.object({
  id: Joi.string().required(),
  name: Joi.string().required(),
  type: Joi.string().valid('VIP', 'STANDARD').required(),
}).label('Workspace')

export const toWorkspaceBody = (row: WorkspaceRow) => ({ id: row.workspace_id, name: row.name, type: row.type })

/** List the organization's workspaces, by name (named by interface 4.1). Idempotent. */
export const listWorkspaces = operation({
  operationId: 'listWorkspaces',
  summary: "List the organization's workspaces.",
  method: 'GET',
  path: '/workspaces',
  answers: [200, 400, 402, 403, 422],
  success: Joi.array().items(workspaceBody),
  async handle({ principal, meter }, { database }) {
    const rows = await listWorkspaceRows(database, principal.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toWorkspaceBody))
  },
})
