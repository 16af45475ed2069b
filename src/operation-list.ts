// Every operation there is. The app, the documents, the types and the tests iterate over the list.

export { createOrganization } from './access/create-organization.js'
export { exportAuditTrail } from './access/export-audit-trail.js'
export { getCaller } from './access/get-caller.js'
export { issueKey } from './access/issue-key.js'
export { issueOperatorToken } from './access/issue-operator-token.js'
export { listAuditTrail, listServerAuditTrail } from './access/list-audit-trail.js'
export { listKeys } from './access/list-keys.js'
export { listOperatorTokens } from './access/list-operator-tokens.js'
export { listOrganizations } from './access/list-organizations.js'
export { acceptInvitation } from './access/people/accept-invitation.js'
export { createInvitation } from './access/people/create-invitation.js'
export { deletePerson } from './access/people/delete-person.js'
export { getMemberGrants, getPersonGrants } from './access/people/get-grants.js'
export { createSignInLink, inviteOwner } from './access/people/issue-entry-links.js'
export { listInvitations } from './access/people/list-invitations.js'
export { listMembers } from './access/people/list-members.js'
export { listPeople } from './access/people/list-people.js'
export { getOwnNotifications, setOwnNotifications } from './access/people/own-notifications.js'
export { readInvitation } from './access/people/read-invitation.js'
export { removeMember } from './access/people/remove-member.js'
export { revokeInvitation } from './access/people/revoke-invitation.js'
export { updateMember } from './access/people/update-member.js'
export { updatePerson } from './access/people/update-person.js'
export { revokeKey } from './access/revoke-key.js'
export { revokeOperatorToken } from './access/revoke-operator-token.js'
export { rotateMasterKey } from './access/rotate-master-key.js'
export {
  beginConfirmByPasskey,
  confirmByPassword,
  confirmByTotp,
  finishConfirmByPasskey,
  getConfirmation,
} from './access/second-factors/confirm-session.js'
export { getOwnSecondFactors } from './access/second-factors/get-own-second-factors.js'
export { beginOwnPasskey, finishOwnPasskey, removeOwnPasskey } from './access/second-factors/own-passkeys.js'
export { beginOwnTotp, finishOwnTotp, removeOwnTotp } from './access/second-factors/own-totp.js'
export {
  beginPassPasskey,
  finishPassPasskey,
  getSecondFactor,
  passRecoveryCode,
  passTotp,
} from './access/second-factors/pass-second-factor.js'
export { beginPasskeySignIn, finishPasskeySignIn } from './access/second-factors/passkey-sign-in.js'
export { replaceOwnRecoveryCodes } from './access/second-factors/replace-own-recovery-codes.js'
export { resetSecondFactors } from './access/second-factors/reset-second-factors.js'
export { changePassword } from './access/sessions/change-password.js'
export { endPersonSessions, endSession, signOut, signOutEverywhere } from './access/sessions/end-sessions.js'
export { getMe } from './access/sessions/get-me.js'
export { getSignInOptions } from './access/sessions/get-sign-in-options.js'
export { listPersonSessions, listSessions } from './access/sessions/list-sessions.js'
export { beginOidcSignIn, finishOidcSignIn } from './access/sessions/oidc-sign-in.js'
export { readSignInLink } from './access/sessions/read-sign-in-link.js'
export { requestPasswordLink } from './access/sessions/request-password-link.js'
export { setOwnPreferences } from './access/sessions/set-own-preferences.js'
export { signIn } from './access/sessions/sign-in.js'
export { signInByLink } from './access/sessions/sign-in-by-link.js'
export { allowDeviceLogin, readDeviceLogin, refuseDeviceLogin } from './access/tokens/answer-device-login.js'
export { beginDeviceLogin, fetchDeviceToken } from './access/tokens/device-login.js'
export {
  createOwnToken,
  listOwnTokens,
  listPersonTokens,
  revokeCallingToken,
  revokeOwnToken,
  revokePersonToken,
} from './access/tokens/own-tokens.js'
export { updateKey } from './access/update-key.js'
export { updateOrganization } from './access/update-organization.js'
export { exportAudience, listAudience } from './audience/browse/list-audience.js'
export { deleteConversation, erasePerson, readmitPerson } from './audience/erase-person.js'
export { exportConversations } from './audience/export/export-conversations.js'
export { importConversations } from './audience/import/import-conversations.js'
export { exportVipUsers, listVipUsers, listVipUsersEarlier } from './audience/list-vip-users.js'
export { addOptOut, listOptOuts, removeOptOut } from './audience/opt-outs.js'
export { getPerson, linkPerson, searchPeople, unlinkPerson } from './audience/people/people.js'
export { createSegment, deleteSegment, listSegments, updateSegment } from './audience/segments/segments.js'
export { changeVipMarks, listPersonVipMarks, markVip, unmarkVip } from './audience/vip-marks.js'
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
export { listInbox } from './inbox/list-inbox.js'
export { markInboxRead } from './inbox/mark-inbox-read.js'
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
export { createWebhook } from './notifications/create-webhook.js'
export { deleteWebhook } from './notifications/delete-webhook.js'
export { getWebhookDelivery } from './notifications/get-webhook-delivery.js'
export { listWebhookDeliveries } from './notifications/list-webhook-deliveries.js'
export { listWebhooks } from './notifications/list-webhooks.js'
export { resendWebhookDelivery } from './notifications/resend-webhook-delivery.js'
export { rotateWebhookSecret } from './notifications/rotate-webhook-secret.js'
export { testWebhook } from './notifications/test-webhook.js'
export { updateWebhook } from './notifications/update-webhook.js'
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
export { deleteChannel } from './removal/delete-channel.js'
export { deleteMedia } from './removal/delete-media.js'
export { deleteOrganization } from './removal/delete-organization.js'
export { deleteWorkspace } from './removal/delete-workspace.js'
export { getRevision } from './revision/get-revision.js'
export { getServerHealth } from './server/get-server-health.js'
export { explainSuperpower } from './superpowers/explain.js'
export {
  createSuperpower,
  deleteSuperpower,
  listOrganizationSuperpowers,
  listSuperpowers,
  updateSuperpower,
} from './superpowers/superpowers.js'
