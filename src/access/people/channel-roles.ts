import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import type { ChannelRole } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import type { ByAndAt } from '../approval.store.js'
import {
  type ChannelRoleRow,
  holdChannels,
  listChannelRoles,
  noteLaterGrant,
  replaceChannelRoles,
} from './channel-roles.store.js'
import type { LockedMemberRow } from './memberships.store.js'
import { mayApproveSchema } from './person.js'

export const channelRolesSchema = Joi.array().items(
  namedObject('ChannelRole', {
    channelId: Joi.string().required(),
    role: Joi.string()
      .valid('VIEWER', 'EDITOR')
      .required()
      .description('The role in this channel, which replaces the role in the organization.'),
    mayApprove: mayApproveSchema.required(),
  }),
)

/** The full list of a member's roles by channel; it replaces the current one. */
export const newChannelRolesSchema = channelRolesSchema.unique('channelId').max(limit('rolesByChannel'))

interface Wanted {
  role: LockedMemberRow['role']
  mayApprove: boolean
  /** Undefined to keep the current ones. */
  channels: readonly ChannelRole[] | undefined
}

/**
 * Writes the roles by channel of a locked member, before the membership changes: an administrator has none. A right
 * to approve that the person already had keeps its grant. A new one is a grant by the caller, and so is the
 * organization's right if it applies again in a channel (listApprovalGrants). Throws channel_unknown and
 * administrator_everywhere.
 */
export async function changeChannelRoles(
  tx: Queryable,
  organizationId: string,
  before: LockedMemberRow,
  wanted: Wanted,
  grant: ByAndAt,
): Promise<void> {
  const isAdministrator = wanted.role === 'ADMIN'
  if (isAdministrator && wanted.channels !== undefined && wanted.channels.length > 0) {
    throw new ApiError('administrator_everywhere')
  }
  const channels = isAdministrator ? [] : wanted.channels
  if (channels === undefined || (channels.length === 0 && before.channels === null)) return
  const personId = before.person_id
  const rows = await listChannelRoles(tx, organizationId, personId)
  // Includes removed roles, because deleting their channel locks the same rows.
  const ids = [...channels, ...rows].map(({ channelId }) => channelId)
  const there = new Set(await holdChannels(tx, organizationId, ids))
  const unknown = channels.find(({ channelId }) => !there.has(channelId))
  if (unknown !== undefined) {
    throw new ApiError('channel_unknown', {
      message: `There is no channel with the id ${unknown.channelId}: use one from the list of channels.`,
    })
  }
  const earlier = earlierGrants(before, rows)
  const granted = channels.map((one) => ({
    ...one,
    granted: one.mayApprove ? (earlier(one.channelId) ?? grant) : NONE,
  }))
  await replaceChannelRoles(tx, organizationId, personId, granted)
  if (!wanted.mayApprove) return
  const left = rows.filter(({ channelId }) => !channels.some((one) => one.channelId === channelId))
  const latest = left
    .map(({ channelId }) => earlier(channelId) ?? grant)
    .reduce((a, b) => ((b.at?.getTime() ?? 0) > (a.at?.getTime() ?? 0) ? b : a), NONE)
  if (latest.at !== null) await noteLaterGrant(tx, organizationId, personId, latest)
}

const NONE: ByAndAt = { by: null, at: null }

/** Returns a lookup of the grant behind a right to approve in a channel; undefined if the person did not have it. */
function earlierGrants(before: LockedMemberRow, rows: readonly ChannelRoleRow[]) {
  const byChannel = new Map(rows.map((row) => [row.channelId, row]))
  return (channelId: string): ByAndAt | undefined => {
    const row = byChannel.get(channelId)
    if (row !== undefined) return row.mayApprove ? row.granted : undefined
    return before.may_approve ? { by: before.approval_granted_by, at: before.approval_granted_at } : undefined
  }
}
