import type { Queryable } from '../database/database.js'
import { hitsRow } from '../database/queries.js'

/**
 * Notes why the platform stopped what superpowers do on a channel; it is stopped until somebody switches it on again. False
 * where it was stopped already.
 */
export const setAutomationProblem = (
  tx: Queryable,
  organizationId: string,
  channelId: string,
  { problem, at }: { problem: string; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    `update channels set automation_problem = $3, automation_problem_at = $4
      where organization_id = $1 and channel_id = $2 and automation_problem is null and deleted_at is null`,
    [organizationId, channelId, problem, at],
  )
