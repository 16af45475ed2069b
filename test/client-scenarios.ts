import type { Greenroom, GreenroomOptions } from '../src/client/index.js'
import type { CannedAnswer } from './faulty-proxy.js'

/** The data that exists at the service when a scenario starts. */
export interface ScenarioData {
  /** `/v1` and `/v0`, through the proxy. */
  baseUrl: string
  earlierUrl: string
  key: string
  secret: string
  workspaceId: string
  /** A channel with USERS conversations, `c000` and so on in list order, all of them VIPs. */
  mediumId: string
  timeoutMs: number
}

export const USERS = 450

/**
 * A scenario of a program that uses the client, in Node and in a browser. `run` uses only its arguments, so that its
 * source can be sent to a page; it returns JSON.
 */
export interface Scenario {
  name: string
  /** Faults for the proxy; `revoke-key` revokes the key and lets the request pass. */
  faults: ('pass' | 'reset' | 'lose' | 'cut' | 'hang' | 'revoke-key' | CannedAnswer)[]
  /** How far the service's clock is ahead of ours. */
  skewMs?: number
  /** 30 seconds by default. */
  timeoutMs?: number
  run(make: (options: GreenroomOptions) => Greenroom, data: ScenarioData): Promise<unknown>
  /** The value that `run` returns. */
  result: unknown
  /** The number of requests it takes. */
  requests: number
}

async function walkUsers(make: (options: GreenroomOptions) => Greenroom, data: ScenarioData): Promise<unknown> {
  const { baseUrl, key, secret, workspaceId, mediumId, timeoutMs } = data
  const client = make({ baseUrl, key, secret, timeoutMs })
  const ids: string[] = []
  try {
    for await (const user of client.vipUsers.listAll({ workspaceId, mediumId })) ids.push(user.conversationId)
  } catch (error) {
    const { name, code } = error as { name: string; code?: string }
    return { walked: ids.length, distinct: new Set(ids).size, name, code }
  }
  const inOrder = ids.every((id, index) => id === `c${String(index).padStart(3, '0')}`)
  return { walked: ids.length, distinct: new Set(ids).size, inOrder }
}

async function walkInsights(make: (options: GreenroomOptions) => Greenroom, data: ScenarioData): Promise<unknown> {
  const { baseUrl, key, secret } = data
  const client = make({ baseUrl, key, secret })
  const ids: string[] = []
  try {
    const window = { startDate: '2026-11-01', endDate: '2026-11-02' }
    for await (const entry of client.campaigns.dailyInsightsAll('4100000000000001', window)) ids.push(entry.campaignId)
  } catch (error) {
    return { ids, name: (error as Error).name }
  }
  return { ids }
}

const whole = { walked: USERS, distinct: USERS, inOrder: true }

const insights = (nextCursor: string | null, ...campaignIds: string[]): CannedAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    items: campaignIds.map((campaignId) => ({ campaignId, campaignName: '', createdTime: '', days: [] })),
    returned: campaignIds.length,
    mayHaveMore: nextCursor !== null,
    nextCursor,
  },
})

const MINUTE_MS = 60_000

export const SCENARIOS: readonly Scenario[] = [
  { name: 'walks every user once and in order', faults: [], run: walkUsers, result: whole, requests: 3 },
  {
    name: 'reads a page again if its body broke off in the middle',
    faults: ['pass', 'cut'],
    run: walkUsers,
    result: whole,
    requests: 4,
  },
  {
    name: 'asks again when the connection is reset before and after the service has received the request',
    faults: ['reset', 'pass', 'lose'],
    run: walkUsers,
    result: whole,
    requests: 5,
  },
  {
    name: 'asks again when no response comes in time',
    faults: ['pass', 'hang'],
    timeoutMs: 1500,
    run: walkUsers,
    result: whole,
    requests: 4,
  },
  {
    name: 'waits as long as a 429 demands and asks again',
    faults: ['pass', { status: 429, headers: { 'retry-after': '1' } }],
    run: walkUsers,
    result: whole,
    requests: 4,
  },
  {
    name: 'keeps asking while the service is not ready',
    faults: [{ status: 503 }, { status: 503 }, { status: 503 }],
    run: walkUsers,
    result: whole,
    requests: 6,
  },
  {
    name: 'interface 8: learns the time from a service that is five minutes ahead',
    faults: [],
    skewMs: 5 * MINUTE_MS,
    run: walkUsers,
    result: whole,
    requests: 4,
  },
  {
    name: 'interface 8: learns the time from a service that is five minutes behind',
    faults: [],
    skewMs: -5 * MINUTE_MS,
    run: walkUsers,
    result: whole,
    requests: 4,
  },
  {
    name: 'ends with an AuthenticationError when its key is revoked between two pages',
    faults: ['pass', 'revoke-key'],
    run: walkUsers,
    result: { walked: 200, distinct: 200, name: 'AuthenticationError', code: 'signature_invalid' },
    requests: 2,
  },
  {
    name: 'interface 4.2.3: goes on after empty pages of insights',
    faults: [insights('a'), insights('b', '1'), insights('c'), insights(null, '2', '3')],
    run: walkInsights,
    result: { ids: ['1', '2', '3'] },
    requests: 4,
  },
  {
    name: 'rejects a cursor that does not move, after yielding its rows',
    faults: [insights('a', '1'), insights('a', '2')],
    run: walkInsights,
    result: { ids: ['1', '2'], name: 'PagingError' },
    requests: 2,
  },
  {
    name: 'interface 9.4: speaks the earlier variant with its clock five minutes off',
    faults: [],
    skewMs: 5 * MINUTE_MS,
    run: async (make, { earlierUrl, key, secret, workspaceId, mediumId }) => {
      const client = make({ baseUrl: earlierUrl, key, secret, interfaceVersion: 'earlier' })
      let walked = 0
      for await (const page of client.vipUsers.pages({ workspaceId, mediumId, limit: 150 })) walked += page.returned
      return { walked }
    },
    result: { walked: USERS },
    requests: 4,
  },
  {
    name: 'creates one post although the response is lost',
    faults: ['lose'],
    run: async (make, { baseUrl, key, secret }) => {
      const client = make({ baseUrl, key, secret })
      const post = await client.scheduledPosts.create({ notes: 'once' })
      const found: (string | undefined)[] = []
      for await (const { id, notes } of client.scheduledPosts.listAll()) if (id === post.id) found.push(notes)
      return { found }
    },
    result: { found: ['once'] },
    // The repeat, a page, and the empty page after it.
    requests: 4,
  },
  {
    name: 'does not repeat an update when its response is lost',
    faults: ['pass', 'lose'],
    run: async (make, { baseUrl, key, secret }) => {
      const client = make({ baseUrl, key, secret })
      const { id } = await client.scheduledPosts.create({ notes: 'before' })
      const name = await client.scheduledPosts.update(id, { notes: 'after' }).then(
        () => 'updated',
        (error: Error) => error.name,
      )
      return { name, notes: (await client.scheduledPosts.get(id)).notes }
    },
    result: { name: 'ConnectionError', notes: 'after' },
    requests: 3,
  },
]
