import { type Deletion, deleteInBatches, type RowBudget } from '../database/batches.js'
import type { Database } from '../database/database.js'
import { deleteConversationsOfChannel, deleteMarksOfWorkspace } from './deletion.store.js'

/** Deletes the conversations of a channel and their VIP marks, as far as the row budget allows. */
export function deleteAudience(
  database: Database,
  budget: RowBudget,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<Deletion<{ deleted: number }>> {
  return deleteInBatches<{ deleted: number; last: string }>(database, budget, (tx, limit, before) =>
    deleteConversationsOfChannel(tx, organizationId, channelId, { after: before?.last ?? '', limit }),
  )
}

/** The same for the VIP marks of a workspace on a channel. */
export function deleteMarks(
  database: Database,
  budget: RowBudget,
  of: { organizationId: string; workspaceId: string; channelId: string },
): Promise<Deletion<{ deleted: number }>> {
  return deleteInBatches(database, budget, (tx, limit) => deleteMarksOfWorkspace(tx, of, limit))
}
