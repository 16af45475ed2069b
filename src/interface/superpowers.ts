/** The interface leaves this unspecified. */
export type Free = Record<string, unknown>

/** interface 2.4. Every field is optional; an absent one stays absent. */
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
  /** Milliseconds since the epoch, or below 100,000,000,000 seconds; absent or 0: never expires. */
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
