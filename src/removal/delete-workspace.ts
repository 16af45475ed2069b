import Joi from 'joi'
import { recordAudit } from '../access/audit.store.js'
import { deleteMarks } from '../audience/delete-audience.js'
import { listAllChannelIds } from '../channels/deletion.store.js'
import { newRowBudget } from '../database/batches.js'
import { deleteRowsOf, lockForDeletion, markDeleted } from '../database/deletion.js'
import { ApiError } from '../errors.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { doneSchema } from '../http/params.js'
import type { WorkspaceDeletion } from '../interface/generated/types.js'

/** Delete a workspace with its VIP marks and connections; the channels and their conversations stay. */
export const deleteWorkspace = operation({
  operationId: 'deleteWorkspace',
  summary: 'Delete a workspace, with its VIP marks and its connections to channels.',
  description:
    'The channels and their conversations stay. The workspace is gone for every caller at once, its rows follow in batches: repeat the call while `done` is false; after it the workspace is unknown. Costs one transaction for each batch.',
  route: 'DELETE /workspaces/{workspaceId}',
  permission: 'settings:write',
  answers: [200, 404],
  success: namedObject('WorkspaceDeletion', {
    id: Joi.string().required(),
    done: doneSchema,
    vipMarks: Joi.number().integer().required(),
  }),
  async handle({ params: { workspaceId }, principal, meter }, { clock, database }) {
    const { organizationId } = principal
    const at = new Date(clock.now())
    await database.transaction(async (tx) => {
      const workspace = await lockForDeletion(tx, 'workspace', [organizationId, workspaceId])
      if (workspace === undefined) throw new ApiError('workspace_not_found')
      if (workspace.deleted_at !== null) return
      await markDeleted(tx, 'workspace', [organizationId, workspaceId], at)
      await recordAudit(tx, {
        principal,
        at,
        operation: 'deleteWorkspace',
        target: { type: 'workspace', id: workspaceId },
        changes: { name: workspace.name },
      })
    })
    const budget = newRowBudget()
    let vipMarks = 0
    for (const channelId of await listAllChannelIds(database, organizationId)) {
      const { deleted, done } = await deleteMarks(database, budget, { organizationId, workspaceId, channelId })
      vipMarks += deleted
      meter.rows = vipMarks
      if (!done) return ok({ id: workspaceId, done, vipMarks })
    }
    await database.transaction((tx) => deleteRowsOf(tx, 'workspace', [organizationId, workspaceId]))
    return ok({ id: workspaceId, done: true, vipMarks } satisfies WorkspaceDeletion)
  },
})
