// Every operation. The app, the documents, the types and the tests iterate over this list.

export { getCaller } from './access/get-caller.js'
export { issueKey, listKeys, revokeKey, updateKey } from './access/keys/keys.js'
export { createOrganization, listOrganizations, updateOrganization } from './access/organizations.js'
export { acceptInvitation } from './access/people/accept-invitation.js'
export {
  createSignInLink,
  deletePerson,
  getMemberGrants,
  getPersonGrants,
  inviteOwner,
  listPeople,
  resetSecondFactors,
  updatePerson,
} from './access/people/accounts.js'
export { createInvitation, listInvitations, readInvitation, revokeInvitation } from './access/people/invitations.js'
export { listMembers, removeMember, updateMember } from './access/people/members.js'
export { getOwnNotifications, setOwnNotifications } from './access/people/own-notifications.js'
export { rotateMasterKey } from './access/rotate-master-key.js'
export {
  beginOwnPasskey,
  beginOwnTotp,
  finishOwnPasskey,
  finishOwnTotp,
  getOwnSecondFactors,
  removeOwnPasskey,
  removeOwnTotp,
  replaceOwnRecoveryCodes,
} from './access/second-factors/own-second-factors.js'
export {
  beginConfirmByPasskey,
  beginPassPasskey,
  confirmByPassword,
  confirmByTotp,
  finishConfirmByPasskey,
  finishPassPasskey,
  getConfirmation,
  getSecondFactor,
  passRecoveryCode,
  passTotp,
} from './access/second-factors/pass-or-confirm.js'
export { beginPasskeySignIn, finishPasskeySignIn } from './access/second-factors/passkey-sign-in.js'
export { beginOidcSignIn, finishOidcSignIn } from './access/sessions/oidc-sign-in.js'
export { changePassword, getMe, setOwnPreferences } from './access/sessions/own-account.js'
export {
  endPersonSessions,
  endSession,
  listPersonSessions,
  listSessions,
  signOut,
  signOutEverywhere,
} from './access/sessions/sessions.js'
export {
  getSignInOptions,
  readSignInLink,
  requestPasswordLink,
  signIn,
  signInByLink,
} from './access/sessions/sign-in.js'
export {
  allowDeviceLogin,
  beginDeviceLogin,
  fetchDeviceToken,
  readDeviceLogin,
  refuseDeviceLogin,
} from './access/tokens/device-login.js'
export { issueOperatorToken, listOperatorTokens, revokeOperatorToken } from './access/tokens/operator-tokens.js'
export {
  createOwnToken,
  listOwnTokens,
  listPersonTokens,
  revokeCallingToken,
  revokeOwnToken,
  revokePersonToken,
} from './access/tokens/own-tokens.js'
export { exportAudience, listAudience } from './audience/browse/list-audience.js'
export { deleteConversation, erasePerson, readmitPerson } from './audience/erase-person.js'
export { exportConversations } from './audience/export/export-conversations.js'
export { importConversations } from './audience/import/import-conversations.js'
export { exportVipUsers, listVipUsers, listVipUsersEarlier } from './audience/list-vip-users.js'
export { addOptOut, listOptOuts, removeOptOut } from './audience/opt-outs.js'
export { getPerson, linkPerson, searchPeople, unlinkPerson } from './audience/people/people.js'
export { createSegment, deleteSegment, listSegments, updateSegment } from './audience/segments/segments.js'
export { changeVipMarks, listPersonVipMarks, markVip, unmarkVip } from './audience/vip-marks.js'
export { exportAuditTrail, listAuditTrail, listServerAuditTrail } from './audit/audit-trail.js'
export { exportRaffle, listRaffles, redrawRaffle } from './automation/raffles/raffles.js'
export { getSuperpowerReport, listPostComments } from './automation/reports.js'
export { createBackup } from './backup/create-backup.js'
export {
  connectChannel,
  createChannel,
  disconnectChannel,
  listChannels,
  listOrganizationChannels,
  updateChannel,
} from './channels/channels.js'
export { createWorkspace, listWorkspaces, updateWorkspace } from './channels/workspaces.js'
export {
  createAdAccount,
  deleteAdAccount,
  listAdAccounts,
  listOrganizationAdAccounts,
  updateAdAccount,
} from './insights/ad-accounts.js'
export {
  getCampaignDailyInsights,
  listDailyInsights,
  listOrganizationDailyInsights,
} from './insights/daily-insights.js'
export { importPurchases } from './intake/purchases-import/import-purchases.js'
export { dismissSourceProblem, listSourceProblems, retrySourceProblem } from './intake/sources/problems.js'
export {
  createSource,
  deleteSource,
  getSource,
  listSources,
  rotateSourceSecret,
  updateSource,
} from './intake/sources/sources.js'
export { listMedia, uploadMedia, uploadSmallPicture } from './media/media-files.js'
export { listInbox, markInboxRead } from './news/inbox/own-inbox.js'
export {
  createWebhook,
  deleteWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  resendWebhookDelivery,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './news/webhooks/webhooks.js'
export { createOwnCalendarFeed, deleteOwnCalendarFeed, getOwnCalendarFeed } from './posts/calendar/calendar-feed.js'
export { listCalendarPosts } from './posts/calendar/list-calendar-posts.js'
export { listPostingSlots, setPostingSlots } from './posts/calendar/posting-slots.js'
export {
  approveScheduledPost,
  deleteScheduledPost,
  publishScheduledPost,
  rejectScheduledPost,
  retryScheduledPost,
  revertScheduledPost,
  submitScheduledPostForApproval,
  undoDecision,
} from './posts/change-status.js'
export { createOrganizationScheduledPost, createScheduledPost } from './posts/create-scheduled-post.js'
export { listDiscussionHistory } from './posts/discussion/list-discussion-history.js'
export {
  createDiscussionMessage,
  deleteDiscussionMessage,
  listDiscussionMessages,
  reopenDiscussionMessage,
  resolveDiscussionMessage,
  updateDiscussionMessage,
} from './posts/discussion/messages.js'
export {
  createMessageForReview,
  deleteMessageForReview,
  listMessagesForReview,
  updateMessageForReview,
} from './posts/discussion/messages-for-review.js'
export { checkPostMedia, getLastReview, getScheduledPost, getScheduledPostWait } from './posts/get-scheduled-post.js'
export { importScheduledPosts } from './posts/import/import-scheduled-posts.js'
export { listScheduledPostHistory } from './posts/list-scheduled-post-history.js'
export {
  listMediaUses,
  listOrganizationScheduledPosts,
  listScheduledPostNames,
  listScheduledPosts,
  listWaitingForMe,
} from './posts/list-scheduled-posts.js'
export {
  approvePostForReview,
  checkMediaForReview,
  returnPostForReview,
  undoDecisionForReview,
} from './posts/review-links/decide-for-review.js'
export { createReviewLink, sendReviewLink } from './posts/review-links/make-review-link.js'
export { listPostsForReview, openReviewLink, readReviewLink } from './posts/review-links/open-review-link.js'
export { listReviewLinks, revokeReviewLink } from './posts/review-links/review-links.js'
export { createSavedText, deleteSavedText, listSavedTexts, updateSavedText } from './posts/saved-texts/saved-texts.js'
export { createPostSeries, getSeriesOfPost, stopPostSeries } from './posts/series/series.js'
export { stopSuperpower } from './posts/stop-superpower.js'
export {
  updateOrganizationScheduledPost,
  updateScheduledPost,
  updateScheduledPostEarlier,
} from './posts/update-scheduled-post.js'
export { deleteChannel, deleteMedia, deleteOrganization, deleteWorkspace } from './removal/deletions.js'
export { getRevision } from './status/get-revision.js'
export { getServerHealth } from './status/get-server-health.js'
export { explainSuperpower } from './superpowers/explain.js'
export {
  createSuperpower,
  deleteSuperpower,
  listOrganizationSuperpowers,
  listSuperpowers,
  updateSuperpower,
} from './superpowers/superpowers.js'
