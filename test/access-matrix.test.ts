import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SURFACES } from '../src/access/surfaces.js'
import type { ErrorCode } from '../src/errors.js'
import { PERMISSIONS } from '../src/http/principal.js'
import { type Route, routesOf, type Surface } from '../src/http/surfaces.js'
import { newId } from '../src/lib/ids.js'
import { operations } from '../src/operations.js'
import { ALLOWED, type CalledOperation, makeCallers, outcomeOf, REFUSALS, type TestCaller } from './callers.js'
import { Member, signedHeaders, startTestApp, Tenant, type TestApp } from './harness.js'
import { HELD, permissionsOf, recordedOperations } from './permissions.js'
import { insertPost } from './posts.js'

/**
 * Every operation on every surface with the kinds of callers (test/callers.ts) that get different answers: it is allowed
 * exactly if the record in test/permissions.ts says so. Each request is well-formed, so that it reaches the check of its
 * permission. test/outside/matrix.long.test.ts tries every caller on every route.
 */

let app: TestApp
let tenant: Tenant
let other: Tenant
let callers: TestCaller[]
beforeAll(async () => {
  app = await startTestApp()
  tenant = await Tenant.create(app)
  other = await Tenant.create(app)
  callers = await makeCallers(app, tenant, other)
})
// Credentials that must expire were issued for one second.
beforeEach(() => app.clock.advance(2_000))

interface Sample {
  query?: string
  body?: unknown
  headers?: Record<string, string>
}

const UNKNOWN_TOKEN = 'A'.repeat(43)

const credential = { id: 'A', rawId: 'A', type: 'public-key' }
const NO_ASSERTION = { ...credential, response: { clientDataJSON: 'A', authenticatorData: 'A', signature: 'A' } }
const NO_ATTESTATION = { ...credential, response: { clientDataJSON: 'A', attestationObject: 'A' } }

const days = 'startDate=2026-11-01&endDate=2026-11-02'
/** The query and body of operations that need more than their path. */
const SAMPLES: Record<string, () => Sample> = {
  listVipUsers: () => ({ query: 'workspaceId=none&mediumId=none' }),
  listVipUsersEarlier: () => ({ query: 'workspaceId=none&mediumId=none' }),
  exportVipUsers: () => ({ query: 'workspaceId=none&mediumId=none' }),
  listAudience: () => ({ query: 'workspaceId=none&channelId=none' }),
  exportAudience: () => ({ query: 'workspaceId=none&channelId=none' }),
  changeVipMarks: () => ({ body: { mark: ['none'] } }),
  createSegment: () => ({ body: { name: 'A', conditions: { valueAbove: 1 } } }),
  updateSegment: () => ({ body: { name: 'A' } }),
  listDailyInsights: () => ({ query: days }),
  listOrganizationDailyInsights: () => ({ query: days }),
  getCampaignDailyInsights: () => ({ query: days }),
  createScheduledPost: () => ({ body: {} }),
  createOrganizationScheduledPost: () => ({ body: {} }),
  updateScheduledPost: () => ({ body: { notes: 'A' } }),
  updateOrganizationScheduledPost: () => ({ body: { notes: 'A' } }),
  listScheduledPostNames: () => ({ query: 'ids=none' }),
  updateScheduledPostEarlier: () => ({ body: { notes: 'A' } }),
  rejectScheduledPost: () => ({ body: { notes: 'A' } }),
  approveScheduledPost: () => ({ headers: { 'if-match': '"1"' } }),
  retryScheduledPost: () => ({ body: { scheduledFor: '2026-12-01T00:00:00Z' } }),
  importScheduledPosts: () => ({ body: { csv: 'channel,text', dryRun: true } }),
  createPostSeries: () => ({ body: { frequency: 'DAILY', time: '10:00', from: '2026-12-01', count: 1 } }),
  createSavedText: () => ({ body: { kind: 'TEXT', name: newId('text'), text: 'A' } }),
  updateSavedText: () => ({ body: { text: 'A' } }),
  createSuperpower: () => ({ body: { name: 'A', superpower: {} } }),
  updateSuperpower: () => ({ body: { active: false } }),
  createOrganization: () => ({ body: { name: 'A' } }),
  updateOrganization: () => ({ body: { name: 'Test' } }),
  deleteOrganization: () => ({ query: 'name=Another' }),
  issueKey: () => ({ body: {} }),
  updateKey: () => ({ body: { name: 'A' } }),
  issueOperatorToken: () => ({ body: { name: newId('t').replace('_', '-') } }),
  createWorkspace: () => ({ body: { name: 'A', type: 'VIP' } }),
  updateWorkspace: () => ({ body: { name: 'A' } }),
  createChannel: () => ({ body: { type: 'FB_PAGE', platformId: '1', name: 'A' } }),
  updateChannel: () => ({ body: { name: 'A' } }),
  createAdAccount: () => ({ body: { id: '1', name: 'A', currency: 'EUR', timezone: 'UTC' } }),
  updateAdAccount: () => ({ body: { accessToken: null } }),
  importConversations: () => ({ body: 'conversationId,cuid\n', headers: { 'content-type': 'text/csv' } }),
  createSource: () => ({ body: { type: 'EVENTS', name: 'A' } }),
  updateSource: () => ({ body: { name: 'A' } }),
  searchPeople: () => ({ query: 'search=a' }),
  linkPerson: () => ({ body: { kind: 'shopify', id: '1001' } }),
  importPurchases: () => ({ body: 'orderId,amount\n', headers: { 'content-type': 'text/csv' } }),
  rotateMasterKey: () => ({ body: {} }),
  createBackup: () => ({ body: {} }),
  listMediaUses: () => ({ query: 'ids=none' }),
  uploadMedia: () => ({ body: 'no image', headers: { 'content-type': 'image/png' } }),
  uploadSmallPicture: () => ({ body: 'no image', headers: { 'content-type': 'image/jpeg' } }),
  markInboxRead: () => ({ body: { ids: ['none'] } }),
  setPostingSlots: () => ({ body: { slots: [] } }),
  setOwnNotifications: () => ({ body: { mails: true } }),
  createWebhook: () => ({ body: { url: 'https://example.com/hook' } }),
  updateWebhook: () => ({ body: { name: 'A' } }),
  createInvitation: () => ({ body: { mail: `${newId('m')}@example.com`, role: 'VIEWER' } }),
  explainSuperpower: () => ({ body: { superpower: {}, channelType: 'FB_PAGE', comments: [] } }),
  redrawRaffle: () => ({ body: { rank: 1, reason: 'Away' } }),
  stopSuperpower: () => ({ body: { reason: 'Over' } }),
  updateMember: () => ({ body: { role: 'VIEWER' } }),
  updatePerson: () => ({ body: { active: true } }),
  readInvitation: () => ({ body: { token: UNKNOWN_TOKEN } }),
  acceptInvitation: () => ({ body: { token: UNKNOWN_TOKEN, password: Member.PASSWORD } }),
  signIn: () => ({ body: { mail: 'no.one@example.com', password: Member.PASSWORD } }),
  requestPasswordLink: () => ({ body: { mail: 'no.one@example.com' } }),
  readSignInLink: () => ({ body: { token: UNKNOWN_TOKEN } }),
  signInByLink: () => ({ body: { token: UNKNOWN_TOKEN } }),
  createDiscussionMessage: () => ({ body: { text: 'A' } }),
  updateDiscussionMessage: () => ({ body: { text: 'A' } }),
  createMessageForReview: () => ({ body: { text: 'A' } }),
  updateMessageForReview: () => ({ body: { text: 'A' } }),
  createReviewLink: () => ({ body: { name: 'Anna', scheduledPostIds: ['unknown'] } }),
  sendReviewLink: () => ({ body: { name: 'Anna', mail: 'anna@example.com', scheduledPostIds: ['unknown'] } }),
  approvePostForReview: () => ({ headers: { 'if-match': '"none"' } }),
  returnPostForReview: () => ({ body: { notes: 'A' }, headers: { 'if-match': '"none"' } }),
  finishOidcSignIn: () => ({ body: { query: '?state=a&code=b' } }),
  finishPasskeySignIn: () => ({ body: { response: NO_ASSERTION } }),
  passTotp: () => ({ body: { code: '000000' } }),
  passRecoveryCode: () => ({ body: { code: '000000' } }),
  finishPassPasskey: () => ({ body: { response: NO_ASSERTION } }),
  finishOwnTotp: () => ({ body: { code: '000000' } }),
  finishOwnPasskey: () => ({ body: { name: 'A', response: NO_ATTESTATION } }),
  confirmByPassword: () => ({ body: { password: 'not the one it is' } }),
  confirmByTotp: () => ({ body: { code: '000000' } }),
  finishConfirmByPasskey: () => ({ body: { response: NO_ASSERTION } }),
  createOwnToken: () => ({ body: { name: 'A', scopes: ['posts:read'] } }),
  beginDeviceLogin: () => ({ body: { name: 'A' } }),
  fetchDeviceToken: () => ({ body: { deviceCode: UNKNOWN_TOKEN } }),
  readDeviceLogin: () => ({ body: { userCode: 'BCDF-GHJK' } }),
  allowDeviceLogin: () => ({ body: { userCode: 'BCDF-GHJK', scopes: ['posts:read'] } }),
  refuseDeviceLogin: () => ({ body: { userCode: 'BCDF-GHJK' } }),
  setOwnPreferences: () => ({ body: { language: 'pt', timeZone: null } }),
  changePassword: () => ({ body: { currentPassword: 'not the one it is', newPassword: 'other words of the tests' } }),
}

async function call(
  caller: Pick<TestCaller, 'headersAt' | 'prepare'>,
  surface: Surface,
  route: Route,
  ids: Record<string, string> = {},
) {
  if (surface.name === 'api') await caller.prepare?.()
  const { query, body, headers } = SAMPLES[route.operation.operationId]?.() ?? {}
  const known: Record<string, string> = { organizationId: tenant.organizationId, ...ids }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'unknown')
  const response = await app.app.inject({
    method: route.operation.method,
    url: query === undefined ? path : `${path}?${query}`,
    headers: {
      ...(surface.name === 'v1' || surface.name === 'api' ? { 'x-api-version': '1' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
      ...caller.headersAt(surface.name),
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.statusCode, code: response.headers['x-error-code'] as ErrorCode | undefined }
}

/** Answers to a request that did not reach the check of its permission. */
const TOO_EARLY: readonly (ErrorCode | undefined)[] = [
  'validation_failed',
  'body_malformed',
  'media_type_unsupported',
  'api_version_missing',
  'route_not_found',
  'internal',
]

/** Returns the route as the record of permissions describes it. */
const describeRoute = ({
  path,
  operation: { operationId, method, needsConfirmation = false },
}: Route): CalledOperation => ({
  needsConfirmation,
  permissions: permissionsOf(operationId),
  method,
  path,
})

const allRoutes = SURFACES.flatMap((surface) =>
  routesOf(surface, operations).map((route) => [`${surface.name} ${route.operationId}`, surface, route] as const),
)
/** A token that ends itself cannot be used for later routes. */
const endsItself = (name: string): boolean => name.endsWith(' revokeCallingToken')
const routes = [...allRoutes.filter(([name]) => !endsItself(name)), ...allRoutes.filter(([name]) => endsItself(name))]

let turn = 0

/**
 * Chooses one caller for each possible answer of the route. The allowed caller has the fewest permissions, and the
 * refused caller without the permission has the most; the others take turns, route by route.
 */
function chooseCallers(surface: Surface, route: Route): [outcome: string, caller: TestCaller][] {
  const operation = describeRoute(route)
  const byOutcome = new Map<string, TestCaller[]>()
  for (const caller of callers) {
    const outcome = outcomeOf(caller, surface.name, operation)
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), caller])
  }
  turn += 1
  return [...byOutcome].map(([outcome, all]) => {
    const counts = all.map((caller) => {
      const held = caller.at(surface.name, operation)
      return typeof held === 'string' ? 0 : held.length
    })
    const edge = outcome === ALLOWED ? Math.min(...counts) : Math.max(...counts)
    const edges = all.filter((_, index) => counts[index] === edge)
    return [outcome, edges[turn % edges.length]!]
  })
}

describe('every operation, surface and caller', () => {
  test('all appear in the record', () => {
    expect(new Set(routes.map(([, { name }]) => name))).toEqual(new Set(SURFACES.map(({ name }) => name)))
    expect(new Set(routes.map(([, , { operation }]) => operation))).toEqual(new Set(operations))
    expect(Object.keys(SAMPLES).filter((id) => !operations.some(({ operationId }) => operationId === id))).toEqual([])
    expect(recordedOperations().sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
    expect(callers.length).toBeGreaterThan(20)
    expect(new Set(callers.map(({ name }) => name)).size).toBe(callers.length)
  })

  test.each(routes)('%s', async (_name, surface, route) => {
    const found: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const [outcome, caller] of chooseCallers(surface, route)) {
      const { status, code } = await call(caller, surface, route)
      const isRefused = REFUSALS.includes(code)
      if (!isRefused) expect(TOO_EARLY, `${caller.name}: ${status} ${code}`).not.toContain(code)
      found[caller.name] = isRefused ? code! : ALLOWED
      wanted[caller.name] = outcome
    }
    expect(found).toEqual(wanted)
  })

  test("someone may call every operation, except the publisher's", () => {
    const open = routes.filter(([, surface, route]) =>
      callers.some((caller) => outcomeOf(caller, surface.name, describeRoute(route)) === ALLOWED),
    )
    const closed = new Set(operations.map(({ operationId }) => operationId))
    for (const [, , { operation }] of open) closed.delete(operation.operationId)
    expect([...closed]).toEqual(['publishScheduledPost'])
  })

  test('each permission is listed as available to keys or not', () => {
    expect(PERMISSIONS.filter((permission) => !HELD.key.includes(permission))).toEqual([
      'posts:approve',
      'sources:read',
      'sources:manage',
      'automation:manage',
      'people:read',
      'people:write',
      'operator',
      'account',
      'personal',
      'api',
      'sign-in',
      'device',
      'second-factor',
      'review',
    ])
  })
})

describe('a key of another organization', () => {
  let postId: string
  beforeAll(async () => {
    postId = await insertPost(tenant, { status: 'DRAFT' })
  })

  test.each(
    routes.filter(([, { name }, { path }]) => (name === 'v1' || name === 'v0') && path.includes('{')),
  )("%s: another organization's object looks exactly like a missing one", async (_name, surface, route) => {
    const { key } = other
    const foreign: Pick<TestCaller, 'headersAt'> = {
      headersAt(name) {
        const now = new Date(app.clock.now())
        return signedHeaders(key, name === 'v0' ? now.toISOString() : now.toUTCString())
      },
    }
    const ids = {
      scheduledPostId: postId,
      adAccountId: '1',
      campaignId: '1',
    }
    const real = await call(foreign, surface, route, ids)
    expect(real).toEqual(await call(foreign, surface, route))
    expect(real.status).toBeGreaterThanOrEqual(400)
  })
})
