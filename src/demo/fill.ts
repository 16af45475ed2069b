import { insertKey, keySecretContext, revokeKeyRow } from '../access/keys.store.js'
import { insertOrganization, updateOrganizationRow } from '../access/organizations.store.js'
import { importConversationRows } from '../audience/import/import-rows.js'
import {
  channelTokenContext,
  connectChannel,
  insertChannel,
  insertWorkspace,
  setChannelToken,
} from '../channels/channels.store.js'
import type { AppContext } from '../context.js'
import { accessTokenContext, insertAdAccount } from '../insights/ad-accounts.store.js'
import type { ChannelType } from '../interface/channels.js'
import { newId, newSecret } from '../lib/ids.js'
import { insertScheduledPost } from '../posts/scheduled-posts.store.js'
import type { DemoModel } from '../sandbox/model.js'
import { demoAudience } from './people.js'
import { demoPosts } from './posts.js'

interface DemoKey {
  id: string
  secret: string
}

/** The ids and keys of the demo, as they stand in demo.json. */
export interface DemoIds {
  organizationId: string
  key: DemoKey
  otherOrganizationKey: DemoKey
  inactiveOrganizationKey: DemoKey
  revokedKey: DemoKey
  workspaceId: string
  standardWorkspaceId: string
  otherOrganizationWorkspaceId: string
  channelId: string
  largeChannelId: string
  unconnectedChannelId: string
  adAccountId: string
  heavyAdAccountId: string
  campaignId: string
  campaignBeforeCutoffId: string
  scheduledPostIds: Record<'draft' | 'rejected' | 'waitingForApproval' | 'scheduled' | 'published', string>
}

const UNCONNECTED_CHANNEL_ID = 'FB_PAGE_112233445566778'

/** Fills the database with three made-up organizations. Every run makes new ones, beside what is there. */
export async function fillDemo(
  context: AppContext,
  platform: DemoModel,
  onLanded: (count: number) => void,
): Promise<DemoIds> {
  const now = context.clock.now()
  const channelId = `FB_PAGE_${platform.pageId}`
  const largeChannelId = `INSTAGRAM_ACCOUNT_${platform.instagramId}`
  const organizationId = await makeOrganization(context, 'Mercado Aurora')
  const otherOrganizationId = await makeOrganization(context, 'Some other company')
  const inactiveOrganizationId = await makeOrganization(context, 'A company that left')
  await updateOrganizationRow(context.database, inactiveOrganizationId, { active: false })
  const revokedKey = await issueKey(context, organizationId)
  await revokeKeyRow(context.database, organizationId, revokedKey.id, new Date(context.clock.now()))

  const workspaceId = await makeWorkspace(context, organizationId, 'Aurora VIPs', 'VIP')
  const standardWorkspaceId = await makeWorkspace(context, organizationId, 'Aurora support', 'STANDARD')
  const otherOrganizationWorkspaceId = await makeWorkspace(context, otherOrganizationId, 'Their VIPs', 'VIP')
  await makeChannel(context, organizationId, channelId, 'FB_PAGE', 'Mercado Aurora', [workspaceId, standardWorkspaceId])
  await makeChannel(context, organizationId, largeChannelId, 'INSTAGRAM_ACCOUNT', 'mercado.aurora', [workspaceId])
  await makeChannel(context, organizationId, UNCONNECTED_CHANNEL_ID, 'FB_PAGE', 'Aurora Café', [])
  await makeAdAccounts(context, organizationId, platform)

  const { database } = context
  const audience = { organizationId, workspaceId }
  await importConversationRows(
    database,
    { ...audience, channelId },
    demoAudience({ seed: 1, prefix: 't_1', count: 1_200, vipShare: 0.1, now }),
    { onLanded },
  )
  await importConversationRows(
    database,
    { ...audience, channelId: largeChannelId },
    demoAudience({ seed: 2, prefix: 'ig_2', count: 30_000, vipShare: 0.02, now }),
    { onLanded },
  )

  return {
    organizationId,
    key: await issueKey(context, organizationId),
    otherOrganizationKey: await issueKey(context, otherOrganizationId),
    inactiveOrganizationKey: await issueKey(context, inactiveOrganizationId),
    revokedKey,
    workspaceId,
    standardWorkspaceId,
    otherOrganizationWorkspaceId,
    channelId,
    largeChannelId,
    unconnectedChannelId: UNCONNECTED_CHANNEL_ID,
    adAccountId: platform.adAccountId,
    heavyAdAccountId: platform.heavyAdAccountId,
    campaignId: platform.campaignId,
    campaignBeforeCutoffId: platform.campaignBeforeCutoffId,
    scheduledPostIds: await makePosts(context, organizationId, channelId, largeChannelId),
  }
}

/**
 * Connects the page and the Instagram account to the sandbox. At each start: an earlier version made channels that were
 * not connected, and whoever tries the demo may have disconnected one.
 */
export async function connectToSandbox(
  { database, sealer }: AppContext,
  { organizationId, channelId, largeChannelId }: DemoIds,
  { pageAccessToken }: DemoModel,
): Promise<void> {
  for (const id of [channelId, largeChannelId]) {
    const sealed = sealer.seal(pageAccessToken, channelTokenContext(organizationId, id))
    await setChannelToken(database, organizationId, id, sealed)
  }
}

async function makeOrganization({ database, clock }: AppContext, name: string): Promise<string> {
  const organizationId = newId('org')
  await insertOrganization(database, { organizationId, name, createdAt: new Date(clock.now()) })
  return organizationId
}

async function issueKey({ database, sealer, clock }: AppContext, organizationId: string): Promise<DemoKey> {
  const key = { id: newId('key'), secret: newSecret() }
  const secretSealed = sealer.seal(key.secret, keySecretContext(key.id))
  await insertKey(database, { keyId: key.id, organizationId, secretSealed, createdAt: new Date(clock.now()) })
  return key
}

async function makeWorkspace(
  { database }: AppContext,
  organizationId: string,
  name: string,
  type: 'VIP' | 'STANDARD',
): Promise<string> {
  const workspaceId = newId('ws')
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name, type })
  return workspaceId
}

async function makeChannel(
  { database }: AppContext,
  organizationId: string,
  channelId: string,
  type: ChannelType,
  name: string,
  workspaceIds: string[],
): Promise<void> {
  await insertChannel(database, organizationId, { channel_id: channelId, type, name })
  for (const workspaceId of workspaceIds) await connectChannel(database, organizationId, workspaceId, channelId)
}

async function makeAdAccounts(
  { database, sealer }: AppContext,
  organizationId: string,
  platform: DemoModel,
): Promise<void> {
  for (const { id, name, currency, timezone } of platform.model.adAccounts) {
    await insertAdAccount(database, organizationId, {
      ad_account_id: id,
      name,
      currency,
      timezone,
      access_token_sealed: sealer.seal(platform.accessToken, accessTokenContext(organizationId, id)),
    })
  }
}

async function makePosts(
  { database, clock }: AppContext,
  organizationId: string,
  pageId: string,
  instagramId: string,
): Promise<DemoIds['scheduledPostIds']> {
  const posts = demoPosts(pageId, instagramId, clock.now())
  const ids = { draft: '', rejected: '', waitingForApproval: '', scheduled: '', published: '' }
  for (const name of Object.keys(ids) as (keyof typeof ids)[]) {
    const scheduledPostId = newId('post')
    await database.transaction((tx) => insertScheduledPost(tx, organizationId, { scheduledPostId, ...posts[name] }))
    ids[name] = scheduledPostId
  }
  return ids
}
