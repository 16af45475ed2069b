import { expect } from 'vitest'
import type { Queryable } from '../src/database/database.js'
import type { Reply as PostReply, Superpower } from '../src/interface/generated/types.js'
import type { PostStatus } from '../src/interface/post-status.js'
import { newId } from '../src/lib/ids.js'
import { nextStatus } from '../src/posts/lifecycle.js'
import { requireScheduledPost } from '../src/posts/scheduled-posts.store.js'
import { claimDuePosts, expireLatePosts, finishPost } from '../src/publisher/claims.store.js'
import {
  keyText,
  listPublicationsByKey,
  type PublicationRow,
  savePublication,
} from '../src/publisher/publications.store.js'
import { OPERATOR_TOKEN, operatorCall, type Reply, signedHeaders, type Tenant, type TestApp } from './harness.js'
import { insertScheduledPost, type PostFixture } from './insert-scheduled-post.js'

/** Inserts a post in the given status, DRAFT by default; returns its id. */
export async function insertPost(tenant: Tenant, post: Partial<PostFixture> = {}): Promise<string> {
  const { context, clock } = tenant.test
  const scheduledPostId = newId('post')
  const whole = { scheduledPostId, status: 'DRAFT', createdAt: new Date(clock.now()), ...post } as const
  await context.database.transaction((tx) => insertScheduledPost(tx, tenant.organizationId, whole))
  return scheduledPostId
}

/** Sends a signed call to `/v1` that accepts any response: of simultaneous calls, any may win. */
export function callAny(
  { key, test }: Tenant,
  method: Method,
  path: string,
  { body, headers = {} }: CallAnyOptions = {},
): Promise<Reply> {
  const date = new Date(test.clock.now()).toUTCString()
  return inject(test, method, `/v1${path}`, body, { ...signedHeaders(key, date), 'x-api-version': '1', ...headers })
}

/** Makes the same call by the operator, below the tenant's organization. */
export function operatorAny(
  { organizationId, test }: Tenant,
  method: Method,
  path: string,
  { body, headers = {} }: CallAnyOptions = {},
): Promise<Reply> {
  const url = `/api/organizations/${organizationId}${path}`
  return inject(test, method, url, body, { authorization: `Bearer ${OPERATOR_TOKEN}`, ...headers })
}

interface CallAnyOptions {
  body?: object
  headers?: Record<string, string>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

async function inject(
  { app }: TestApp,
  method: Method,
  url: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Reply> {
  const response = await app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) })
  expect(response.statusCode, `${method} ${url}: ${response.body.slice(0, 500)}`).toBeLessThan(500)
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

/** Updates a post and returns the status, whatever it is. */
export async function patchStatus(
  tenant: Tenant,
  scheduledPostId: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<number> {
  return (await callAny(tenant, 'PATCH', `/scheduled-posts/${scheduledPostId}`, { body, headers })).status
}

/** Returns the publications of a post on its channels. */
export async function listPublications(
  database: Queryable,
  organization_id: string,
  scheduled_post_id: string,
): Promise<PublicationRow[]> {
  const key = { organization_id, scheduled_post_id }
  return (await listPublicationsByKey(database, [key])).get(keyText(key)) ?? []
}

/** An item of the operator's history of a post. */
export interface HistoryItem {
  version: number
  at: string
  actor: string
  action: string
  fromStatus?: PostStatus
  toStatus?: PostStatus
  detail?: Record<string, unknown>
}

/**
 * The history of a post, including a deleted one. Fails unless it is complete: every version appears once, and each
 * starts where the previous one ended.
 */
export async function readHistory(tenant: Tenant, scheduledPostId: string): Promise<HistoryItem[]> {
  const path = `/organizations/${tenant.organizationId}/scheduled-posts/${scheduledPostId}/history`
  const history: HistoryItem[] = (await operatorCall(tenant.test, 200, 'GET', path)).body.items
  expect(history.map(({ version }) => version)).toEqual(history.map((_, index) => index + 1))
  expect(history.map(({ fromStatus }) => fromStatus)).toEqual([
    undefined,
    ...history.slice(0, -1).map(({ toStatus }) => toStatus),
  ])
  return history
}

/** Moves the post as the publisher does, without the platform. Throws wrong_state like every other change. */
export async function moveAsPublisher(
  tenant: Tenant,
  scheduledPostId: string,
  trigger: 'claim' | 'finish' | 'finishWithFailure' | 'expire',
): Promise<void> {
  if (trigger === 'claim') return claim(tenant, scheduledPostId)
  const { status } = await requireScheduledPost(tenant.test.context.database, tenant.organizationId, scheduledPostId)
  nextStatus(trigger, status)
  if (trigger === 'expire') await expire(tenant, scheduledPostId)
  else await finish(tenant, scheduledPostId, trigger === 'finish')
}

/** Tries again, as the publisher does, while another change holds the post's lock. */
async function claim(tenant: Tenant, scheduledPostId: string): Promise<void> {
  const { context, clock } = tenant.test
  const { database } = context
  for (;;) {
    const post = await requireScheduledPost(database, tenant.organizationId, scheduledPostId)
    nextStatus('claim', post.status)
    const { rows: others } = await database.query<{ scheduled_post_id: string }>(
      `select scheduled_post_id from scheduled_posts
        where status in ('SCHEDULED', 'PUBLISHING') and scheduled_post_id <> $1`,
      [scheduledPostId],
    )
    const { claims } = await claimDuePosts(database, {
      holder: 'publisher_test',
      now: new Date(Math.max(clock.now(), post.scheduled_for?.getTime() ?? 0)),
      // The lease expires at once, so that a second claim takes over the post.
      leaseMs: 0,
      limit: 1,
      except: others.map((other) => other.scheduled_post_id),
      channelPosts: new Map(),
      channelPostsMax: 1,
      lateBefore: new Date(0),
    })
    if (claims.length > 0) return
  }
}

async function finish(tenant: Tenant, scheduledPostId: string, isPublished: boolean): Promise<void> {
  const { organizationId, test } = tenant
  const { database } = test.context
  const now = new Date(test.clock.now())
  const { rows } = await database.query<{ leased_by: string }>(
    'select leased_by from scheduled_posts where organization_id = $1 and scheduled_post_id = $2',
    [organizationId, scheduledPostId],
  )
  const held = { holder: 'publisher_test', leasedBy: rows[0]!.leased_by }
  const lease = { organizationId, scheduledPostId, ...held, durationMs: 0, until: now }
  const ended = []
  for (const row of await listPublications(database, organizationId, scheduledPostId)) {
    const change = isPublished
      ? ({ state: 'PUBLISHED', external_id: newId('external') } as const)
      : ({ state: 'FAILED', error: 'Refused' } as const)
    ended.push(await savePublication(database, lease, row, change, now))
  }
  await finishPost(database, lease, ended, now)
}

async function expire({ organizationId, test }: Tenant, scheduledPostId: string): Promise<void> {
  const { database } = test.context
  const now = new Date(test.clock.now())
  // This is earlier than every other post's time, so that this post is too late.
  await database.query(
    'update scheduled_posts set scheduled_for = $3 where organization_id = $1 and scheduled_post_id = $2',
    [organizationId, scheduledPostId, new Date(0)],
  )
  await expireLatePosts(database, { lateBefore: new Date(1), limit: 1, reasonOf: () => 'Too late', now })
}

/** Returns the fields with which a post passes the publish check on these channels. */
export function publishable(...channelIds: string[]): Partial<PostFixture> {
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

/** Returns a superpower with every field of interface 2.4. */
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

/** Returns the version in the ETag of a post. */
export const versionIn = (etag: unknown): number => Number(/^"(\d+)[-"]/.exec(String(etag))?.[1])
