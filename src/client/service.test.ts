import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, makeAccount, makeCampaign } from '../../test/graph-harness.js'
import {
  NEW_CHANNEL,
  OPERATOR_TOKEN,
  startOwnTestApp,
  startTestApp,
  Tenant,
  type TestApp,
  TestClock,
} from '../../test/harness.js'
import { png } from '../../test/media.js'
import { moveAsPublisher, versionIn } from '../../test/posts.js'
import { ConflictError, Greenroom, GreenroomApi, GreenroomError } from './index.js'

async function listen(app: TestApp): Promise<string> {
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.app.close())
  return `http://127.0.0.1:${(app.app.server.address() as { port: number }).port}`
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

test('every operation answers the client, with bodies that match their schemas', async () => {
  const campaign = makeCampaign(['2026-11-01'], { id: '120001', name: 'Spring' })
  const sandbox = await startSandbox({
    model: {
      tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] },
      adAccounts: [makeAccount({ campaigns: [campaign] })],
      pages: [{ id: '123', platform: 'facebook', name: 'Page', accessToken: 'EAAtoken' }],
    },
    clock: new TestClock(),
  })
  onTestFinished(() => sandbox.close())
  const mediaDir = await mkdtemp(join(tmpdir(), 'greenroom-media-'))
  onTestFinished(() => rm(mediaDir, { recursive: true }))
  const app = await startTestApp({
    graph: { baseUrl: sandbox.url },
    media: { dir: mediaDir },
    http: { publicUrl: 'https://greenroom.example' },
  })
  const origin = await listen(app)
  const runtime = { now: () => app.clock.now(), random: () => 0, wait: async () => {} }
  const operator = new GreenroomApi({ baseUrl: `${origin}/api`, token: OPERATOR_TOKEN }, runtime)

  const { id: org, name, active } = await operator.call('createOrganization', { body: { name: 'Client test' } })
  expect({ name, active }).toEqual({ name: 'Client test', active: true })
  const listed: string[] = []
  for await (const { id } of operator.items('listOrganizations', { query: { limit: 100 } })) listed.push(id)
  expect(listed).toContain(org)
  expect(await operator.call('updateOrganization', { organizationId: org, body: { name: 'Renamed' } })).toMatchObject({
    id: org,
    name: 'Renamed',
  })
  const { id: key, secret } = await operator.call('issueKey', { organizationId: org })
  expect(await operator.call('listKeys', { organizationId: org })).toMatchObject([{ id: key }])
  const client = new Greenroom({ baseUrl: `${origin}/v1/`, key, secret }, runtime)

  const workspace = await operator.call('createWorkspace', { organizationId: org, body: { name: 'VIPs', type: 'VIP' } })
  expect(await operator.call('listWorkspaces', { organizationId: org })).toEqual([workspace])
  expect(await client.workspaces.list()).toEqual([workspace])
  const channel = await operator.call('createChannel', {
    organizationId: org,
    body: { type: 'FB_PAGE', platformId: '123', name: 'Page' },
  })
  expect(channel).toEqual({ id: 'FB_PAGE_123', type: 'FB_PAGE', name: 'Page', status: 'not-connected' })
  expect(await operator.call('listOrganizationChannels', { organizationId: org })).toEqual([
    { ...channel, ...NEW_CHANNEL },
  ])
  expect(await client.channels.list({ workspaceId: workspace.id })).toEqual([])
  const connection = { workspaceId: workspace.id, channelId: channel.id }
  expect(
    await operator.call('connectChannel', { organizationId: org, workspaceId: workspace.id, channelId: channel.id }),
  ).toEqual(connection)
  const connected = await operator.call('updateChannel', {
    organizationId: org,
    channelId: channel.id,
    body: { accessToken: 'EAAtoken' },
  })
  expect(connected).toEqual({ ...channel, status: 'connected', login: 'facebook' })
  expect(await client.channels.list({ workspaceId: workspace.id })).toEqual([{ ...channel, status: 'connected' }])
  expect(await client.channels.list()).toEqual([{ ...channel, status: 'connected' }])

  const lines = '{"conversationId":"a","cuid":"1","lifetimeValue":5,"birthday":"--05-04","vip":true}\n{"cuid":"2"}\n'
  const upload = { contentType: 'application/x-ndjson', query: { workspaceId: workspace.id } } as const
  expect(
    await operator.call('importConversations', { organizationId: org, channelId: channel.id, body: lines, ...upload }),
  ).toEqual({
    received: 2,
    imported: 1,
    erased: 0,
    rejected: [{ line: 2, reason: expect.stringContaining('conversationId is missing') }],
    rejectedCount: 1,
  })
  async function* chunks() {
    yield new TextEncoder().encode('conversationId,cuid,lifetimeValue\nb/ü,')
    yield new TextEncoder().encode('2,9\n')
  }
  expect(
    await operator.call('importConversations', {
      organizationId: org,
      channelId: channel.id,
      body: chunks(),
      contentType: 'text/csv',
    }),
  ).toMatchObject({
    imported: 1,
  })
  const media = await operator.call('uploadMedia', { organizationId: org, body: png(3, 2) })
  expect(media).toMatchObject({ contentType: 'image/png', width: 3, height: 2 })
  expect(await collect(operator.items('listMedia', { organizationId: org }))).toEqual([media])
  expect(await operator.call('deleteMedia', { organizationId: org, mediaId: media.id })).toEqual({ id: media.id })
  expect((await operator.call('listMedia', { organizationId: org })).items).toEqual([])

  const mark = { ...connection, conversationId: 'b/ü' }
  expect(
    await operator.call('markVip', {
      organizationId: org,
      workspaceId: workspace.id,
      channelId: channel.id,
      conversationId: 'b/ü',
    }),
  ).toEqual({ ...mark, vip: true })
  const vips = { workspaceId: workspace.id, mediumId: channel.id }
  expect(await client.vipUsers.list({ ...vips, limit: 1 })).toEqual({
    items: [{ conversationId: 'b/ü', cuid: '2' }],
    returned: 1,
    total: 2,
    mayHaveMore: true,
    nextOffset: 1,
    scanCapped: false,
  })
  expect(await collect(client.vipUsers.listAll({ ...vips, hasBirthday: true, compact: true }))).toEqual([
    { conversationId: 'a', cuid: '1', birthday: '--05-04' },
  ])
  expect(
    (await collect(client.vipUsers.pages({ ...vips, scope: 'all', limit: 1 }))).map(({ items }) => items.length),
  ).toEqual([1, 1])
  expect(
    await operator.call('unmarkVip', {
      organizationId: org,
      workspaceId: workspace.id,
      channelId: channel.id,
      conversationId: 'b/ü',
    }),
  ).toEqual({ ...mark, vip: false })

  const account = { id: AD_ACCOUNT_ID, name: 'Shop', currency: 'EUR', timezone: 'Europe/Madrid' }
  expect(await operator.call('createAdAccount', { organizationId: org, body: account })).toEqual({
    ...account,
    connected: false,
  })
  expect(
    await operator.call('updateAdAccount', {
      organizationId: org,
      adAccountId: AD_ACCOUNT_ID,
      body: { accessToken: ACCESS_TOKEN },
    }),
  ).toEqual({
    ...account,
    connected: true,
  })
  expect(await operator.call('listOrganizationAdAccounts', { organizationId: org })).toEqual([
    { ...account, connected: true },
  ])
  expect(await client.adAccounts.list()).toEqual([account])
  const window = { startDate: '2026-11-01', endDate: '2026-11-02' }
  const [entry] = await collect(client.campaigns.dailyInsightsAll(AD_ACCOUNT_ID, window))
  expect(entry).toMatchObject({ campaignId: '120001', campaignName: 'Spring', days: [{ date_start: '2026-11-01' }] })
  expect(await client.campaigns.dailyInsights(AD_ACCOUNT_ID, window)).toMatchObject({
    mayHaveMore: false,
    nextCursor: null,
  })
  expect(await client.campaigns.getDailyInsights('120001', window)).toEqual(entry)

  const saved = await operator.call('createSuperpower', {
    organizationId: org,
    body: { name: 'Raffle', superpower: { hashtag: '#Win' } },
  })
  expect((await operator.call('listOrganizationSuperpowers', { organizationId: org })).items).toEqual([saved])
  expect(await client.superpowers.list()).toEqual([saved])
  const superpower = { creativeTemplateId: saved.creativeTemplateId }
  const post = await client.scheduledPosts.create({
    media: 'https://cdn.example.com/a.jpg',
    mediaType: 'IMAGE',
    scheduledFor: '2026-12-01T10:00:00.000Z',
    channels: { [channel.id]: { caption: 'Hello', superpower } },
  })
  expect(post).toMatchObject({ status: 'DRAFT', mediumsData: { [channel.id]: { superpower: { hashtag: '#Win' } } } })
  expect(post.etag).toBe('"1"')
  const conflict = client.scheduledPosts.create({ channels: { [channel.id]: { superpower } } })
  await expect(conflict).rejects.toBeInstanceOf(ConflictError)
  await expect(conflict).rejects.toMatchObject({
    status: 409,
    code: 'hashtag_conflict',
    conflicts: [{ mediumId: channel.id, hashtag: '#Win', reason: 'already-in-use' }],
  })
  expect(
    await operator.call('updateSuperpower', {
      organizationId: org,
      creativeTemplateId: saved.creativeTemplateId,
      body: { active: false },
    }),
  ).toEqual({
    ...saved,
    active: false,
  })

  const edited = await client.scheduledPosts.update(post.id, { notes: 'better' }, { ifMatch: post.etag })
  expect(edited).toEqual({ ...post, notes: 'better' })
  await expect(client.scheduledPosts.update(post.id, { notes: 'lost' }, { ifMatch: post.etag })).rejects.toMatchObject({
    name: 'PreconditionFailedError',
    status: 412,
    code: 'post_changed',
  })
  expect((await client.scheduledPosts.submitForApproval(post.id, { ifMatch: edited.etag })).status).toBe(
    'WAITING_FOR_APPROVAL',
  )
  expect(await client.scheduledPosts.reject(post.id, { notes: 'no' })).toMatchObject({
    status: 'REJECTED',
    notes: 'no',
  })
  expect((await client.scheduledPosts.update(post.id, { status: 'DRAFT' })).status).toBe('DRAFT')
  await client.scheduledPosts.submitForApproval(post.id)
  for (const refused of ['approve', 'publish'] as const) {
    await expect(client.scheduledPosts[refused](post.id)).rejects.toMatchObject({ code: 'approval_is_human' })
  }
  const { etag: ifMatch } = await operator.call('getScheduledPost', { organizationId: org, scheduledPostId: post.id })
  const approved = await operator.call(
    'approveScheduledPost',
    { organizationId: org, scheduledPostId: post.id },
    { ifMatch: ifMatch! },
  )
  expect(approved.status).toBe('SCHEDULED')
  const { etag } = await client.scheduledPosts.get(post.id)
  expect(etag).toBe(approved.etag)
  expect((await client.scheduledPosts.revert(post.id, { ifMatch: etag })).status).toBe('DRAFT')
  const submitted = await client.scheduledPosts.submitForApproval(post.id)
  await operator.call(
    'approveScheduledPost',
    { organizationId: org, scheduledPostId: post.id },
    { ifMatch: submitted.etag! },
  )
  const tenant = { organizationId: org, test: app } as Tenant
  await moveAsPublisher(tenant, post.id, 'claim')
  await moveAsPublisher(tenant, post.id, 'finishWithFailure')
  const scheduledFor = '2026-12-02T10:00:00.000Z'
  expect(
    await operator.call('retryScheduledPost', {
      organizationId: org,
      scheduledPostId: post.id,
      body: { scheduledFor },
    }),
  ).toMatchObject({ scheduledFor })
  const other = await client.scheduledPosts.create({ notes: 'other' })
  expect((await collect(client.scheduledPosts.listAll({ limit: 1 }))).map(({ id }) => id)).toEqual([post.id, other.id])
  expect(await client.scheduledPosts.list({ status: 'DRAFT' })).toEqual([other])
  expect((await collect(client.scheduledPosts.pages())).map(({ length }) => length)).toEqual([2])
  expect(await client.scheduledPosts.delete(other.id, { ifMatch: other.etag })).toEqual({ message: expect.any(String) })
  const { items: history } = await operator.call('listScheduledPostHistory', {
    organizationId: org,
    scheduledPostId: post.id,
  })
  expect(history.map(({ action }) => action).slice(0, 3)).toEqual(['created', 'updated', 'submitted'])
  expect(history.at(-1)).toMatchObject({ action: 'retried', actor: 'operator', toStatus: 'SCHEDULED' })

  expect(
    await operator.call('disconnectChannel', { organizationId: org, workspaceId: workspace.id, channelId: channel.id }),
  ).toEqual(connection)
  await operator.call('updateOrganization', { organizationId: org, body: { active: false } })
  await expect(client.workspaces.list()).rejects.toMatchObject({ name: 'OrganizationInactiveError', status: 402 })
  expect(await operator.call('revokeKey', { organizationId: org, keyId: key })).toMatchObject({
    id: key,
    revokedAt: expect.any(String),
  })
  await expect(client.workspaces.list()).rejects.toMatchObject({
    name: 'AuthenticationError',
    code: 'signature_invalid',
  })
})

test('interface 9.4: an update in the earlier variant returns the post as a document, with its ETag', async () => {
  const app = await startOwnTestApp()
  const tenant = await Tenant.create(app)
  const { id } = (await tenant.call(201, 'POST', '/scheduled-posts', { body: { notes: 'old' } })).body
  const client = new Greenroom(
    { baseUrl: `${await listen(app)}/v0`, key: tenant.key.id, secret: tenant.key.secret, interfaceVersion: 'earlier' },
    { now: () => app.clock.now(), random: () => 0, wait: async () => {} },
  )
  const post = await client.scheduledPosts.update(id, { notes: 'new' })
  expect(post).toMatchObject({ id, notes: 'new', docVer: 2 })
  expect(versionIn(post.etag)).toBe(2)
  // The earlier variant does not document this operation or this parameter.
  await expect(client.scheduledPosts.get(id)).rejects.toMatchObject({ name: 'NotFoundError', code: 'route_not_found' })
  const query = { workspaceId: 'w', mediumId: 'm', scope: 'all' } as const
  await expect(client.vipUsers.list(query)).rejects.toMatchObject({
    name: 'ValidationError',
    status: 422,
    requestId: expect.any(String),
    message: 'The request is not valid: "scope" is not allowed.',
    details: [{ path: ['scope'], type: 'object.unknown' }],
  })
})

test("the operator's wrong token is an AuthenticationError, and neither token nor secret is in any error", async () => {
  const app = await startOwnTestApp()
  const origin = await listen(app)
  const token = 'a-wrong-token-of-the-operator'
  const operator = new GreenroomApi({ baseUrl: `${origin}/api`, token })
  const error = await operator.call('listOrganizations').catch((error: unknown) => error)
  expect(error).toBeInstanceOf(GreenroomError)
  expect(error).toMatchObject({ name: 'AuthenticationError', status: 401, operation: 'listOrganizations' })
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(token)
})
