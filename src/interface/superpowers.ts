/** The interface leaves this unspecified. */
export type Free = Record<string, unknown>

/** The values of a superpower's fields, by the kinds that the tables below name. */
export interface SuperpowerKinds {
  id: string
  text: string
  /** One of an enumeration of which the interface shows one value only. */
  value: string
  url: string
  hashtag: string
  flag: boolean
  number: number
  integer: number
  count: number
  instant: number
  values: unknown[]
  object: Free
  objects: Free[]
  conditionGroups: ConditionGroup[]
  conditions: Condition[]
  reply: Reply
  replies: Reply[]
  redirects: Redirect[]
  raffle: Raffle
}

type Fields<Table extends Record<string, keyof SuperpowerKinds>> = {
  -readonly [Name in keyof Table]?: SuperpowerKinds[Table[Name]]
}

/** interface 2.4. Every field is optional; an absent one stays absent. The server checks what these tables say. */
export const SUPERPOWER_FIELDS = {
  creativeTemplateId: 'text',
  creativeTemplateName: 'text',
  id: 'id',
  name: 'text',
  hashtag: 'hashtag',
  /** Derived from hashtag, whatever the caller sends. */
  lookupHashtag: 'text',
  thumbnail: 'text',
  notes: 'text',
  note: 'text',
  caption: 'text',
  active: 'flag',
  /** Milliseconds since the epoch, or below 100,000,000,000 seconds; absent or 0: never expires. */
  expirationDate: 'instant',
  templateType: 'value',
  conditionalTemplateType: 'value',
  conditionGroups: 'conditionGroups',
  raffle: 'raffle',
  shareTarget: 'integer',
  likeTarget: 'integer',
  commentTarget: 'integer',
  globalUsersLimit: 'integer',
  globalTimeLimit: 'integer',
  shareTargetEnabled: 'flag',
  likeTargetEnabled: 'flag',
  commentTargetEnabled: 'flag',
  overrideTrollBuster: 'flag',
  overrideMasterSupport: 'flag',
} as const
export type Superpower = Fields<typeof SUPERPOWER_FIELDS>

export const CONDITION_GROUP_FIELDS = {
  groupId: 'id',
  name: 'text',
  link: 'text',
  linkName: 'text',
  note: 'text',
  publicRepliesPrompt: 'text',
  privateRepliesPrompt: 'text',
  conditions: 'conditions',
  publicReplies: 'replies',
  privateReplies: 'replies',
  autoLike: 'flag',
  takesPartInRaffle: 'flag',
  detectSentiment: 'flag',
  useGenerateRepliesApi: 'flag',
  useSuggestedKeywords: 'flag',
  autoLikeProbability: 'number',
  probability: 'number',
  publicRepliesProbability: 'number',
  usersLimit: 'number',
  timeLimit: 'number',
  delayDMReplyInHours: 'number',
  delayPublicReplyInHours: 'number',
  timeLimitUnit: 'value',
} as const
export type ConditionGroup = Fields<typeof CONDITION_GROUP_FIELDS>

export const CONDITION_FIELDS = {
  conditionType: 'value',
  userActionType: 'value',
  values: 'values',
  aiValues: 'values',
  logicalCondition: 'value',
  socialUserProperty: 'text',
  retentionProperty: 'text',
  dateCondition: 'text',
  userProperty: 'object',
} as const
export type Condition = Fields<typeof CONDITION_FIELDS>

export const REPLY_FIELDS = {
  id: 'id',
  text: 'text',
  media: 'text',
  mediaUrl: 'text',
  attachmentId: 'text',
  subtitle: 'text',
  couponCode: 'text',
  couponExpireTime: 'text',
  offerName: 'text',
  greetingText: 'text',
  scope: 'value',
  broadcastMessageType: 'value',
  mediaType: 'value',
  like: 'flag',
  isAIGenerated: 'flag',
  isAiGeneratedEdited: 'flag',
  active: 'flag',
  redirects: 'redirects',
  carouselItems: 'objects',
} as const
export type Reply = Fields<typeof REPLY_FIELDS>

export const REDIRECT_FIELDS = {
  id: 'id',
  text: 'text',
  description: 'text',
  url: 'url',
  d10xUrl: 'text',
  payload: 'text',
  topicId: 'text',
  action: 'text',
  followUpReplies: 'objects',
} as const
export type Redirect = Fields<typeof REDIRECT_FIELDS>

export const RAFFLE_FIELDS = {
  winnersLimit: 'count',
  startDate: 'text',
  endDate: 'text',
  endedComment: 'object',
  winnersPrivateReply: 'reply',
  looseresPrivateReply: 'reply',
  endedPublicReplies: 'replies',
} as const
export type Raffle = Fields<typeof RAFFLE_FIELDS>

export interface SuperpowerQuery {
  /** The x-next-cursor of the page before. */
  after?: string
}

/** A superpower that a post can name by its creativeTemplateId. */
export interface SavedSuperpower {
  creativeTemplateId: string
  name: string
  active: boolean
  superpower: Superpower
}

export interface NewSuperpower {
  name: string
  superpower: Superpower
}

export interface SuperpowerPatch {
  name?: string
  /** Replaces the whole of it. Posts that hold a copy keep it as it is. */
  superpower?: Superpower
  /** False: no post can name it any more. */
  active?: boolean
}

export interface DeletedSuperpower {
  creativeTemplateId: string
}
