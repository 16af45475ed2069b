import { getCampaignDailyInsights } from './campaigns/get-campaign-daily-insights.js'
import { listAdAccounts } from './campaigns/list-ad-accounts.js'
import { listDailyInsights } from './campaigns/list-daily-insights.js'
import type { ApiOperation, OperatorOperation } from './http/operation.js'
import { approveOrganizationScheduledPost } from './operator/approve-organization-scheduled-post.js'
import { connectAdAccount } from './operator/connect-ad-account.js'
import { connectChannel } from './operator/connect-channel.js'
import { createAdAccount } from './operator/create-ad-account.js'
import { createChannel } from './operator/create-channel.js'
import { createOrganization } from './operator/create-organization.js'
import { createSuperpower } from './operator/create-superpower.js'
import { createWorkspace } from './operator/create-workspace.js'
import { deactivateSuperpower } from './operator/deactivate-superpower.js'
import { disconnectChannel } from './operator/disconnect-channel.js'
import { importConversations } from './operator/import-conversations.js'
import { issueKey } from './operator/issue-key.js'
import { listKeys } from './operator/list-keys.js'
import { listOrganizationAdAccounts } from './operator/list-organization-ad-accounts.js'
import { listOrganizationChannels } from './operator/list-organization-channels.js'
import { listOrganizationSuperpowers } from './operator/list-organization-superpowers.js'
import { listOrganizationWorkspaces } from './operator/list-organization-workspaces.js'
import { listOrganizations } from './operator/list-organizations.js'
import { listScheduledPostHistory } from './operator/list-scheduled-post-history.js'
import { markVip } from './operator/mark-vip.js'
import { retryScheduledPost } from './operator/retry-scheduled-post.js'
import { revokeKey } from './operator/revoke-key.js'
import { unmarkVip } from './operator/unmark-vip.js'
import { updateChannel } from './operator/update-channel.js'
import { updateOrganization } from './operator/update-organization.js'
import { approveScheduledPost } from './scheduled-posts/approve-scheduled-post.js'
import { createScheduledPost } from './scheduled-posts/create-scheduled-post.js'
import { deleteScheduledPost } from './scheduled-posts/delete-scheduled-post.js'
import { getScheduledPost } from './scheduled-posts/get-scheduled-post.js'
import { listScheduledPosts } from './scheduled-posts/list-scheduled-posts.js'
import { listSuperpowers } from './scheduled-posts/list-superpowers.js'
import { publishScheduledPost } from './scheduled-posts/publish-scheduled-post.js'
import { rejectScheduledPost } from './scheduled-posts/reject-scheduled-post.js'
import { revertScheduledPost } from './scheduled-posts/revert-scheduled-post.js'
import { submitScheduledPostForApproval } from './scheduled-posts/submit-scheduled-post-for-approval.js'
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
  createScheduledPost,
  listScheduledPosts,
  getScheduledPost,
  updateScheduledPost,
  deleteScheduledPost,
  submitScheduledPostForApproval,
  rejectScheduledPost,
  revertScheduledPost,
  approveScheduledPost,
  publishScheduledPost,
  listSuperpowers,
]

/** `/v0`: the earlier variant (interface 9.4). */
export const earlierOperations: readonly ApiOperation[] = [listVipUsersEarlier, updateScheduledPostEarlier]

/** `/operator`. */
export const operatorOperations: readonly OperatorOperation[] = [
  createOrganization,
  listOrganizations,
  updateOrganization,
  issueKey,
  listKeys,
  revokeKey,
  createWorkspace,
  listOrganizationWorkspaces,
  createChannel,
  listOrganizationChannels,
  updateChannel,
  connectChannel,
  disconnectChannel,
  createAdAccount,
  listOrganizationAdAccounts,
  connectAdAccount,
  markVip,
  unmarkVip,
  importConversations,
  approveOrganizationScheduledPost,
  retryScheduledPost,
  listScheduledPostHistory,
  createSuperpower,
  listOrganizationSuperpowers,
  deactivateSuperpower,
]
