import { readFileSync } from 'node:fs'

/**
 * The permissions of each kind of caller, from the table in docs/access.md, and the permission of every operation,
 * written here by hand. The tests compare the service with this record, so a change of access must be made here too, on
 * purpose. test/access-matrix.test.ts tries each route with one caller for each possible answer;
 * test/outside/matrix.long.test.ts tries every caller, also with other organizations' ids.
 */

const COLUMNS = readColumns()

/** Returns the table of docs/access.md: the permissions marked `yes` in each column. */
function readColumns(): Map<string, string[]> {
  const text = readFileSync(new URL('../docs/access.md', import.meta.url), 'utf8')
  const [names, ...rows] = text
    .split('\n')
    .filter((line) => /^\| (`\w|permission)/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''))
        .slice(1, -1),
    ) as [string[], ...string[][]]
  return new Map(
    names.map((name, at) => [name, rows.filter((row) => row[at] === 'yes').map(([permission]) => permission!)]),
  )
}

/** Returns the permissions in one column of the table in docs/access.md. */
export function permissionsIn(name: string): readonly string[] {
  const found = COLUMNS.get(name)
  if (found === undefined) throw new Error(`docs/access.md has no column ${name}`)
  return found
}

/** The permissions that a key can be issued with. */
export const KEY = permissionsIn('key')

/** The permissions of each kind of caller. */
export const HELD = {
  VIEWER: permissionsIn('VIEWER'),
  EDITOR: permissionsIn('EDITOR'),
  ADMIN: permissionsIn('ADMIN'),
  approver: permissionsIn('may approve'),
  key: [...KEY, 'self'],
  token: [...permissionsIn('token'), 'self'],
  operator: [...permissionsIn('operator'), 'self'],
  owner: [...permissionsIn('owner'), 'self'],
  person: ['self', 'account'],
  visitor: ['sign-in', 'device'],
  halfSession: ['second-factor'],
  outsider: ['review'],
} satisfies Record<string, readonly string[]>

/** The operations that each permission opens; if several are listed, any one is enough. */
const OPENED: Record<string, string> = {
  'channels:read': 'listWorkspaces listChannels listOrganizationChannels',
  'audience:read':
    'listVipUsers listVipUsersEarlier exportVipUsers exportConversations getPerson searchPeople listPersonVipMarks listAudience exportAudience listSegments',
  'insights:read':
    'listAdAccounts listDailyInsights listOrganizationDailyInsights getCampaignDailyInsights listOrganizationAdAccounts',
  'posts:write':
    'createScheduledPost updateScheduledPost updateScheduledPostEarlier updateOrganizationScheduledPost deleteScheduledPost submitScheduledPostForApproval revertScheduledPost uploadMedia uploadSmallPicture deleteMedia setPostingSlots createOrganizationScheduledPost importScheduledPosts createPostSeries stopPostSeries createSavedText updateSavedText deleteSavedText',
  'posts:read':
    'listScheduledPosts listOrganizationScheduledPosts listScheduledPostNames getScheduledPost getScheduledPostWait listScheduledPostHistory listReviewLinks getLastReview listDiscussionMessages createDiscussionMessage updateDiscussionMessage deleteDiscussionMessage resolveDiscussionMessage reopenDiscussionMessage listDiscussionHistory listMedia listPostComments getSuperpowerReport listRaffles exportRaffle listCalendarPosts listPostingSlots getSeriesOfPost listSavedTexts listMediaUses',
  'posts:write | posts:approve': 'rejectScheduledPost undoDecision sendReviewLink',
  'posts:read | audience:read | insights:read | channels:read | settings:read': 'getRevision',
  'posts:approve':
    'approveScheduledPost publishScheduledPost retryScheduledPost createReviewLink listWaitingForMe checkPostMedia',
  review:
    'readReviewLink openReviewLink listMessagesForReview createMessageForReview updateMessageForReview deleteMessageForReview listPostsForReview approvePostForReview returnPostForReview undoDecisionForReview checkMediaForReview',
  'superpowers:read': 'listSuperpowers listOrganizationSuperpowers explainSuperpower',
  'superpowers:write': 'createSuperpower updateSuperpower deleteSuperpower',
  self: 'getCaller revokeCallingToken',
  personal:
    'listInbox markInboxRead getOwnCalendarFeed createOwnCalendarFeed deleteOwnCalendarFeed getOwnNotifications setOwnNotifications',
  account:
    'getMe changePassword setOwnPreferences getOwnSecondFactors beginOwnTotp finishOwnTotp removeOwnTotp beginOwnPasskey finishOwnPasskey removeOwnPasskey replaceOwnRecoveryCodes getConfirmation confirmByPassword confirmByTotp beginConfirmByPasskey finishConfirmByPasskey listSessions endSession signOutEverywhere listOwnTokens createOwnToken revokeOwnToken readDeviceLogin allowDeviceLogin refuseDeviceLogin',
  device: 'beginDeviceLogin fetchDeviceToken',
  operator:
    'createOrganization listOrganizations deleteOrganization issueOperatorToken listOperatorTokens revokeOperatorToken listServerAuditTrail rotateMasterKey createBackup inviteOwner listPeople getPersonGrants updatePerson deletePerson createSignInLink listPersonSessions endPersonSessions listPersonTokens revokePersonToken resetSecondFactors getServerHealth',
  'settings:write':
    'updateOrganization issueKey revokeKey createWorkspace updateWorkspace deleteWorkspace createChannel updateChannel deleteChannel connectChannel disconnectChannel createAdAccount updateAdAccount deleteAdAccount deleteWebhook rotateWebhookSecret testWebhook resendWebhookDelivery updateKey createWebhook updateWebhook',
  'settings:read': 'listKeys listWebhookDeliveries listWebhooks getWebhookDelivery',
  'sources:read': 'listSources getSource listSourceProblems',
  'sources:manage': 'createSource updateSource deleteSource rotateSourceSecret retrySourceProblem dismissSourceProblem',
  'automation:manage': 'stopSuperpower redrawRaffle listOptOuts addOptOut removeOptOut',
  'audience:mark': 'markVip unmarkVip changeVipMarks createSegment updateSegment deleteSegment',
  'audience:write':
    'importConversations importPurchases deleteConversation erasePerson readmitPerson linkPerson unlinkPerson',
  'audit:read': 'listAuditTrail exportAuditTrail',
  'people:read': 'listMembers',
  'people:write': 'updateMember getMemberGrants removeMember createInvitation listInvitations revokeInvitation',
  'sign-in':
    'getSignInOptions signIn readSignInLink signInByLink beginOidcSignIn finishOidcSignIn beginPasskeySignIn finishPasskeySignIn readInvitation acceptInvitation requestPasswordLink',
  'second-factor': 'getSecondFactor passTotp passRecoveryCode beginPassPasskey finishPassPasskey',
  'account | second-factor': 'signOut',
  'posts:approve | people:write | posts:write': 'revokeReviewLink',
}

const PERMISSIONS_OF = new Map<string, readonly string[]>()
for (const [permissions, operationIds] of Object.entries(OPENED)) {
  for (const operationId of operationIds.split(' ')) PERMISSIONS_OF.set(operationId, permissions.split(' | '))
}

/** Returns the permissions that open the operation; any one is enough. Throws if the operation has no line here. */
export function permissionsOf(operationId: string): readonly string[] {
  const permissions = PERMISSIONS_OF.get(operationId)
  if (permissions === undefined) throw new Error(`test/permissions.ts does not say who may call ${operationId}`)
  return permissions
}

export const recordedOperations = (): string[] => [...PERMISSIONS_OF.keys()]
