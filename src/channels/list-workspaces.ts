import Joi from 'joi'
import { ok, operation } from '../http/operation.js'
import { toWorkspaceBody, workspaceBody } from './channel.js'
import { listWorkspaceRows } from './channels.store.js'

/** List the organization's workspaces, by name (named by interface 4.1). Idempotent. */
export const listWorkspaces = operation({
  operationId: 'listWorkspaces',
  summary: "List the organization's workspaces.",
  description: 'For the workspaceId of other calls: GET /vip-users takes one of type VIP. By name. Costs one read.',
  route: 'GET /workspaces',
  surfaces: ['v1', 'api'],
  permission: 'channels:read',
  answers: [200],
  success: Joi.array().items(workspaceBody),
  async handle({ principal, meter }, { database }) {
    const rows = await listWorkspaceRows(database, principal.organizationId)
    meter.rows = rows.length
    return ok(rows.map(toWorkspaceBody))
  },
})
