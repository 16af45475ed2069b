import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { lockForDeletion } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { created, ok, operation } from '../http/operation.js'
import { nameSchema, textOfForm } from '../http/params.js'
import { newId } from '../lib/ids.js'
import { toWorkspaceBody, workspaceBody, workspaceTypeSchema } from './channel.js'
import { insertWorkspace, listWorkspaceRows, renameWorkspace } from './channels.store.js'

/** List the organization's workspaces, by name (named by interface 4.1). Idempotent. */
export const listWorkspaces = operation({
  operationId: 'listWorkspaces',
  summary: "List the organization's workspaces.",
  description:
    'Use it to find the workspaceId for other calls: GET /vip-users takes one of type VIP. Sorted by name. Costs one read.',
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

/** Create a workspace, with its own id if one is given. */
export const createWorkspace = operation({
  operationId: 'createWorkspace',
  summary: 'Create a workspace.',
  description:
    'A VIP workspace has a VIP list for each channel that is connected to it; a STANDARD one has none. With an `id`, repeating the call returns 409 instead of creating a second workspace. Costs one small transaction.',
  route: 'POST /workspaces',
  permission: 'settings:write',
  answers: [201, 400, 409],
  body: namedObject('NewWorkspace', {
    id: textOfForm(/^[\w-]{1,64}$/, 'letters, digits, hyphens and underscores, at most 64').description(
      'Generated if absent.',
    ),
    name: nameSchema.required(),
    type: workspaceTypeSchema.required(),
  }),
  success: workspaceBody,
  async handle({ body: { id, name, type }, principal }, context) {
    const { organizationId } = principal
    const row = { workspace_id: id ?? newId('ws'), name, type }
    await changeAudited(context, principal, 'createWorkspace', async (tx, record) => {
      if (!(await insertWorkspace(tx, organizationId, row))) {
        const there = await lockForDeletion(tx, 'workspace', [organizationId, row.workspace_id])
        throw new ApiError(there?.deleted_at == null ? 'already_exists' : 'being_deleted')
      }
      await record('workspace', row.workspace_id, { name, type })
    })
    return created(toWorkspaceBody(row))
  },
})

/** Rename a workspace. Idempotent. */
export const updateWorkspace = operation({
  operationId: 'updateWorkspace',
  summary: 'Rename a workspace.',
  description: 'Changes only the name, not the id or the type. Idempotent. Costs one small transaction.',
  route: 'PATCH /workspaces/{workspaceId}',
  permission: 'settings:write',
  answers: [200, 400, 404],
  body: namedObject('WorkspacePatch', { name: nameSchema.required() }),
  success: workspaceBody,
  async handle({ params: { workspaceId }, body: { name }, principal }, context) {
    const row = await changeAudited(context, principal, 'updateWorkspace', async (tx, record) => {
      const renamed = await renameWorkspace(tx, principal.organizationId, workspaceId, name)
      if (renamed === undefined) throw new ApiError('workspace_not_found')
      await record('workspace', workspaceId, { name })
      return renamed
    })
    return ok(toWorkspaceBody(row))
  },
})
