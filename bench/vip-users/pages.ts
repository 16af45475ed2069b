/** Measures how many pages per second of every kind are answered, against a ceiling and a peer on the same PostgreSQL. */
import { existsSync } from 'node:fs'
import type { Child } from '../../test/child.js'
import type { BareAnswer } from '../programs/bare-server.js'
import {
  expectStatus,
  formatCount,
  formatRatio,
  median,
  print,
  printTable,
  type Server,
  send,
  signedHeaders,
  startServer,
} from '../shared.js'
import { type Service, SMALL } from './service.js'
import {
  askPages,
  FULL_50,
  isWanted,
  judge,
  QUICK,
  ROUND_MS,
  ROUNDS,
  type Round,
  rateOf,
  type Scenario,
  serviceTarget,
  type Target,
  WARM_UP_MS,
} from './shared.js'

interface PageScenario extends Scenario {
  /** The peer is measured too. */
  peer?: true
  /** The large channel is measured too. */
  large?: true
  quick?: true
}

const BIRTHDAY_MONTH = 'birthdayMonth=5'
const SCENARIOS: PageScenario[] = [
  { ...FULL_50, peer: true, large: true, quick: true },
  { name: 'full 50, offset 20,000', query: 'scope=all&offset=20000', peer: true, large: true, quick: true },
  { name: 'full 50, one month', query: `scope=all&${BIRTHDAY_MONTH}`, large: true },
  { name: 'full 50, VIPs', query: 'scope=vip', large: true },
  { name: 'full 50, VIPs, one month', query: `scope=vip&${BIRTHDAY_MONTH}` },
  { name: 'full 50, 304', query: 'scope=all', known: true, quick: true },
  { name: 'full 200', query: 'scope=all&limit=200', large: true, quick: true },
  { name: 'full 200, offset 20,000', query: 'scope=all&limit=200&offset=20000' },
  { name: 'full 200, gzip', query: 'scope=all&limit=200', headers: { 'accept-encoding': 'gzip' } },
  { name: 'compact 5,000', query: 'scope=all&compact=true', peer: true, large: true, quick: true },
  { name: 'compact 5,000, offset 20,000', query: 'scope=all&compact=true&offset=20000', large: true },
  { name: 'compact 5,000, VIPs', query: 'scope=vip&compact=true' },
  { name: 'compact 5,000, VIPs, one month', query: `scope=vip&compact=true&${BIRTHDAY_MONTH}`, large: true },
  { name: 'compact 5,000, gzip', query: 'scope=all&compact=true', headers: { 'accept-encoding': 'gzip' } },
  { name: 'compact 5,000, br', query: 'scope=all&compact=true', headers: { 'accept-encoding': 'br' } },
]
export const scenarios = SCENARIOS.filter(({ name, quick }) => isWanted(name) && (quick || !QUICK))
/** The sizes of the measured channels; the second is larger than the guardrail of interface 8. */
export const CHANNEL_SIZES = !QUICK && scenarios.some(({ large }) => large) ? [SMALL, 1_000_000] : [SMALL]

/** One kind of page of one channel, and its measurements. */
interface Case {
  scenario: PageScenario
  channel: number
  conversations: number
  rounds: Map<Target, Round[]>
}

interface Targets {
  ceiling: Target
  ours: Target[]
  peer: Target | undefined
}

export async function measurePages(load: Child, services: Service[]): Promise<void> {
  const [onPostgres] = services as [Service]
  const targets: Targets = {
    ceiling: ceilingTarget(await startServer('programs/bare-server.ts'), onPostgres),
    ours: services.map(serviceTarget),
    peer: await startPeer(onPostgres),
  }
  const cases = CHANNEL_SIZES.flatMap((conversations, channel) =>
    scenarios
      .filter(({ large }) => large || conversations === SMALL)
      .map((scenario): Case => {
        const asked = [targets.ceiling, ...targets.ours]
        if (scenario.peer && targets.peer !== undefined) asked.push(targets.peer)
        return { scenario, channel, conversations, rounds: new Map(asked.map((target) => [target, []])) }
      }),
  )
  for (let round = -1; round < ROUNDS; round++) {
    for (const { scenario, channel, conversations, rounds } of cases) {
      for (const [target, results] of rounds) {
        // The peer takes half a minute for one round of a large channel, and one round shows enough.
        if (target === targets.peer && conversations > SMALL && round !== 0) continue
        const result = await askPages(load, target, scenario, channel, round < 0 ? WARM_UP_MS : ROUND_MS)
        if (round >= 0) results.push(result)
      }
    }
  }
  for (const { scenario, conversations, rounds } of cases) {
    printPages(`${scenario.name}, channel of ${conversations.toLocaleString('en')}`, rounds, targets.ceiling)
  }
  for (const conversations of CHANNEL_SIZES) judgePages(conversations, cases, targets)
}

/** Headers that every node:http server writes itself. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive']

/** Sends the service's answers to the same requests. */
function ceilingTarget(server: Server, service: Service): Target {
  const original = serviceTarget(service)
  return {
    name: 'bare node:http',
    pid: server.pid,
    async order(scenario, channel) {
      const order = await original.order(scenario, channel)
      const { path } = order.requests[0]!
      const headers = { ...order.headers, ...signedHeaders(service.data.key) }
      const answer = expectStatus(await send(service, path, { headers }), order.status)
      const pairs = answer.rawHeaders.flatMap((name, index, all) => (index % 2 === 0 ? [[name, all[index + 1]!]] : []))
      const given: BareAnswer = {
        status: answer.status,
        headers: pairs.filter(([name]) => !OWN_HEADERS.includes(name!.toLowerCase())).flat(),
        body: answer.body.toString('base64'),
      }
      await send(server, path, { method: 'PUT', body: JSON.stringify(given) })
      return { ...order, port: server.port }
    },
  }
}

/**
 * The peer's packages have their own package.json, so that the service does not depend on them; undefined unless they are
 * installed.
 */
async function startPeer({ env, data }: Service): Promise<Target | undefined> {
  const { organizationId, channelIds } = data
  const name = 'Express + Drizzle'
  if (!existsSync(new URL('../node_modules/express', import.meta.url))) {
    print(`${name} is not installed, so it is not measured.\n`)
    return undefined
  }
  const { port, pid } = await startServer('peers/express-drizzle.mjs', env)
  return {
    name,
    pid,
    order: async ({ query }, channel) => {
      const path = `/vip-users?${new URLSearchParams({ organizationId, mediumId: channelIds[channel]! })}&${query}`
      return { port, requests: [{ path }], headers: {}, key: undefined, status: 200 }
    },
  }
}

function printPages(title: string, of: Map<Target, Round[]>, ceiling: Target): void {
  const best = rateOf(of.get(ceiling))
  printTable([
    [title, 'pages/s', 'of the ceiling', 'per CPU second', 'p50 ms', 'p99 ms', 'MiB/s'],
    ...[...of].map(([{ name }, rounds]) => [
      name,
      formatCount(rateOf(rounds)),
      formatRatio(rateOf(rounds) / best),
      formatCount(median(rounds.map(({ requests, cpuSeconds }) => requests / cpuSeconds))),
      median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2),
      median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(2),
      (median(rounds.map(({ bytes, seconds }) => bytes / seconds)) / 2 ** 20).toFixed(1),
    ]),
  ])
}

function judgePages(conversations: number, cases: Case[], { ceiling, ours, peer }: Targets): void {
  const rate = (scenario: string, target: Target, size = conversations): number => {
    const found = cases.find((each) => each.scenario.name === scenario && each.conversations === size)
    return rateOf(found?.rounds.get(target))
  }
  const size = conversations.toLocaleString('en')
  for (const target of ours) {
    const on = `${target.name}, ${size}`
    for (const [scenario, least] of [
      ['full 50', 0.6],
      ['full 200', 0.6],
      ['compact 5,000', 0.8],
    ] as const) {
      judge(`${scenario}, of the ceiling (${on})`, rate(scenario, target) / rate(scenario, ceiling), { least })
      if (conversations > SMALL) {
        const over = rate(scenario, target, SMALL) / rate(scenario, target)
        judge(`${scenario}, time over that of ${SMALL.toLocaleString('en')} (${on})`, over, { most: 1.2 })
      }
      const far = rate(`${scenario}, offset 20,000`, target)
      judge(`${scenario}, offset 20,000, time over offset 0 (${on})`, rate(scenario, target) / far, { most: 1.2 })
    }
    for (const [scenario, plain] of [
      ['full 50, one month', 'full 50'],
      ['full 50, VIPs', 'full 50'],
      ['full 50, VIPs, one month', 'full 50'],
      ['compact 5,000, VIPs', 'compact 5,000'],
      ['compact 5,000, VIPs, one month', 'compact 5,000'],
    ] as const) {
      judge(`${scenario}, time over no filter (${on})`, rate(plain, target) / rate(scenario, target), { most: 1.5 })
    }
    if (peer === undefined) continue
    for (const [scenario, least] of [
      ['full 50', 50],
      ['full 50, offset 20,000', 300],
    ] as const) {
      judge(`${scenario}, times ${peer.name} (${on})`, rate(scenario, target) / rate(scenario, peer), { least })
    }
  }
}
