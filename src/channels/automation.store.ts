import type { Queryable } from '../database/database.js'
import { findRow, hitsRow } from '../database/queries.js'
import type { AutomationMode } from '../interface/automation.js'
import { PLATFORM_CHANNEL_COLUMNS, type PlatformChannelRow } from './channels.store.js'

/**
 * Records why the platform stopped superpowers on a channel; they stay stopped until someone switches them on again. Returns
 * false if they were already stopped.
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

export interface AutomationChange {
  automation?: AutomationMode | undefined
  automatedNotice?: string | null | undefined
  privateRepliesPerHour?: number | undefined
}

/**
 * Changes what superpowers do on a channel. Setting the switch, even to its current value, restarts a channel that the
 * platform stopped; comments from before a change of the switch are ignored. Returns undefined if the channel does not
 * exist.
 */
export const updateAutomation = (
  tx: Queryable,
  [organizationId, channelId]: [string, string],
  { automation, automatedNotice, privateRepliesPerHour }: AutomationChange,
  now: Date,
): Promise<PlatformChannelRow | undefined> =>
  findRow(
    tx,
    `update channels
        set automation = coalesce($3, automation),
            automation_since = case when $3 <> automation and $3 <> 'off' then $4 else automation_since end,
            automation_problem = case when $3 is null then automation_problem end,
            automation_problem_at = case when $3 is null then automation_problem_at end,
            automated_notice = case when $5 then $6 else automated_notice end,
            private_replies_per_hour = coalesce($7, private_replies_per_hour)
      where organization_id = $1 and channel_id = $2 and deleted_at is null returning ${PLATFORM_CHANNEL_COLUMNS}`,
    [
      ...[organizationId, channelId, automation ?? null, now],
      ...[automatedNotice !== undefined, automatedNotice ?? null, privateRepliesPerHour ?? null],
    ],
  )
