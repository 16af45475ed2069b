import type {
  Condition,
  ConditionGroup,
  NotExecuted,
  Redirect,
  Reply,
  Superpower,
} from '../interface/generated/types.js'
import { hasItems, isSet, isWebAddress } from './rule.js'

const TARGET = 'Targets of shares, likes and comments are stored, but nothing happens when they are reached.'

const TOP: Partial<Record<keyof Superpower, string>> = {
  shareTarget: TARGET,
  likeTarget: TARGET,
  commentTarget: TARGET,
  shareTargetEnabled: TARGET,
  likeTargetEnabled: TARGET,
  commentTargetEnabled: TARGET,
  overrideTrollBuster: 'There is no filter for unwanted comments to override.',
  overrideMasterSupport: 'There is no support mode to override.',
  templateType: 'Templates are not executed: only the condition groups decide.',
  conditionalTemplateType: 'Templates are not executed: only the condition groups decide.',
}

const GROUP: Partial<Record<keyof ConditionGroup, string>> = {
  publicRepliesPrompt: 'Replies are not generated: only written replies are sent.',
  privateRepliesPrompt: 'Replies are not generated: only written replies are sent.',
  useGenerateRepliesApi: 'Replies are not generated: only written replies are sent.',
  detectSentiment: 'The sentiment of comments is not detected.',
  useSuggestedKeywords: 'Keywords are not suggested: only written keywords count.',
  link: 'The link of a group is not sent: put it into a reply.',
}

const REPLY: Partial<Record<keyof Reply, string>> = {
  attachmentId: 'Attachments are sent only by mediaUrl.',
  subtitle: 'Templates with a subtitle are not sent.',
  couponCode: 'Coupons are not sent: write the code into the text.',
  couponExpireTime: 'Coupons are not sent: write the time into the text.',
  offerName: 'Offers are not sent: write the offer into the text.',
  greetingText: 'Greetings are not sent: write them into the text.',
  like: 'A reply does not like the comment: set autoLike of the group.',
  broadcastMessageType: 'Broadcasts are not sent.',
  carouselItems: 'Carousels are not sent.',
  scope: 'The scope of a reply is ignored: publicReplies are public, and privateReplies are private.',
}

const REDIRECT: Partial<Record<keyof Redirect, string>> = {
  d10xUrl: 'A button opens only its url.',
  payload: 'A button only opens its url.',
  topicId: 'A button only opens its url, and starts no topic.',
  action: 'A button only opens its url.',
  followUpReplies: 'Nothing is sent when a person presses a button.',
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
    ...conditionGroups.flatMap((group, place) => listInGroup(group, `conditionGroups[${place}]`)),
    ...(raffle === undefined ? [] : listInRaffle(raffle)),
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

function listInGroup(group: ConditionGroup, path: string): NotExecuted[] {
  const { conditions = [], publicReplies = [], privateReplies = [], timeLimitUnit } = group
  return [
    ...listFields(group, GROUP, path),
    ...conditions.flatMap((condition, place) => listInCondition(condition, `${path}.conditions[${place}]`)),
    ...privateReplies.flatMap((reply, place) => listInPrivateReply(reply, `${path}.privateReplies[${place}]`)),
    ...publicReplies.flatMap((reply, place) => listInPublicReply(reply, `${path}.publicReplies[${place}]`)),
    ...(isSet(timeLimitUnit) && timeLimitUnit !== USUAL.timeLimitUnit
      ? [{ path: `${path}.timeLimitUnit`, reason: 'The time limit counts in hours, whatever its unit says.' }]
      : []),
  ]
}

const NEVER = 'The group therefore matches no comment.'

function listInCondition(condition: Condition, path: string): NotExecuted[] {
  const { conditionType, userActionType, logicalCondition, aiValues, values = [] } = condition
  const found: [name: keyof Condition, reason: string, isThere: boolean][] = [
    [
      'conditionType',
      `Only conditions of the type USER_ACTION are executed. ${NEVER}`,
      (conditionType ?? 'USER_ACTION') !== 'USER_ACTION',
    ],
    [
      'userActionType',
      `Only the action COMMENTED is detected. ${NEVER}`,
      (userActionType ?? 'COMMENTED') !== 'COMMENTED',
    ],
    [
      'logicalCondition',
      `Only the comparison ANY_VALUE is executed. ${NEVER}`,
      (logicalCondition ?? 'ANY_VALUE') !== 'ANY_VALUE',
    ],
    ['aiValues', `Values are compared by their words, not by their meaning. ${NEVER}`, hasItems(aiValues)],
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

function listInPrivateReply(reply: Reply, path: string): NotExecuted[] {
  if (reply.active === false) return []
  const { mediaUrl, mediaType, redirects = [] } = reply
  return [
    ...listInReply(reply, path),
    ...(isSet(mediaUrl) && ((mediaType ?? 'IMAGE') !== 'IMAGE' || !isWebAddress(mediaUrl))
      ? [{ path: `${path}.mediaUrl`, reason: 'Only images at a web address are sent.' }]
      : []),
    ...redirects.flatMap((redirect, place) => listInRedirect(redirect, `${path}.redirects[${place}]`)),
  ]
}

const listInRedirect = (redirect: Redirect, path: string): NotExecuted[] =>
  isWebAddress(redirect.url)
    ? listFields(redirect, REDIRECT, path)
    : [{ path, reason: 'A button is sent only if its url is a web address.' }]

function listInPublicReply(reply: Reply, path: string): NotExecuted[] {
  const { active, mediaUrl, redirects } = reply
  if (active === false) return []
  const reason = 'A public reply consists only of its text.'
  return [
    ...listInReply(reply, path),
    ...(isSet(mediaUrl) ? [{ path: `${path}.mediaUrl`, reason }] : []),
    ...(hasItems(redirects) ? [{ path: `${path}.redirects`, reason }] : []),
  ]
}

/** Fields that neither public nor private replies have. */
const listInReply = (reply: Reply, path: string): NotExecuted[] => [
  ...listFields(reply, REPLY, path),
  ...(isSet(reply.media) && !isSet(reply.mediaUrl)
    ? [{ path: `${path}.media`, reason: 'Media are sent only by mediaUrl.' }]
    : []),
]

function listInRaffle(raffle: NonNullable<Superpower['raffle']>): NotExecuted[] {
  const { endedComment, endedPublicReplies, winnersPrivateReply, looseresPrivateReply } = raffle
  const reason = 'Nothing is posted publicly when a raffle ends.'
  return [
    ...(isSet(endedComment) ? [{ path: 'raffle.endedComment', reason }] : []),
    ...(endedPublicReplies?.some(({ active }) => active !== false)
      ? [{ path: 'raffle.endedPublicReplies', reason }]
      : []),
    ...(winnersPrivateReply === undefined ? [] : listInPrivateReply(winnersPrivateReply, 'raffle.winnersPrivateReply')),
    ...(looseresPrivateReply === undefined
      ? []
      : listInPrivateReply(looseresPrivateReply, 'raffle.looseresPrivateReply')),
  ]
}
