import { newId } from '../src/lib/ids.js'
import { insertScheduledPost, type NewScheduledPost } from '../src/scheduled-posts/scheduled-posts.store.js'
import type { Reply as PostReply, Superpower } from '../src/scheduled-posts/superpower-schema.js'
import { signedHeaders, type Tenant } from './harness.js'

/** A post in any status, a DRAFT unless told; gives its id. */
export async function insertPost(tenant: Tenant, post: Partial<NewScheduledPost> = {}): Promise<string> {
  const { context, clock } = tenant.test
  const scheduledPostId = newId('post')
  const whole = { scheduledPostId, status: 'DRAFT', createdAt: new Date(clock.now()), ...post } as const
  await context.database.transaction((tx) => insertScheduledPost(tx, tenant.organizationId, whole))
  return scheduledPostId
}

/** Updates a post and gives the status, where any may come: of updates at once nobody knows which one wins. */
export async function patchStatus(
  { key, test }: Tenant,
  scheduledPostId: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<number> {
  const date = new Date(test.clock.now()).toUTCString()
  const response = await test.app.inject({
    method: 'PATCH',
    url: `/v1/scheduled-posts/${scheduledPostId}`,
    headers: { ...signedHeaders(key, date), 'x-api-version': '1', ...headers },
    payload: body,
  })
  return response.statusCode
}

/** What a post needs to pass the publish check on these channels. */
export function publishable(...channelIds: string[]): Partial<NewScheduledPost> {
  return {
    media: 'https://cdn.example.com/summer.jpg',
    mediaType: 'IMAGE',
    scheduledFor: new Date('2026-12-01T10:00:00.000Z'),
    channels: channelIds.map((channelId) => ({ channelId, caption: 'Summer is here' })),
  }
}

const reply = (id: string): PostReply => ({
  id,
  text: 'Thank you 💛',
  media: 'media-1',
  mediaUrl: 'https://cdn.example.com/thanks.png',
  attachmentId: 'attachment-1',
  subtitle: '',
  couponCode: 'SUMMER10',
  couponExpireTime: '2026-12-31',
  offerName: 'Ten percent',
  greetingText: 'Hello',
  scope: 'PUBLIC',
  broadcastMessageType: 'REGULAR',
  mediaType: 'IMAGE',
  like: true,
  isAIGenerated: false,
  isAiGeneratedEdited: false,
  active: true,
  redirects: [
    {
      id: `${id}-redirect`,
      text: 'Open',
      description: 'The shop',
      url: 'https://shop.example.com/?a=1',
      d10xUrl: 'https://d10x.example.com/1',
      payload: 'OPEN',
      topicId: 'topic-1',
      action: 'OPEN_URL',
      followUpReplies: [{ anything: [1, { deep: null }] }],
    },
  ],
  carouselItems: [{ title: 'First', buttons: [] }],
})

/** A superpower with every field of interface 2.4. */
export const wholeSuperpower = (hashtag = '#SummerSale'): Superpower => ({
  creativeTemplateId: 'template-1',
  creativeTemplateName: 'Comment to win',
  id: 'superpower-1',
  name: 'Summer raffle',
  hashtag,
  lookupHashtag: hashtag.slice(1).toLowerCase(),
  thumbnail: 'https://cdn.example.com/thumb.png',
  notes: '',
  note: 'One note',
  caption: 'Comment to win',
  active: true,
  expirationDate: Date.parse('2027-01-01T00:00:00.000Z'),
  templateType: 'GENERAL',
  conditionalTemplateType: 'MIX_MATCH',
  conditionGroups: [
    {
      groupId: 'group-1',
      name: 'Everyone',
      link: 'https://example.com',
      linkName: 'Example',
      note: '',
      publicRepliesPrompt: 'Be kind',
      privateRepliesPrompt: 'Be brief',
      conditions: [
        {
          conditionType: 'USER_ACTION',
          userActionType: 'COMMENTED',
          values: ['yes', 1, { any: 'thing' }, [null]],
          aiValues: [],
          logicalCondition: 'ANY_VALUE',
          socialUserProperty: 'followers',
          retentionProperty: '',
          dateCondition: 'today',
          userProperty: { any: { depth: [1, 2, 3] } },
        },
      ],
      publicReplies: [reply('public-1'), reply('public-2')],
      privateReplies: [reply('private-1')],
      autoLike: true,
      takesPartInRaffle: true,
      detectSentiment: false,
      useGenerateRepliesApi: false,
      useSuggestedKeywords: true,
      autoLikeProbability: 0.5,
      probability: 1,
      publicRepliesProbability: 0.25,
      usersLimit: 100,
      timeLimit: 1.5,
      delayDMReplyInHours: 0,
      delayPublicReplyInHours: 0.1,
      timeLimitUnit: 'HOUR',
    },
  ],
  raffle: {
    winnersLimit: 3,
    startDate: '2026-12-01',
    endDate: '2026-12-24',
    endedComment: { text: 'Over' },
    winnersPrivateReply: reply('winners'),
    looseresPrivateReply: reply('loosers'),
    endedPublicReplies: [reply('ended')],
  },
  shareTarget: 10,
  likeTarget: 20,
  commentTarget: 30,
  globalUsersLimit: 1000,
  globalTimeLimit: 24,
  shareTargetEnabled: true,
  likeTargetEnabled: false,
  commentTargetEnabled: true,
  overrideTrollBuster: false,
  overrideMasterSupport: true,
})
