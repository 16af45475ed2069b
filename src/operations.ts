import { createOrganization } from './access/create-organization.js'
import { issueKey } from './access/issue-key.js'
import { listKeys } from './access/list-keys.js'
import { listOrganizations } from './access/list-organizations.js'
import { revokeKey } from './access/revoke-key.js'
import { rotateMasterKey } from './access/rotate-master-key.js'
import { updateOrganization } from './access/update-organization.js'
import { importConversations } from './audience/import/import-conversations.js'
import { listVipUsers, listVipUsersEarlier } from './audience/list-vip-users.js'
import { markVip } from './audience/mark-vip.js'
import { unmarkVip } from './audience/unmark-vip.js'
import { connectChannel } from './channels/connect-channel.js'
import { createChannel } from './channels/create-channel.js'
import { createWorkspace } from './channels/create-workspace.js'
import { disconnectChannel } from './channels/disconnect-channel.js'
import { listChannels } from './channels/list-channels.js'
import { listOrganizationChannels } from './channels/list-organization-channels.js'
import { listOrganizationWorkspaces } from './channels/list-organization-workspaces.js'
import { listWorkspaces } from './channels/list-workspaces.js'
import { updateChannel } from './channels/update-channel.js'
import type { ApiOperation, OperatorOperation } from './http/operation.js'
import { connectAdAccount } from './insights/connect-ad-account.js'
import { createAdAccount } from './insights/create-ad-account.js'
import { getCampaignDailyInsights } from './insights/get-campaign-daily-insights.js'
import { listAdAccounts } from './insights/list-ad-accounts.js'
import { listDailyInsights } from './insights/list-daily-insights.js'
import { listOrganizationAdAccounts } from './insights/list-organization-ad-accounts.js'
import { approveOrganizationScheduledPost } from './posts/approve-organization-scheduled-post.js'
import { approveScheduledPost } from './posts/approve-scheduled-post.js'
import { createScheduledPost } from './posts/create-scheduled-post.js'
import { deleteScheduledPost } from './posts/delete-scheduled-post.js'
import { getScheduledPost } from './posts/get-scheduled-post.js'
import { listScheduledPostHistory } from './posts/list-scheduled-post-history.js'
import { listScheduledPosts } from './posts/list-scheduled-posts.js'
import { publishScheduledPost } from './posts/publish-scheduled-post.js'
import { rejectScheduledPost } from './posts/reject-scheduled-post.js'
import { retryScheduledPost } from './posts/retry-scheduled-post.js'
import { revertScheduledPost } from './posts/revert-scheduled-post.js'
import { submitScheduledPostForApproval } from './posts/submit-scheduled-post-for-approval.js'
import { updateScheduledPost, updateScheduledPostEarlier } from './posts/update-scheduled-post.js'
import { createSuperpower } from './superpowers/create-superpower.js'
import { deactivateSuperpower } from './superpowers/deactivate-superpower.js'
import { listOrganizationSuperpowers } from './superpowers/list-organization-superpowers.js'
import { listSuperpowers } from './superpowers/list-superpowers.js'

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
  rotateMasterKey,
]
