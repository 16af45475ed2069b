import { describe, expect, test } from 'vitest'
import { wholeSuperpower } from '../../test/posts.js'
import type { Condition, ConditionGroup, Raffle, Reply, Superpower } from '../interface/generated/types.js'
import { listNotExecuted } from './not-executed.js'

const pathsOf = (superpower: Superpower): string[] => listNotExecuted(superpower).map(({ path }) => path)
const ofGroup = (group: ConditionGroup) => pathsOf({ conditionGroups: [group] })
const ofCondition = (condition: Condition) => ofGroup({ conditions: [condition] })
const ofPrivateReply = (reply: Reply) => ofGroup({ privateReplies: [reply] })
const ofPublicReply = (reply: Reply) => ofGroup({ publicReplies: [reply] })

test('executed parts, and parts that only name or describe, are not listed', () => {
  expect(
    listNotExecuted({
      ...{ creativeTemplateId: 't', creativeTemplateName: 'n', id: 'i', name: 'n', hashtag: '#a', thumbnail: 'x' },
      ...{ notes: 'n', note: 'n', caption: 'c', active: true, expirationDate: 1, globalUsersLimit: 1 },
      ...{ globalTimeLimit: 1, templateType: 'GENERAL', conditionalTemplateType: 'MIX_MATCH' },
      ...{ shareTarget: 0, likeTargetEnabled: false, overrideTrollBuster: false },
      conditionGroups: [
        {
          ...{ groupId: 'g', name: 'n', linkName: 'n', note: 'n', autoLike: true, takesPartInRaffle: true },
          ...{ usersLimit: 1, timeLimit: 1, timeLimitUnit: 'HOUR', delayDMReplyInHours: 1, probability: 0.5 },
          ...{ detectSentiment: false, publicRepliesPrompt: '', link: '' },
          conditions: [{ conditionType: 'USER_ACTION', values: ['a', 1, 'any'], aiValues: [], userProperty: {} }],
          publicReplies: [{ id: 'r', text: 'x', scope: 'PUBLIC', isAIGenerated: true, redirects: [] }],
          privateReplies: [
            {
              ...{ text: 'x', mediaUrl: 'https://a.example', mediaType: 'IMAGE', broadcastMessageType: 'REGULAR' },
              ...{ media: 'media_1', like: false, carouselItems: [] },
              redirects: [{ id: 'b', text: 'x', description: 'd', url: 'https://a.example', followUpReplies: [] }],
            },
          ],
        },
      ],
      raffle: { winnersLimit: 1, startDate: 'x', endDate: 'x', endedComment: {}, endedPublicReplies: [] },
    }),
  ).toEqual([])
})

test('each part is listed with its path and a complete sentence', () => {
  const listed = listNotExecuted(wholeSuperpower())
  for (const { reason } of listed) expect(reason).toMatch(/^[A-Z][^\n]+\.$/)
  const paths = listed.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths.filter((path) => !/Repl(y|ies)/.test(path))).toEqual([
    ...['shareTarget', 'commentTarget', 'shareTargetEnabled', 'commentTargetEnabled'],
    ...paths.filter((path) => path.startsWith('override')),
    ...['conditionGroups[0].useSuggestedKeywords', 'conditionGroups[0].link'],
    ...['socialUserProperty', 'dateCondition', 'userProperty', 'values[2]', 'values[3]'].map(
      (field) => `conditionGroups[0].conditions[0].${field}`,
    ),
    'raffle.endedComment',
  ])
})

describe('is listed', () => {
  test.each<[Superpower, string]>([
    [{ shareTarget: 3 }, 'shareTarget'],
    [{ likeTarget: 3, likeTargetEnabled: true }, 'likeTarget'],
    [{ templateType: 'COUPON' }, 'templateType'],
    [{ conditionalTemplateType: 'ORDER' }, 'conditionalTemplateType'],
    [{ overrideTrollBuster: true }, 'overrideTrollBuster'],
    [{ overrideMasterSupport: true }, 'overrideMasterSupport'],
  ])('of a superpower: %j', (superpower, path) => {
    expect(pathsOf(superpower)).toContain(path)
  })

  test('no target that is not enabled', () => {
    expect(pathsOf({ shareTarget: 3, shareTargetEnabled: false })).toEqual([])
  })

  test.each<ConditionGroup>([
    { publicRepliesPrompt: 'Be kind' },
    { privateRepliesPrompt: 'Be brief' },
    { useGenerateRepliesApi: true },
    { detectSentiment: true },
    { useSuggestedKeywords: true },
    { link: 'https://a.example' },
    { timeLimitUnit: 'DAY' },
  ])('of a group: %j', (group) => {
    expect(ofGroup(group)).toEqual([`conditionGroups[0].${Object.keys(group)[0]}`])
  })

  test.each<Condition>([
    { conditionType: 'DATE' },
    { userActionType: 'SHARED' },
    { logicalCondition: 'ALL' },
    { aiValues: ['wants it'] },
    { socialUserProperty: 'followers' },
    { retentionProperty: 'new' },
    { dateCondition: 'weekend' },
    { userProperty: { age: 18 } },
  ])('of a condition: %j', (condition) => {
    expect(ofCondition(condition)).toEqual([`conditionGroups[0].conditions[0].${Object.keys(condition)[0]}`])
  })

  test('a value that no comment has', () => {
    expect(ofCondition({ values: ['a', '🎉', null, {}, 0] })).toEqual(
      [1, 2, 3].map((place) => `conditionGroups[0].conditions[0].values[${place}]`),
    )
  })

  test.each<Reply>([
    { media: 'media_1' },
    { mediaUrl: 'ftp://a.example' },
    { attachmentId: '1' },
    { subtitle: 's' },
    { couponCode: 'A1' },
    { couponExpireTime: '1' },
    { offerName: 'o' },
    { greetingText: 'Hi' },
    { scope: 'FRIENDS' },
    { like: true },
    { broadcastMessageType: 'PROMO' },
    { carouselItems: [{ title: 'First' }] },
  ])('of a reply, public or private, unless it is inactive: %j', (reply) => {
    const field = Object.keys(reply)[0]
    expect(ofPrivateReply(reply)).toEqual([`conditionGroups[0].privateReplies[0].${field}`])
    expect(ofPublicReply(reply)).toEqual([`conditionGroups[0].publicReplies[0].${field}`])
    expect(ofPrivateReply({ ...reply, active: false })).toEqual([])
    expect(ofPublicReply({ ...reply, active: false })).toEqual([])
    expect(pathsOf({ raffle: { winnersPrivateReply: reply, looseresPrivateReply: reply } })).toEqual(
      ['winners', 'looseres'].map((whose) => `raffle.${whose}PrivateReply.${field}`),
    )
  })

  test('an image or a button of a public reply', () => {
    const url = 'https://a.example'
    expect(ofPublicReply({ mediaUrl: url, redirects: [{ text: 'Shop', url }] })).toEqual(
      ['mediaUrl', 'redirects'].map((field) => `conditionGroups[0].publicReplies[0].${field}`),
    )
  })

  test('a video', () => {
    const path = 'conditionGroups[0].privateReplies[0].mediaUrl'
    expect(ofPrivateReply({ mediaUrl: 'https://a.example', mediaType: 'VIDEO' })).toEqual([path])
  })

  test('a button without a web address, and every other action of a button', () => {
    const url = 'https://a.example'
    const path = 'conditionGroups[0].privateReplies[0].redirects'
    const redirects = [
      { text: 'Talk', topicId: 't', followUpReplies: [{}] },
      { url, d10xUrl: 'https://d.example', payload: 'p', topicId: 't', action: 'a', followUpReplies: [{}] },
    ]
    expect(ofPrivateReply({ redirects })).toEqual([
      `${path}[0]`,
      ...['d10xUrl', 'payload', 'topicId', 'action', 'followUpReplies'].map((field) => `${path}[1].${field}`),
    ])
  })

  test.each<[Raffle, string[]]>([
    [{ endedComment: { text: 'Over' } }, ['raffle.endedComment']],
    [{ endedPublicReplies: [{ text: 'Over' }] }, ['raffle.endedPublicReplies']],
    [{ endedPublicReplies: [{ text: 'Over', active: false }] }, []],
  ])('of a raffle: %j', (raffle, paths) => {
    expect(pathsOf({ raffle })).toEqual(paths)
  })
})
