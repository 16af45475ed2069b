// Every operation there is. The app, the documents, the types and the tests iterate over the list.

export { exportAuditTrail, listAuditTrail, listServerAuditTrail } from './access/audit-trail.js'
export { getCaller } from './access/get-caller.js'
export { issueKey, listKeys, revokeKey, updateKey } from './access/keys.js'
export { issueOperatorToken, listOperatorTokens, revokeOperatorToken } from './access/operator-tokens.js'
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
export {
  createOwnToken,
  listOwnTokens,
  listPersonTokens,
  revokeCallingToken,
  revokeOwnToken,
  revokePersonToken,
} from './access/tokens/own-tokens.js'
export { exportAudience, listAudience } from './audience/browse/list-audience.js'
export { deleteConversation } from './audience/delete-conversation.js'
export { erasePerson } from './audience/erase-person.js'
export { exportConversations } from './audience/export/export-conversations.js'
export { importConversations } from './audience/import/import-conversations.js'
export { exportVipUsers, listVipUsers, listVipUsersEarlier } from './audience/list-vip-users.js'
export { addOptOut, listOptOuts, removeOptOut } from './audience/opt-outs.js'
export { getPerson } from './audience/people/get-person.js'
export { linkPerson, unlinkPerson } from './audience/people/link-person.js'
export { searchPeople } from './audience/people/search-people.js'
export { readmitPerson } from './audience/readmit-person.js'
export { createSegment, deleteSegment, listSegments, updateSegment } from './audience/segments/segments.js'
export { markVip, unmarkVip } from './audience/vip-mark.js'
export { changeVipMarks, listPersonVipMarks } from './audience/vip-marks.js'
export { getSuperpowerReport } from './automation/get-report.js'
export { listPostComments } from './automation/list-comments.js'
export { exportRaffle } from './automation/raffles/export-raffle.js'
export { listRaffles } from './automation/raffles/list-raffles.js'
export { redrawRaffle } from './automation/raffles/redraw-raffle.js'
export { createBackup } from './backup/create-backup.js'
export { connectChannel, disconnectChannel } from './channels/connection.js'
export { createChannel } from './channels/create-channel.js'
export { createWorkspace } from './channels/create-workspace.js'
export { listChannels, listOrganizationChannels } from './channels/list-channels.js'
export { listWorkspaces } from './channels/list-workspaces.js'
export { updateChannel } from './channels/update-channel.js'
export { updateWorkspace } from './channels/update-workspace.js'
export { listInbox, markInboxRead } from './inbox/own-inbox.js'
export { createAdAccount } from './insights/create-ad-account.js'
export { getCampaignDailyInsights } from './insights/get-campaign-daily-insights.js'
export { listAdAccounts, listOrganizationAdAccounts } from './insights/list-ad-accounts.js'
export { listDailyInsights, listOrganizationDailyInsights } from './insights/list-daily-insights.js'
export { deleteAdAccount, updateAdAccount } from './insights/update-ad-account.js'
export { importPurchases } from './intake/purchases-import/import-purchases.js'
export { createSource } from './intake/sources/create-source.js'
export { deleteSource } from './intake/sources/delete-source.js'
export { getSource, listSources } from './intake/sources/list-sources.js'
export { dismissSourceProblem, listSourceProblems, retrySourceProblem } from './intake/sources/problems.js'
export { rotateSourceSecret } from './intake/sources/rotate-source-secret.js'
export { updateSource } from './intake/sources/update-source.js'
export { listMedia } from './media/list-media.js'
export { uploadMedia } from './media/upload-media.js'
export { uploadSmallPicture } from './media/upload-small-picture.js'
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
} from './notifications/webhooks.js'
export { approveScheduledPost } from './posts/approve-scheduled-post.js'
export { listCalendarPosts } from './posts/calendar/list-calendar-posts.js'
export { createOwnCalendarFeed, deleteOwnCalendarFeed, getOwnCalendarFeed } from './posts/calendar/own-calendar-feed.js'
export { listPostingSlots, setPostingSlots } from './posts/calendar/posting-slots.js'
export { checkPostMedia } from './posts/check-media.js'
export { createOrganizationScheduledPost, createScheduledPost } from './posts/create-scheduled-post.js'
export { deleteScheduledPost } from './posts/delete-scheduled-post.js'
export { createDiscussionMessage } from './posts/discussion/create-discussion-message.js'
export { createMessageForReview } from './posts/discussion/create-message-for-review.js'
export { deleteDiscussionMessage } from './posts/discussion/delete-discussion-message.js'
export { deleteMessageForReview } from './posts/discussion/delete-message-for-review.js'
export { listDiscussionHistory } from './posts/discussion/list-discussion-history.js'
export { listDiscussionMessages } from './posts/discussion/list-discussion-messages.js'
export { listMessagesForReview } from './posts/discussion/list-messages-for-review.js'
export { reopenDiscussionMessage, resolveDiscussionMessage } from './posts/discussion/resolve-discussion-message.js'
export { updateDiscussionMessage } from './posts/discussion/update-discussion-message.js'
export { updateMessageForReview } from './posts/discussion/update-message-for-review.js'
export { getLastReview } from './posts/get-last-review.js'
export { getScheduledPost } from './posts/get-scheduled-post.js'
export { getScheduledPostWait } from './posts/get-scheduled-post-wait.js'
export { importScheduledPosts } from './posts/import/import-scheduled-posts.js'
export { listMediaUses } from './posts/list-media-uses.js'
export { listScheduledPostHistory } from './posts/list-scheduled-post-history.js'
export { listScheduledPostNames } from './posts/list-scheduled-post-names.js'
export { listOrganizationScheduledPosts, listScheduledPosts } from './posts/list-scheduled-posts.js'
export { listWaitingForMe } from './posts/list-waiting-for-me.js'
export { publishScheduledPost } from './posts/publish-scheduled-post.js'
export { rejectScheduledPost } from './posts/reject-scheduled-post.js'
export { retryScheduledPost } from './posts/retry-scheduled-post.js'
export { revertScheduledPost } from './posts/revert-scheduled-post.js'
export { approvePostForReview } from './posts/review-links/approve-post-for-review.js'
export { checkMediaForReview } from './posts/review-links/check-media-for-review.js'
export { createReviewLink } from './posts/review-links/create-review-link.js'
export { listPostsForReview } from './posts/review-links/list-posts-for-review.js'
export { listReviewLinks } from './posts/review-links/list-review-links.js'
export { openReviewLink } from './posts/review-links/open-review-link.js'
export { readReviewLink } from './posts/review-links/read-review-link.js'
export { returnPostForReview } from './posts/review-links/return-post-for-review.js'
export { revokeReviewLink } from './posts/review-links/revoke-review-link.js'
export { sendReviewLink } from './posts/review-links/send-review-link.js'
export { undoDecisionForReview } from './posts/review-links/undo-decision-for-review.js'
export { createSavedText } from './posts/saved-texts/create-saved-text.js'
export { deleteSavedText } from './posts/saved-texts/delete-saved-text.js'
export { listSavedTexts } from './posts/saved-texts/list-saved-texts.js'
export { updateSavedText } from './posts/saved-texts/update-saved-text.js'
export { createPostSeries } from './posts/series/create-post-series.js'
export { getSeriesOfPost } from './posts/series/get-series-of-post.js'
export { stopPostSeries } from './posts/series/stop-post-series.js'
export { stopSuperpower } from './posts/stop-superpower.js'
export { submitScheduledPostForApproval } from './posts/submit-scheduled-post-for-approval.js'
export { undoDecision } from './posts/undo-decision.js'
export {
  updateOrganizationScheduledPost,
  updateScheduledPost,
  updateScheduledPostEarlier,
} from './posts/update-scheduled-post.js'
export { deleteChannel, deleteMedia, deleteOrganization, deleteWorkspace } from './removal/deletions.js'
export { getRevision } from './revision/get-revision.js'
export { getServerHealth } from './server/get-server-health.js'
export { createSuperpower } from './superpowers/create-superpower.js'
export { deleteSuperpower } from './superpowers/delete-superpower.js'
export { explainSuperpower } from './superpowers/explain.js'
export { listOrganizationSuperpowers, listSuperpowers } from './superpowers/list-superpowers.js'
export { updateSuperpower } from './superpowers/update-superpower.js'
