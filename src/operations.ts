import { getCampaignDailyInsights } from './campaigns/get-campaign-daily-insights.js'
import { listAdAccounts } from './campaigns/list-ad-accounts.js'
import { listDailyInsights } from './campaigns/list-daily-insights.js'
import type { ApiOperation, OperatorOperation } from './http/operation.js'
import { getScheduledPost } from './scheduled-posts/get-scheduled-post.js'
import { updateScheduledPost, updateScheduledPostEarlier } from './scheduled-posts/update-scheduled-post.js'
import { listVipUsers, listVipUsersEarlier } from './vip-users/list-vip-users.js'
import { listChannels } from './workspaces/list-channels.js'
import { listWorkspaces } from './workspaces/list-workspaces.js'

/** Every operation there is. The app, OpenAPI and the contract tests iterate over these lists. */

/** `/v1`: the current form of the interface. */
export const currentOperations: readonly ApiOperation[] = [
  listWorkspaces,
  listChannels,
  listVipUsers,
  listAdAccounts,
  listDailyInsights,
  getCampaignDailyInsights,
  getScheduledPost,
  updateScheduledPost,
]

/** `/v0`: the earlier variant (interface 9.4). */
export const earlierOperations: readonly ApiOperation[] = [listVipUsersEarlier, updateScheduledPostEarlier]

/** `/operator`. */
export const operatorOperations: readonly OperatorOperation[] = []
