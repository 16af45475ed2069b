import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Child, startChild } from '../../test/child.js'
import { MASTER_KEY, NO_RATE_LIMITS, OPERATOR_TOKEN } from '../../test/harness.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from '../../test/test-database.js'
import { Greenroom, GreenroomApi } from '../client/index.js'
import type { SourceWithSecrets } from '../interface/generated/types.js'

const MAIN = new URL('../main.ts', import.meta.url)
/** Two nodes share a PostgreSQL; the embedded database has one process. */
const [NODES, KILLS] = TEST_DATABASE_URL === undefined ? [1, 8] : [2, 16]
/** A busy machine takes ten seconds and more for a start, so there are fewer kills, but at least two. */
const KILLING_MS = 30_000
const KILLS_MIN = 2
const ANSWERS_BETWEEN_KILLS = { min: 20, max: 100 }
const SENDERS = 8
const PEOPLE = ['cu_ada', 'cu_bob', 'cu_cyd'] as const
const SECRET = 'secret of the shop'

/** Processes of the service. Each killed process is replaced by a new one. */
class Nodes {
  private readonly running: Promise<{ child: Child; url: string }>[] = []
  private isStopped = false

  constructor(private readonly env: Record<string, string>) {}

  async startAll(): Promise<void> {
    // The first one creates the tables.
    for (let node = 0; node < NODES; node++) {
      this.running[node] = this.start()
      await this.running[node]
    }
  }

  /** The address of a node, once it answers. */
  async url(node: number): Promise<string> {
    const { url } = await this.running[node % NODES]!
    if (this.isStopped) throw new Error('the nodes are stopped')
    return url
  }

  kill(node: number): void {
    const before = this.running[node % NODES]!
    this.running[node % NODES] = before.then(async ({ child }) => {
      child.process.kill('SIGKILL')
      expect(await child.ended).toBe('SIGKILL')
      return await this.start()
    })
  }

  async stop(): Promise<void> {
    this.isStopped = true
    for (const { child } of await Promise.all(this.running)) {
      child.process.kill('SIGKILL')
      await child.ended
    }
  }

  private async start(): Promise<{ child: Child; url: string }> {
    const child = startChild(MAIN, ['serve'], this.env)
    for await (const line of child.lines) {
      const url = /Greenroom listens at (http:\S+?)"/.exec(line)?.[1]
      if (url === undefined) continue
      // The log needs a reader all the time.
      child.process.stdout.resume()
      return { child, url }
    }
    throw new Error(`it never listened: ${child.errors()}`)
  }
}

interface Delivery {
  path: string
  headers: Record<string, string>
  body: string
}

/** The price of an order by its number, in cents. Every third order is partly refunded. */
const centsOf = (order: number): number => 100 + order
const refundOf = (order: number): number => (order % 3 === 0 ? 50 : 0)
const buyerOf = (order: number): (typeof PEOPLE)[number] => PEOPLE[order % PEOPLE.length]!
const money = (cents: number): string => (cents / 100).toFixed(2)

/** The deliveries of one order: from the app or the shop, with its refund before or after it. */
function deliveriesOf(order: number, sources: Record<'app' | 'shop', SourceWithSecrets>): Delivery[] {
  const refund = refundOf(order)
  if (order % 2 === 0) {
    const track = (event: string, properties: object): Delivery => ({
      path: '/ingest/v1/batch',
      headers: { authorization: `Basic ${Buffer.from(`${sources.app.writeKey}:`).toString('base64')}` },
      body: JSON.stringify({
        batch: [{ type: 'track', event, userId: buyerOf(order), messageId: `${event} ${order}`, properties }],
      }),
    })
    const given = { order_id: `o${order}`, currency: 'EUR' }
    return [
      ...(refund === 0 ? [] : [track('Order Refunded', { ...given, total: money(refund) })]),
      track('Order Completed', { ...given, total: money(centsOf(order)) }),
    ]
  }
  const at = new Date().toISOString()
  const shop = (topic: string, payload: object): Delivery => {
    const body = JSON.stringify(payload)
    const headers = {
      'x-shopify-topic': topic,
      'x-shopify-webhook-id': `${topic} ${order}`,
      'x-shopify-hmac-sha256': createHmac('sha256', SECRET).update(body).digest('base64'),
    }
    return { path: `/hooks/${sources.shop.id}`, headers, body }
  }
  return [
    shop('orders/create', {
      ...{ id: order, total_price: money(centsOf(order)), currency: 'EUR', created_at: at, updated_at: at },
      ...{ customer: { id: 70 + PEOPLE.indexOf(buyerOf(order)) } },
      note_attributes: [{ name: 'greenroom_user_id', value: buyerOf(order) }],
    }),
    ...(refund === 0
      ? []
      : [
          shop('refunds/create', {
            ...{ id: order, order_id: order, created_at: at },
            transactions: [{ kind: 'refund', status: 'success', amount: money(refund) }],
          }),
        ]),
  ]
}

/** The response's status; undefined if the node died before it answered. */
async function post(url: string, { path, headers, body }: Delivery): Promise<number | undefined> {
  try {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const answer = await fetch(`${url}${path}`, init)
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return undefined
  }
}

type Stage = Awaited<ReturnType<typeof setUp>>

async function setUp(url: string) {
  const operator = new GreenroomApi({ baseUrl: `${url}/api`, token: OPERATOR_TOKEN })
  const { id: organizationId } = await operator.call('createOrganization', { body: { name: 'Killed' } })
  await operator.call('updateOrganization', { organizationId, body: { currency: 'EUR' } })
  const { id: workspaceId } = await operator.call('createWorkspace', {
    organizationId,
    body: { name: 'VIPs', type: 'VIP' },
  })
  const { id: channelId } = await operator.call('createChannel', {
    organizationId,
    body: {
      type: 'FB_PAGE',
      platformId: '1',
      name: 'Page',
    },
  })
  await operator.call('connectChannel', { organizationId, workspaceId, channelId })
  const sources = {
    app: await operator.call('createSource', { organizationId, body: { type: 'EVENTS', name: 'App' } }),
    shop: await operator.call('createSource', {
      organizationId,
      body: { type: 'SHOPIFY', name: 'Shop', secret: SECRET },
    }),
  }
  const lines = PEOPLE.map((cuid) => JSON.stringify({ conversationId: `of ${cuid}`, cuid })).join('\n')
  await operator.call('importConversations', {
    organizationId,
    channelId,
    body: lines,
    contentType: 'application/x-ndjson',
  })
  const key = await operator.call('issueKey', { organizationId })
  return { organizationId, workspaceId, channelId, sources, key }
}

/** A delivery that was in progress during two kills is a problem, because it may have caused them. */
async function retrySetAside(operator: GreenroomApi, organizationId: string, sourceId: string): Promise<void> {
  for await (const { id, reason } of operator.items('listSourceProblems', { organizationId, sourceId })) {
    expect(reason).toMatch(/^The server stopped twice/)
    await operator.call('retrySourceProblem', { organizationId, sourceId, problemId: id })
  }
}

/** Waits until everything is applied, and compares the people with the sum of all orders. */
async function checkAudience(url: string, stage: Stage, orders: number): Promise<void> {
  const { organizationId, workspaceId, channelId, key } = stage
  const operator = new GreenroomApi({ baseUrl: `${url}/api`, token: OPERATOR_TOKEN })
  const readLeft = async () => {
    const { items } = await operator.call('listSources', { organizationId })
    for (const { id } of items) await retrySetAside(operator, organizationId, id)
    return items.map(({ waiting, problems }) => ({ waiting, problems }))
  }
  // A killed node is known to be dead after some seconds.
  await expect.poll(readLeft, { timeout: 240_000 }).toEqual(Array(2).fill({ waiting: 0, problems: 0 }))
  const numbers = Array.from({ length: orders }, (_, order) => order)
  const expected = PEOPLE.map((cuid) => {
    const own = numbers.filter((order) => buyerOf(order) === cuid)
    return { cuid, orders: own.length, cents: own.reduce((sum, order) => sum + centsOf(order) - refundOf(order), 0) }
  })
  const people = await Promise.all(PEOPLE.map((cuid) => operator.call('getPerson', { organizationId, cuid })))
  expect(
    people.map(({ cuid, purchasesTotal, conversations }) => ({
      ...{ cuid, orders: purchasesTotal, cents: Math.round(conversations[0]!.lifetimeValue * 100) },
    })),
  ).toEqual(expected)
  const api = new Greenroom({ baseUrl: `${url}/v1`, key: key.id, secret: key.secret })
  const listed = await api.vipUsers.list({ workspaceId, mediumId: channelId, scope: 'all' })
  const byValue = expected.toSorted((a, b) => b.cents - a.cents)
  expect(listed.items.map(({ cuid }) => cuid)).toEqual(byValue.map(({ cuid }) => cuid))
}

test(`deliveries answered with 200 are applied once (repeated kill -9 while ${SENDERS} senders deliver)`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-intake-kill-'))
  const databaseUrl = TEST_DATABASE_URL && (await createEmptyDatabase('greenroom_intake_kill_test'))
  const nodes = new Nodes({
    ...{ PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', MASTER_KEY, OPERATOR_TOKEN },
    ...{ ...NO_RATE_LIMITS, INTAKE_PER_SECOND: '0' },
  })
  onTestFinished(async () => {
    await nodes.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  await nodes.startAll()
  const stage = await setUp(await nodes.url(0))

  let orders = 0
  let kills = 0
  let repeated = 0
  let untilKill = ANSWERS_BETWEEN_KILLS.min
  const killUntil = performance.now() + KILLING_MS
  const isEnough = (): boolean => kills >= KILLS || (kills >= KILLS_MIN && performance.now() > killUntil)
  const isOver = (): boolean => isEnough() && untilKill <= 0
  /** The node dies while its responses and its worker's turns are running. */
  function noteAnswer(): void {
    if (--untilKill > 0 || isEnough()) return
    const { min, max } = ANSWERS_BETWEEN_KILLS
    untilKill = min + Math.floor(Math.random() * (max - min))
    nodes.kill(kills++)
  }
  /** A sender repeats an unanswered delivery, byte for byte, until it is answered. */
  async function deliver(delivery: Delivery, node: number): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const status = await post(await nodes.url(node + attempt), delivery)
      if (status === 200) return noteAnswer()
      expect([undefined, 503]).toContain(status)
      repeated++
    }
  }
  async function sendOrders(): Promise<void> {
    while (!isOver()) {
      const order = orders++
      const deliveries = deliveriesOf(order, stage.sources)
      const copies = order % 5 === 0 ? [...deliveries, ...deliveries] : deliveries
      await Promise.all(copies.map((delivery, index) => deliver(delivery, order + index)))
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sendOrders))
  expect([kills >= KILLS_MIN, repeated > 0]).toEqual([true, true])

  await checkAudience(await nodes.url(0), stage, orders)
}, 180_000)
