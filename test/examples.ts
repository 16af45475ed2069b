import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import type { InjectOptions } from 'fastify'
import { startSandbox } from '../packages/sandbox/src/sandbox.js'
import { SURFACES } from '../src/access/surfaces.js'
import { Greenroom, GreenroomOperator } from '../src/client/index.js'
import { systemRuntime } from '../src/client/runtime.js'
import { readConfig } from '../src/config/index.js'
import type { ApiExample, ApiExamples } from '../src/http/examples.js'
import { type Route, routesOf } from '../src/http/surfaces.js'
import { addInboxEntries } from '../src/inbox/inbox.store.js'
import type {
  AddedPasskey,
  Me,
  PasskeyCreation,
  PasskeyRequest,
  RecoveryCodes,
  TotpSetup,
} from '../src/interface/generated/types.js'
import { operations } from '../src/operations.js'
import { Authenticator } from './authenticator.js'
import { insertAutomationRows } from './automation-rows.js'
import type { ConfigChanges } from './config.js'
import { ACCESS_TOKEN, AD_ACCOUNT_ID, makeAccount, makePages, PAGE_ACCESS_TOKEN, PAGE_ID } from './graph-harness.js'
import {
  FROM_OWN_PAGE,
  type Key,
  Member,
  OPERATOR_TOKEN,
  signedHeaders,
  startTestApp,
  Tenant,
  type TestApp,
  toCookie,
} from './harness.js'
import { startProvider, type TestProvider } from './identity-provider.js'
import { insertProblem } from './inbox.js'
import { jpeg } from './media.js'
import { insertPost, moveAsPublisher, publishable } from './posts.js'
import { totpCode } from './second-factors.js'
import { openOwnDatabase } from './test-database.js'

const ORIGIN = 'https://greenroom.example.com'
const CAMPAIGN_ID = '120200000000000001'
/** Under which the database begins, so that there is a rotation to make. */
const FIRST_MASTER_KEY = Buffer.alloc(32, 0xd0)
const CONVERSATIONS = [
  {
    conversationId: 'm_1',
    cuid: 'cu_1',
    firstName: 'Zoë',
    lastName: 'Núñez',
    birthday: '1990-11-03',
    lifetimeValue: 912.5,
  },
  { conversationId: 'm_2', cuid: 'cu_2', userName: 'ada', lifetimeValue: 310 },
]

/**
 * Calls every operation of the whole app, in the life of one organization, and before each first call makes the mistakes
 * that may be made with it. Gives what was sent and answered, by operation.
 */
export async function walkOperations(): Promise<ApiExamples> {
  const day = (date: string) => ({
    date,
    metrics: {
      marketing_messages_spend: '38.87',
      marketing_messages_delivered: '2755',
      marketing_messages_read_rate: '81.250000',
      marketing_messages_link_btn_click: '214',
    },
  })
  const campaign = {
    id: CAMPAIGN_ID,
    name: 'Autumn letters',
    createdTime: '2026-04-02T10:11:12+0200',
    isMessageCampaign: true,
    effectiveStatus: 'ACTIVE' as const,
    days: [day('2026-11-18'), day('2026-11-19')],
  }
  const sandbox = await startSandbox({
    model: {
      tokens: { [ACCESS_TOKEN]: [AD_ACCOUNT_ID] },
      adAccounts: [makeAccount({ campaigns: [campaign] })],
      pages: makePages(),
    },
    clock: { now: () => Date.parse('2026-11-20T09:00:00Z') },
  })
  const provider = await startProvider(`${ORIGIN}/sign-in/callback`, `${ORIGIN}/`)
  const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-examples-'))
  const database = await openOwnDatabase()
  const config: ConfigChanges = {
    graph: { baseUrl: sandbox.url },
    media: { dir: mediaDir },
    http: { publicUrl: ORIGIN },
    mail: { url: 'smtp://127.0.0.1:25', from: 'greenroom@example.com' },
    masterKeys: { previous: FIRST_MASTER_KEY },
    oidc: readConfig({
      PUBLIC_URL: ORIGIN,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.clientId,
      OIDC_CLIENT_SECRET: provider.client.clientSecret,
    }).oidc,
  }
  const before = await startTestApp({ masterKeys: { current: FIRST_MASTER_KEY } }, undefined, database)
  await before.app.close()
  const app = await startTestApp(config, undefined, database)
  try {
    return await walk(
      new Recorder(app, [
        [provider.issuer, 'https://login.example.com'],
        [encodeURIComponent(provider.issuer), encodeURIComponent('https://login.example.com')],
        [ACCESS_TOKEN, 'EAAB…'],
        [PAGE_ACCESS_TOKEN, 'EAAC…'],
        [Member.PASSWORD, 'a long password'],
      ]),
      app,
      provider,
    )
  } finally {
    await app.app.close()
    await Promise.all([sandbox.close(), provider.close()])
    rmSync(mediaDir, { recursive: true })
  }
}

async function walk(recorder: Recorder, app: TestApp, provider: TestProvider): Promise<ApiExamples> {
  const fetch = (url: string, init: RequestInit): Promise<Response> => recorder.fetch(url, init)
  const runtime = { ...systemRuntime, now: () => app.clock.now() }
  const asOperator = new GreenroomOperator({ baseUrl: `${ORIGIN}/api`, token: OPERATOR_TOKEN, fetch }, runtime)
  const bytes = new Uint8Array(jpeg(1080, 1080))
  const small = new Uint8Array(jpeg(640, 640))
  const lines = `${CONVERSATIONS.map((line) => JSON.stringify(line)).join('\n')}\n`

  /** Makes a call that is written as in the reference. One that is refused has been recorded with its error. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  async function run(code: string, clients: object = { operator: asOperator }): Promise<any> {
    recorder.sample = code
    try {
      return await runInNewContext(code, { ...clients, bytes, small, lines })
    } catch (error) {
      if ((error as { status?: number }).status === undefined) throw error
      return error
    } finally {
      recorder.sample = undefined
    }
  }
  const quoted = JSON.stringify

  // The organization and what it has.
  const organizationId: string = (await run(`operator.organizations.create({ name: 'Mercado Aurora' })`)).id
  const org = `'${organizationId}'`
  await run(`operator.organizations.list()`)
  await run(`operator.organizations.update(${org}, { timeZone: 'Europe/Madrid' })`)
  const { id: keyId, secret } = await run(`operator.keys.issue(${org}, { name: 'Sign-up form' })`)
  await run(`operator.keys.update(${org}, '${keyId}', { requestsPerSecond: 20 })`)
  await run(`operator.keys.list(${org})`)
  const { id: workspaceId } = await run(`operator.workspaces.create(${org}, { name: 'Regulars', type: 'VIP' })`)
  await run(`operator.workspaces.update(${org}, '${workspaceId}', { name: 'VIPs of the market' })`)
  await run(
    `operator.channels.create(${org}, { type: 'FB_PAGE', platformId: '${PAGE_ID}', name: 'Mercado Aurora', accessToken: '${PAGE_ACCESS_TOKEN}' })`,
  )
  const channelId = `FB_PAGE_${PAGE_ID}`
  await run(`operator.channels.create(${org}, { type: 'FB_PAGE', platformId: '${PAGE_ID}', name: 'The same again' })`)
  await run(`operator.channels.update(${org}, '${channelId}', { name: 'Mercado Aurora, the page' })`)
  await run(`operator.channels.connect(${org}, '${workspaceId}', '${channelId}')`)
  await run(`operator.conversations.import(${org}, '${channelId}', lines, { contentType: 'application/x-ndjson' })`)
  await run(`operator.vips.mark(${org}, '${workspaceId}', '${channelId}', 'm_1')`)
  await run(`operator.vips.mark(${org}, '${workspaceId}', '${channelId}', 'm_2')`)
  await run(`operator.conversations.export(${org}, '${channelId}')`)
  await run(`operator.vips.change(${org}, '${workspaceId}', '${channelId}', { mark: ['m_1'], unmark: ['m_2'] })`)
  await run(`operator.vips.listOfPerson(${org}, 'cu_1')`)
  const best = `{ name: 'Best customers', conditions: { valueAbove: 500, noPurchaseForDays: 90 } }`
  const { id: segmentId } = await run(`operator.segments.create(${org}, ${best})`)
  await run(`operator.segments.list(${org})`)
  await run(`operator.segments.update(${org}, '${segmentId}', { name: 'Best customers who are quiet' })`)
  const ofChannel = `workspaceId: '${workspaceId}', channelId: '${channelId}', scope: 'all'`
  await run(`operator.audience.list(${org}, { ${ofChannel}, segmentId: '${segmentId}', sort: 'lastPurchase' })`)
  await run(`operator.audience.export(${org}, { ${ofChannel} })`)
  await run(`operator.segments.delete(${org}, '${segmentId}')`)
  await run(
    `operator.adAccounts.create(${org}, { id: '${AD_ACCOUNT_ID}', name: 'Shop', currency: 'EUR', timezone: 'Europe/Madrid' })`,
  )
  await run(`operator.adAccounts.update(${org}, '${AD_ACCOUNT_ID}', { accessToken: '${ACCESS_TOKEN}' })`)
  const raffle = `{ name: 'Raffle', superpower: { hashtag: '#raffle', note: 'Comment to win' } }`
  const { creativeTemplateId } = await run(`operator.superpowers.create(${org}, ${raffle})`)
  await run(`operator.superpowers.update(${org}, '${creativeTemplateId}', { active: true })`)
  const toExplain = `{
    superpower: { conditionGroups: [{ conditions: [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', values: ['price'] }], privateReplies: [{ text: 'It is 10.' }], autoLike: true }] },
    channelType: 'FB_PAGE',
    comments: [{ commentId: '5_1', text: 'Price?', from: { name: 'Ana' }, at: '2026-11-20T08:00:00.000Z' }],
  }`
  await run(`operator.superpowers.explain(${org}, ${toExplain})`)
  const { id: mediaId, path: mediaPath } = await run(
    `operator.media.upload(${org}, bytes, { contentType: 'image/jpeg' })`,
  )
  await run(`operator.media.uploadSmallPicture(${org}, '${mediaId ?? mediaPath}', small)`)
  await run(`operator.media.uploadSmallPicture(${org}, '${mediaId ?? mediaPath}', bytes)`)

  await run(`operator.media.upload(${org}, lines, { contentType: 'image/jpeg' })`)

  // Calls of a key.
  const client = new Greenroom({ baseUrl: `${ORIGIN}/v1`, key: keyId, secret, fetch }, runtime)
  const call = (code: string) => run(code, { client })
  await call(`client.workspaces.list()`)
  await call(`client.channels.list({ workspaceId: '${workspaceId}' })`)
  await call(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${channelId}', limit: 2 })`)
  const standard = await asOperator.workspaces.create(organizationId, { name: 'Others', type: 'STANDARD' })
  await call(`client.vipUsers.list({ workspaceId: '${standard.id}', mediumId: '${channelId}' })`)
  const apart = await asOperator.channels.create(organizationId, { type: 'FB_PAGE', platformId: '7', name: 'Apart' })
  await call(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${apart.id}' })`)
  await call(`client.vipUsers.list({ workspaceId: 'unknown', mediumId: '${channelId}' })`)
  await call(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: 'unknown' })`)
  await call(`client.adAccounts.list()`)
  const days = `{ startDate: '2026-11-18', endDate: '2026-11-19' }`
  const backwards = `{ startDate: '2026-11-19', endDate: '2026-11-18' }`
  await call(`client.campaigns.dailyInsights('${AD_ACCOUNT_ID}', ${days})`)
  await call(`client.campaigns.dailyInsights('${AD_ACCOUNT_ID}', ${backwards})`)
  await call(`client.campaigns.getDailyInsights('${CAMPAIGN_ID}', ${days})`)
  await call(`client.campaigns.getDailyInsights('${CAMPAIGN_ID}', ${backwards})`)
  await call(`client.superpowers.list()`)
  await call(`client.superpowers.explain(${toExplain})`)
  await call(`client.caller.get()`)
  const channels = `channels: { '${channelId}': { caption: 'Lanterns tonight at eight' } }`
  const media = `media: 'https://cdn.example.com/lanterns.jpg', mediaType: 'IMAGE'`
  const scheduledFor = `scheduledFor: '2026-12-01T19:00:00.000Z'`
  const { id: postId } = await call(`client.scheduledPosts.create({ ${channels}, ${media}, ${scheduledFor} })`)
  const { id: emptyId } = await call(`client.scheduledPosts.create({ notes: 'An idea' })`)
  await call(`client.scheduledPosts.create({ scheduledFor: '2026-11-01T19:00:00.000Z' })`)
  await call(`client.scheduledPosts.list({ status: 'DRAFT', limit: 1 })`)
  await call(`client.scheduledPosts.get('${postId}')`)
  await call(`client.scheduledPosts.wait('${postId}')`)
  await call(`client.scheduledPosts.update('${postId}', { notes: 'With the band' })`)
  const taken = `channels: { '${channelId}': { superpower: { hashtag: '#lanterns' } } }`
  const { id: takenId } = await call(`client.scheduledPosts.create({ ${taken} })`)
  await call(`client.scheduledPosts.create({ ${taken} })`)
  await call(`client.scheduledPosts.update('${postId}', { ${taken} })`)
  await call(`client.scheduledPosts.delete('${takenId}')`)
  await call(`client.scheduledPosts.submitForApproval('${emptyId}')`)
  await call(`client.scheduledPosts.submitForApproval('${postId}')`)
  await call(`client.scheduledPosts.approve('${postId}')`)
  await call(`client.scheduledPosts.publish('${postId}')`)
  await call(`client.scheduledPosts.revert('${postId}')`)
  await call(`client.scheduledPosts.reject('${postId}', { notes: 'The price is wrong' })`)
  await call(`client.scheduledPosts.reject('${postId}', { notes: 'The price is wrong' })`)
  await call(`client.scheduledPosts.update('${postId}', { status: 'DRAFT' })`)
  await call(`client.scheduledPosts.submitForApproval('${postId}')`)
  const earlier = new Greenroom(
    { baseUrl: `${ORIGIN}/v0`, key: keyId, secret, interfaceVersion: 'earlier', fetch },
    runtime,
  )
  await run(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${channelId}', limit: 2 })`, {
    client: earlier,
  })
  await run(`client.scheduledPosts.update('${emptyId}', { notes: 'A better idea' })`, { client: earlier })

  // People.
  const { path: ownerPath } = await run(`operator.users.inviteOwner()`)
  const visitor = new Visitor(recorder)
  await visitor.call('GET', '/sign-in')
  await visitor.call('POST', '/sign-in/password-link', { mail: 'ana@example.com' })
  const owner = new Visitor(recorder)
  const ownerToken = tokenIn(ownerPath)
  await owner.call('POST', '/invitation/read', { token: ownerToken })
  const ana = { token: ownerToken, name: 'Ana Ruiz', mail: 'ana@example.com', password: Member.PASSWORD }
  await owner.call('POST', '/invitation/accept', ana)
  await owner.call('GET', '/me')
  await owner.call('PUT', '/me/preferences', { language: 'pt', timeZone: 'America/Sao_Paulo' })
  const change = owner.toSent('POST', '/sign-out')
  await recorder.refuse(change, [{ ...change.headers, 'sec-fetch-site': 'cross-site' }])
  await owner.call('PUT', '/me/password', {
    currentPassword: 'not the password',
    newPassword: 'other words of the tests',
  })
  await owner.call('PUT', '/me/password', { currentPassword: Member.PASSWORD, newPassword: 'other words of the tests' })
  const second = new Visitor(recorder)
  await second.call('POST', '/sign-in', { mail: 'ana@example.com', password: 'not the password' })
  await second.call('POST', '/sign-in', { mail: 'ana@example.com', password: 'other words of the tests' })
  const { body: sessions } = await owner.call('GET', '/me/sessions')
  const other = (sessions as { id: string; current: boolean }[]).find(({ current }) => !current)!
  await owner.call('DELETE', `/me/sessions/${other.id}`)
  await run(`operator.invitations.create(${org}, { mail: 'ben@example.com', role: 'EDITOR', mayApprove: true })`)
  const withdrawn = await run(`operator.invitations.create(${org}, { mail: 'cleo@example.com', role: 'VIEWER' })`)
  await run(`operator.invitations.list(${org})`)
  await run(`operator.invitations.revoke(${org}, '${withdrawn.id}')`)
  const invited = await run(`operator.invitations.create(${org}, { mail: 'dora@example.com', role: 'EDITOR' })`)
  const dora = new Visitor(recorder)
  await dora.call('POST', '/invitation/accept', {
    token: tokenIn(invited.path),
    name: 'Dora Vega',
    password: Member.PASSWORD,
  })
  const people: { id: string; mail: string }[] = await run(`operator.users.list()`)
  const personOf = (mail: string): string => people.find((person) => person.mail === mail)!.id
  await run(`operator.members.list(${org})`)
  await run(`operator.members.update(${org}, '${personOf('dora@example.com')}', { mayApprove: true })`)
  const link = await run(`operator.users.createSignInLink('${personOf('dora@example.com')}')`)
  await dora.call('POST', '/sign-in/link/read', { token: tokenIn(link.path) })
  await dora.call('POST', '/sign-in/link', { token: tokenIn(link.path) })
  await run(`operator.users.sessions('${personOf('dora@example.com')}')`)
  provider.person = { sub: 'dora', name: 'Dora Vega', email: 'dora@example.com', email_verified: true }
  const byProvider = new Visitor(recorder)
  const begun = await byProvider.call('POST', '/sign-in/oidc', {})
  const query = await provider.visit((begun.body as { url: string }).url)
  await byProvider.call('POST', '/sign-in/oidc/finish', { query })
  await byProvider.call('POST', '/sign-in/oidc/finish', { query })

  await walkSecondFactors(recorder, app, async () => {
    const { path } = await asOperator.invitations.create(organizationId, { mail: 'eva@example.com', role: 'VIEWER' })
    return tokenIn(path)
  })
  const eva = (await asOperator.users.list()).find(({ mail }) => mail === 'eva@example.com')!
  await run(`operator.users.resetSecondFactors('${eva.id}')`)

  // Approval: a link for who is outside, and a person.
  const below = `/organizations/${organizationId}`
  const posts = `${below}/scheduled-posts`
  // A decision ends the links to its post.
  await byProvider.call('PATCH', `${posts}/${postId}`, { notes: 'With the band, at eight' })
  await byProvider.call('POST', `${posts}/${postId}/reject`, { notes: 'The picture is too dark.' })
  await byProvider.call('POST', `${posts}/${postId}/undo-decision`)
  const anna = { name: 'Anna of the agency', scheduledPostIds: [postId] }
  const outsideLink = (await byProvider.call('POST', `${below}/review-links`, anna)).body as Link
  await byProvider.call('GET', `${below}/review-links?scheduledPostId=${postId}`)
  await byProvider.call('GET', `${posts}?limit=1`)
  const draft = { channels: { [channelId]: { caption: 'At eight' } }, altText: 'A loaf on a board', aiGenerated: true }
  await byProvider.call('POST', posts, draft)
  await byProvider.call('GET', `${below}/media-uses?ids=media_1`)
  await byProvider.call('GET', `${below}/own-notifications`)
  await byProvider.call('PUT', `${below}/own-notifications`, { mails: false })
  await byProvider.call('GET', `${below}/scheduled-post-names?ids=${postId}`)
  const { person } = (await byProvider.call('GET', '/me')).body as Me
  const notes = 'The picture is too dark.'
  const news = { kind: 'returned', actor: { type: 'operator' }, scheduledPostId: postId, detail: { notes } } as const
  const at = new Date(app.clock.now())
  await addInboxEntries(app.context.database, organizationId, [{ ...news, personId: person.id, at }])
  await byProvider.call('GET', `${below}/inbox?limit=1`)
  await byProvider.call('GET', `${below}/waiting-for-me`)
  await byProvider.call('POST', `${posts}/${postId}/check-media`)
  await byProvider.call('POST', `${below}/inbox/read`, { until: at.toISOString() })
  await byProvider.call('GET', `${below}/calendar-posts?limit=1`)
  await byProvider.call('GET', `${below}/own-calendar-feed`)
  await byProvider.call('POST', `${below}/own-calendar-feed`)
  await byProvider.call('DELETE', `${below}/own-calendar-feed`)
  await byProvider.call('DELETE', `${below}/own-calendar-feed`)
  await run(`operator.channels.setPostingSlots(${org}, '${channelId}', { slots: [{ weekday: 1, time: '09:30' }] })`)
  await run(`operator.channels.postingSlots(${org})`)
  await byProvider.call('GET', `${below}/revision`)
  await byProvider.call('GET', `${below}/vip-users/export?workspaceId=${workspaceId}&mediumId=${channelId}`)
  const window = 'startDate=2026-11-18&endDate=2026-11-19'
  await byProvider.call('GET', `${below}/ad-accounts/${AD_ACCOUNT_ID}/campaigns/daily-insights?${window}`)
  const two = [await insertWaiting(app, organizationId, channelId), await insertWaiting(app, organizationId, channelId)]
  await run(`operator.organizations.update(${org}, { reviewers: ['anna@agency.example'] })`)
  await walkReview(recorder, byProvider, below, two)
  const outside = new Outsider(recorder, outsideLink.token)
  await outside.call('GET', '/link')
  await outside.call('POST', '/open')
  await walkDiscussion(run, outside, { org, postId, mentioned: personOf('dora@example.com') })

  // Refusals of the surfaces, for any operation.
  const signed = (key: Key, prefix: string): Sent => {
    const date = new Date(app.clock.now())
    const headers =
      prefix === '/v1'
        ? { ...signedHeaders(key, date.toUTCString()), 'x-api-version': '1' }
        : signedHeaders(key, date.toISOString())
    return { method: 'GET', url: `${prefix}/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`, headers }
  }
  const byMember = byProvider.toSent('GET', `${below}/audit?limit=1`)
  const limited = await asOperator.keys.issue(organizationId, { permissions: ['channels:read'] })
  await recorder.refuse(signed(limited, '/v1'))
  await recorder.refuse(signed(limited, '/v0'))
  await recorder.refuse(byMember)
  await asOperator.organizations.update(organizationId, { active: false })
  await recorder.refuse(signed({ id: keyId, secret }, '/v1'))
  await recorder.refuse(signed({ id: keyId, secret }, '/v0'))
  await recorder.refuse(byMember)
  await recorder.refuse(outside.toSent('GET', '/posts'))
  await asOperator.organizations.update(organizationId, { active: true })

  const { body: seen } = await outside.call('GET', '/posts')
  const [only] = (seen as { posts: { etag: string }[] }).posts
  await outside.call('POST', '/posts/1/return', { notes: 'The date is wrong' }, only!.etag)
  await byProvider.call('GET', `${posts}/${postId}/last-review`)
  await call(`client.scheduledPosts.update('${postId}', { status: 'DRAFT' })`)
  await call(`client.scheduledPosts.submitForApproval('${postId}')`)
  const read = await run(`operator.scheduledPosts.get(${org}, '${postId}')`)
  await run(`operator.scheduledPosts.approve(${org}, '${postId}')`)
  await run(`operator.scheduledPosts.approve(${org}, '${postId}', { ifMatch: ${quoted(read.etag)} })`)
  await run(`operator.scheduledPosts.wait(${org}, '${postId}')`)
  await run(`operator.scheduledPosts.history(${org}, '${postId}')`)
  await call(`client.scheduledPosts.revert('${postId}')`)
  const tenant = Tenant.of(app, organizationId, { id: keyId, secret })
  const failed = await insertPost(tenant, { ...publishable(channelId), status: 'SCHEDULED' })
  await moveAsPublisher(tenant, failed, 'claim')
  await moveAsPublisher(tenant, failed, 'finishWithFailure')
  await run(`operator.scheduledPosts.retry(${org}, '${failed}', { scheduledFor: '2026-12-02T19:00:00.000Z' })`)
  await run(`operator.scheduledPosts.retry(${org}, '${failed}', { scheduledFor: '2026-12-02T19:00:00.000Z' })`)

  // A post that is out, and what its superpower does.
  const acting = { ...publishable(channelId), channels: [{ channelId, caption: 'Comment price', superpower: {} }] }
  const out = await insertPost(tenant, { ...acting, status: 'PUBLISHED' })
  await insertAutomationRows(app.context.database, [organizationId, out, channelId], '2026-11-20T08:00:00.000Z')
  await run(`operator.channels.update(${org}, '${channelId}', { automation: 'on' })`)
  await call(`client.scheduledPosts.comments('${out}', { limit: 1 })`)
  await call(`client.scheduledPosts.superpowers('${out}')`)
  await run(`operator.scheduledPosts.comments(${org}, '${out}', { limit: 1 })`)
  await run(`operator.scheduledPosts.superpowers(${org}, '${out}')`)
  await run(`operator.scheduledPosts.stopSuperpower(${org}, '${out}', '${channelId}', { reason: 'Sold out' })`)
  await call(`client.raffles.list('${out}')`)
  await call(`client.raffles.export('${out}', '${channelId}')`)
  await run(`operator.raffles.list(${org}, '${out}')`)
  await run(`operator.raffles.export(${org}, '${out}', '${channelId}')`)
  const redraw = `operator.raffles.redraw(${org}, '${out}', '${channelId}', { rank: 1, reason: 'Nobody answers' })`
  await run(redraw)
  await run(redraw)
  const plan = (name: string) =>
    `'time,channel,text,media,notes\\n2026-12-24 18:00,${name},Open until ten,https://cdn.example.com/market.jpg,\\n'`
  await run(`operator.scheduledPosts.import(${org}, { csv: ${plan('The page')}, dryRun: true })`)
  await run(`operator.scheduledPosts.import(${org}, { csv: ${plan(channelId)} })`)
  await run(`operator.scheduledPosts.import(${org}, { csv: 'time;text' })`)
  const weekly = `{ frequency: 'WEEKLY', weekdays: [5], time: '17:00', from: '2026-12-04', count: 4 }`
  const series = await run(`operator.scheduledPosts.repeat(${org}, '${emptyId}', ${weekly})`)
  await run(`operator.scheduledPosts.repeat(${org}, '${emptyId}', ${weekly})`)
  await run(`operator.scheduledPosts.series(${org}, '${emptyId}')`)
  await run(`operator.scheduledPosts.stopSeries(${org}, '${series.id}')`)
  const hours = `{ kind: 'TEXT', name: 'Opening hours', text: 'Open from 8 to 6.' }`
  const savedText = await run(`operator.savedTexts.create(${org}, ${hours})`)
  await run(`operator.savedTexts.create(${org}, ${hours})`)
  await run(`operator.savedTexts.list(${org})`)
  await run(`operator.savedTexts.update(${org}, '${savedText.id}', { text: 'Open from 8 to 7.' })`)
  await run(`operator.savedTexts.delete(${org}, '${savedText.id}')`)
  await run(`operator.optOuts.list(${org}, '${channelId}')`)
  await run(`operator.optOuts.add(${org}, '${channelId}', '24001')`)
  await run(`operator.optOuts.remove(${org}, '${channelId}', '24001')`)

  // Reads of the operator, and of the server as a whole.
  await run(`operator.workspaces.list(${org})`)
  await run(`operator.channels.list(${org}, { workspaceId: '${workspaceId}' })`)
  await run(`operator.superpowers.list(${org})`)
  await run(`operator.adAccounts.list(${org})`)
  await run(`operator.media.list(${org})`)
  await run(`operator.caller.get()`)
  const webhook = await run(
    `operator.webhooks.create(${org}, { name: 'Our chat', url: 'https://hooks.example.com/greenroom', events: ['post.failed'] })`,
  )
  await run(`operator.webhooks.list(${org})`)
  await run(`operator.webhooks.update(${org}, '${webhook.id}', { events: null })`)
  const delivery = await run(`operator.webhooks.test(${org}, '${webhook.id}')`)
  await run(`operator.webhooks.deliveries(${org}, { limit: 1 })`)
  await run(`operator.webhooks.delivery(${org}, '${webhook.id}', '${delivery.id}')`)
  await run(`operator.webhooks.resend(${org}, '${webhook.id}', '${delivery.id}')`)
  await run(`operator.webhooks.rotateSecret(${org}, '${webhook.id}')`)
  await run(`operator.webhooks.delete(${org}, '${webhook.id}')`)
  await run(`operator.organizations.update(${org}, { currency: 'EUR' })`)
  const source = await run(`operator.sources.create(${org}, { type: 'EVENTS', name: 'Our app' })`)
  await run(`operator.sources.create(${org}, { type: 'SHOPIFY', name: 'Our shop' })`)
  await run(`operator.sources.list(${org})`)
  await run(`operator.sources.get(${org}, '${source.id}')`)
  await run(`operator.sources.update(${org}, '${source.id}', { name: 'The app' })`)
  await run(`operator.sources.rotateSecret(${org}, '${source.id}', {})`)
  await insertProblem(Tenant.of(app, organizationId, { id: keyId, secret }), source.id, ['prb_1', 'prb_2'])
  await run(`operator.sources.problems(${org}, '${source.id}')`)
  await run(`operator.sources.retry(${org}, '${source.id}', 'prb_1')`)
  await run(`operator.sources.dismiss(${org}, '${source.id}', 'prb_2')`)
  await run(
    `operator.sources.importPurchases(${org}, '${source.id}', '{"orderId":"1001","amount":"40.00","currency":"EUR","at":"2026-11-01T09:00:00Z","userId":"cu_1"}\\n', { contentType: 'application/x-ndjson' })`,
  )
  await run(`operator.people.link(${org}, 'cu_1', { kind: 'shopify', id: '207119551' })`)
  await run(`operator.people.get(${org}, 'cu_1')`)
  await run(`operator.people.search(${org}, { search: 'zoë' })`)
  await run(`operator.people.unlink(${org}, 'cu_1', 'shopify', '207119551')`)
  await run(`operator.sources.delete(${org}, '${source.id}')`)
  await run(`operator.operatorTokens.issue({ name: 'anna' })`)
  await run(`operator.operatorTokens.issue({ name: 'anna' })`)
  await run(`operator.operatorTokens.list()`)
  await run(`operator.operatorTokens.revoke('anna')`)
  await run(`operator.audit.list(${org}, { limit: 2 })`)
  await run(`operator.audit.listServer({ limit: 2 })`)
  await owner.call('GET', `${below}/audit?limit=2`)
  await owner.call('GET', `${below}/audit/export?operation=createWorkspace`)
  await run(`operator.masterKey.rotate({})`)
  await run(`operator.server.health()`)
  const backup = await run(`operator.backups.create({ passphrase: 'a long passphrase' })`)
  if (Symbol.asyncIterator in backup) for await (const _ of backup) void _

  // And what ends.
  await call(`client.scheduledPosts.delete('${emptyId}')`)
  await run(`operator.adAccounts.delete(${org}, '${AD_ACCOUNT_ID}')`)
  await run(`operator.people.erase(${org}, 'cu_1')`)
  await run(`operator.people.readmit(${org}, 'cu_1')`)
  await run(`operator.vips.unmark(${org}, '${workspaceId}', '${channelId}', 'm_2')`)
  await run(`operator.conversations.delete(${org}, '${channelId}', 'm_2')`)
  await run(`operator.channels.disconnect(${org}, '${workspaceId}', '${channelId}')`)
  await run(`operator.media.delete(${org}, '${mediaId ?? mediaPath}')`)
  await run(`operator.superpowers.delete(${org}, '${creativeTemplateId}')`)
  await run(`operator.channels.delete(${org}, '${channelId}')`)
  await run(`operator.channels.delete(${org}, '${channelId}', { force: true })`)
  await run(`operator.workspaces.delete(${org}, '${workspaceId}')`)
  await run(`operator.members.grants(${org}, '${personOf('dora@example.com')}')`)
  await run(`operator.members.remove(${org}, '${personOf('dora@example.com')}', { revokeKeys: 'all' })`)
  await run(`operator.users.grants('${personOf('dora@example.com')}')`)
  await run(`operator.users.update('${personOf('dora@example.com')}', { active: false })`)
  await run(`operator.users.update('${personOf('ana@example.com')}', { owner: false })`)
  const { id: tokenId } = await walkTokens(recorder, owner)
  await run(`operator.users.tokens('${personOf('ana@example.com')}')`)
  await run(`operator.users.revokeToken('${personOf('ana@example.com')}', '${tokenId}')`)
  await run(`operator.users.endSessions('${personOf('dora@example.com')}')`)
  await run(`operator.users.delete('${personOf('dora@example.com')}', { revokeKeys: 'all' })`)
  await run(`operator.users.delete('${personOf('dora@example.com')}')`)
  await owner.call('POST', '/sign-out')
  await second.call('POST', '/sign-in', { mail: 'ana@example.com', password: 'other words of the tests' })
  await second.call('DELETE', '/me/sessions')
  await run(`operator.keys.revoke(${org}, '${keyId}')`)
  await run(`operator.organizations.delete(${org}, { name: 'Another name' })`)
  await run(`operator.organizations.delete(${org}, { name: 'Mercado Aurora' })`)
  await asOperator.organizations.update(organizationId, { active: false })
  await run(`operator.organizations.delete(${org}, { name: 'Mercado Aurora' })`)
  const { operations: called, surfaces } = recorder
  return { operations: called, surfaces }
}

/** The discussion of a post that waits, which an outsider with a link reads in part. */
async function walkDiscussion(
  run: (code: string) => Promise<{ id: string }>,
  outside: Outsider,
  { org, postId, mentioned }: { org: string; postId: string; mentioned: string },
): Promise<void> {
  const talk = '/posts/1/discussion'
  const call = (method: string, more = '') => run(`operator.discussions.${method}(${org}, '${postId}'${more})`)
  const { id } = await call('create', `, { text: 'Is the date right?', mentions: ['${mentioned}'], shared: true }`)
  await call('create', `, { text: 'For Anna', mentions: ['usr_unknown'] }`)
  await outside.call('GET', talk)
  const { body } = await outside.call('POST', talk, { text: 'It is on Fryday', replyTo: id })
  const own = `${talk}/${(body as { id: string }).id}`
  await outside.call('PATCH', own, { text: 'It is on Friday' })
  await outside.call('PATCH', `${talk}/${id}`, { text: 'It is on Friday' })
  await outside.call('DELETE', own)
  await outside.call('POST', talk, { text: 'It is on Friday', replyTo: 'msg_unknown' })
  const { id: replyId } = await call('create', `, { text: 'Thank you', replyTo: '${id}' }`)
  await call('update', `, '${replyId}', { text: 'Thank you, Anna' }`)
  await call('list')
  await call('resolve', `, '${id}'`)
  await call('reopen', `, '${id}'`)
  await call('history', ', { limit: 2 }')
  await call('delete', `, '${replyId}'`)
  await call('delete', `, '${replyId}'`)
}

/** A person adds second factors, signs in with each, confirms the session, and removes them. */
async function walkSecondFactors(recorder: Recorder, app: TestApp, invite: () => Promise<string>): Promise<void> {
  const own = new Visitor(recorder)
  const eva = { mail: 'eva@example.com', password: Member.PASSWORD }
  await own.call('POST', '/invitation/accept', { token: await invite(), name: 'Eva Sol', password: eva.password })
  const authenticator = new Authenticator(ORIGIN)
  await own.call('GET', '/me/confirmation')
  await own.call('POST', '/me/confirmation/password', { password: eva.password })
  const factors = '/me/second-factors'
  const { secret } = (await own.call('POST', `${factors}/totp/begin`)).body as TotpSetup
  const code = () => ({ code: totpCode(app, secret) })
  const { recoveryCodes } = (await own.call('POST', `${factors}/totp/finish`, code())).body as RecoveryCodes
  const creation = (await own.call('POST', `${factors}/passkeys/begin`)).body as PasskeyCreation
  const made = { name: 'Laptop', response: authenticator.create(creation.options) }
  const { passkey } = (await own.call('POST', `${factors}/passkeys/finish`, made)).body as AddedPasskey
  await own.call('GET', factors)
  await own.call('POST', `${factors}/recovery-codes`)
  const sign = async (visitor: Visitor, path: string): Promise<void> => {
    const { options } = (await visitor.call('POST', `${path}/begin`)).body as PasskeyRequest
    await visitor.call('POST', `${path}/finish`, { response: authenticator.get(options) })
  }
  await sign(own, '/me/confirmation/passkey')
  app.clock.advance(60_000)
  await own.call('POST', '/me/confirmation/totp', code())
  await sign(new Visitor(recorder), '/sign-in/passkey')
  const half = new Visitor(recorder)
  await half.call('POST', '/sign-in', eva)
  await half.call('GET', '/second-factor')
  await half.call('POST', '/second-factor/recovery-code', { code: recoveryCodes[0]! })
  app.clock.advance(60_000)
  await half.call('POST', '/second-factor/totp', code())
  await half.call('POST', '/sign-in', eva)
  await sign(half, '/second-factor/passkey')
  const { recoveryCodes: fresh } = (await half.call('POST', `${factors}/recovery-codes`)).body as RecoveryCodes
  await half.call('POST', '/sign-in', eva)
  await half.call('POST', '/second-factor/recovery-code', { code: fresh[0]! })
  await half.call('DELETE', `${factors}/totp`)
  await half.call('DELETE', `${factors}/passkeys/${passkey.id}`)
}

interface Link {
  id: string
  token: string
}

/** Gives the token of `/sign-in#link=…` and the like. */
const tokenIn = (path: string): string => /=([\w-]+)$/.exec(path)![1]!

interface Sent {
  method: NonNullable<InjectOptions['method']>
  /** Path and query. */
  url: string
  headers: Record<string, string>
  body?: string | Buffer
}

interface Received {
  status: number
  headers: Record<string, unknown>
  body: unknown
  bytes: Buffer
}

/** A person at a browser, with its cookie. */
class Visitor {
  #cookie = ''
  constructor(private readonly recorder: Recorder) {}

  toSent(method: Sent['method'], path: string, body?: object): Sent {
    const headers = { ...FROM_OWN_PAGE, cookie: this.#cookie }
    return { method, url: `/api${path}`, ...withBody(headers, body) }
  }

  async call(method: Sent['method'], path: string, body?: object): Promise<Received> {
    const reply = await this.recorder.record(this.toSent(method, path, body))
    const set = reply.headers['set-cookie']
    if (set != null) this.#cookie = toCookie(String(set))
    return reply
  }
}

/** The holder of a review link. */
/** A post that waits for approval. */
const insertWaiting = (app: TestApp, organizationId: string, channelId: string): Promise<string> =>
  insertPost(Tenant.of(app, organizationId, { id: '', secret: '' }), {
    ...publishable(channelId),
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date('2026-12-01T19:00:00.000Z'),
  })

/** Personal tokens: those that a person makes, and those that a program asks for. Gives one that is left. */
async function walkTokens(recorder: Recorder, person: Visitor): Promise<{ id: string }> {
  const scopes = ['posts:read']
  const program = async (path: string, body: object): Promise<Received> =>
    await recorder.record({ method: 'POST', url: `/api/sign-in/device${path}`, ...withBody({}, body) })
  await person.call('POST', '/me/confirmation/password', { password: 'other words of the tests' })
  const made = (await person.call('POST', '/me/tokens', { name: 'Planning', scopes })).body as { id: string }
  const asked = { name: 'greenroom on laptop', scopes }
  const refused = (await program('', asked)).body as { userCode: string }
  await person.call('POST', '/me/device-login/refuse', { userCode: refused.userCode })
  const { userCode, deviceCode } = (await program('', asked)).body as { userCode: string; deviceCode: string }
  await program('/token', { deviceCode })
  await person.call('POST', '/me/device-login/read', { userCode })
  await person.call('POST', '/me/device-login/allow', { userCode, scopes })
  const { token } = (await program('/token', { deviceCode })).body as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  await recorder.record({ method: 'GET', url: '/api/whoami', headers })
  await recorder.record({ method: 'DELETE', url: '/api/me/token', headers })
  await person.call('GET', '/me/tokens')
  const other = (await person.call('POST', '/me/tokens', { name: 'Export', scopes })).body as { id: string }
  await person.call('DELETE', `/me/tokens/${other.id}`)
  return made
}

/** Review links: one that is handed over, and one that is mailed. */
async function walkReview(
  recorder: Recorder,
  member: Visitor,
  below: string,
  scheduledPostIds: readonly string[],
): Promise<void> {
  const links = `${below}/review-links`
  const anna = { name: 'Anna of the agency', scheduledPostIds }
  const link = (await member.call('POST', links, anna)).body as Link
  const mailed = { ...anna, mail: 'anna@agency.example' }
  const sent = (await member.call('POST', `${links}/send`, mailed)).body as Link
  await member.call('GET', links)
  const outside = new Outsider(recorder, link.token)
  const { body } = await outside.call('GET', '/posts')
  const [first, second] = (body as { posts: { etag: string }[] }).posts
  await outside.call('POST', '/posts/1/check-media')
  await outside.call('POST', '/posts/1/approve')
  await outside.call('POST', '/posts/1/approve', undefined, first!.etag)
  await outside.call('POST', '/posts/2/return', { notes: 'The date is wrong' })
  await outside.call('POST', '/posts/2/return', { notes: 'The date is wrong' }, second!.etag)
  await outside.call('POST', '/posts/2/undo-decision')
  await member.call('DELETE', `${links}/${sent.id}`)
  await member.call('GET', `${links}?ended=true`)
}

class Outsider {
  constructor(
    private readonly recorder: Recorder,
    private readonly token: string,
  ) {}

  toSent(method: Sent['method'], path: string, body?: object, etag?: string): Sent {
    const headers = { authorization: `Bearer ${this.token}`, ...(etag === undefined ? {} : { 'if-match': etag }) }
    return { method, url: `/api/review${path}`, ...withBody(headers, body) }
  }

  async call(method: Sent['method'], path: string, body?: object, etag?: string): Promise<Received & { etag: string }> {
    const reply = await this.recorder.record(this.toSent(method, path, body, etag))
    return { ...reply, etag: String(reply.headers.etag) }
  }
}

const withBody = (headers: Record<string, string>, body: object | undefined): Pick<Sent, 'headers' | 'body'> =>
  body === undefined
    ? { headers }
    : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }

/** Calls the app and writes down what was sent and answered. */
class Recorder {
  readonly operations: Record<string, ApiExample> = {}
  readonly surfaces: Record<string, string[]> = {}
  /** How the running call is written with the client. */
  sample: string | undefined
  /** Operation and surface. */
  readonly #succeeded = new Set<string>()
  readonly #routes: { route: Route; surface: string; pattern: RegExp }[]
  readonly #stable: <Value>(value: Value) => Value

  constructor(
    private readonly app: TestApp,
    replaced: [string, string][],
  ) {
    this.#stable = stabilizer(replaced)
    this.#routes = SURFACES.flatMap((surface) =>
      routesOf(surface, operations).map((route) => ({
        route,
        surface: surface.name,
        pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
      })),
    )
  }

  /** For the client. */
  async fetch(url: string, { method, headers, body }: RequestInit): Promise<Response> {
    const sent = {
      method: method as Sent['method'],
      url: url.slice(ORIGIN.length),
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body as Uint8Array) }),
    }
    const answer = await this.record(sent)
    const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(new Uint8Array(answer.bytes), { status: answer.status, headers: given })
  }

  async record(sent: Sent): Promise<Received> {
    // Things that are made at one instant would have no order.
    this.app.clock.advance(1_000)
    const { pathname, searchParams } = new URL(sent.url, ORIGIN)
    const found = this.#routes.find(
      ({ route, pattern }) => route.operation.method === sent.method && pattern.test(pathname),
    )
    if (found === undefined) throw new Error(`No operation is at ${sent.method} ${pathname}.`)
    const { operation } = found.route
    const { operationId } = operation
    const params: Record<string, string> = { ...found.pattern.exec(pathname)!.groups }
    if (this.surfaces[found.surface] === undefined && !['sign-in', 'device'].includes(String(operation.permission))) {
      this.surfaces[found.surface] = []
      await this.refuse(sent, credentialMistakes(sent, this.app))
    }
    const known = this.operations[operationId]
    const errors = known?.errors ?? (await this.#mistakes(found.route, sent, params))
    const reply = await this.#inject(sent)
    noteError(errors, reply)
    const isRefused = reply.status >= 400
    const type = String(reply.headers['content-type'])
    const named = Object.keys(operation.headers ?? {})
    const example: ApiExample = {
      params,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(
        named.flatMap((name) => {
          const value = sent.headers[name.toLowerCase()]
          return value === undefined ? [] : [[name, value]]
        }),
      ),
      ...readBody(sent),
      clients: this.sample === undefined ? {} : { [found.surface]: this.sample },
      ...(isRefused ? {} : { status: reply.status }),
      ...(isRefused || !/json|text|csv/.test(type) ? {} : { answer: reply.body }),
      errors,
    }
    const stable = this.#stable(example)
    const place = `${operationId} ${found.surface}`
    const isFirstSuccess = !isRefused && !this.#succeeded.has(place)
    if (isFirstSuccess) this.#succeeded.add(place)
    if (known !== undefined) {
      // The call that is shown is the first that succeeds.
      if (isFirstSuccess || known.clients[found.surface] === undefined) Object.assign(known.clients, stable.clients)
    }
    if (known === undefined) this.operations[operationId] = stable
    else if (known.status === undefined && !isRefused) {
      this.operations[operationId] = { ...stable, clients: known.clients }
    }
    return reply
  }

  /** Makes a call that its surface refuses, whatever the operation: once for each set of headers. */
  async refuse(sent: Sent, tries: Record<string, string>[] = [sent.headers]): Promise<void> {
    const surface = this.#routes.find(({ pattern }) => pattern.test(new URL(sent.url, ORIGIN).pathname))!.surface
    const errors: string[] = []
    for (const headers of tries) noteError(errors, await this.#inject({ ...sent, headers }))
    this.surfaces[surface] = [...new Set([...errors, ...(this.surfaces[surface] ?? [])])]
  }

  /** Tries the mistakes that a call of the operation can have, one by one, before it is made. */
  async #mistakes(route: Route, sent: Sent, params: Record<string, string>): Promise<string[]> {
    const errors: string[] = []
    const make = async (wrong: Partial<Sent>): Promise<void> =>
      noteError(errors, await this.#inject({ ...sent, ...wrong }))
    const { operation, path } = route
    const search = new URL(sent.url, ORIGIN).search
    await make({ url: `${sent.url}${search === '' ? '?' : '&'}colour=blue` })
    if (operation.body !== undefined) {
      await make({ body: '{"colour": "blue"}' })
      await make({ body: '{' })
    }
    for (const name of Object.keys(params)) {
      const at = path.replaceAll(/\{(\w+)\}/g, (_, each: string) => (each === name ? 'unknown' : params[each]!))
      await make({ url: at + search })
    }
    if (operation.headers !== undefined && 'If-Match' in operation.headers) {
      await make({ headers: { ...sent.headers, 'if-match': '"0"' } })
    }
    return errors
  }

  async #inject({ method, url, headers, body }: Sent): Promise<Received> {
    const response = await this.app.app.inject({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    })
    if (response.statusCode >= 500) throw new Error(`${method} ${url}: ${response.body}`)
    const isJson = /^application\/json/.test(String(response.headers['content-type']))
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? JSON.parse(response.body) : response.body,
      bytes: response.rawPayload,
    }
  }
}

/** The headers of the call with something wrong about who calls. */
function credentialMistakes({ headers }: Sent, { clock }: TestApp): Record<string, string>[] {
  const without = (name: string): Record<string, string> => ({ ...headers, [name]: '' })
  const shifted = (ms: number): string => {
    const date = new Date(clock.now() + ms)
    return headers['x-api-version'] === undefined ? date.toISOString() : date.toUTCString()
  }
  if (headers['x-api-key'] !== undefined) {
    return [
      without('x-api-key'),
      { ...headers, 'x-signature': '0'.repeat(64) },
      { ...headers, 'x-date': 'yesterday' },
      { ...headers, 'x-date': shifted(-3_600_000) },
      { ...headers, 'x-date': shifted(3_600_000) },
      ...(headers['x-api-version'] === undefined
        ? []
        : [without('x-api-version'), { ...headers, 'x-api-version': '2' }]),
    ]
  }
  if (headers.cookie === undefined) return [without('authorization')]
  return [without('cookie')]
}

function noteError(errors: string[], { headers }: Received): void {
  const code = headers['x-error-code']
  if (typeof code === 'string' && !errors.includes(code)) errors.push(code)
}

function readBody({ body, headers }: Sent): Pick<ApiExample, 'body' | 'bodyType'> {
  if (body === undefined) return {}
  const bodyType = headers['content-type']!
  if (bodyType === 'application/json') return { body: JSON.parse(String(body)) }
  return typeof body === 'string' ? { body, bodyType } : { bodyType }
}

/** Secrets and tokens. */
const MADE_UP: [RegExp, string][] = [
  // Browsers and authenticators send these.
  [/(?<![\w-])eyJ0eXBlIjoid2ViYXV0aG4u[\w-]+/g, 'eyJ0eXBlIjoid2ViYXV0aG4u'],
  [/(?<![\w-])o2NmbXRkbm9uZWdhdHRTdG10[\w-]+/g, 'o2NmbXRkbm9uZWdhdHRTdG10'],
  // A signature of ECDSA is shorter by each byte of a number that begins with zeros.
  [/(?<![\w-])M[DE]\wC[\w-]{76,}/g, 'MEUCIQD'],
  [/(?<![\w-])dXNyX[\w-]{30}(?![\w-])/g, 'dXNyX2Fib3V0LWEtcGVyc29u'],
  [/(?<![A-Z2-7])[A-Z2-7]{32}(?![A-Z2-7])/g, 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/(?<![\w-])[a-z2-9]{4}(?:-[a-z2-9]{4}){3}(?![\w-])/g, 'ab2d-ef3h-jk4m-np5r'],
  [/"code":"\d{6}"/g, '"code":"123456"'],
  // Ids and cursors of the audit trail are encrypted numbers.
  [/"(id|nextCursor)":"[\w-]{22}"/g, '"$1":"pE7TFwqeNlz2XOZWLPYNjw"'],
  // The disk of the machine that makes the examples.
  [
    /"state":"\w+","found":"(?:room|low|full|silent)"(?:,"freeBytes":\d+,"sizeBytes":\d+)?/g,
    '"state":"good","found":"room","freeBytes":42000000000,"sizeBytes":100000000000',
  ],
  // A revision is a sum over ids.
  [/"(posts|audience|inbox|other)":"-?[0-9a-z]{5,}[\w-]*"/g, '"$1":"2cd1curshke"'],
  // A cursor that holds ids.
  [/"nextCursor":"[\w-]{60,}"/g, '"nextCursor":"WyJhIGN1cnNvciJd"'],
  [/(?<![\w-])WyJ[\w-]{40,}/g, 'WyJhIGN1cnNvciJd'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '3675d630-3c4f-4c65-83bd-be34aea2a2b0'],
  [/whsec_[\w+/]{43}=/g, 'whsec_…'],
  [/(greenroom_(?:secret|operator|write|personal)_)[0-9a-f]{64}/g, '$1…'],
  [/"userCode":"[B-Z]{4}-[B-Z]{4}"/g, '"userCode":"WDJB-MJHT"'],
  [/("(?:verifyToken|secret)":")[0-9a-f]{64}/g, '$1a-secret-of-64-digits'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, 'a-token-of-43-characters'],
]

/** Makes random values the same in each run: the first id of a kind ends in 1, the second in 2. */
function stabilizer(replaced: [string, string][]): <Value>(value: Value) => Value {
  const named = new Map<string, string>()
  const counts = new Map<string, number>()
  const rename = (value: string, kind: string): string => {
    const known = named.get(value)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const made = `${kind}${'0'.repeat(kind.endsWith('_') ? 21 - String(count).length + 1 : 0)}${count}`
    named.set(value, made)
    return made
  }
  const stable = (text: string): string => {
    let made = text
    for (const [from, to] of replaced) made = made.replaceAll(from, to)
    for (const [pattern, to] of MADE_UP) made = made.replaceAll(pattern, to)
    return made.replaceAll(/(?<![\w-])([a-z]+_)[\w-]{22}(?![\w-])/g, (id, kind: string) => rename(id, kind))
  }
  return (value) => JSON.parse(stable(JSON.stringify(value)))
}
