import Joi from 'joi'
import type { Condition, ConditionGroup, Free, Raffle, Redirect, Reply, Superpower } from '../interface/superpowers.js'
import { newId } from '../lib/ids.js'

/** Long enough for any hashtag, short enough for a key of an index. */
const HASHTAG_CHARS_MAX = 200

const text = Joi.string().allow('')
/** A value of an enumeration of which the interface shows one value only: any other is as good. */
const oneOfUnknown = Joi.string()
const id = Joi.string()
const flag = Joi.boolean()
const number = Joi.number()
const integer = Joi.number().integer()
const freeObject = Joi.object<Free>()
const anyValues = Joi.array().items(Joi.any())
const freeObjects = Joi.array().items(freeObject)

const redirectSchema = Joi.object<Redirect, true>({
  id,
  text,
  description: text,
  url: Joi.string().uri(),
  d10xUrl: text,
  payload: text,
  topicId: text,
  action: text,
  followUpReplies: freeObjects,
})

const replySchema = Joi.object<Reply, true>({
  id,
  text,
  media: text,
  mediaUrl: text,
  attachmentId: text,
  subtitle: text,
  couponCode: text,
  couponExpireTime: text,
  offerName: text,
  greetingText: text,
  scope: oneOfUnknown,
  broadcastMessageType: oneOfUnknown,
  mediaType: oneOfUnknown,
  like: flag,
  isAIGenerated: flag,
  isAiGeneratedEdited: flag,
  active: flag,
  redirects: Joi.array().items(redirectSchema),
  carouselItems: freeObjects,
})

const replies = Joi.array().items(replySchema)

const conditionSchema = Joi.object<Condition, true>({
  conditionType: oneOfUnknown,
  userActionType: oneOfUnknown,
  values: anyValues,
  aiValues: anyValues,
  logicalCondition: oneOfUnknown,
  socialUserProperty: text,
  retentionProperty: text,
  dateCondition: text,
  userProperty: freeObject,
})

const conditionGroupSchema = Joi.object<ConditionGroup, true>({
  groupId: id,
  name: text,
  link: text,
  linkName: text,
  note: text,
  publicRepliesPrompt: text,
  privateRepliesPrompt: text,
  conditions: Joi.array().items(conditionSchema),
  publicReplies: replies,
  privateReplies: replies,
  autoLike: flag,
  takesPartInRaffle: flag,
  detectSentiment: flag,
  useGenerateRepliesApi: flag,
  useSuggestedKeywords: flag,
  autoLikeProbability: number,
  probability: number,
  publicRepliesProbability: number,
  usersLimit: number,
  timeLimit: number,
  delayDMReplyInHours: number,
  delayPublicReplyInHours: number,
  timeLimitUnit: oneOfUnknown,
})

const raffleSchema = Joi.object<Raffle, true>({
  winnersLimit: integer.min(1),
  startDate: text,
  endDate: text,
  endedComment: freeObject,
  winnersPrivateReply: replySchema,
  looseresPrivateReply: replySchema,
  endedPublicReplies: replies,
})

const hashtag = Joi.string()
  .max(HASHTAG_CHARS_MAX)
  .custom((value: string, helpers) => (toLookupHashtag(value) === '' ? helpers.error('string.empty') : value))

export const superpowerSchema = Joi.object<Superpower, true>({
  creativeTemplateId: text,
  creativeTemplateName: text,
  id,
  name: text,
  hashtag,
  lookupHashtag: text,
  thumbnail: text,
  notes: text,
  note: text,
  caption: text,
  active: flag,
  expirationDate: integer,
  templateType: oneOfUnknown,
  conditionalTemplateType: oneOfUnknown,
  conditionGroups: Joi.array().items(conditionGroupSchema),
  raffle: raffleSchema,
  shareTarget: integer,
  likeTarget: integer,
  commentTarget: integer,
  globalUsersLimit: integer,
  globalTimeLimit: integer,
  shareTargetEnabled: flag,
  likeTargetEnabled: flag,
  commentTargetEnabled: flag,
  overrideTrollBuster: flag,
  overrideMasterSupport: flag,
})

/** The objects of interface 2.4 by the names that the OpenAPI document gives them. */
export const superpowerSchemas = {
  Superpower: superpowerSchema,
  ConditionGroup: conditionGroupSchema,
  Condition: conditionSchema,
  Reply: replySchema,
  Redirect: redirectSchema,
  Raffle: raffleSchema,
}

/** The form in which hashtags are compared: `" #Été"` and `"été"` are one hashtag. */
export function toLookupHashtag(hashtag: string): string {
  return hashtag
    .replace(/^[\s#]+/, '')
    .trim()
    .toLowerCase()
    .normalize('NFC')
}

/** The superpower as it is kept: with the hashtag's lookup form, and an id wherever one was missing. Given ids stay. */
export function completeSuperpower({ lookupHashtag: _, ...superpower }: Superpower): Superpower {
  const { hashtag, conditionGroups, raffle } = superpower
  return {
    ...superpower,
    id: superpower.id ?? newId('sp'),
    ...(hashtag === undefined ? {} : { lookupHashtag: toLookupHashtag(hashtag) }),
    ...(conditionGroups === undefined ? {} : { conditionGroups: conditionGroups.map(completeGroup) }),
    ...(raffle === undefined ? {} : { raffle: completeRaffle(raffle) }),
  }
}

function completeGroup(group: ConditionGroup): ConditionGroup {
  const { publicReplies, privateReplies } = group
  return {
    ...group,
    groupId: group.groupId ?? newId('group'),
    ...(publicReplies === undefined ? {} : { publicReplies: publicReplies.map(completeReply) }),
    ...(privateReplies === undefined ? {} : { privateReplies: privateReplies.map(completeReply) }),
  }
}

function completeRaffle(raffle: Raffle): Raffle {
  const { winnersPrivateReply, looseresPrivateReply, endedPublicReplies } = raffle
  return {
    ...raffle,
    ...(winnersPrivateReply === undefined ? {} : { winnersPrivateReply: completeReply(winnersPrivateReply) }),
    ...(looseresPrivateReply === undefined ? {} : { looseresPrivateReply: completeReply(looseresPrivateReply) }),
    ...(endedPublicReplies === undefined ? {} : { endedPublicReplies: endedPublicReplies.map(completeReply) }),
  }
}

function completeReply(reply: Reply): Reply {
  const { redirects } = reply
  return {
    ...reply,
    id: reply.id ?? newId('reply'),
    ...(redirects === undefined
      ? {}
      : { redirects: redirects.map((redirect) => ({ ...redirect, id: redirect.id ?? newId('redirect') })) }),
  }
}
