import { changeAudited } from '../access/audited-change.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { nameSchema } from '../http/params.js'
import { toWorkspaceBody, workspaceBody } from './channel.js'
import { renameWorkspace } from './channels.store.js'

/** Rename a workspace. Idempotent. */
export const updateWorkspace = operation({
  operationId: 'updateWorkspace',
  summary: 'Rename a workspace.',
  description: 'For another name; its id and type stay. Idempotent. Costs one small transaction.',
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
