import type { ConversationRow } from '../audience/fields.js'
import { toConversationRow } from '../audience/import/conversation-line.js'
import { BATCH_ROWS, importConversationRows } from '../audience/import/import-rows.js'
import { Greenroom, type GreenroomApi } from '../client/index.js'
import { systemRuntime } from '../client/runtime.js'
import type { AppContext } from '../context.js'
import type { ConversationLine } from '../interface/audience.js'
import type { ChannelType, NewSuperpower, NewWorkspace } from '../interface/generated/types.js'
import type { Clock } from '../lib/clock.js'
import { DAY_MS } from '../lib/dates.js'
import { createPublisher } from '../publisher/publisher.js'
import { MADE_UP } from './made-up.js'
import { uploadDemoMedia } from './media.js'
import { demoAudience } from './people.js'
import { type DemoPost, demoPosts } from './posts.js'
import type { DemoModel } from './sandbox.js'

interface DemoKey {
  id: string
  secret: string
}

/**
 * The ids and keys of the demo, as in demo.json. `media` has the paths of the posts' uploaded files below the server's
 * root, by name. `scheduledPostIds` has the first post of each status.
 */
export type DemoIds = Awaited<ReturnType<typeof fillDemo>>

const POST_NAMES = {
  DRAFT: 'draft',
  REJECTED: 'rejected',
  WAITING_FOR_APPROVAL: 'waitingForApproval',
  SCHEDULED: 'scheduled',
  PUBLISHED: 'published',
  FAILED: 'failed',
} as const

const UNCONNECTED_PLATFORM_ID = '112233445566778'

/** A clock that can be set and continues from there, so that the made-up data has a past. */
export class DemoClock implements Clock {
  #offsetMs = 0
  constructor(readonly real: Clock) {}
  now(): number {
    return this.real.now() + this.#offsetMs
  }
  set(ms: number): void {
    this.#offsetMs = ms - this.real.now()
  }
}

/** The service that the demo fills, with its own clock and a client of the operator. */
interface DemoService {
  context: AppContext
  clock: DemoClock
  /** The root URL, for example `http://127.0.0.1:8080`. */
  url: string
  operator: GreenroomApi
}

/**
 * Creates three organizations over HTTP with an operator token and keys. Only conversations go straight to the database.
 * `onStep` receives a description of each step. Each run adds new organizations. At the end the clock is correct again.
 */
export async function fillDemo(service: DemoService, platform: DemoModel, onStep: (what: string) => void) {
  const { context, clock, operator } = service
  const { accessToken, adAccountId, heavyAdAccountId, campaignId, campaignBeforeCutoffId } = platform
  const now = clock.real.now()
  clock.set(now - 30 * DAY_MS)
  onStep('organizations, channels and media')
  const organizations = await makeOrganizations(operator)
  const { organizationId } = organizations
  const channels = await makeChannels(operator, organizations, platform)
  for (const { id, name, currency, timezone } of platform.model.adAccounts) {
    await operator.call('createAdAccount', { organizationId, body: { id, name, currency, timezone, accessToken } })
  }
  const ids = {
    ...organizations,
    ...channels,
    media: await uploadDemoMedia(operator, organizationId),
    ...{ adAccountId, heavyAdAccountId, campaignId, campaignBeforeCutoffId },
  }
  await connectToSandbox(operator, ids, platform)
  // Superpowers are on in the demo, so comments in the sandbox get answers.
  for (const id of [ids.channelId, ids.largeChannelId]) {
    const automatedNotice = 'This is the automatic assistant of Mercado Aurora.'
    await operator.call('updateChannel', { organizationId, channelId: id, body: { automation: 'on', automatedNotice } })
  }
  const audiences = [
    { channelId: ids.channelId, seed: 1, prefix: 't_1', count: 1_200, vipShare: 0.1 },
    { channelId: ids.largeChannelId, seed: 2, prefix: 'ig_2', count: 12_000, vipShare: 0.05 },
  ]
  for (const { channelId, count, ...audience } of audiences) {
    const imported = { at: new Date(clock.now()), actor: { type: 'operator' } as const }
    const target = { organizationId, workspaceId: ids.workspaceId, channelId, ...imported }
    onStep(`${count} conversations`)
    // Rows cost half as much in large transactions, and no requests are waiting yet.
    const hooks = { batchRows: BATCH_ROWS.postgres }
    const rows = rowsOf(demoAudience({ ...audience, count, now }))
    await importConversationRows(context.database, target, rows, hooks)
  }
  onStep('posts')
  // Posts come last, so that an interrupted start does not leave a second calendar.
  const scheduledPostIds = await makePosts(service, ids)
  clock.set(clock.real.now())
  return { ...ids, scheduledPostIds }
}

async function makeOrganizations(operator: GreenroomApi) {
  const make = async (name: string): Promise<string> =>
    (await operator.call('createOrganization', { body: { name } })).id
  const issueKey = async (organizationId: string): Promise<DemoKey> => {
    const { id, secret } = await operator.call('issueKey', { organizationId, body: { name: 'Post planner' } })
    return { id, secret }
  }
  const makeWorkspace = async (organizationId: string, body: NewWorkspace): Promise<string> =>
    (await operator.call('createWorkspace', { organizationId, body })).id
  const organizationId = await make('Mercado Aurora')
  // The times of the posts are in the time zone of the shop.
  await operator.call('updateOrganization', { organizationId, body: { timeZone: 'America/Sao_Paulo' } })
  const otherOrganizationId = await make('Some other company')
  const inactiveOrganizationId = await make('A company that left')
  await operator.call('updateOrganization', { organizationId: inactiveOrganizationId, body: { active: false } })
  const revokedKey = await issueKey(organizationId)
  await operator.call('revokeKey', { organizationId, keyId: revokedKey.id })
  return {
    organizationId,
    key: await issueKey(organizationId),
    otherOrganizationKey: await issueKey(otherOrganizationId),
    inactiveOrganizationKey: await issueKey(inactiveOrganizationId),
    revokedKey,
    workspaceId: await makeWorkspace(organizationId, { name: 'Aurora VIPs', type: 'VIP' }),
    standardWorkspaceId: await makeWorkspace(organizationId, { name: 'Aurora support', type: 'STANDARD' }),
    otherOrganizationWorkspaceId: await makeWorkspace(otherOrganizationId, { name: 'Their VIPs', type: 'VIP' }),
  }
}

async function makeChannels(
  operator: GreenroomApi,
  { organizationId, workspaceId, standardWorkspaceId }: Awaited<ReturnType<typeof makeOrganizations>>,
  { pageId, instagramId }: DemoModel,
) {
  const make = async (type: ChannelType, platformId: string, name: string): Promise<string> =>
    (await operator.call('createChannel', { organizationId, body: { type, platformId, name } })).id
  const channelId = await make('FB_PAGE', pageId, 'Mercado Aurora')
  const largeChannelId = await make('INSTAGRAM_ACCOUNT', instagramId, 'mercado.aurora')
  const unconnectedChannelId = await make('FB_PAGE', UNCONNECTED_PLATFORM_ID, 'Aurora Café')
  await operator.call('connectChannel', { organizationId, workspaceId, channelId })
  await operator.call('connectChannel', { organizationId, workspaceId: standardWorkspaceId, channelId })
  await operator.call('connectChannel', { organizationId, workspaceId, channelId: largeChannelId })
  return { channelId, largeChannelId, unconnectedChannelId }
}

function* rowsOf(lines: Iterable<ConversationLine>): Generator<ConversationRow> {
  for (const line of lines) yield toConversationRow(line)
}

interface ChannelIds {
  organizationId: string
  channelId: string
  largeChannelId: string
}

/**
 * Connects the page and the Instagram account to the sandbox if they are not connected, because a visitor may have
 * disconnected one.
 */
export async function connectToSandbox(
  operator: GreenroomApi,
  { organizationId, channelId, largeChannelId }: ChannelIds,
  { pageAccessToken }: DemoModel,
): Promise<void> {
  for (const { id, status } of await operator.call('listOrganizationChannels', { organizationId })) {
    if (![channelId, largeChannelId].includes(id) || status === 'connected') continue
    await operator.call('updateChannel', { organizationId, channelId: id, body: { accessToken: pageAccessToken } })
  }
}

interface MadeIds extends ChannelIds {
  key: DemoKey
  media: Record<string, string>
}

/** The first post of each status. */
type PostIds = Record<(typeof POST_NAMES)[DemoPost['status']], string>

async function makePosts(
  { context, clock, url, operator }: DemoService,
  { organizationId, key, channelId, largeChannelId, media }: MadeIds,
): Promise<PostIds> {
  const api = new Greenroom(
    { baseUrl: `${url}/v1`, key: key.id, secret: key.secret },
    { ...systemRuntime, now: () => clock.now() },
  )
  const publisher = createPublisher(context)
  const now = clock.real.now()
  const saveSuperpower = async (superpower: NewSuperpower): Promise<string> =>
    (await operator.call('createSuperpower', { organizationId, body: superpower })).creativeTemplateId
  const { raffle, sizeGuide } = MADE_UP.superpowers
  const superpowerIds = { raffle: await saveSuperpower(raffle), sizeGuide: await saveSuperpower(sizeGuide) }

  /** Creates a post with the usual calls: three days ago, or for a past post three days before its time. */
  async function make({ status, post, rejection }: DemoPost): Promise<string> {
    const scheduledAt = post.scheduledFor === undefined ? now : Date.parse(post.scheduledFor)
    clock.set(Math.min(now, scheduledAt) - 3 * DAY_MS)
    const { id } = await api.scheduledPosts.create(post)
    if (status === 'DRAFT') return id
    const { etag } = await api.scheduledPosts.submitForApproval(id)
    if (status === 'WAITING_FOR_APPROVAL') return id
    clock.set(clock.now() + DAY_MS)
    if (rejection !== undefined) {
      await api.scheduledPosts.reject(id, { notes: rejection })
      return id
    }
    await operator.call('approveScheduledPost', { organizationId, scheduledPostId: id }, { ifMatch: etag! })
    if (status === 'SCHEDULED') return id
    clock.set(scheduledAt)
    await publisher.tick()
    // Media that cannot be fetched are retried for ten minutes.
    for (let tries = 1; tries < 3 && status === 'FAILED'; tries++) {
      clock.set(clock.now() + 10 * 60_000)
      await publisher.tick()
    }
    return id
  }

  const ids: Partial<PostIds> = {}
  const posts = demoPosts({
    pageId: channelId,
    instagramId: largeChannelId,
    superpowerIds,
    now,
    mediaUrl: (name) => `${context.config.http.publicUrl}${media[name]}`,
  })
  for (const post of posts) {
    const id = await make(post)
    ids[POST_NAMES[post.status]] ??= id
  }
  return ids as PostIds
}
