import type {
  Condition,
  ConditionGroup,
  NotExecuted,
  Redirect,
  Reply,
  Superpower,
} from '../interface/generated/types.js'
import { hasItems, isSet, isWebAddress } from './rule.js'

const TARGET = 'Targets of shares, likes and comments are kept, and nothing happens when they are reached.'

const TOP: Partial<Record<keyof Superpower, string>> = {
  shareTarget: TARGET,
  likeTarget: TARGET,
  commentTarget: TARGET,
  shareTargetEnabled: TARGET,
  likeTargetEnabled: TARGET,
  commentTargetEnabled: TARGET,
  overrideTrollBuster: 'There is no filter of unwanted comments that it could override.',
  overrideMasterSupport: 'There is no support mode that it could override.',
  templateType: 'Templates are not executed: the condition groups alone decide.',
  conditionalTemplateType: 'Templates are not executed: the condition groups alone decide.',
}

const GROUP: Partial<Record<keyof ConditionGroup, string>> = {
  publicRepliesPrompt: 'Replies are not generated: those that are written are sent.',
  privateRepliesPrompt: 'Replies are not generated: those that are written are sent.',
  useGenerateRepliesApi: 'Replies are not generated: those that are written are sent.',
  detectSentiment: 'The sentiment of comments is not read.',
  useSuggestedKeywords: 'Keywords are not suggested: those that are written count.',
  link: 'The link of a group is not sent: put it into a reply.',
}

const REPLY: Partial<Record<keyof Reply, string>> = {
  attachmentId: 'Attachments are sent by mediaUrl alone.',
  subtitle: 'Templates with a subtitle are not sent.',
  couponCode: 'Coupons are not sent: write the code into the text.',
  couponExpireTime: 'Coupons are not sent: write the time into the text.',
  offerName: 'Offers are not sent: write the offer into the text.',
  greetingText: 'Greetings are not sent: write them into the text.',
  like: 'A reply does not like the comment: autoLike of the group does.',
  broadcastMessageType: 'Broadcasts are not sent.',
  carouselItems: 'Carousels are not sent.',
  scope: 'The scope of a reply is not read: those of publicReplies are public, and those of privateReplies private.',
}

const REDIRECT: Partial<Record<keyof Redirect, string>> = {
  d10xUrl: 'A button opens its url, and no other address.',
  payload: 'A button opens its url, and nothing else happens.',
  topicId: 'A button opens its url, and no topic begins.',
  action: 'A button opens its url, and nothing else happens.',
  followUpReplies: 'Nothing follows when a person presses a button.',
}

/** Values that the interface shows, and that have no effect. */
const USUAL: Readonly<Record<string, unknown>> = {
  broadcastMessageType: 'REGULAR',
  timeLimitUnit: 'HOUR',
  scope: 'PUBLIC',
  templateType: 'GENERAL',
  conditionalTemplateType: 'MIX_MATCH',
}

/**
 * Lists the parts of a superpower that are stored and passed through but not executed. Parts that only name or describe are
 * left out.
 */
export function listNotExecuted(superpower: Superpower): NotExecuted[] {
  const { conditionGroups = [], raffle } = superpower
  return [
    ...listFields(withoutDisabledTargets(superpower), TOP, ''),
    ...conditionGroups.flatMap((group, place) => ofGroup(group, `conditionGroups[${place}]`)),
    ...(raffle === undefined ? [] : ofRaffle(raffle)),
  ]
}

/** A disabled target would have no effect anyway. */
const withoutDisabledTargets = ({ shareTarget, likeTarget, commentTarget, ...rest }: Superpower): Superpower => ({
  ...rest,
  ...(shareTarget !== undefined && rest.shareTargetEnabled !== false && { shareTarget }),
  ...(likeTarget !== undefined && rest.likeTargetEnabled !== false && { likeTarget }),
  ...(commentTarget !== undefined && rest.commentTargetEnabled !== false && { commentTarget }),
})

const listFields = <Whole extends object>(
  whole: Whole,
  reasons: Partial<Record<keyof Whole, string>>,
  path: string,
): NotExecuted[] =>
  (Object.keys(reasons) as (keyof Whole & string)[]).flatMap((name) =>
    isSet(whole[name]) && whole[name] !== USUAL[name]
      ? [{ path: path === '' ? name : `${path}.${name}`, reason: reasons[name]! }]
      : [],
  )

function ofGroup(group: ConditionGroup, path: string): NotExecuted[] {
  const { conditions = [], publicReplies = [], privateReplies = [], timeLimitUnit } = group
  return [
    ...listFields(group, GROUP, path),
    ...conditions.flatMap((condition, place) => ofCondition(condition, `${path}.conditions[${place}]`)),
    ...privateReplies.flatMap((reply, place) => ofPrivateReply(reply, `${path}.privateReplies[${place}]`)),
    ...publicReplies.flatMap((reply, place) => ofPublicReply(reply, `${path}.publicReplies[${place}]`)),
    ...(isSet(timeLimitUnit) && timeLimitUnit !== USUAL.timeLimitUnit
      ? [{ path: `${path}.timeLimitUnit`, reason: 'The time limit counts in hours, whatever its unit says.' }]
      : []),
  ]
}

const NEVER = 'The group therefore matches no comment.'

function ofCondition(condition: Condition, path: string): NotExecuted[] {
  const { conditionType, userActionType, logicalCondition, aiValues, values = [] } = condition
  const found: [name: keyof Condition, reason: string, isThere: boolean][] = [
    [
      'conditionType',
      `Conditions of this type are not executed: USER_ACTION alone is. ${NEVER}`,
      (conditionType ?? 'USER_ACTION') !== 'USER_ACTION',
    ],
    [
      'userActionType',
      `This action is not noticed: COMMENTED alone is. ${NEVER}`,
      (userActionType ?? 'COMMENTED') !== 'COMMENTED',
    ],
    [
      'logicalCondition',
      `This way of comparing is not executed: ANY_VALUE alone is. ${NEVER}`,
      (logicalCondition ?? 'ANY_VALUE') !== 'ANY_VALUE',
    ],
    ['aiValues', `Values are compared by their words, and not by their meaning. ${NEVER}`, hasItems(aiValues)],
    ['socialUserProperty', `Properties of people are not compared. ${NEVER}`, isSet(condition.socialUserProperty)],
    ['retentionProperty', `Retention is not compared. ${NEVER}`, isSet(condition.retentionProperty)],
    ['dateCondition', `Dates are not compared. ${NEVER}`, isSet(condition.dateCondition)],
    ['userProperty', `Properties of people are not compared. ${NEVER}`, isSet(condition.userProperty)],
  ]
  return [
    ...found.flatMap(([name, reason, isThere]) => (isThere ? [{ path: `${path}.${name}`, reason }] : [])),
    ...values.flatMap((value, place) =>
      typeof value === 'number' || (typeof value === 'string' && /[\p{L}\p{N}]/u.test(value))
        ? []
        : [{ path: `${path}.values[${place}]`, reason: 'A value without a letter or a digit matches no comment.' }],
    ),
  ]
}

function ofPrivateReply(reply: Reply, path: string): NotExecuted[] {
  if (reply.active === false) return []
  const { mediaUrl, mediaType, redirects = [] } = reply
  return [
    ...ofReply(reply, path),
    ...(isSet(mediaUrl) && ((mediaType ?? 'IMAGE') !== 'IMAGE' || !isWebAddress(mediaUrl))
      ? [{ path: `${path}.mediaUrl`, reason: 'Images at a web address alone are sent.' }]
      : []),
    ...redirects.flatMap((redirect, place) => ofRedirect(redirect, `${path}.redirects[${place}]`)),
  ]
}

const ofRedirect = (redirect: Redirect, path: string): NotExecuted[] =>
  isWebAddress(redirect.url)
    ? listFields(redirect, REDIRECT, path)
    : [{ path, reason: 'A button is sent only where its url is a web address.' }]

function ofPublicReply(reply: Reply, path: string): NotExecuted[] {
  const { active, mediaUrl, redirects } = reply
  if (active === false) return []
  const reason = 'A public reply is its text alone.'
  return [
    ...ofReply(reply, path),
    ...(isSet(mediaUrl) ? [{ path: `${path}.mediaUrl`, reason }] : []),
    ...(hasItems(redirects) ? [{ path: `${path}.redirects`, reason }] : []),
  ]
}

/** Fields that neither public nor private replies have. */
const ofReply = (reply: Reply, path: string): NotExecuted[] => [
  ...listFields(reply, REPLY, path),
  ...(isSet(reply.media) && !isSet(reply.mediaUrl)
    ? [{ path: `${path}.media`, reason: 'Media are sent by mediaUrl alone.' }]
    : []),
]

function ofRaffle(raffle: NonNullable<Superpower['raffle']>): NotExecuted[] {
  const { endedComment, endedPublicReplies, winnersPrivateReply, looseresPrivateReply } = raffle
  const reason = 'Nothing is written in public when a raffle ends.'
  return [
    ...(isSet(endedComment) ? [{ path: 'raffle.endedComment', reason }] : []),
    ...(endedPublicReplies?.some(({ active }) => active !== false)
      ? [{ path: 'raffle.endedPublicReplies', reason }]
      : []),
    ...(winnersPrivateReply === undefined ? [] : ofPrivateReply(winnersPrivateReply, 'raffle.winnersPrivateReply')),
    ...(looseresPrivateReply === undefined ? [] : ofPrivateReply(looseresPrivateReply, 'raffle.looseresPrivateReply')),
  ]
}
