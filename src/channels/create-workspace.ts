import Joi from 'joi'
import { requireOrganization } from '../access/organizations.store.js'
import { ApiError } from '../errors.js'
import { created, operatorOperation } from '../http/operation.js'
import { nameSchema, organizationParams } from '../http/params.js'
import type { NewWorkspace, WorkspaceType } from '../interface/channels.js'
import { newId } from '../lib/ids.js'
import { toWorkspaceBody, workspaceBody } from './channel.js'
import { insertWorkspace } from './channels.store.js'

/** Create a workspace, under an id of its own when one is given. */
export const createWorkspace = operatorOperation({
  operationId: 'createWorkspace',
  summary: 'Create a workspace.',
  method: 'POST',
  path: '/organizations/{organizationId}/workspaces',
  answers: [201, 400, 401, 404, 409, 422],
  params: organizationParams,
  body: Joi.object<NewWorkspace, true>({
    id: Joi.string()
      .pattern(/^[\w-]{1,64}$/)
      .description('Made by the service when absent.'),
    name: nameSchema.required(),
    type: Joi.string<WorkspaceType>().valid('VIP', 'STANDARD').required(),
  }),
  success: workspaceBody,
  async handle({ params, body }, { database }) {
    await requireOrganization(database, params.organizationId)
    const row = { workspace_id: body.id ?? newId('ws'), name: body.name, type: body.type }
    if (!(await insertWorkspace(database, params.organizationId, row))) throw new ApiError('already_exists')
    return created(toWorkspaceBody(row))
  },
})
