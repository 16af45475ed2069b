/**
 * `npm run bench:intake`: events that are acknowledged a second, against a bare server with one committed insert each;
 * events that are applied a second, in batches of 100; and the time from a 200 until the VIP list has it, at half that
 * rate. On both engines; `--only applied` measures one of `acknowledged`, `applied`, `visible`; `--postgres` or
 * `--embedded` measures one engine.
 */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { GreenroomOperator } from '../src/client/index.js'
import { signDate } from '../src/lib/sign-date.js'
import type { Child } from '../test/child.js'
import { bench, type Engine, type Env, newDatabase, OPERATOR_TOKEN, start } from './shared.js'

const CONNECTIONS = 64
const ROUND_MS = 4_000
const ROUNDS = 3
const EVENTS_A_BATCH = 100
const APPLIED_EVENTS = 40_000
const CHANNELS = 100
const PEOPLE = 20_000
const PROBES = 30
const PROBE_EVERY_MS = 400

const only = process.argv[process.argv.indexOf('--only') + 1]
const isAsked = (part: string): boolean => !process.argv.includes('--only') || only === part
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

interface Stage {
  url: string
  organizationId: string
  workspaceId: string
  sourceId: string
  channelIds: string[]
  writeKey: string
  key: { id: string; secret: string }
  operator: GreenroomOperator
}

const RUN = randomBytes(4).toString('hex')
let orders = 0
const order = (person: number) => ({
  ...{ type: 'track', event: 'Order Completed', userId: `cu_${person}`, messageId: `m${++orders}-${RUN}` },
  timestamp: new Date().toISOString(),
  properties: { order_id: `o${orders}-${RUN}`, total: 12.5, currency: 'EUR' },
})
const anyone = (): number => Math.floor(Math.random() * PEOPLE)
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

await bench(async () => {
  for (const engine of ['PostgreSQL', 'embedded'] as const) {
    if (process.argv.includes('--postgres') && engine !== 'PostgreSQL') continue
    if (process.argv.includes('--embedded') && engine !== 'embedded') continue
    await measure(engine)
  }
})
agent.destroy()

async function portOf(child: Child): Promise<string> {
  const { value, done } = await child.lines.next()
  if (done) throw new Error(`a program did not start:\n${child.errors()}`)
  return `http://127.0.0.1:${value}`
}

async function measure(engine: Engine): Promise<void> {
  const env: Env = {
    ...(await newDatabase(engine, 'intake')),
    ...{ OPERATOR_TOKEN, BENCH_PUBLISHER: '1', INTAKE_PER_SECOND: '0', INTAKE_KEEP_DAYS: '7' },
  }
  const service = await portOf(start('programs/service.ts', env))
  const stage = await fill(service)
  process.stdout.write(`\n${engine}\n`)
  if (isAsked('acknowledged')) {
    const bare = await portOf(start('programs/bare-inbox.ts', await newDatabase(engine, 'bare')))
    const rates = { own: [] as number[], bare: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      rates.own.push(await acknowledge(stage.url, stage.writeKey))
      await drained(stage)
      rates.bare.push(await acknowledge(bare, stage.writeKey))
    }
    const [own, ceiling] = [median(rates.own), median(rates.bare)]
    process.stdout.write(
      `acknowledged: ${Math.round(own)} events/s, bare ${Math.round(ceiling)}: ${(own / ceiling).toFixed(2)} of it (goal 1.0)\n`,
    )
  }
  if (isAsked('applied') || isAsked('visible')) {
    const applied: number[] = []
    for (let round = 0; round < ROUNDS; round++) applied.push(await apply(stage, APPLIED_EVENTS))
    const goal = engine === 'PostgreSQL' ? 10_000 : 5_000
    process.stdout.write(`applied: ${applied.map(Math.round).join(', ')} events/s (goal ${goal})\n`)
    if (isAsked('visible')) await measureVisible(stage, Math.min(median(applied), goal) / 2)
  }
}

async function fill(url: string): Promise<Stage> {
  const operator = new GreenroomOperator({ baseUrl: `${url}/operator`, token: OPERATOR_TOKEN })
  const { id: organizationId } = await operator.organizations.create({ name: 'Bench' })
  await operator.organizations.update(organizationId, { currency: 'EUR' })
  const { id: workspaceId } = await operator.workspaces.create(organizationId, { name: 'Bench', type: 'VIP' })
  const channelIds: string[] = []
  for (let channel = 0; channel < CHANNELS; channel++) {
    const created = await operator.channels.create(organizationId, {
      ...{ type: 'FB_PAGE', platformId: String(1_000 + channel), name: `Channel ${channel}` },
    })
    await operator.channels.connect(organizationId, workspaceId, created.id)
    const lines = Array.from({ length: PEOPLE / CHANNELS }, (_, index) => {
      const cuid = `cu_${channel * (PEOPLE / CHANNELS) + index}`
      return `${JSON.stringify({ conversationId: `t_${cuid}`, cuid, lifetimeValue: index })}\n`
    })
    await operator.conversations.import(organizationId, created.id, lines.join(''), {
      contentType: 'application/x-ndjson',
    })
    channelIds.push(created.id)
  }
  const source = await operator.sources.create(organizationId, { type: 'EVENTS', name: 'Bench' })
  const key = await operator.keys.issue(organizationId)
  const { id: sourceId, writeKey = '' } = source
  return { url, organizationId, workspaceId, sourceId, channelIds, writeKey, key, operator }
}

function post(url: string, path: string, body: string, writeKey: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
      .on('error', reject)
      .end(body)
  })
}

/** Single events a second that are answered 200, over as many connections as there may be. */
async function acknowledge(url: string, writeKey: string): Promise<number> {
  let count = 0
  const until = performance.now() + ROUND_MS
  const startedAt = performance.now()
  const send = async (): Promise<void> => {
    while (performance.now() < until) {
      if ((await post(url, '/ingest/t', JSON.stringify(order(anyone())), writeKey)) !== 200) throw new Error('not 200')
      count += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  return (count / (performance.now() - startedAt)) * 1000
}

async function drained({ operator, organizationId, sourceId }: Stage): Promise<void> {
  while ((await operator.sources.get(organizationId, sourceId)).waiting > 0) await wait(20)
}

/** Events a second, from the first one sent until none waits. */
async function apply(stage: Stage, events: number): Promise<number> {
  const bodies = Array.from({ length: events / EVENTS_A_BATCH }, () =>
    JSON.stringify({ batch: Array.from({ length: EVENTS_A_BATCH }, () => order(anyone())) }),
  )
  const startedAt = performance.now()
  const send = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      if ((await post(stage.url, '/ingest/v1/batch', body, stage.writeKey)) !== 200) throw new Error('not 200')
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
  await drained(stage)
  return (events / (performance.now() - startedAt)) * 1000
}

/** From a 200 until GET /vip-users has the purchase, beside a steady stream of events. */
async function measureVisible(stage: Stage, eventsPerSecond: number): Promise<void> {
  const end = new AbortController()
  const stream = (async () => {
    const everyMs = (EVENTS_A_BATCH / eventsPerSecond) * 1000
    for (let next = performance.now(); !end.signal.aborted; next += everyMs) {
      await wait(Math.max(0, next - performance.now()))
      const batch = Array.from({ length: EVENTS_A_BATCH }, () => order(anyone()))
      void post(stage.url, '/ingest/v1/batch', JSON.stringify({ batch }), stage.writeKey).catch(() => {})
    }
  })()
  const latencies: number[] = []
  for (let probe = 0; probe < PROBES; probe++) {
    await wait(PROBE_EVERY_MS)
    const channel = Math.floor(Math.random() * CHANNELS)
    const person = channel * (PEOPLE / CHANNELS)
    const event = { ...order(person), timestamp: new Date(Date.now() + 60_000 + probe).toISOString() }
    await post(stage.url, '/ingest/t', JSON.stringify(event), stage.writeKey)
    const answeredAt = performance.now()
    const wanted = Date.parse(event.timestamp)
    while ((await lastPurchase(stage, stage.channelIds[channel]!, `cu_${person}`)) !== wanted) await wait(5)
    latencies.push(performance.now() - answeredAt)
  }
  end.abort()
  await stream
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!)
  process.stdout.write(
    `visible at ${Math.round(eventsPerSecond)} events/s: p50 ${at(0.5)} ms (goal 300), p99 ${at(0.99)} ms (goal 1500), of ${PROBES} probes\n`,
  )
}

async function lastPurchase({ url, workspaceId, key }: Stage, channelId: string, cuid: string): Promise<unknown> {
  const date = new Date().toUTCString()
  const answer = await fetch(
    `${url}/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all&limit=200`,
    {
      headers: {
        ...{ 'x-api-key': key.id, 'x-date': date, 'x-signature': signDate(key.secret, date), 'x-api-version': '1' },
      },
    },
  )
  const { items } = (await answer.json()) as { items: { cuid: string; lastPurchaseTimestamp?: number }[] }
  return items.find((item) => item.cuid === cuid)?.lastPurchaseTimestamp
}
