// The types of every operation, once for both of the client and the console. routes.ts has their methods and paths.

import type * as access from './access.js'
import type * as audience from './audience.js'
import type * as automation from './automation.js'
import type { NewBackup } from './backup.js'
import type * as channels from './channels.js'
import type * as discussion from './discussion.js'
import type { Message } from './errors.js'
import type * as inbox from './inbox.js'
import type * as insights from './insights.js'
import type * as intake from './intake.js'
import type * as media from './media.js'
import type * as notifications from './notifications.js'
import type { Page, PageQuery } from './pages.js'
import type * as people from './people.js'
import type { PostImport, PostImportReport } from './post-import.js'
import type { PostSeries, SeriesOfPost, StoppedSeries } from './post-series.js'
import type { PostWaitAnswer } from './post-waits.js'
import type * as posts from './posts.js'
import type { RecurrenceRule } from './recurrence.js'
import type * as reviews from './reviews.js'
import type { Revision } from './revision.js'
import type * as savedTexts from './saved-texts.js'
import type * as factors from './second-factors.js'
import type { ServerHealth } from './server.js'
import type * as superpowers from './superpowers.js'

type Bytes = AsyncIterable<Uint8Array>
type Entered = people.Me | factors.SecondFactorNeeded

/** By operationId: query and JSON body where there are any, and the body of a success. */
export interface Operations {
  // Workspaces, channels and people
  listWorkspaces: { answer: channels.Workspace[] }
  createWorkspace: { body: channels.NewWorkspace; answer: channels.Workspace }
  updateWorkspace: { body: channels.WorkspacePatch; answer: channels.Workspace }
  deleteWorkspace: { answer: channels.WorkspaceDeletion }
  listChannels: { query?: channels.ChannelQuery; answer: channels.Channel[] }
  listOrganizationChannels: { query?: channels.ChannelQuery; answer: channels.OrganizationChannel[] }
  createChannel: { body: channels.NewChannel; answer: channels.Channel }
  updateChannel: { body: channels.ChannelPatch; answer: channels.Channel }
  deleteChannel: { query?: channels.ChannelDeletionQuery; answer: channels.ChannelDeletion }
  connectChannel: { answer: channels.Connection }
  disconnectChannel: { answer: channels.Connection }
  exportVipUsers: { query: audience.VipUserExportQuery; answer: audience.VipUserList }
  listVipUsers: { query: audience.VipUserQuery; answer: audience.VipUserList }
  markVip: { answer: audience.VipMark }
  unmarkVip: { answer: audience.VipMark }
  changeVipMarks: { body: audience.VipMarksChange; answer: audience.ChangedVipMarks }
  listPersonVipMarks: { answer: audience.PersonVipMark[] }
  listAudience: { query: audience.AudienceListQuery; answer: audience.AudienceList }
  exportAudience: { query: audience.AudienceExportQuery; answer: audience.AudienceExport }
  listSegments: { answer: audience.Segment[] }
  createSegment: { body: audience.NewSegment; answer: audience.Segment }
  updateSegment: { body: audience.SegmentPatch; answer: audience.Segment }
  deleteSegment: { answer: audience.DeletedSegment }
  importConversations: { query?: audience.ImportQuery; answer: audience.ImportReport }
  exportConversations: { query?: audience.ExportQuery; answer: Bytes }
  deleteConversation: { answer: audience.DeletedConversation }
  getPerson: { answer: intake.PersonDetails }
  searchPeople: { query: intake.PersonQuery; answer: Page<intake.FoundPerson> }
  linkPerson: { body: intake.NewPersonLink; answer: intake.LinkedPerson }
  unlinkPerson: { answer: intake.LinkedPerson }
  erasePerson: { answer: audience.PersonErasure }
  readmitPerson: { answer: audience.PersonReadmission }

  // Sources: what comes in from shops, apps and inboxes
  createSource: { body: intake.NewSource; answer: intake.SourceWithSecrets }
  importPurchases: { answer: intake.PurchaseImportReport }
  listSources: { query?: intake.SourceQuery; answer: Page<intake.Source> }
  getSource: { answer: intake.Source }
  updateSource: { body: intake.SourcePatch; answer: intake.Source }
  deleteSource: { answer: intake.SourceDeletion }
  rotateSourceSecret: { body: intake.SecretRotation; answer: intake.SourceWithSecrets }
  listSourceProblems: { query?: intake.SourceQuery; answer: Page<intake.SourceProblem> }
  retrySourceProblem: { answer: intake.RetriedProblem }
  dismissSourceProblem: { answer: intake.DismissedProblem }

  // Ad accounts and their insights
  listAdAccounts: { answer: insights.AdAccount[] }
  listOrganizationAdAccounts: { answer: insights.ConnectedAdAccount[] }
  createAdAccount: { body: insights.NewAdAccount; answer: insights.ConnectedAdAccount }
  updateAdAccount: { body: insights.AdAccountPatch; answer: insights.ConnectedAdAccount }
  deleteAdAccount: { answer: insights.AdAccountDeletion }
  getRevision: { answer: Revision }
  listInbox: { query?: inbox.InboxQuery; answer: Page<inbox.InboxEntry> }
  markInboxRead: { body: inbox.InboxMark; answer: inbox.InboxMarked }
  listWaitingForMe: { answer: inbox.WaitingForMe }
  listOrganizationDailyInsights: { query: insights.DailyInsightsQuery; answer: insights.CountedInsightsList }
  listDailyInsights: { query: insights.DailyInsightsQuery; answer: insights.DailyInsightsList }
  getCampaignDailyInsights: { query: insights.InsightsWindow; answer: insights.CampaignEntry }

  // Posts, their media and superpowers
  createScheduledPost: { body: posts.NewScheduledPost; answer: posts.ScheduledPost }
  createOrganizationScheduledPost: { body: posts.NewPostByPerson; answer: posts.PostForPeople }
  listScheduledPosts: { query?: posts.ScheduledPostQuery; answer: posts.ScheduledPost[] }
  listOrganizationScheduledPosts: { query?: posts.SearchedPostQuery; answer: Page<posts.ListedPost> }
  listCalendarPosts: { query?: posts.CalendarPostQuery; answer: Page<posts.CalendarPost> }
  listPostingSlots: { answer: posts.ChannelPostingSlot[] }
  setPostingSlots: { body: posts.PostingSlots; answer: posts.PostingSlots }
  getOwnCalendarFeed: { answer: posts.OwnCalendarFeed }
  createOwnCalendarFeed: { answer: posts.IssuedCalendarFeed }
  deleteOwnCalendarFeed: { answer: posts.DeletedCalendarFeed }
  getScheduledPost: { answer: posts.ScheduledPost }
  getScheduledPostWait: { answer: PostWaitAnswer }
  updateScheduledPost: { body: posts.ScheduledPostPatch; answer: posts.ScheduledPost }
  updateOrganizationScheduledPost: { body: posts.ScheduledPostEdit; answer: posts.PostForPeople }
  deleteScheduledPost: { answer: Message }
  submitScheduledPostForApproval: { answer: posts.ScheduledPost }
  rejectScheduledPost: { body: posts.Rejection; answer: posts.ScheduledPost }
  revertScheduledPost: { answer: posts.ScheduledPost }
  undoDecision: { answer: posts.PostForPeople }
  checkPostMedia: { answer: posts.MediaCheck }
  approveScheduledPost: { answer: posts.ScheduledPost }
  publishScheduledPost: { answer: posts.ScheduledPost }
  retryScheduledPost: { body: posts.Retry; answer: posts.ScheduledPost }
  listScheduledPostNames: { query: posts.ScheduledPostNamesQuery; answer: posts.ScheduledPostName[] }
  listScheduledPostHistory: { query?: posts.PostHistoryQuery; answer: Page<posts.PostChange> }
  getLastReview: { answer: posts.LastReview }
  listDiscussionMessages: { query?: discussion.DiscussionQuery; answer: Page<discussion.DiscussionMessage> }
  createDiscussionMessage: { body: discussion.NewDiscussionMessage; answer: discussion.DiscussionMessage }
  updateDiscussionMessage: { body: discussion.DiscussionMessagePatch; answer: discussion.DiscussionMessage }
  deleteDiscussionMessage: { answer: discussion.DeletedDiscussionMessage }
  resolveDiscussionMessage: { answer: discussion.DiscussionMessage }
  reopenDiscussionMessage: { answer: discussion.DiscussionMessage }
  listDiscussionHistory: { query?: discussion.DiscussionQuery; answer: Page<discussion.DiscussionChange> }
  listReviewMessages: { query?: discussion.DiscussionQuery; answer: Page<discussion.ReviewMessage> }
  createReviewMessage: { body: discussion.NewReviewMessage; answer: discussion.ReviewMessage }
  updateReviewMessage: { body: discussion.ReviewMessagePatch; answer: discussion.ReviewMessage }
  deleteReviewMessage: { answer: discussion.DeletedDiscussionMessage }
  listMessagesForReview: { query?: discussion.DiscussionQuery; answer: Page<discussion.ReviewMessage> }
  createMessageForReview: { body: discussion.NewReviewMessage; answer: discussion.ReviewMessage }
  updateMessageForReview: { body: discussion.ReviewMessagePatch; answer: discussion.ReviewMessage }
  deleteMessageForReview: { answer: discussion.DeletedDiscussionMessage }
  importScheduledPosts: { body: PostImport; answer: PostImportReport }
  createPostSeries: { body: RecurrenceRule; answer: PostSeries }
  getSeriesOfPost: { answer: SeriesOfPost }
  stopPostSeries: { answer: StoppedSeries }
  listSavedTexts: { answer: savedTexts.SavedText[] }
  createSavedText: { body: savedTexts.NewSavedText; answer: savedTexts.SavedText }
  updateSavedText: { body: savedTexts.SavedTextPatch; answer: savedTexts.SavedText }
  deleteSavedText: { answer: savedTexts.DeletedSavedText }
  createReviewLink: { body: reviews.NewReviewLink; answer: reviews.IssuedReviewLink }
  listReviewLinks: { answer: reviews.ReviewLink[] }
  revokeReviewLink: { answer: object }
  createReviewLinkForPosts: { body: reviews.NewSeveralReviewLink; answer: reviews.IssuedReviewLink }
  sendReviewLink: { body: reviews.SentReviewLink; answer: reviews.ReviewLink }
  listOrganizationReviewLinks: { query?: reviews.ReviewLinkQuery; answer: Page<reviews.ListedReviewLink> }
  revokeOrganizationReviewLink: { answer: object }
  readReviewLink: { answer: reviews.LinkHead }
  openReviewLink: { answer: object }
  listPostsForReview: { answer: reviews.PostsForReview }
  approvePostForReview: { answer: object }
  returnPostForReview: { body: posts.Rejection; answer: object }
  undoDecisionForReview: { answer: object }
  checkMediaByLink: { answer: posts.MediaCheck }
  checkMediaForReview: { answer: posts.MediaCheck }
  getReview: { answer: reviews.PostForReview }
  approveByLink: { answer: object }
  returnByLink: { body: posts.Rejection; answer: object }
  uploadMedia: { query?: media.MediaUpload; answer: media.Media }
  uploadSmallPicture: { answer: media.Media }
  listMedia: { query?: media.MediaQuery; answer: media.MediaPage }
  listMediaUses: { query: media.MediaUsesQuery; answer: media.MediaUse[] }
  deleteMedia: { answer: media.DeletedMedia }
  listSuperpowers: { query?: superpowers.SuperpowerQuery; answer: superpowers.SavedSuperpower[] }
  listOrganizationSuperpowers: { query?: superpowers.SuperpowerQuery; answer: Page<superpowers.SavedSuperpower> }
  createSuperpower: { body: superpowers.NewSuperpower; answer: superpowers.SavedSuperpower }
  updateSuperpower: { body: superpowers.SuperpowerPatch; answer: superpowers.SavedSuperpower }
  deleteSuperpower: { answer: superpowers.DeletedSuperpower }
  explainSuperpower: { body: automation.ExplainRequest; answer: automation.Explanation }
  stopSuperpower: { body: automation.SuperpowerStop; answer: automation.StoppedSuperpower }
  listPostComments: { query?: automation.DecidedCommentQuery; answer: Page<automation.DecidedComment> }
  getSuperpowerReport: { answer: automation.SuperpowerReports }
  listRaffles: { answer: automation.PostRaffles }
  redrawRaffle: { body: automation.RaffleRedrawRequest; answer: automation.RaffleRedraw }
  exportRaffle: { answer: automation.RaffleExport }
  listOptOuts: { query?: PageQuery; answer: Page<automation.OptOut> }
  addOptOut: { answer: automation.OptOutKey }
  removeOptOut: { answer: automation.OptOutKey }

  // Organizations, their keys, webhook and audit trail
  getCaller: { answer: access.Caller }
  createOrganization: { body: access.NewOrganization; answer: access.Organization }
  listOrganizations: { query?: access.OrganizationQuery; answer: Page<access.Organization> }
  updateOrganization: { body: access.OrganizationPatch; answer: access.Organization }
  deleteOrganization: { query: access.OrganizationDeletionQuery; answer: access.OrganizationDeletion }
  issueKey: { body?: access.NewKey; answer: access.IssuedKey }
  listKeys: { answer: access.Key[] }
  updateKey: { body: access.KeyPatch; answer: access.Key }
  revokeKey: { answer: access.Key }
  issueOperatorToken: { body: access.NewOperatorToken; answer: access.IssuedOperatorToken }
  listOperatorTokens: { answer: access.OperatorToken[] }
  revokeOperatorToken: { answer: access.OperatorToken }
  listWebhooks: { answer: notifications.Webhook[] }
  createWebhook: { body: notifications.NewWebhook; answer: notifications.WebhookWithSecret }
  updateWebhook: { body: notifications.WebhookPatch; answer: notifications.Webhook }
  deleteWebhook: { answer: notifications.Webhook }
  rotateWebhookSecret: { answer: notifications.WebhookWithSecret }
  testWebhook: { answer: notifications.WebhookDelivery }
  listWebhookDeliveries: { query?: notifications.WebhookDeliveryQuery; answer: notifications.WebhookDeliveryPage }
  getWebhookDelivery: { answer: notifications.ShownWebhookDelivery }
  resendWebhookDelivery: { answer: notifications.WebhookDelivery }
  listAuditTrail: { query?: access.AuditQuery; answer: access.AuditPage }
  exportAuditTrail: { query?: access.AuditFilters; answer: Bytes }
  listServerAuditTrail: { query?: access.AuditQuery; answer: access.AuditPage }
  rotateMasterKey: { body: access.Rotation; answer: access.RotationStep }
  getServerHealth: { answer: ServerHealth }
  createBackup: { body?: NewBackup; answer: Bytes }

  // Accounts, members and invitations
  listMembers: { answer: people.Member[] }
  updateMember: { body: people.MemberPatch; answer: people.Member }
  getMemberGrants: { answer: people.Grants }
  removeMember: { query?: people.MemberRemovalQuery; answer: people.RemovedMember }
  getOwnNotifications: { answer: people.OwnNotifications }
  setOwnNotifications: { body: people.OwnNotificationsPut; answer: people.OwnNotifications }
  createInvitation: { body: people.NewInvitation; answer: people.IssuedInvitation }
  listInvitations: { answer: people.Invitation[] }
  revokeInvitation: { answer: { id: string } }
  inviteOwner: { answer: people.EntryLink }
  listPeople: { answer: people.ListedPerson[] }
  getPersonGrants: { answer: people.Grants }
  updatePerson: { body: people.PersonPatch; answer: people.UpdatedPerson }
  deletePerson: { query?: people.MemberRemovalQuery; answer: people.RemovedMember }
  createSignInLink: { answer: people.EntryLink }
  listPersonSessions: { answer: people.Session[] }
  endPersonSessions: { answer: { ended: number } }
  resetSecondFactors: { answer: factors.SecondFactorReset }

  // Signing in, and the person who is signed in
  getSignInOptions: { answer: people.SignInOptions }
  signIn: { body: people.PasswordSignIn; answer: Entered | people.SeveralAccounts }
  requestPasswordLink: { body: people.PasswordLinkRequest; answer: Record<never, never> }
  readSignInLink: { body: people.LinkToken; answer: people.SignInLinkView }
  signInByLink: { body: people.LinkSignIn; answer: Entered }
  beginOidcSignIn: { body?: people.OidcStart; answer: people.OidcRedirect }
  finishOidcSignIn: { body: people.OidcReturn; answer: Entered }
  beginPasskeySignIn: { answer: factors.PasskeyRequest }
  finishPasskeySignIn: { body: factors.PasskeyProof; answer: people.Me }
  getSecondFactor: { answer: factors.SecondFactorChoice }
  passTotp: { body: factors.TotpCode; answer: people.Me }
  passRecoveryCode: { body: factors.RecoveryCode; answer: people.Me }
  beginPassPasskey: { answer: factors.PasskeyRequest }
  finishPassPasskey: { body: factors.PasskeyProof; answer: people.Me }
  readInvitation: { body: people.LinkToken; answer: people.InvitationView }
  acceptInvitation: { body: people.Acceptance; answer: Entered }
  getMe: { answer: people.Me }
  setOwnPreferences: { body: people.OwnPreferences; answer: people.Me }
  changePassword: { body: people.PasswordChange; answer: people.Me }
  getOwnSecondFactors: { answer: factors.OwnSecondFactors }
  beginOwnTotp: { answer: factors.TotpSetup }
  finishOwnTotp: { body: factors.TotpCode; answer: factors.AddedTotp }
  removeOwnTotp: { answer: factors.OwnSecondFactors }
  beginOwnPasskey: { answer: factors.PasskeyCreation }
  finishOwnPasskey: { body: factors.NewPasskey; answer: factors.AddedPasskey }
  removeOwnPasskey: { answer: factors.OwnSecondFactors }
  replaceOwnRecoveryCodes: { answer: factors.RecoveryCodes }
  getConfirmation: { answer: factors.ConfirmationChoice }
  confirmByPassword: { body: factors.PasswordProof; answer: factors.Confirmation }
  confirmByTotp: { body: factors.TotpCode; answer: factors.Confirmation }
  beginConfirmByPasskey: { answer: factors.PasskeyRequest }
  finishConfirmByPasskey: { body: factors.PasskeyProof; answer: factors.Confirmation }
  listSessions: { answer: people.Session[] }
  endSession: { answer: { id: string } }
  signOutEverywhere: { answer: { ended: number } }
  signOut: { answer: people.SignedOut }
}
