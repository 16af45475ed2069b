import { createOrganization } from './access/create-organization.js'
import { exportAuditTrail } from './access/export-audit-trail.js'
import { getCaller } from './access/get-caller.js'
import { issueKey } from './access/issue-key.js'
import { issueOperatorToken } from './access/issue-operator-token.js'
import { listAuditTrail, listServerAuditTrail } from './access/list-audit-trail.js'
import { listKeys } from './access/list-keys.js'
import { listOperatorTokens } from './access/list-operator-tokens.js'
import { listOrganizations } from './access/list-organizations.js'
import { acceptInvitation } from './access/people/accept-invitation.js'
import { createInvitation } from './access/people/create-invitation.js'
import { deletePerson } from './access/people/delete-person.js'
import { getMemberGrants, getPersonGrants } from './access/people/get-grants.js'
import { createSignInLink, inviteOwner } from './access/people/issue-entry-links.js'
import { listInvitations } from './access/people/list-invitations.js'
import { listMembers } from './access/people/list-members.js'
import { listPeople } from './access/people/list-people.js'
import { getOwnNotifications, setOwnNotifications } from './access/people/own-notifications.js'
import { readInvitation } from './access/people/read-invitation.js'
import { removeMember } from './access/people/remove-member.js'
import { revokeInvitation } from './access/people/revoke-invitation.js'
import { updateMember } from './access/people/update-member.js'
import { updatePerson } from './access/people/update-person.js'
import { revokeKey } from './access/revoke-key.js'
import { revokeOperatorToken } from './access/revoke-operator-token.js'
import { rotateMasterKey } from './access/rotate-master-key.js'
import {
  beginConfirmByPasskey,
  confirmByPassword,
  confirmByTotp,
  finishConfirmByPasskey,
  getConfirmation,
} from './access/second-factors/confirm-session.js'
import { getOwnSecondFactors } from './access/second-factors/get-own-second-factors.js'
import { beginOwnPasskey, finishOwnPasskey, removeOwnPasskey } from './access/second-factors/own-passkeys.js'
import { beginOwnTotp, finishOwnTotp, removeOwnTotp } from './access/second-factors/own-totp.js'
import {
  beginPassPasskey,
  finishPassPasskey,
  getSecondFactor,
  passRecoveryCode,
  passTotp,
} from './access/second-factors/pass-second-factor.js'
import { beginPasskeySignIn, finishPasskeySignIn } from './access/second-factors/passkey-sign-in.js'
import { replaceOwnRecoveryCodes } from './access/second-factors/replace-own-recovery-codes.js'
import { resetSecondFactors } from './access/second-factors/reset-second-factors.js'
import { changePassword } from './access/sessions/change-password.js'
import { endPersonSessions, endSession, signOut, signOutEverywhere } from './access/sessions/end-sessions.js'
import { getMe } from './access/sessions/get-me.js'
import { getSignInOptions } from './access/sessions/get-sign-in-options.js'
import { listPersonSessions, listSessions } from './access/sessions/list-sessions.js'
import { beginOidcSignIn, finishOidcSignIn } from './access/sessions/oidc-sign-in.js'
import { readSignInLink } from './access/sessions/read-sign-in-link.js'
import { requestPasswordLink } from './access/sessions/request-password-link.js'
import { setOwnPreferences } from './access/sessions/set-own-preferences.js'
import { signIn } from './access/sessions/sign-in.js'
import { signInByLink } from './access/sessions/sign-in-by-link.js'
import { allowDeviceLogin, readDeviceLogin, refuseDeviceLogin } from './access/tokens/answer-device-login.js'
import { beginDeviceLogin, fetchDeviceToken } from './access/tokens/device-login.js'
import {
  createOwnToken,
  listOwnTokens,
  listPersonTokens,
  revokeCallingToken,
  revokeOwnToken,
  revokePersonToken,
} from './access/tokens/own-tokens.js'
import { updateKey } from './access/update-key.js'
import { updateOrganization } from './access/update-organization.js'
import { exportAudience, listAudience } from './audience/browse/list-audience.js'
import { deleteConversation } from './audience/delete-conversation.js'
import { erasePerson } from './audience/erase-person.js'
import { exportConversations } from './audience/export/export-conversations.js'
import { importConversations } from './audience/import/import-conversations.js'
import { exportVipUsers, listVipUsers, listVipUsersEarlier } from './audience/list-vip-users.js'
import { addOptOut, listOptOuts, removeOptOut } from './audience/opt-outs.js'
import { getPerson } from './audience/people/get-person.js'
import { linkPerson, unlinkPerson } from './audience/people/link-person.js'
import { searchPeople } from './audience/people/search-people.js'
import { readmitPerson } from './audience/readmit-person.js'
import { createSegment, deleteSegment, listSegments, updateSegment } from './audience/segments/segments.js'
import { markVip, unmarkVip } from './audience/vip-mark.js'
import { changeVipMarks, listPersonVipMarks } from './audience/vip-marks.js'
import { getSuperpowerReport } from './automation/get-report.js'
import { listPostComments } from './automation/list-comments.js'
import { exportRaffle } from './automation/raffles/export-raffle.js'
import { listRaffles } from './automation/raffles/list-raffles.js'
import { redrawRaffle } from './automation/raffles/redraw-raffle.js'
import { createBackup } from './backup/create-backup.js'
import { connectChannel, disconnectChannel } from './channels/connection.js'
import { createChannel } from './channels/create-channel.js'
import { createWorkspace } from './channels/create-workspace.js'
import { listChannels, listOrganizationChannels } from './channels/list-channels.js'
import { listWorkspaces } from './channels/list-workspaces.js'
import { updateChannel } from './channels/update-channel.js'
import { updateWorkspace } from './channels/update-workspace.js'
import type { AppContext } from './context.js'
import type { Operation } from './http/operation.js'
import { listInbox } from './inbox/list-inbox.js'
import { markInboxRead } from './inbox/mark-inbox-read.js'
import { createAdAccount } from './insights/create-ad-account.js'
import { getCampaignDailyInsights } from './insights/get-campaign-daily-insights.js'
import { listAdAccounts, listOrganizationAdAccounts } from './insights/list-ad-accounts.js'
import { listDailyInsights, listOrganizationDailyInsights } from './insights/list-daily-insights.js'
import { deleteAdAccount, updateAdAccount } from './insights/update-ad-account.js'
import { importPurchases } from './intake/purchases-import/import-purchases.js'
import { createSource } from './intake/sources/create-source.js'
import { deleteSource } from './intake/sources/delete-source.js'
import { getSource, listSources } from './intake/sources/list-sources.js'
import { dismissSourceProblem, listSourceProblems, retrySourceProblem } from './intake/sources/problems.js'
import { rotateSourceSecret } from './intake/sources/rotate-source-secret.js'
import { updateSource } from './intake/sources/update-source.js'
import { listMedia } from './media/list-media.js'
import { uploadMedia } from './media/upload-media.js'
import { uploadSmallPicture } from './media/upload-small-picture.js'
import { createWebhook } from './notifications/create-webhook.js'
import { deleteWebhook } from './notifications/delete-webhook.js'
import { getWebhookDelivery } from './notifications/get-webhook-delivery.js'
import { listWebhookDeliveries } from './notifications/list-webhook-deliveries.js'
import { listWebhooks } from './notifications/list-webhooks.js'
import { resendWebhookDelivery } from './notifications/resend-webhook-delivery.js'
import { rotateWebhookSecret } from './notifications/rotate-webhook-secret.js'
import { testWebhook } from './notifications/test-webhook.js'
import { updateWebhook } from './notifications/update-webhook.js'
import { approveScheduledPost } from './posts/approve-scheduled-post.js'
import { listCalendarPosts } from './posts/calendar/list-calendar-posts.js'
import { createOwnCalendarFeed, deleteOwnCalendarFeed, getOwnCalendarFeed } from './posts/calendar/own-calendar-feed.js'
import { listPostingSlots, setPostingSlots } from './posts/calendar/posting-slots.js'
import { checkPostMedia } from './posts/check-media.js'
import { createOrganizationScheduledPost, createScheduledPost } from './posts/create-scheduled-post.js'
import { deleteScheduledPost } from './posts/delete-scheduled-post.js'
import { createDiscussionMessage } from './posts/discussion/create-discussion-message.js'
import { createMessageForReview } from './posts/discussion/create-message-for-review.js'
import { deleteDiscussionMessage } from './posts/discussion/delete-discussion-message.js'
import { deleteMessageForReview } from './posts/discussion/delete-message-for-review.js'
import { listDiscussionHistory } from './posts/discussion/list-discussion-history.js'
import { listDiscussionMessages } from './posts/discussion/list-discussion-messages.js'
import { listMessagesForReview } from './posts/discussion/list-messages-for-review.js'
import { reopenDiscussionMessage, resolveDiscussionMessage } from './posts/discussion/resolve-discussion-message.js'
import { updateDiscussionMessage } from './posts/discussion/update-discussion-message.js'
import { updateMessageForReview } from './posts/discussion/update-message-for-review.js'
import { getLastReview } from './posts/get-last-review.js'
import { getScheduledPost } from './posts/get-scheduled-post.js'
import { getScheduledPostWait } from './posts/get-scheduled-post-wait.js'
import { importScheduledPosts } from './posts/import/import-scheduled-posts.js'
import { listMediaUses } from './posts/list-media-uses.js'
import { listScheduledPostHistory } from './posts/list-scheduled-post-history.js'
import { listScheduledPostNames } from './posts/list-scheduled-post-names.js'
import { listOrganizationScheduledPosts, listScheduledPosts } from './posts/list-scheduled-posts.js'
import { listWaitingForMe } from './posts/list-waiting-for-me.js'
import { publishScheduledPost } from './posts/publish-scheduled-post.js'
import { rejectScheduledPost } from './posts/reject-scheduled-post.js'
import { retryScheduledPost } from './posts/retry-scheduled-post.js'
import { revertScheduledPost } from './posts/revert-scheduled-post.js'
import { approvePostForReview } from './posts/review-links/approve-post-for-review.js'
import { checkMediaForReview } from './posts/review-links/check-media-for-review.js'
import { createReviewLink } from './posts/review-links/create-review-link.js'
import { listPostsForReview } from './posts/review-links/list-posts-for-review.js'
import { listReviewLinks } from './posts/review-links/list-review-links.js'
import { openReviewLink } from './posts/review-links/open-review-link.js'
import { readReviewLink } from './posts/review-links/read-review-link.js'
import { returnPostForReview } from './posts/review-links/return-post-for-review.js'
import { revokeReviewLink } from './posts/review-links/revoke-review-link.js'
import { sendReviewLink } from './posts/review-links/send-review-link.js'
import { undoDecisionForReview } from './posts/review-links/undo-decision-for-review.js'
import { createSavedText } from './posts/saved-texts/create-saved-text.js'
import { deleteSavedText } from './posts/saved-texts/delete-saved-text.js'
import { listSavedTexts } from './posts/saved-texts/list-saved-texts.js'
import { updateSavedText } from './posts/saved-texts/update-saved-text.js'
import { createPostSeries } from './posts/series/create-post-series.js'
import { getSeriesOfPost } from './posts/series/get-series-of-post.js'
import { stopPostSeries } from './posts/series/stop-post-series.js'
import { stopSuperpower } from './posts/stop-superpower.js'
import { submitScheduledPostForApproval } from './posts/submit-scheduled-post-for-approval.js'
import { undoDecision } from './posts/undo-decision.js'
import {
  updateOrganizationScheduledPost,
  updateScheduledPost,
  updateScheduledPostEarlier,
} from './posts/update-scheduled-post.js'
import { deleteChannel } from './removal/delete-channel.js'
import { deleteMedia } from './removal/delete-media.js'
import { deleteOrganization } from './removal/delete-organization.js'
import { deleteWorkspace } from './removal/delete-workspace.js'
import { getRevision } from './revision/get-revision.js'
import { getServerHealth } from './server/get-server-health.js'
import { createSuperpower } from './superpowers/create-superpower.js'
import { deleteSuperpower } from './superpowers/delete-superpower.js'
import { explainSuperpower } from './superpowers/explain.js'
import { listOrganizationSuperpowers, listSuperpowers } from './superpowers/list-superpowers.js'
import { updateSuperpower } from './superpowers/update-superpower.js'

/**
 * Every operation there is; each says on which surfaces. The app, OpenAPI and the contract tests iterate over the
 * list.
 */
export const operations: readonly Operation<AppContext>[] = [
  listWorkspaces,
  listChannels,
  listOrganizationChannels,
  listVipUsers,
  listVipUsersEarlier,
  exportVipUsers,
  listAdAccounts,
  listDailyInsights,
  listOrganizationDailyInsights,
  getRevision,
  listInbox,
  markInboxRead,
  listWaitingForMe,
  getCampaignDailyInsights,
  createScheduledPost,
  createOrganizationScheduledPost,
  listScheduledPosts,
  listOrganizationScheduledPosts,
  listCalendarPosts,
  getScheduledPost,
  getScheduledPostWait,
  updateScheduledPost,
  updateScheduledPostEarlier,
  updateOrganizationScheduledPost,
  deleteScheduledPost,
  submitScheduledPostForApproval,
  rejectScheduledPost,
  revertScheduledPost,
  approveScheduledPost,
  undoDecision,
  checkPostMedia,
  publishScheduledPost,
  retryScheduledPost,
  listScheduledPostHistory,
  listScheduledPostNames,
  listPostingSlots,
  setPostingSlots,
  getOwnCalendarFeed,
  createOwnCalendarFeed,
  deleteOwnCalendarFeed,
  createReviewLink,
  listReviewLinks,
  revokeReviewLink,
  sendReviewLink,
  readReviewLink,
  openReviewLink,
  listPostsForReview,
  approvePostForReview,
  returnPostForReview,
  undoDecisionForReview,
  checkMediaForReview,
  getLastReview,
  listDiscussionMessages,
  createDiscussionMessage,
  updateDiscussionMessage,
  deleteDiscussionMessage,
  resolveDiscussionMessage,
  reopenDiscussionMessage,
  listDiscussionHistory,
  listMessagesForReview,
  createMessageForReview,
  updateMessageForReview,
  deleteMessageForReview,
  importScheduledPosts,
  createPostSeries,
  getSeriesOfPost,
  stopPostSeries,
  listSavedTexts,
  createSavedText,
  updateSavedText,
  deleteSavedText,
  uploadMedia,
  uploadSmallPicture,
  listMedia,
  listMediaUses,
  deleteMedia,
  listSuperpowers,
  listOrganizationSuperpowers,
  createSuperpower,
  updateSuperpower,
  deleteSuperpower,
  explainSuperpower,
  stopSuperpower,
  listPostComments,
  getSuperpowerReport,
  listRaffles,
  redrawRaffle,
  exportRaffle,
  listOptOuts,
  addOptOut,
  removeOptOut,
  getCaller,
  createOrganization,
  listOrganizations,
  updateOrganization,
  deleteOrganization,
  issueKey,
  listKeys,
  revokeKey,
  updateKey,
  issueOperatorToken,
  listOperatorTokens,
  revokeOperatorToken,
  createWorkspace,
  updateWorkspace,
  deleteWorkspace,
  createChannel,
  updateChannel,
  deleteChannel,
  connectChannel,
  disconnectChannel,
  createAdAccount,
  listOrganizationAdAccounts,
  updateAdAccount,
  deleteAdAccount,
  markVip,
  unmarkVip,
  changeVipMarks,
  listPersonVipMarks,
  listAudience,
  exportAudience,
  listSegments,
  createSegment,
  updateSegment,
  deleteSegment,
  importConversations,
  exportConversations,
  deleteConversation,
  getPerson,
  searchPeople,
  linkPerson,
  unlinkPerson,
  erasePerson,
  readmitPerson,
  importPurchases,
  createSource,
  listSources,
  getSource,
  updateSource,
  deleteSource,
  rotateSourceSecret,
  listSourceProblems,
  retrySourceProblem,
  dismissSourceProblem,
  listWebhooks,
  createWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  resendWebhookDelivery,
  listAuditTrail,
  exportAuditTrail,
  listServerAuditTrail,
  rotateMasterKey,
  createBackup,
  listMembers,
  updateMember,
  getMemberGrants,
  removeMember,
  getOwnNotifications,
  setOwnNotifications,
  createInvitation,
  listInvitations,
  revokeInvitation,
  inviteOwner,
  getServerHealth,
  listPeople,
  getPersonGrants,
  updatePerson,
  deletePerson,
  createSignInLink,
  listPersonSessions,
  endPersonSessions,
  listPersonTokens,
  revokePersonToken,
  resetSecondFactors,
  getSignInOptions,
  signIn,
  readSignInLink,
  signInByLink,
  requestPasswordLink,
  beginOidcSignIn,
  finishOidcSignIn,
  beginPasskeySignIn,
  finishPasskeySignIn,
  getSecondFactor,
  passTotp,
  passRecoveryCode,
  beginPassPasskey,
  finishPassPasskey,
  readInvitation,
  acceptInvitation,
  getMe,
  changePassword,
  setOwnPreferences,
  getOwnSecondFactors,
  beginOwnTotp,
  finishOwnTotp,
  removeOwnTotp,
  beginOwnPasskey,
  finishOwnPasskey,
  removeOwnPasskey,
  replaceOwnRecoveryCodes,
  getConfirmation,
  confirmByPassword,
  confirmByTotp,
  beginConfirmByPasskey,
  finishConfirmByPasskey,
  listSessions,
  endSession,
  signOutEverywhere,
  signOut,
  listOwnTokens,
  createOwnToken,
  revokeOwnToken,
  revokeCallingToken,
  beginDeviceLogin,
  fetchDeviceToken,
  readDeviceLogin,
  allowDeviceLogin,
  refuseDeviceLogin,
]
