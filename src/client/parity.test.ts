import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { listVipUsers } from '../audience/list-vip-users.js'
import { vipUserListBody } from '../audience/vip-user.js'
import type { ApiOperation, OperatorOperation } from '../http/operation.js'
import type { VipUser, VipUserList, VipUserQuery } from '../interface/types.js'
import { currentOperations, earlierOperations, operatorOperations } from '../operations.js'
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
const earlier = new Greenroom({ ...options, key: 'key', secret: 'secret', interfaceVersion: 'earlier' })
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
  listScheduledPosts: () => client.scheduledPosts.list({ status: 'DRAFT', mediumId: 'm', limit: 1, offset: 1 }),
  getScheduledPost: () => client.scheduledPosts.get('scheduledPostId'),
  updateScheduledPost: () => client.scheduledPosts.update('scheduledPostId', { status: 'DRAFT' }),
  deleteScheduledPost: () => client.scheduledPosts.delete('scheduledPostId'),
  submitScheduledPostForApproval: () => client.scheduledPosts.submitForApproval('scheduledPostId'),
  rejectScheduledPost: () => client.scheduledPosts.reject('scheduledPostId', { notes: 'why' }),
  revertScheduledPost: () => client.scheduledPosts.revert('scheduledPostId'),
  approveScheduledPost: () => client.scheduledPosts.approve('scheduledPostId'),
  publishScheduledPost: () => client.scheduledPosts.publish('scheduledPostId'),
  listSuperpowers: () => client.superpowers.list(),
}

const earlierCalls: Record<string, () => Promise<unknown>> = {
  listVipUsersEarlier: () => earlier.vipUsers.list(vipQuery),
  updateScheduledPostEarlier: () => earlier.scheduledPosts.update('id', { notes: 'new' }),
}

const org = 'organizationId'
const upload = { contentType: 'text/csv', workspaceId: 'w' } as const
const operatorCalls: Record<string, () => Promise<unknown>> = {
  createOrganization: () => operator.organizations.create({ name: 'A' }),
  listOrganizations: () => operator.organizations.list(),
  updateOrganization: () => operator.organizations.update(org, { active: false }),
  issueKey: () => operator.keys.issue(org),
  listKeys: () => operator.keys.list(org),
  revokeKey: () => operator.keys.revoke(org, 'keyId'),
  createWorkspace: () => operator.workspaces.create(org, { name: 'A', type: 'VIP' }),
  listOrganizationWorkspaces: () => operator.workspaces.list(org),
  createChannel: () => operator.channels.create(org, { type: 'FB_PAGE', platformId: '1', name: 'A' }),
  listOrganizationChannels: () => operator.channels.list(org),
  updateChannel: () => operator.channels.update(org, 'channelId', { accessToken: null }),
  connectChannel: () => operator.channels.connect(org, 'workspaceId', 'channelId'),
  disconnectChannel: () => operator.channels.disconnect(org, 'workspaceId', 'channelId'),
  createAdAccount: () => operator.adAccounts.create(org, { id: '1', name: 'A', currency: 'EUR', timezone: 'UTC' }),
  listOrganizationAdAccounts: () => operator.adAccounts.list(org),
  connectAdAccount: () => operator.adAccounts.connect(org, 'adAccountId', { accessToken: null }),
  markVip: () => operator.vips.mark(org, 'workspaceId', 'channelId', 'conversationId'),
  unmarkVip: () => operator.vips.unmark(org, 'workspaceId', 'channelId', 'conversationId'),
  importConversations: () => operator.conversations.import(org, 'channelId', 'conversationId,cuid\n', upload),
  approveOrganizationScheduledPost: () => operator.scheduledPosts.approve(org, 'scheduledPostId'),
  retryScheduledPost: () => operator.scheduledPosts.retry(org, 'scheduledPostId', { scheduledFor: 'then' }),
  listScheduledPostHistory: () => operator.scheduledPosts.history(org, 'scheduledPostId'),
  createSuperpower: () => operator.superpowers.create(org, { name: 'A', superpower: {} }),
  listOrganizationSuperpowers: () => operator.superpowers.list(org),
  deactivateSuperpower: () => operator.superpowers.deactivate(org, 'creativeTemplateId'),
  rotateMasterKey: () => operator.masterKey.rotate({}),
}

/** What an operation is called with on the wire, its path parameters by their names. */
const wireOf = ({ method, path, body, streams, query }: ApiOperation | OperatorOperation) => ({
  method,
  path: path.replaceAll(/[{}]/g, ''),
  query: Object.keys(query?.describe().keys ?? {}).toSorted(),
  hasBody: body !== undefined || streams !== undefined,
  contentType: streams === undefined ? (body === undefined ? null : 'application/json') : 'text/csv',
})

describe.each([
  ['/v1', currentOperations, currentCalls, '1'],
  ['/v0', earlierOperations, earlierCalls, null],
  ['/operator', operatorOperations, operatorCalls, null],
] as const)('the client and %s', (_prefix, operations, calls, version) => {
  test('no operation is without a method, and no method without an operation', () => {
    expect(Object.keys(calls).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
  })

  test.each(
    operations.map((operation) => [operation.operationId, operation] as const),
  )('%s is called by one method: its verb, path, every query parameter, body and name', async (operationId, operation) => {
    sent.length = 0
    called.length = 0
    const error = await calls[operationId]!().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ServerError)
    expect(error).toMatchObject({ operation: operationId.replace(/Earlier$/, ''), message: 'refused' })
    expect(sent).toEqual([{ ...wireOf(operation), version }])
    if (operations !== earlierOperations) expect(called).toHaveLength(1)
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
  }
  const direct = called.length
  expect([...called, ...Object.keys(walkers)].toSorted()).toEqual(
    [...allMethods(client), ...allMethods(operator)].toSorted(),
  )
  expect(direct).toBe(currentOperations.length + operatorOperations.length)
  for (const walk of Object.values(walkers)) {
    sent.length = 0
    await expect(walk().next()).rejects.toBeInstanceOf(ServerError)
    expect(sent).toHaveLength(1)
    expect(currentOperations.map(wireOf)).toContainEqual(
      expect.objectContaining({ method: 'GET', path: sent[0]!.path, hasBody: false }),
    )
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

test('the client stands alone: it imports nothing but itself and names nothing of Node', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  expect(sources).toContain('index.ts')
  for (const source of sources) {
    const text = readFileSync(new URL(source, import.meta.url), 'utf8')
    for (const [, from] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g))
      expect(from, source).toMatch(/^\.\/[\w-]+\.js$/)
    const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect(code, source).not.toMatch(/\b(?:Buffer|process|require|global|setImmediate|__dirname|NodeJS)\b/)
  }
  expect(readFileSync(new URL('types.ts', import.meta.url), 'utf8')).not.toMatch(/^import/m)
})
