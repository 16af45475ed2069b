/**
 * What goes over the wire, by the names of the interface. The server's schemas and answers are held to these same types by
 * the compiler. A field without a value is left out, never null, unless its type says otherwise.
 */

/** What the interface leaves unspecified. */
export type Free = Record<string, unknown>

/** Every answer that has nothing more to say. */
export interface Message {
  message: string
}

// Workspaces and channels

export type WorkspaceType = 'VIP' | 'STANDARD'

export interface Workspace {
  id: string
  name: string
  type: WorkspaceType
}

export type ChannelType = 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'

/** How a channel stands with its platform: posts are published on a connected one alone. */
export type ChannelStatus = 'connected' | 'not-connected' | 'needs-reconnect'

export interface Channel {
  /** Such as `FB_PAGE_123456789012345`; elsewhere called `mediumId`. */
  id: string
  type: ChannelType
  name: string
  status: ChannelStatus
  /** The platform's reason, with status `needs-reconnect` alone. */
  problem?: string
}

export interface ChannelQuery {
  /** Only channels connected to this workspace. */
  workspaceId?: string
}

// VIP users

/** A truth value in a query. */
export type Flag = 'true' | 'false'

/** The parameters that both variants of the interface have (interface 4.1, 9.4). */
export interface EarlierVipUserQuery {
  /** Id of a VIP workspace. */
  workspaceId: string
  /** Id of a channel connected to the workspace. */
  mediumId: string
  /** `true`: only users with a known birthday. */
  hasBirthday?: Flag
  /** 1 to 12: only users whose birthday falls in this month. */
  birthdayMonth?: number
  /** Users per page: 50 unless said, 200 at most; compact: 5000 and 5000. A larger one is clamped. */
  limit?: number
  /** Users to skip. */
  offset?: number
}

/** interface 4.1 */
export interface VipUserQuery extends EarlierVipUserQuery {
  /** `vip`, unless said: users marked VIP for the workspace; `all`: every conversation on the channel. */
  scope?: 'vip' | 'all'
  /** `true`: rows of conversationId, cuid and birthday alone. */
  compact?: Flag
}

/** The row of interface 2.1. Timestamps are milliseconds since the epoch. */
export interface VipUser {
  conversationId: string
  userName?: string
  firstName?: string
  lastName?: string
  cuid: string
  profilePic?: string
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. */
  birthday?: string
  lastPurchaseTimestamp?: number
  lastUserMessageTimestamp?: number
  lastAppOpenTimestamp?: number
}

/** The envelope of interface 2.2. */
export interface VipUserList {
  items: VipUser[]
  returned: number
  /** A floor when `scanCapped` is true. */
  total: number
  mayHaveMore: boolean
  nextOffset: number
  /** The channel exceeds the scan guardrail of 25,000 conversations. */
  scanCapped: boolean
}

// Ad accounts and campaigns

export interface AdAccount {
  id: string
  name: string
  /** ISO 4217, such as `EUR`. */
  currency: string
  /** IANA, such as `Europe/Berlin`. */
  timezone: string
}

/** Bare dates `YYYY-MM-DD`, both included, at most 93 days (interface 4.2). */
export interface InsightsWindow {
  startDate: string
  endDate: string
}

/** interface 4.2 */
export interface DailyInsightsQuery extends InsightsWindow {
  /** The nextCursor of the page before. */
  after?: string
}

/** interface 2.3: metrics are strings that carry numbers; further ones may stand among them. */
export interface DayRow {
  marketing_messages_spend?: string
  marketing_messages_delivered?: string
  marketing_messages_read_rate?: string
  marketing_messages_link_btn_click?: string
  marketing_messages_link_btn_click_rate?: string
  marketing_messages_cost_per_delivered?: string
  marketing_messages_cost_per_link_btn_click?: string
  campaign_name?: string
  campaign_id?: string
  /** `YYYY-MM-DD`, as is date_stop. */
  date_start: string
  date_stop?: string
  [metric: string]: unknown
}

/** interface 2.3 */
export interface CampaignEntry {
  campaignId: string
  campaignName: string
  /** `YYYY-MM-DDTHH:MM:SS+hhmm`, in the ad account's own offset. */
  createdTime: string
  /** One row for each delivered day of the window, oldest first. */
  days: DayRow[]
}

/** The envelope of interface 2.3. */
export interface DailyInsightsList {
  items: CampaignEntry[]
  returned: number
  /** More pages exist, even after a page of 0 items. */
  mayHaveMore: boolean
  nextCursor: string | null
}

// Scheduled posts

export type PostStatus =
  | 'DRAFT'
  | 'WAITING_FOR_APPROVAL'
  | 'REJECTED'
  | 'SCHEDULED'
  | 'PUBLISHING'
  | 'PUBLISHED'
  | 'FAILED'

/** interface 2.4 */
export interface ScheduledPost {
  id: string
  orgId: string
  type: 'POST'
  /** The URL of the image or video. */
  media?: string
  mediaType?: string
  /** ISO 8601 in UTC. */
  scheduledFor?: string
  /** The publishing task, while the post is SCHEDULED or PUBLISHING. */
  taskId?: string
  /** By channel id. */
  mediumsData: Record<string, ScheduledPostChannel>
  status: PostStatus
  notes?: string
}

/** The channel entry of interface 2.4. */
export interface ScheduledPostChannel {
  caption?: string
  superpower?: Superpower
  mediumType: string
  mediumName: string
  failedToPublish: boolean
}

/** The variant of interface 2.4 with document-metadata fields: how the earlier variant answers an update. */
export interface ScheduledPostDocument extends ScheduledPost {
  _fsDocScope: string
  selfPath: string
  docName: string
  docVer: number
  created: DocumentInstant
  updated: DocumentInstant
}

export interface DocumentInstant {
  _seconds: number
  _nanoseconds: number
}

export interface ScheduledPostQuery {
  /** Only posts in this status. */
  status?: PostStatus
  /** Only posts on this channel. */
  mediumId?: string
  /** Posts per page: 50 unless said, 200 at most. */
  limit?: number
  /** Posts to skip. */
  offset?: number
}

/** What a caller may say of a post, on creation and on update alike (interface 4.3). */
export interface ScheduledPostFields {
  /** ISO 8601 in UTC, in the future. */
  scheduledFor?: string
  /** By channel id: the given fields replace, null removes the channel, an unnamed channel stays. */
  channels?: Record<string, ScheduledPostChannelFields | null>
  /** The URL of the image or video. */
  media?: string
  mediaType?: 'IMAGE' | 'VIDEO'
  notes?: string
}

export interface ScheduledPostChannelFields {
  /** The channel's own type. */
  mediumType?: string
  caption?: string
  /** Replaces the whole superpower, alone with its creativeTemplateId by a copy of that saved one; null removes it. */
  superpower?: Superpower | null
}

export interface NewScheduledPost extends ScheduledPostFields {
  /** DRAFT unless said. */
  status?: 'DRAFT' | 'WAITING_FOR_APPROVAL'
}

/** interface 4.3 */
export interface ScheduledPostPatch extends ScheduledPostFields {
  /** Takes a rejected post back to DRAFT (interface 3). */
  status?: 'DRAFT'
}

export interface Rejection {
  /** Why; not blank. They become the post's notes. */
  notes: string
}

// Superpowers (interface 2.4). Every field is optional; an absent one stays absent.

export interface Superpower {
  creativeTemplateId?: string
  creativeTemplateName?: string
  id?: string
  name?: string
  hashtag?: string
  /** Derived from hashtag, whatever the caller sends. */
  lookupHashtag?: string
  thumbnail?: string
  notes?: string
  note?: string
  caption?: string
  active?: boolean
  /** Milliseconds since the epoch; absent: never expires. */
  expirationDate?: number
  templateType?: string
  conditionalTemplateType?: string
  conditionGroups?: ConditionGroup[]
  raffle?: Raffle
  shareTarget?: number
  likeTarget?: number
  commentTarget?: number
  globalUsersLimit?: number
  globalTimeLimit?: number
  shareTargetEnabled?: boolean
  likeTargetEnabled?: boolean
  commentTargetEnabled?: boolean
  overrideTrollBuster?: boolean
  overrideMasterSupport?: boolean
}

export interface ConditionGroup {
  groupId?: string
  name?: string
  link?: string
  linkName?: string
  note?: string
  publicRepliesPrompt?: string
  privateRepliesPrompt?: string
  conditions?: Condition[]
  publicReplies?: Reply[]
  privateReplies?: Reply[]
  autoLike?: boolean
  takesPartInRaffle?: boolean
  detectSentiment?: boolean
  useGenerateRepliesApi?: boolean
  useSuggestedKeywords?: boolean
  autoLikeProbability?: number
  probability?: number
  publicRepliesProbability?: number
  usersLimit?: number
  timeLimit?: number
  delayDMReplyInHours?: number
  delayPublicReplyInHours?: number
  timeLimitUnit?: string
}

export interface Condition {
  conditionType?: string
  userActionType?: string
  values?: unknown[]
  aiValues?: unknown[]
  logicalCondition?: string
  socialUserProperty?: string
  retentionProperty?: string
  dateCondition?: string
  userProperty?: Free
}

export interface Reply {
  id?: string
  text?: string
  media?: string
  mediaUrl?: string
  attachmentId?: string
  subtitle?: string
  couponCode?: string
  couponExpireTime?: string
  offerName?: string
  greetingText?: string
  scope?: string
  broadcastMessageType?: string
  mediaType?: string
  like?: boolean
  isAIGenerated?: boolean
  isAiGeneratedEdited?: boolean
  active?: boolean
  redirects?: Redirect[]
  carouselItems?: Free[]
}

export interface Redirect {
  id?: string
  text?: string
  description?: string
  url?: string
  d10xUrl?: string
  payload?: string
  topicId?: string
  action?: string
  followUpReplies?: Free[]
}

export interface Raffle {
  winnersLimit?: number
  startDate?: string
  endDate?: string
  endedComment?: Free
  winnersPrivateReply?: Reply
  looseresPrivateReply?: Reply
  endedPublicReplies?: Reply[]
}

/** A superpower that a post can name by its creativeTemplateId. */
export interface SavedSuperpower {
  creativeTemplateId: string
  name: string
  active: boolean
  superpower: Superpower
}

// Errors

/** interface 2.5 */
export interface HashtagConflict {
  mediumId: string
  hashtag: string
  reason: string
}

/** An item of the validation error of interface 7. */
export interface ValidationDetail {
  message: string
  path: string[]
  type: string
  context: Free
}

// The operator's side

export interface Organization {
  id: string
  name: string
  /** Of an inactive one every key is answered 402. */
  active: boolean
  /** ISO 8601 in UTC, like every instant below. */
  createdAt: string
}

export interface NewOrganization {
  name: string
}

export interface OrganizationPatch {
  name?: string
  active?: boolean
}

export interface Key {
  id: string
  createdAt: string
  /** Absent while the key is live. */
  revokedAt?: string
}

/** The only answer that ever holds the secret. */
export interface IssuedKey {
  id: string
  secret: string
  createdAt: string
}

export interface NewWorkspace {
  /** Made by the service when absent. */
  id?: string
  name: string
  type: WorkspaceType
}

export interface NewChannel {
  type: ChannelType
  /** The id that the platform gives the page or account: digits. */
  platformId: string
  name: string
  /** The access token of the page, or of the page of the Instagram account. */
  accessToken?: string
}

export interface NewAdAccount extends AdAccount {
  accessToken?: string
}

/** Connects a channel or an ad account to its platform, or with null disconnects it. */
export interface PlatformToken {
  accessToken: string | null
}

export interface ConnectedAdAccount extends AdAccount {
  connected: boolean
}

/** A channel and a workspace that it was connected to, or disconnected from. */
export interface Connection {
  workspaceId: string
  channelId: string
}

/** Whether a workspace holds a conversation for a VIP. */
export interface VipMark extends Connection {
  conversationId: string
  vip: boolean
}

export interface ImportQuery {
  /** The VIP workspace that the lines name VIPs of; needed when they do. */
  workspaceId?: string
}

/**
 * One line of an import: the fields of interface 2.1, `lifetimeValue` and `vip`. A line says what it names: an absent field
 * keeps what is stored, null clears it.
 */
export interface ConversationLine {
  conversationId: string
  cuid: string
  userName?: string | null
  firstName?: string | null
  lastName?: string | null
  profilePic?: string | null
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is unknown. */
  birthday?: string | null
  /** Milliseconds since the epoch, like each timestamp. */
  lastPurchaseTimestamp?: number | null
  lastUserMessageTimestamp?: number | null
  lastAppOpenTimestamp?: number | null
  lifetimeValue?: number | null
  vip?: boolean | null
}

export interface ImportReport {
  /** Lines, without blank ones and the header of a CSV. */
  received: number
  imported: number
  /** The first 100. */
  rejected: RejectedLine[]
  rejectedCount: number
}

export interface RejectedLine {
  line: number
  reason: string
}

export interface Retry {
  /** The new time: ISO 8601 in UTC, in the future. */
  scheduledFor: string
}

export type PostAction =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'approved'
  | 'rejected'
  | 'reverted'
  | 'retried'
  | 'claimed'
  | 'published'
  | 'failed'
  | 'deleted'

/** `key:<keyId>`: a caller of the API. */
export type Actor = 'operator' | 'publisher' | `key:${string}`

/** One change of a post, in its history. */
export interface PostChange {
  /** The post's version after the change: its ETag. */
  version: number
  at: string
  actor: Actor
  action: PostAction
  /** Absent for a creation. */
  fromStatus?: PostStatus
  /** Absent for a deletion. */
  toStatus?: PostStatus
  /** What changed, or the reason. */
  detail?: Free
}

export interface NewSuperpower {
  name: string
  superpower: Superpower
}

// The master key

export interface Rotation {
  /** That of the last answer; without it a rotation begins, or the one under way goes on from the start. */
  after?: string
}

/** One step of a rotation of the master key. */
export interface RotationStep {
  /** Id of the new key. It tells nothing of the key itself. */
  keyId: string
  /** Secrets that this step has sealed under the new key. */
  resealed: number
  /** Secrets that open under none of the server's keys, and were left as they are. */
  unopened: number
  /** Secrets that are still to do. */
  remaining: number
  /** For the next step; absent when the rotation is done. */
  after?: string
}
