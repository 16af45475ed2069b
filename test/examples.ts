import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import type { InjectOptions } from 'fastify'
import { startSandbox } from '../packages/sandbox/src/sandbox.js'
import { SURFACES } from '../src/access/surfaces.js'
import { Greenroom, GreenroomApi } from '../src/client/index.js'
import { systemRuntime } from '../src/client/runtime.js'
import { readConfig } from '../src/config/index.js'
import type { ApiExample, ApiExamples } from '../src/http/examples.js'
import { type Route, routesOf } from '../src/http/surfaces.js'
import type {
  AddedPasskey,
  ExplainRequest,
  Me,
  NewDiscussionMessage,
  PasskeyCreation,
  PasskeyRequest,
  RecoveryCodes,
  RecurrenceRule,
  TotpSetup,
} from '../src/interface/generated/types.js'
import { addInboxEntries } from '../src/news/inbox/inbox.store.js'
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
/** The database begins with this key, so that there is a rotation to make. */
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
 * Calls every operation of the whole app in the life of one organization, and before each first call makes its possible
 * mistakes. Returns the requests and answers by operation.
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
  const asOperator = new GreenroomApi({ baseUrl: `${ORIGIN}/api`, token: OPERATOR_TOKEN, fetch }, runtime)
  const bytes = new Uint8Array(jpeg(1080, 1080))
  const small = new Uint8Array(jpeg(640, 640))
  const lines = `${CONVERSATIONS.map((line) => JSON.stringify(line)).join('\n')}\n`

  /** Returns the error of a refused call, which has been recorded. */
  const orRefusal = async <Answer>(called: Promise<Answer>): Promise<Answer> => {
    try {
      return await called
    } catch (error) {
      if ((error as { status?: number }).status === undefined) throw error
      return error as Answer
    }
  }
  const call: GreenroomApi['call'] = (...given) => orRefusal(asOperator.call(...given))

  // The organization and its objects.
  const organizationId: string = (await call('createOrganization', { body: { name: 'Mercado Aurora' } })).id
  await call('listOrganizations')
  await call('updateOrganization', { organizationId, body: { timeZone: 'Europe/Madrid' } })
  const { id: keyId, secret } = await call('issueKey', { organizationId, body: { name: 'Sign-up form' } })
  await call('updateKey', { organizationId, keyId, body: { requestsPerSecond: 20 } })
  await call('listKeys', { organizationId })
  const { id: workspaceId } = await call('createWorkspace', { organizationId, body: { name: 'Regulars', type: 'VIP' } })
  await call('updateWorkspace', { organizationId, workspaceId, body: { name: 'VIPs of the market' } })
  await call('createChannel', {
    organizationId,
    body: { type: 'FB_PAGE', platformId: PAGE_ID, name: 'Mercado Aurora', accessToken: PAGE_ACCESS_TOKEN },
  })
  const channelId = `FB_PAGE_${PAGE_ID}`
  await call('createChannel', {
    organizationId,
    body: { type: 'FB_PAGE', platformId: PAGE_ID, name: 'The same again' },
  })
  await call('updateChannel', { organizationId, channelId, body: { name: 'Mercado Aurora, the page' } })
  await call('connectChannel', { organizationId, workspaceId, channelId })
  await call('importConversations', { organizationId, channelId, body: lines, contentType: 'application/x-ndjson' })
  await call('markVip', { organizationId, workspaceId, channelId, conversationId: 'm_1' })
  await call('markVip', { organizationId, workspaceId, channelId, conversationId: 'm_2' })
  await call('exportConversations', { organizationId, channelId })
  await call('changeVipMarks', { organizationId, workspaceId, channelId, body: { mark: ['m_1'], unmark: ['m_2'] } })
  await call('listPersonVipMarks', { organizationId, cuid: 'cu_1' })
  const best = { name: 'Best customers', conditions: { valueAbove: 500, noPurchaseForDays: 90 } }
  const { id: segmentId } = await call('createSegment', { organizationId, body: best })
  await call('listSegments', { organizationId })
  await call('updateSegment', { organizationId, segmentId, body: { name: 'Best customers who are quiet' } })
  const ofChannel = { workspaceId, channelId, scope: 'all' } as const
  await call('listAudience', { organizationId, query: { ...ofChannel, segmentId, sort: 'lastPurchase' } })
  await call('exportAudience', { organizationId, query: ofChannel })
  await call('deleteSegment', { organizationId, segmentId })
  await call('createAdAccount', {
    organizationId,
    body: { id: AD_ACCOUNT_ID, name: 'Shop', currency: 'EUR', timezone: 'Europe/Madrid' },
  })
  await call('updateAdAccount', { organizationId, adAccountId: AD_ACCOUNT_ID, body: { accessToken: ACCESS_TOKEN } })
  const raffle = { name: 'Raffle', superpower: { hashtag: '#raffle', note: 'Comment to win' } }
  const { creativeTemplateId } = await call('createSuperpower', { organizationId, body: raffle })
  await call('updateSuperpower', { organizationId, creativeTemplateId, body: { active: true } })
  const toExplain: ExplainRequest = {
    superpower: {
      conditionGroups: [
        {
          conditions: [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', values: ['price'] }],
          privateReplies: [{ text: 'It is 10.' }],
          autoLike: true,
        },
      ],
    },
    channelType: 'FB_PAGE',
    comments: [{ commentId: '5_1', text: 'Price?', from: { name: 'Ana' }, at: '2026-11-20T08:00:00.000Z' }],
  }
  await call('explainSuperpower', { organizationId, body: toExplain })
  const { id: mediaId } = await call('uploadMedia', { organizationId, body: bytes })
  await call('uploadSmallPicture', { organizationId, mediaId, body: small })
  await call('uploadSmallPicture', { organizationId, mediaId, body: bytes })

  await call('uploadMedia', { organizationId, body: lines })

  // Calls of a key.
  const signed = { key: keyId, secret, fetch }
  const current = new Greenroom({ baseUrl: `${ORIGIN}/v1`, ...signed }, runtime)
  const earlier = new Greenroom({ baseUrl: `${ORIGIN}/v0`, interfaceVersion: 'earlier', ...signed }, runtime)
  /** Makes a call of a key that is written as in the reference. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  async function byKey(code: string, client: Greenroom = current): Promise<any> {
    recorder.sample = code
    const answer = await orRefusal(runInNewContext(code, { client }))
    recorder.sample = undefined
    return answer
  }
  await byKey(`client.workspaces.list()`)
  await byKey(`client.channels.list({ workspaceId: '${workspaceId}' })`)
  await byKey(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${channelId}', limit: 2 })`)
  const standard = await asOperator.call('createWorkspace', {
    organizationId,
    body: { name: 'Others', type: 'STANDARD' },
  })
  await byKey(`client.vipUsers.list({ workspaceId: '${standard.id}', mediumId: '${channelId}' })`)
  const apart = await asOperator.call('createChannel', {
    organizationId,
    body: { type: 'FB_PAGE', platformId: '7', name: 'Apart' },
  })
  await byKey(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${apart.id}' })`)
  await byKey(`client.vipUsers.list({ workspaceId: 'unknown', mediumId: '${channelId}' })`)
  await byKey(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: 'unknown' })`)
  await byKey(`client.adAccounts.list()`)
  const days = `{ startDate: '2026-11-18', endDate: '2026-11-19' }`
  const backwards = `{ startDate: '2026-11-19', endDate: '2026-11-18' }`
  await byKey(`client.campaigns.dailyInsights('${AD_ACCOUNT_ID}', ${days})`)
  await byKey(`client.campaigns.dailyInsights('${AD_ACCOUNT_ID}', ${backwards})`)
  await byKey(`client.campaigns.getDailyInsights('${CAMPAIGN_ID}', ${days})`)
  await byKey(`client.campaigns.getDailyInsights('${CAMPAIGN_ID}', ${backwards})`)
  await byKey(`client.superpowers.list()`)
  await byKey(
    `client.superpowers.explain(${inspect(toExplain, { depth: Number.POSITIVE_INFINITY, breakLength: 100 })})`,
  )
  await byKey(`client.caller.get()`)
  const channels = `channels: { '${channelId}': { caption: 'Lanterns tonight at eight' } }`
  const media = `media: 'https://cdn.example.com/lanterns.jpg', mediaType: 'IMAGE'`
  const scheduledFor = `scheduledFor: '2026-12-01T19:00:00.000Z'`
  const { id: postId } = await byKey(`client.scheduledPosts.create({ ${channels}, ${media}, ${scheduledFor} })`)
  const { id: emptyId } = await byKey(`client.scheduledPosts.create({ notes: 'An idea' })`)
  await byKey(`client.scheduledPosts.create({ scheduledFor: '2026-11-01T19:00:00.000Z' })`)
  await byKey(`client.scheduledPosts.list({ status: 'DRAFT', limit: 1 })`)
  await byKey(`client.scheduledPosts.get('${postId}')`)
  await byKey(`client.scheduledPosts.wait('${postId}')`)
  await byKey(`client.scheduledPosts.update('${postId}', { notes: 'With the band' })`)
  const taken = `channels: { '${channelId}': { superpower: { hashtag: '#lanterns' } } }`
  const { id: takenId } = await byKey(`client.scheduledPosts.create({ ${taken} })`)
  await byKey(`client.scheduledPosts.create({ ${taken} })`)
  await byKey(`client.scheduledPosts.update('${postId}', { ${taken} })`)
  await byKey(`client.scheduledPosts.delete('${takenId}')`)
  await byKey(`client.scheduledPosts.submitForApproval('${emptyId}')`)
  await byKey(`client.scheduledPosts.submitForApproval('${postId}')`)
  await byKey(`client.scheduledPosts.approve('${postId}')`)
  await byKey(`client.scheduledPosts.publish('${postId}')`)
  await byKey(`client.scheduledPosts.revert('${postId}')`)
  await byKey(`client.scheduledPosts.reject('${postId}', { notes: 'The price is wrong' })`)
  await byKey(`client.scheduledPosts.reject('${postId}', { notes: 'The price is wrong' })`)
  await byKey(`client.scheduledPosts.update('${postId}', { status: 'DRAFT' })`)
  await byKey(`client.scheduledPosts.submitForApproval('${postId}')`)
  await byKey(`client.vipUsers.list({ workspaceId: '${workspaceId}', mediumId: '${channelId}', limit: 2 })`, earlier)
  await byKey(`client.scheduledPosts.update('${emptyId}', { notes: 'A better idea' })`, earlier)

  // People.
  const { path: ownerPath } = await call('inviteOwner')
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
  await call('createInvitation', {
    organizationId,
    body: { mail: 'ben@example.com', role: 'EDITOR', mayApprove: true },
  })
  const withdrawn = await call('createInvitation', {
    organizationId,
    body: { mail: 'cleo@example.com', role: 'VIEWER' },
  })
  await call('listInvitations', { organizationId })
  await call('revokeInvitation', { organizationId, invitationId: withdrawn.id })
  const invited = await call('createInvitation', { organizationId, body: { mail: 'dora@example.com', role: 'EDITOR' } })
  const dora = new Visitor(recorder)
  await dora.call('POST', '/invitation/accept', {
    token: tokenIn(invited.path),
    name: 'Dora Vega',
    password: Member.PASSWORD,
  })
  const people = await call('listPeople')
  const personOf = (mail: string): string => people.find((person) => person.mail === mail)!.id
  await call('listMembers', { organizationId })
  await call('updateMember', { organizationId, personId: personOf('dora@example.com'), body: { mayApprove: true } })
  const link = await call('createSignInLink', { personId: personOf('dora@example.com') })
  await dora.call('POST', '/sign-in/link/read', { token: tokenIn(link.path) })
  await dora.call('POST', '/sign-in/link', { token: tokenIn(link.path) })
  await call('listPersonSessions', { personId: personOf('dora@example.com') })
  provider.person = { sub: 'dora', name: 'Dora Vega', email: 'dora@example.com', email_verified: true }
  const byProvider = new Visitor(recorder)
  const begun = await byProvider.call('POST', '/sign-in/oidc', {})
  const query = await provider.visit((begun.body as { url: string }).url)
  await byProvider.call('POST', '/sign-in/oidc/finish', { query })
  await byProvider.call('POST', '/sign-in/oidc/finish', { query })

  await walkSecondFactors(recorder, app, async () => {
    const { path } = await asOperator.call('createInvitation', {
      organizationId,
      body: { mail: 'eva@example.com', role: 'VIEWER' },
    })
    return tokenIn(path)
  })
  const eva = (await asOperator.call('listPeople')).find(({ mail }) => mail === 'eva@example.com')!
  await call('resetSecondFactors', { personId: eva.id })

  // Approval: a link for an outsider, and a person.
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
  await call('setPostingSlots', { organizationId, channelId, body: { slots: [{ weekday: 1, time: '09:30' }] } })
  await call('listPostingSlots', { organizationId })
  await byProvider.call('GET', `${below}/revision`)
  await byProvider.call('GET', `${below}/vip-users/export?workspaceId=${workspaceId}&mediumId=${channelId}`)
  const window = 'startDate=2026-11-18&endDate=2026-11-19'
  await byProvider.call('GET', `${below}/ad-accounts/${AD_ACCOUNT_ID}/campaigns/daily-insights?${window}`)
  const two = [await insertWaiting(app, organizationId, channelId), await insertWaiting(app, organizationId, channelId)]
  await call('updateOrganization', { organizationId, body: { reviewers: ['anna@agency.example'] } })
  await walkReview(recorder, byProvider, below, two)
  const outside = new Outsider(recorder, outsideLink.token)
  await outside.call('GET', '/link')
  await outside.call('POST', '/open')
  await walkDiscussion(call, outside, { organizationId, scheduledPostId: postId }, personOf('dora@example.com'))

  // Refusals of the surfaces, for any operation.
  const bySignature = (key: Key, prefix: string): Sent => {
    const date = new Date(app.clock.now())
    const headers =
      prefix === '/v1'
        ? { ...signedHeaders(key, date.toUTCString()), 'x-api-version': '1' }
        : signedHeaders(key, date.toISOString())
    return { method: 'GET', url: `${prefix}/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`, headers }
  }
  const byMember = byProvider.toSent('GET', `${below}/audit?limit=1`)
  const limited = await asOperator.call('issueKey', { organizationId, body: { permissions: ['channels:read'] } })
  await recorder.refuse(bySignature(limited, '/v1'))
  await recorder.refuse(bySignature(limited, '/v0'))
  await recorder.refuse(byMember)
  await asOperator.call('updateOrganization', { organizationId, body: { active: false } })
  await recorder.refuse(bySignature({ id: keyId, secret }, '/v1'))
  await recorder.refuse(bySignature({ id: keyId, secret }, '/v0'))
  await recorder.refuse(byMember)
  await recorder.refuse(outside.toSent('GET', '/posts'))
  await asOperator.call('updateOrganization', { organizationId, body: { active: true } })

  const { body: seen } = await outside.call('GET', '/posts')
  const [only] = (seen as { posts: { etag: string }[] }).posts
  await outside.call('POST', '/posts/1/return', { notes: 'The date is wrong' }, only!.etag)
  await byProvider.call('GET', `${posts}/${postId}/last-review`)
  await byKey(`client.scheduledPosts.update('${postId}', { status: 'DRAFT' })`)
  await byKey(`client.scheduledPosts.submitForApproval('${postId}')`)
  const read = await call('getScheduledPost', { organizationId, scheduledPostId: postId })
  await call('approveScheduledPost', { organizationId, scheduledPostId: postId }, {} as { ifMatch: string })
  await call('approveScheduledPost', { organizationId, scheduledPostId: postId }, { ifMatch: read.etag! })
  await call('getScheduledPostWait', { organizationId, scheduledPostId: postId })
  await call('listScheduledPostHistory', { organizationId, scheduledPostId: postId })
  await byKey(`client.scheduledPosts.revert('${postId}')`)
  const tenant = Tenant.of(app, organizationId, { id: keyId, secret })
  const failed = await insertPost(tenant, { ...publishable(channelId), status: 'SCHEDULED' })
  await moveAsPublisher(tenant, failed, 'claim')
  await moveAsPublisher(tenant, failed, 'finishWithFailure')
  await call('retryScheduledPost', {
    organizationId,
    scheduledPostId: failed,
    body: { scheduledFor: '2026-12-02T19:00:00.000Z' },
  })
  await call('retryScheduledPost', {
    organizationId,
    scheduledPostId: failed,
    body: { scheduledFor: '2026-12-02T19:00:00.000Z' },
  })

  // A published post, and what its superpower does.
  const acting = { ...publishable(channelId), channels: [{ channelId, caption: 'Comment price', superpower: {} }] }
  const out = await insertPost(tenant, { ...acting, status: 'PUBLISHED' })
  await insertAutomationRows(app.context.database, [organizationId, out, channelId], '2026-11-20T08:00:00.000Z')
  await call('updateChannel', { organizationId, channelId, body: { automation: 'on' } })
  await byKey(`client.scheduledPosts.comments('${out}', { limit: 1 })`)
  await byKey(`client.scheduledPosts.superpowers('${out}')`)
  await call('listPostComments', { organizationId, scheduledPostId: out, query: { limit: 1 } })
  await call('getSuperpowerReport', { organizationId, scheduledPostId: out })
  await call('stopSuperpower', { organizationId, scheduledPostId: out, channelId, body: { reason: 'Sold out' } })
  await byKey(`client.raffles.list('${out}')`)
  await byKey(`client.raffles.export('${out}', '${channelId}')`)
  await call('listRaffles', { organizationId, scheduledPostId: out })
  await call('exportRaffle', { organizationId, scheduledPostId: out, channelId })
  const redraw = { organizationId, scheduledPostId: out, channelId, body: { rank: 1, reason: 'Nobody answers' } }
  await call('redrawRaffle', redraw)
  await call('redrawRaffle', redraw)
  const plan = (name: string) =>
    `time,channel,text,media,notes\n2026-12-24 18:00,${name},Open until ten,https://cdn.example.com/market.jpg,\n`
  await call('importScheduledPosts', { organizationId, body: { csv: plan('The page'), dryRun: true } })
  await call('importScheduledPosts', { organizationId, body: { csv: plan(channelId) } })
  await call('importScheduledPosts', { organizationId, body: { csv: 'time;text' } })
  const weekly: RecurrenceRule = { frequency: 'WEEKLY', weekdays: [5], time: '17:00', from: '2026-12-04', count: 4 }
  const series = await call('createPostSeries', { organizationId, scheduledPostId: emptyId, body: weekly })
  await call('createPostSeries', { organizationId, scheduledPostId: emptyId, body: weekly })
  await call('getSeriesOfPost', { organizationId, scheduledPostId: emptyId })
  await call('stopPostSeries', { organizationId, seriesId: series.id })
  const hours = { kind: 'TEXT' as const, name: 'Opening hours', text: 'Open from 8 to 6.' }
  const savedText = await call('createSavedText', { organizationId, body: hours })
  await call('createSavedText', { organizationId, body: hours })
  await call('listSavedTexts', { organizationId })
  await call('updateSavedText', { organizationId, savedTextId: savedText.id, body: { text: 'Open from 8 to 7.' } })
  await call('deleteSavedText', { organizationId, savedTextId: savedText.id })
  await call('listOptOuts', { organizationId, channelId })
  await call('addOptOut', { organizationId, channelId, fromId: '24001' })
  await call('removeOptOut', { organizationId, channelId, fromId: '24001' })

  // Reads of the operator, and of the server as a whole.
  await call('listWorkspaces', { organizationId })
  await call('listOrganizationChannels', { organizationId, query: { workspaceId } })
  await call('listOrganizationSuperpowers', { organizationId })
  await call('listOrganizationAdAccounts', { organizationId })
  await call('listMedia', { organizationId })
  await call('getCaller')
  const webhook = await call('createWebhook', {
    organizationId,
    body: { name: 'Our chat', url: 'https://hooks.example.com/greenroom', events: ['post.failed'] },
  })
  await call('listWebhooks', { organizationId })
  await call('updateWebhook', { organizationId, webhookId: webhook.id, body: { events: null } })
  const delivery = await call('testWebhook', { organizationId, webhookId: webhook.id })
  await call('listWebhookDeliveries', { organizationId, query: { limit: 1 } })
  await call('getWebhookDelivery', { organizationId, webhookId: webhook.id, deliveryId: delivery.id })
  await call('resendWebhookDelivery', { organizationId, webhookId: webhook.id, deliveryId: delivery.id })
  await call('rotateWebhookSecret', { organizationId, webhookId: webhook.id })
  await call('deleteWebhook', { organizationId, webhookId: webhook.id })
  await call('updateOrganization', { organizationId, body: { currency: 'EUR' } })
  const source = await call('createSource', { organizationId, body: { type: 'EVENTS', name: 'Our app' } })
  await call('createSource', { organizationId, body: { type: 'SHOPIFY', name: 'Our shop' } })
  await call('listSources', { organizationId })
  await call('getSource', { organizationId, sourceId: source.id })
  await call('updateSource', { organizationId, sourceId: source.id, body: { name: 'The app' } })
  await call('rotateSourceSecret', { organizationId, sourceId: source.id, body: {} })
  await insertProblem(Tenant.of(app, organizationId, { id: keyId, secret }), source.id, ['prb_1', 'prb_2'])
  await call('listSourceProblems', { organizationId, sourceId: source.id })
  await call('retrySourceProblem', { organizationId, sourceId: source.id, problemId: 'prb_1' })
  await call('dismissSourceProblem', { organizationId, sourceId: source.id, problemId: 'prb_2' })
  await call('importPurchases', {
    organizationId,
    sourceId: source.id,
    body: '{"orderId":"1001","amount":"40.00","currency":"EUR","at":"2026-11-01T09:00:00Z","userId":"cu_1"}\n',
    contentType: 'application/x-ndjson',
  })
  await call('linkPerson', { organizationId, cuid: 'cu_1', body: { kind: 'shopify', id: '207119551' } })
  await call('getPerson', { organizationId, cuid: 'cu_1' })
  await call('searchPeople', { organizationId, query: { search: 'zoë' } })
  await call('unlinkPerson', { organizationId, cuid: 'cu_1', kind: 'shopify', id: '207119551' })
  await call('deleteSource', { organizationId, sourceId: source.id })
  await call('issueOperatorToken', { body: { name: 'anna' } })
  await call('issueOperatorToken', { body: { name: 'anna' } })
  await call('listOperatorTokens')
  await call('revokeOperatorToken', { name: 'anna' })
  await call('listAuditTrail', { organizationId, query: { limit: 2 } })
  await call('listServerAuditTrail', { query: { limit: 2 } })
  await owner.call('GET', `${below}/audit?limit=2`)
  await owner.call('GET', `${below}/audit/export?operation=createWorkspace`)
  await call('rotateMasterKey', { body: {} })
  await call('getServerHealth')
  const backup = await call('createBackup', { body: { passphrase: 'a long passphrase' } })
  if (Symbol.asyncIterator in backup) for await (const _ of backup) void _

  // Deletions and ends.
  await byKey(`client.scheduledPosts.delete('${emptyId}')`)
  await call('deleteAdAccount', { organizationId, adAccountId: AD_ACCOUNT_ID })
  await call('erasePerson', { organizationId, cuid: 'cu_1' })
  await call('readmitPerson', { organizationId, cuid: 'cu_1' })
  await call('unmarkVip', { organizationId, workspaceId, channelId, conversationId: 'm_2' })
  await call('deleteConversation', { organizationId, channelId, conversationId: 'm_2' })
  await call('disconnectChannel', { organizationId, workspaceId, channelId })
  await call('deleteMedia', { organizationId, mediaId })
  await call('deleteSuperpower', { organizationId, creativeTemplateId })
  await call('deleteChannel', { organizationId, channelId })
  await call('deleteChannel', { organizationId, channelId, query: { force: true } })
  await call('deleteWorkspace', { organizationId, workspaceId })
  await call('getMemberGrants', { organizationId, personId: personOf('dora@example.com') })
  await call('removeMember', { organizationId, personId: personOf('dora@example.com'), query: { revokeKeys: 'all' } })
  await call('getPersonGrants', { personId: personOf('dora@example.com') })
  await call('updatePerson', { personId: personOf('dora@example.com'), body: { active: false } })
  await call('updatePerson', { personId: personOf('ana@example.com'), body: { owner: false } })
  const { id: tokenId } = await walkTokens(recorder, owner)
  await call('listPersonTokens', { personId: personOf('ana@example.com') })
  await call('revokePersonToken', { personId: personOf('ana@example.com'), tokenId })
  await call('endPersonSessions', { personId: personOf('dora@example.com') })
  await call('deletePerson', { personId: personOf('dora@example.com'), query: { revokeKeys: 'all' } })
  await call('deletePerson', { personId: personOf('dora@example.com') })
  await owner.call('POST', '/sign-out')
  await second.call('POST', '/sign-in', { mail: 'ana@example.com', password: 'other words of the tests' })
  await second.call('DELETE', '/me/sessions')
  await call('revokeKey', { organizationId, keyId })
  await call('deleteOrganization', { organizationId, query: { name: 'Another name' } })
  await call('deleteOrganization', { organizationId, query: { name: 'Mercado Aurora' } })
  await asOperator.call('updateOrganization', { organizationId, body: { active: false } })
  await call('deleteOrganization', { organizationId, query: { name: 'Mercado Aurora' } })
  const { operations: called, surfaces } = recorder
  return { operations: called, surfaces }
}

/** Walks through the discussion of a waiting post, including a link holder who reads part of it. */
async function walkDiscussion(
  call: GreenroomApi['call'],
  outside: Outsider,
  post: { organizationId: string; scheduledPostId: string },
  mentioned: string,
): Promise<void> {
  const talk = '/posts/1/discussion'
  const create = (body: NewDiscussionMessage) => call('createDiscussionMessage', { ...post, body })
  const { id: messageId } = await create({ text: 'Is the date right?', mentions: [mentioned], shared: true })
  await create({ text: 'For Anna', mentions: ['usr_unknown'] })
  await outside.call('GET', talk)
  const { body } = await outside.call('POST', talk, { text: 'It is on Fryday', replyTo: messageId })
  const own = `${talk}/${(body as { id: string }).id}`
  await outside.call('PATCH', own, { text: 'It is on Friday' })
  await outside.call('PATCH', `${talk}/${messageId}`, { text: 'It is on Friday' })
  await outside.call('DELETE', own)
  await outside.call('POST', talk, { text: 'It is on Friday', replyTo: 'msg_unknown' })
  const reply = { ...post, messageId: (await create({ text: 'Thank you', replyTo: messageId })).id }
  await call('updateDiscussionMessage', { ...reply, body: { text: 'Thank you, Anna' } })
  await call('listDiscussionMessages', post)
  await call('resolveDiscussionMessage', { ...post, messageId })
  await call('reopenDiscussionMessage', { ...post, messageId })
  await call('listDiscussionHistory', { ...post, query: { limit: 2 } })
  await call('deleteDiscussionMessage', reply)
  await call('deleteDiscussionMessage', reply)
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

/** Returns the token of `/sign-in#link=…` and similar links. */
const tokenIn = (path: string): string => /=([\w-]+)$/.exec(path)![1]!

interface Sent {
  method: NonNullable<InjectOptions['method']>
  /** The path and query. */
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
/** Inserts a post that waits for approval. */
const insertWaiting = (app: TestApp, organizationId: string, channelId: string): Promise<string> =>
  insertPost(Tenant.of(app, organizationId, { id: '', secret: '' }), {
    ...publishable(channelId),
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date('2026-12-01T19:00:00.000Z'),
  })

/** Personal tokens: those that a person creates, and those that a program requests. Returns one that remains. */
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

/** Calls the app and records requests and answers. */
class Recorder {
  readonly operations: Record<string, ApiExample> = {}
  readonly surfaces: Record<string, string[]> = {}
  /** The running call of a key as the client writes it. */
  sample: string | undefined
  /** Operations with their surfaces. */
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

  /** The client's `fetch`. */
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
    // Objects created at one instant would have no order.
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
      // The first successful call is shown.
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

  /** Tries the possible mistakes of a call one by one before the call is made. */
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

/** Returns the headers of the call with wrong credentials. */
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
  // An ECDSA signature is shorter by each byte of a number that begins with zeros.
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
  // A cursor that contains ids.
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
