import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { operator as operatorSurface, v0, v1 } from '../access/surfaces.js'
import { listVipUsers } from '../audience/list-vip-users.js'
import { vipUserListBody } from '../audience/vip-user.js'
import { type Route, routesOf } from '../http/surfaces.js'
import type { VipUser, VipUserList, VipUserQuery } from '../interface/audience.js'
import { operations } from '../operations.js'
import { Greenroom, GreenroomOperator, ServerError } from './index.js'

interface Sent {
  method: string
  path: string
  query: string[]
  hasBody: boolean
  contentType: string | null
  version: string | null
}

const BASE_URL = 'http://127.0.0.1:1/base'
const sent: Sent[] = []
const called: string[] = []

/** Records what would go out and refuses it, so that the error tells the operation's name. */
const options = {
  baseUrl: BASE_URL,
  async fetch(url: string, { method, headers: given, body }: RequestInit) {
    const { pathname, searchParams } = new URL(url)
    const headers = new Headers(given)
    sent.push({
      method: method!,
      path: pathname.slice('/base'.length),
      query: [...searchParams.keys()].toSorted(),
      hasBody: body !== undefined,
      contentType: headers.get('content-type'),
      version: headers.get('x-api-version'),
    })
    return new Response('{"message": "refused"}', { status: 500 })
  },
}
const client = spy(new Greenroom({ ...options, key: 'key', secret: 'secret' }))
const earlier = spy(new Greenroom({ ...options, key: 'key', secret: 'secret', interfaceVersion: 'earlier' }))
const operator = spy(new GreenroomOperator({ ...options, token: 'token' }))

/** Writes down which methods are called from outside, as `VipUsers.list`. */
function spy<Client extends object>(client: Client): Client {
  for (const group of Object.values(client) as Record<string, (...args: unknown[]) => unknown>[]) {
    for (const name of methodsOf(group)) {
      const method = group[name]!
      group[name] = (...args) => {
        called.push(nameOf(group, name))
        return method.apply(group, args)
      }
    }
  }
  return client
}

const nameOf = (group: object, method: string): string => `${group.constructor.name}.${method}`

function methodsOf(group: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(group)).filter((name) => name !== 'constructor')
}

const allMethods = (client: object): string[] =>
  Object.values(client).flatMap((group) => methodsOf(group).map((name) => nameOf(group, name)))

const vipQuery = { workspaceId: 'w', mediumId: 'm', hasBirthday: true, birthdayMonth: 5, limit: 2, offset: 4 } as const
const window = { startDate: '2026-11-01', endDate: '2026-11-02' }

/** One call of each operation, with the names of its path parameters in their places. */
const currentCalls: Record<string, () => Promise<unknown>> = {
  listWorkspaces: () => client.workspaces.list(),
  listChannels: () => client.channels.list({ workspaceId: 'w' }),
  listVipUsers: () => client.vipUsers.list({ ...vipQuery, scope: 'all', compact: false }),
  listAdAccounts: () => client.adAccounts.list(),
  listDailyInsights: () => client.campaigns.dailyInsights('adAccountId', { ...window, after: 'cursor' }),
  getCampaignDailyInsights: () => client.campaigns.getDailyInsights('campaignId', window),
  createScheduledPost: () => client.scheduledPosts.create({ notes: 'new' }),
  listScheduledPosts: () =>
    client.scheduledPosts.list({
      ...{ status: 'DRAFT', mediumId: 'm', limit: 1, offset: 1, after: 'c' },
      ...{ scheduledFrom: 'a', scheduledBefore: 'b' },
    }),
  getScheduledPost: () => client.scheduledPosts.get('scheduledPostId'),
  updateScheduledPost: () => client.scheduledPosts.update('scheduledPostId', { status: 'DRAFT' }),
  deleteScheduledPost: () => client.scheduledPosts.delete('scheduledPostId'),
  submitScheduledPostForApproval: () => client.scheduledPosts.submitForApproval('scheduledPostId'),
  rejectScheduledPost: () => client.scheduledPosts.reject('scheduledPostId', { notes: 'why' }),
  revertScheduledPost: () => client.scheduledPosts.revert('scheduledPostId'),
  approveScheduledPost: () => client.scheduledPosts.approve('scheduledPostId'),
  publishScheduledPost: () => client.scheduledPosts.publish('scheduledPostId'),
  listSuperpowers: () => client.superpowers.list({ after: 'c' }),
  getCaller: () => client.caller.get(),
}

const earlierCalls: Record<string, () => Promise<unknown>> = {
  listVipUsersEarlier: () => earlier.vipUsers.list(vipQuery),
  updateScheduledPostEarlier: () => earlier.scheduledPosts.update('id', { notes: 'new' }),
}

const org = 'organizationId'
const columns = { Customer: 'cuid' }
const upload = { contentType: 'text/csv', workspaceId: 'w', dryRun: true, columns, rejects: 1 } as const
const operatorCalls: Record<string, () => Promise<unknown>> = {
  createOrganization: () => operator.organizations.create({ name: 'A' }),
  listOrganizations: () => operator.organizations.list({ limit: 2, after: 'c' }),
  updateOrganization: () => operator.organizations.update(org, { active: false }),
  deleteOrganization: () => operator.organizations.delete(org, { name: 'A' }),
  issueKey: () => operator.keys.issue(org),
  listKeys: () => operator.keys.list(org),
  revokeKey: () => operator.keys.revoke(org, 'keyId'),
  issueOperatorToken: () => operator.operatorTokens.issue({ name: 'anna' }),
  listOperatorTokens: () => operator.operatorTokens.list(),
  revokeOperatorToken: () => operator.operatorTokens.revoke('name'),
  createWorkspace: () => operator.workspaces.create(org, { name: 'A', type: 'VIP' }),
  listOrganizationWorkspaces: () => operator.workspaces.list(org),
  updateWorkspace: () => operator.workspaces.update(org, 'workspaceId', { name: 'A' }),
  deleteWorkspace: () => operator.workspaces.delete(org, 'workspaceId'),
  createChannel: () => operator.channels.create(org, { type: 'FB_PAGE', platformId: '1', name: 'A' }),
  listOrganizationChannels: () => operator.channels.list(org, { workspaceId: 'w' }),
  updateChannel: () => operator.channels.update(org, 'channelId', { accessToken: null }),
  deleteChannel: () => operator.channels.delete(org, 'channelId', { force: true }),
  connectChannel: () => operator.channels.connect(org, 'workspaceId', 'channelId'),
  disconnectChannel: () => operator.channels.disconnect(org, 'workspaceId', 'channelId'),
  createAdAccount: () => operator.adAccounts.create(org, { id: '1', name: 'A', currency: 'EUR', timezone: 'UTC' }),
  listOrganizationAdAccounts: () => operator.adAccounts.list(org),
  connectAdAccount: () => operator.adAccounts.connect(org, 'adAccountId', { accessToken: null }),
  markVip: () => operator.vips.mark(org, 'workspaceId', 'channelId', 'conversationId'),
  unmarkVip: () => operator.vips.unmark(org, 'workspaceId', 'channelId', 'conversationId'),
  importConversations: () => operator.conversations.import(org, 'channelId', 'conversationId,cuid\n', upload),
  exportConversations: () => operator.conversations.export(org, 'channelId', { workspaceId: 'w' }),
  deleteConversation: () => operator.conversations.delete(org, 'channelId', 'conversationId'),
  erasePerson: () => operator.people.erase(org, 'cuid'),
  readmitPerson: () => operator.people.readmit(org, 'cuid'),
  uploadMedia: () => operator.media.upload(org, new Uint8Array(1)),
  listMedia: () => operator.media.list(org, { limit: 1, after: 'c' }),
  deleteMedia: () => operator.media.delete(org, 'mediaId'),
  getOrganizationScheduledPost: () => operator.scheduledPosts.get(org, 'scheduledPostId'),
  approveOrganizationScheduledPost: () => operator.scheduledPosts.approve(org, 'scheduledPostId', { ifMatch: '"1"' }),
  retryScheduledPost: () => operator.scheduledPosts.retry(org, 'scheduledPostId', { scheduledFor: 'then' }),
  listScheduledPostHistory: () => operator.scheduledPosts.history(org, 'scheduledPostId', { limit: 1, after: 'c' }),
  createSuperpower: () => operator.superpowers.create(org, { name: 'A', superpower: {} }),
  listOrganizationSuperpowers: () => operator.superpowers.list(org, { after: 'c' }),
  updateSuperpower: () => operator.superpowers.update(org, 'creativeTemplateId', { active: false }),
  deleteSuperpower: () => operator.superpowers.delete(org, 'creativeTemplateId'),
  getWebhook: () => operator.webhook.get(org),
  setWebhook: () => operator.webhook.set(org, { url: 'https://example.com' }),
  deleteWebhook: () => operator.webhook.delete(org),
  rotateWebhookSecret: () => operator.webhook.rotateSecret(org),
  testWebhook: () => operator.webhook.test(org),
  listWebhookDeliveries: () => operator.webhook.deliveries(org, { limit: 1, after: '2' }),
  resendWebhookDelivery: () => operator.webhook.resend(org, 'deliveryId'),
  listAuditTrail: () => operator.audit.list(org, { limit: 2, after: '4', targetType: 'key', actor: 'user' }),
  getOperatorCaller: () => operator.caller.get(),
  listServerAuditTrail: () => operator.audit.listServer({ limit: 2, after: '4', targetType: 'key', actor: 'user' }),
  listMembers: () => operator.members.list(org),
  updateMember: () => operator.members.update(org, 'personId', { role: 'VIEWER' }),
  getMemberGrants: () => operator.members.grants(org, 'personId'),
  removeMember: () => operator.members.remove(org, 'personId', { revokeKeys: 'all' }),
  createInvitation: () => operator.invitations.create(org, { mail: 'a@b.c', role: 'ADMIN' }),
  listInvitations: () => operator.invitations.list(org),
  revokeInvitation: () => operator.invitations.revoke(org, 'invitationId'),
  inviteOwner: () => operator.users.inviteOwner(),
  listPeople: () => operator.users.list(),
  getPersonGrants: () => operator.users.grants('personId'),
  updatePerson: () => operator.users.update('personId', { active: false }),
  createSignInLink: () => operator.users.createSignInLink('personId'),
  listPersonSessions: () => operator.users.sessions('personId'),
  endPersonSessions: () => operator.users.endSessions('personId'),
  resetSecondFactors: () => operator.users.resetSecondFactors('personId'),
  createBackup: () => operator.backups.create(),
  rotateMasterKey: () => operator.masterKey.rotate({}),
}

const SENT_AS: Record<string, string> = {
  'application/x-ndjson': 'text/csv',
  'application/octet-stream': 'application/octet-stream',
}

/** What an operation is called with on the wire, its path parameters by their names. */
const wireOf = (prefix: string, { path, operation: { method, body, streams, query } }: Route) => ({
  method,
  path: path.slice(prefix.length).replaceAll(/[{}]/g, ''),
  query: Object.keys(query?.describe().keys ?? {}).toSorted(),
  hasBody: body !== undefined || streams !== undefined,
  // Of several the client sends one.
  contentType: streams === undefined ? (body === undefined ? null : 'application/json') : SENT_AS[streams[0]!]!,
})

describe.each([
  ['/v1', routesOf(v1, operations), currentCalls, '1'],
  ['/v0', routesOf(v0, operations), earlierCalls, null],
  ['/operator', routesOf(operatorSurface, operations), operatorCalls, null],
] as const)('the client and %s', (prefix, routes, calls, version) => {
  test('no operation is without a method, and no method without an operation', () => {
    expect(Object.keys(calls).toSorted()).toEqual(routes.map(({ operationId }) => operationId).toSorted())
  })

  test.each(
    routes.map((route) => [route.operationId, route] as const),
  )('%s is called by one method: its verb, path, every query parameter, body and name', async (operationId, route) => {
    sent.length = 0
    called.length = 0
    const error = await calls[operationId]!().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ operation: operationId.replace(/Earlier$/, ''), message: 'refused' })
    expect(sent).toEqual([{ ...wireOf(prefix, route), version }])
    expect(called).toHaveLength(1)
  })
})

test('every method of the clients calls an operation; those that walk pages call the one that lists', async () => {
  called.length = 0
  for (const call of [...Object.values(currentCalls), ...Object.values(operatorCalls)]) await call().catch(() => {})
  expect(new Set(called).size).toBe(called.length)
  const walkers = {
    'VipUsers.pages': () => client.vipUsers.pages(vipQuery),
    'VipUsers.listAll': () => client.vipUsers.listAll(vipQuery),
    'Campaigns.dailyInsightsPages': () => client.campaigns.dailyInsightsPages('adAccountId', window),
    'Campaigns.dailyInsightsAll': () => client.campaigns.dailyInsightsAll('adAccountId', window),
    'ScheduledPosts.pages': () => client.scheduledPosts.pages(),
    'ScheduledPosts.listAll': () => client.scheduledPosts.listAll(),
    'Superpowers.listAll': () => client.superpowers.listAll(),
    'OperatorOrganizations.listAll': () => operator.organizations.listAll(),
    'OperatorSuperpowers.listAll': () => operator.superpowers.listAll(org),
    'OperatorScheduledPosts.historyAll': () => operator.scheduledPosts.historyAll(org, 'scheduledPostId'),
    'OperatorMedia.listAll': () => operator.media.listAll(org),
    'OperatorWebhook.deliveriesAll': () => operator.webhook.deliveriesAll(org),
    'OperatorAudit.pages': () => operator.audit.pages(org),
    'OperatorAudit.listAll': () => operator.audit.listAll(org),
  }
  const direct = called.length
  expect([...called, ...Object.keys(walkers)].toSorted()).toEqual(
    [...allMethods(client), ...allMethods(operator)].toSorted(),
  )
  expect(direct).toBe(routesOf(v1, operations).length + routesOf(operatorSurface, operations).length)
  for (const walk of Object.values(walkers)) {
    sent.length = 0
    await expect(walk().next()).rejects.toBeInstanceOf(ServerError)
    expect(sent).toHaveLength(1)
    expect([
      ...routesOf(v1, operations).map((route) => wireOf('/v1', route)),
      ...routesOf(operatorSurface, operations).map((route) => wireOf('/operator', route)),
    ]).toContainEqual(expect.objectContaining({ method: 'GET', path: sent[0]!.path, hasBody: false }))
  }
})

test('interface 2.1, 2.2, 4.1: the types of the VIP list have the fields of its schemas', () => {
  const user: Record<keyof VipUser, true> = {
    conversationId: true,
    userName: true,
    firstName: true,
    lastName: true,
    cuid: true,
    profilePic: true,
    birthday: true,
    lastPurchaseTimestamp: true,
    lastUserMessageTimestamp: true,
    lastAppOpenTimestamp: true,
  }
  const list: Record<keyof VipUserList, true> = {
    items: true,
    returned: true,
    total: true,
    mayHaveMore: true,
    nextOffset: true,
    scanCapped: true,
  }
  const query: Record<keyof VipUserQuery, true> = {
    workspaceId: true,
    mediumId: true,
    scope: true,
    hasBirthday: true,
    birthdayMonth: true,
    compact: true,
    limit: true,
    offset: true,
  }
  const described = vipUserListBody.describe()
  expect(Object.keys(described.keys).toSorted()).toEqual(Object.keys(list).toSorted())
  expect(Object.keys(described.keys.items.items[0].keys).toSorted()).toEqual(Object.keys(user).toSorted())
  expect(Object.keys(listVipUsers.query!.describe().keys).toSorted()).toEqual(Object.keys(query).toSorted())
})

function readSources(folder: string): [name: string, text: string][] {
  const names = readdirSync(new URL(folder, import.meta.url)).filter((name) => /(?<!\.test)\.ts$/.test(name))
  return names.map((name) => [name, readFileSync(new URL(folder + name, import.meta.url), 'utf8')])
}

test('the client imports itself and the types of interface/ and nothing else, and names nothing of Node', () => {
  const sources = readSources('./')
  expect(sources.map(([name]) => name)).toContain('index.ts')
  for (const [source, text] of sources) {
    for (const [, from] of text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g))
      expect(from, source).toMatch(/^\.(\.\/interface)?\/[\w-]+\.js$/)
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect(code, source).not.toMatch(/\b(?:Buffer|process|require|global|setImmediate|__dirname|NodeJS)\b/)
  }
})

test('interface/ holds types, and imports nothing but itself; the client exports every one of them', () => {
  const sources = readSources('../interface/')
  const index = readFileSync(new URL('index.ts', import.meta.url), 'utf8')
  expect(sources.length).toBeGreaterThan(5)
  for (const [source, text] of sources) {
    expect(text.match(/^(?:import|export)\b.*/gm), source).toEqual(
      text.match(/^(?:import type .* from '\.\/[\w-]+\.js'$|export (?:type|interface) ).*/gm),
    )
    expect(index).toContain(`export type * from '../interface/${source.replace(/ts$/, 'js')}'`)
  }
})
