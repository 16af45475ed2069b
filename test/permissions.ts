/**
 * The permission of every operation and the permissions of every kind of caller, as docs/access.md means them. The
 * tests hold the service to this record, which is written by hand: a change of who may do what is made here as well, on
 * purpose.
 */

const READ = ['channels:read', 'audience:read', 'insights:read', 'posts:read', 'superpowers:read']
const VIEWER = [...READ, 'people:read']
const EDITOR = [...VIEWER, 'posts:write', 'superpowers:write', 'audience:mark']
const SOURCES = ['sources:read', 'sources:manage']
const ADMIN = [
  ...[...EDITOR, 'audience:write', 'settings:read', 'settings:write', ...SOURCES, 'automation:manage', 'audit:read'],
  'people:write',
]
const SERVER = [...ADMIN, 'posts:approve', 'operator', 'self']

/** The permissions that a key can be issued with. */
export const KEY = [
  ...READ,
  'posts:write',
  'superpowers:write',
  'audience:mark',
  'audience:write',
  'settings:read',
  'settings:write',
  'audit:read',
] as const

/** The permissions of each kind of caller. */
export const HELD = {
  VIEWER,
  EDITOR,
  ADMIN,
  key: [...KEY, 'self'],
  operator: SERVER,
  owner: SERVER,
  person: ['self'],
  visitor: ['sign-in'],
  halfSession: ['second-factor'],
  outsider: ['review'],
} satisfies Record<string, readonly string[]>

/** The operations that each permission opens; of several permissions any one does. */
const OPENED: Record<string, string> = {
  'channels:read': 'listWorkspaces listChannels listOrganizationChannels',
  'audience:read':
    'listVipUsers listVipUsersEarlier exportVipUsers exportConversations getPerson searchPeople listPersonVipMarks listAudience exportAudience listSegments',
  'insights:read':
    'listAdAccounts listDailyInsights listOrganizationDailyInsights getCampaignDailyInsights listOrganizationAdAccounts',
  'posts:write':
    'createScheduledPost updateScheduledPost updateScheduledPostEarlier updateOrganizationScheduledPost deleteScheduledPost submitScheduledPostForApproval revertScheduledPost uploadMedia uploadSmallPicture deleteMedia setPostingSlots createOrganizationScheduledPost importScheduledPosts createPostSeries stopPostSeries createSavedText updateSavedText deleteSavedText',
  'posts:read':
    'listScheduledPosts listOrganizationScheduledPosts listScheduledPostNames getScheduledPost listScheduledPostHistory listReviewLinks getLastReview listDiscussionMessages createDiscussionMessage updateDiscussionMessage deleteDiscussionMessage resolveDiscussionMessage reopenDiscussionMessage listDiscussionHistory listMedia listPostComments getSuperpowerReport listRaffles exportRaffle listInbox markInboxRead listCalendarPosts listPostingSlots getOwnCalendarFeed createOwnCalendarFeed deleteOwnCalendarFeed getSeriesOfPost listSavedTexts listOrganizationReviewLinks listMediaUses',
  'posts:write | posts:approve': 'rejectScheduledPost undoDecision sendReviewLink',
  'posts:read | audience:read | insights:read | channels:read | settings:read': 'getRevision',
  'posts:approve':
    'approveScheduledPost publishScheduledPost retryScheduledPost createReviewLink listWaitingForMe createReviewLinkForPosts checkPostMedia',
  'posts:approve | people:write': 'revokeReviewLink',
  review:
    'readReviewLink openReviewLink getReview approveByLink returnByLink listReviewMessages createReviewMessage updateReviewMessage deleteReviewMessage listMessagesForReview createMessageForReview updateMessageForReview deleteMessageForReview listPostsForReview approvePostForReview returnPostForReview undoDecisionForReview checkMediaByLink checkMediaForReview',
  'superpowers:read': 'listSuperpowers listOrganizationSuperpowers explainSuperpower',
  'superpowers:write': 'createSuperpower updateSuperpower deleteSuperpower',
  self: 'getCaller getMe changePassword setOwnPreferences getOwnSecondFactors beginOwnTotp finishOwnTotp removeOwnTotp beginOwnPasskey finishOwnPasskey removeOwnPasskey replaceOwnRecoveryCodes getConfirmation confirmByPassword confirmByTotp beginConfirmByPasskey finishConfirmByPasskey listSessions endSession signOutEverywhere',
  operator:
    'createOrganization listOrganizations deleteOrganization issueOperatorToken listOperatorTokens revokeOperatorToken listServerAuditTrail rotateMasterKey createBackup inviteOwner listPeople getPersonGrants updatePerson deletePerson createSignInLink listPersonSessions endPersonSessions resetSecondFactors getServerHealth',
  'settings:write':
    'updateOrganization issueKey revokeKey createWorkspace updateWorkspace deleteWorkspace createChannel updateChannel deleteChannel connectChannel disconnectChannel createAdAccount updateAdAccount deleteAdAccount deleteWebhook rotateWebhookSecret testWebhook resendWebhookDelivery updateKey createWebhook updateWebhook',
  'settings:read': 'listKeys listWebhookDeliveries listWebhooks getWebhookDelivery',
  'sources:read': 'listSources getSource listSourceProblems',
  'sources:manage': 'createSource updateSource deleteSource rotateSourceSecret retrySourceProblem dismissSourceProblem',
  'automation:manage': 'stopSuperpower redrawRaffle listOptOuts addOptOut removeOptOut',
  'audience:mark': 'markVip unmarkVip changeVipMarks createSegment updateSegment deleteSegment',
  'audience:write':
    'importConversations importPurchases deleteConversation erasePerson readmitPerson linkPerson unlinkPerson',
  'audit:read': 'listAuditTrail listOwnAuditTrail exportOwnAuditTrail',
  'people:read': 'listMembers getOwnNotifications setOwnNotifications',
  'people:write': 'updateMember getMemberGrants removeMember createInvitation listInvitations revokeInvitation',
  'sign-in':
    'getSignInOptions signIn readSignInLink signInByLink beginOidcSignIn finishOidcSignIn beginPasskeySignIn finishPasskeySignIn readInvitation acceptInvitation requestPasswordLink',
  'second-factor': 'getSecondFactor passTotp passRecoveryCode beginPassPasskey finishPassPasskey',
  'self | second-factor': 'signOut',
  'posts:approve | people:write | posts:write': 'revokeOrganizationReviewLink',
}

const PERMISSIONS_OF = new Map<string, readonly string[]>()
for (const [permissions, operationIds] of Object.entries(OPENED)) {
  for (const operationId of operationIds.split(' ')) PERMISSIONS_OF.set(operationId, permissions.split(' | '))
}

/** Gives the permissions of which any one opens the operation. Throws for an operation that has no line here. */
export function permissionsOf(operationId: string): readonly string[] {
  const permissions = PERMISSIONS_OF.get(operationId)
  if (permissions === undefined) throw new Error(`test/permissions.ts does not say who may call ${operationId}`)
  return permissions
}

export const recordedOperations = (): string[] => [...PERMISSIONS_OF.keys()]
