/**
 * `npm run bench:insights` walks the campaigns of an ad account page by page, and compares this with the same calls of
 * the platform made directly and with a loop of calls for one campaign each. The platform is the sandbox, over HTTP, at
 * several delays. `--quick` takes under a minute.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { SandboxCampaign } from '../packages/sandbox/src/model.js'
import type { RecordedRequest } from '../packages/sandbox/src/route.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import type { AppContext } from '../src/context.js'
import { accessTokenContext, insertAdAccount, setAdAccountToken } from '../src/insights/ad-accounts.store.js'
import {
  bench,
  describeMachine,
  expectStatus,
  formatRatio,
  insertTenant,
  type Key,
  median,
  nameDatabase,
  newDatabase,
  print,
  printTable,
  type Server,
  send,
  signedHeaders,
  startServer,
  withContext,
} from './shared.js'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' } } })
const QUICK = options.quick ?? false
const ROUNDS = QUICK ? 3 : 5
/** A service is slower until it has answered some pages. */
const WARM_UP_WALKS = 10
const CAMPAIGNS = 200
/** The delay of each request to the platform. */
const DELAYS_MS = QUICK ? [0, 50] : [0, 50, 200]
/** The first is the usual daily request, and that of the loop. */
const WINDOW_DAYS = QUICK ? [2, 31] : [2, 93]
/** The most that a page may take: a multiple of the platform's time plus a few milliseconds. */
const GOAL = { times: 1.05, pageMs: 2 }
const TOKEN = 'EAABenchToken'
const AD_ACCOUNT_ID = '4100000000001'
const DAY_MS = 86_400_000

interface Service extends Server {
  name: string
  key: Key
  database: string
}

interface Window {
  startDate: string
  endDate: string
}

interface Walk {
  pages: number
  ms: number
  /** The time of the same platform calls, made directly. */
  directMs: number
}

let delayMs = 0

async function main(): Promise<void> {
  const sandbox = await startSandbox({
    model: {
      tokens: { [TOKEN]: [AD_ACCOUNT_ID] },
      adAccounts: [
        { id: AD_ACCOUNT_ID, name: 'Bench', currency: 'EUR', timezone: 'Europe/Berlin', campaigns: makeCampaigns() },
      ],
    },
    onRequest: async () => void (delayMs > 0 && (await wait(delayMs))),
  })
  try {
    const services = [await startService('PostgreSQL', sandbox), await startService('embedded', sandbox)]
    print(`
An ad account of ${CAMPAIGNS} campaigns that delivered on every day, walked page by page: medians of ${ROUNDS} interleaved rounds.
${describeMachine(services.map(({ database }) => database))}
Client, service, PostgreSQL and sandbox share this machine.

Directly: the requests that the service made of the platform, made again without it, their times added up. The goal is at most
${GOAL.times} of that and ${GOAL.pageMs} ms a page. The loop: one GET /campaigns/{campaignId}/daily-insights after another, once, on PostgreSQL.
`)
    for (const days of WINDOW_DAYS) await measure(sandbox, services, days)
  } finally {
    await sandbox.close()
  }
}

async function measure(sandbox: Sandbox, services: Service[], days: number): Promise<void> {
  const window = windowOf(days)
  const table = [[`${days} days`, 'pages', 'ms', 'directly', 'over, per page', 'goal', '', 'loop', 'of the loop']]
  for (delayMs of DELAYS_MS) {
    const walks = services.map((): Walk[] => [])
    // With a delay the service is already warm.
    for (const service of delayMs === 0 ? services : []) {
      for (let warmUp = 0; warmUp < WARM_UP_WALKS; warmUp++) await walk(sandbox, service, window)
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, service] of services.entries()) walks[index]!.push(await walk(sandbox, service, window))
    }
    const loopMs = days === WINDOW_DAYS[0] ? await loop(services[0]!, sandbox, window) : undefined
    for (const [index, { name }] of services.entries()) {
      const of = (field: keyof Walk): number => median(walks[index]!.map((each) => each[field]))
      const [pages, ms, directMs] = [of('pages'), of('ms'), of('directMs')]
      const goalMs = GOAL.times * directMs + GOAL.pageMs * pages
      table.push([
        `${name}, ${delayMs} ms away`,
        String(pages),
        ms.toFixed(1),
        directMs.toFixed(1),
        ((ms - directMs) / pages).toFixed(2),
        goalMs.toFixed(1),
        ms <= goalMs ? 'met' : 'missed',
        loopMs?.toFixed(0) ?? '',
        loopMs === undefined ? '' : formatRatio(ms / loopMs),
      ])
    }
  }
  printTable(table)
}

async function walk(sandbox: Sandbox, service: Service, window: Window): Promise<Walk> {
  sandbox.requests.length = 0
  let [pages, ms, entries] = [0, 0, 0]
  let after: string | null = null
  do {
    const query = new URLSearchParams({ ...window, ...(after === null ? {} : { after }) })
    const startedAt = performance.now()
    const answer = await ask(service, `/v1/ad-accounts/${AD_ACCOUNT_ID}/campaigns/daily-insights?${query}`)
    ms += performance.now() - startedAt
    const page = JSON.parse(answer) as { items: unknown[]; nextCursor: string | null }
    pages += 1
    entries += page.items.length
    after = page.nextCursor
  } while (after !== null)
  if (entries !== CAMPAIGNS) throw new Error(`the walk returned ${entries} campaigns`)
  return { pages, ms, directMs: await askDirectly(sandbox, [...sandbox.requests]) }
}

async function askDirectly({ url }: Sandbox, requests: RecordedRequest[]): Promise<number> {
  let ms = 0
  for (const { version, path, query } of requests) {
    const startedAt = performance.now()
    const answer = await fetch(`${url}/${version}${path}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    await answer.arrayBuffer()
    ms += performance.now() - startedAt
    if (answer.status !== 200) throw new Error(`the sandbox answered ${answer.status}`)
  }
  return ms
}

/** Reads campaign by campaign, as callers did before the list of all campaigns. */
async function loop(service: Service, { model }: Sandbox, window: Window): Promise<number> {
  const startedAt = performance.now()
  for (const { id } of model.adAccounts[0]!.campaigns) {
    await ask(service, `/v1/campaigns/${id}/daily-insights?${new URLSearchParams({ ...window })}`)
  }
  return performance.now() - startedAt
}

async function ask(service: Service, path: string): Promise<string> {
  const answer = await send(service, path, { headers: signedHeaders(service.key) })
  return expectStatus(answer, 200).body.toString()
}

async function startService(name: 'PostgreSQL' | 'embedded', sandbox: Sandbox): Promise<Service> {
  const env = { ...(await newDatabase(name, 'insights')), GRAPH_BASE_URL: sandbox.url }
  const data = await withContext(env, fill)
  return { ...(await startServer('programs/service.ts', env)), ...data, name }
}

async function fill(context: AppContext): Promise<{ key: Key; database: string }> {
  const { organizationId, key } = await insertTenant(context)
  await insertAdAccount(context.database, organizationId, {
    ad_account_id: AD_ACCOUNT_ID,
    name: 'Bench',
    currency: 'EUR',
    timezone: 'Europe/Berlin',
    access_token_sealed: null,
  })
  const sealed = context.sealer.seal(TOKEN, accessTokenContext(organizationId, AD_ACCOUNT_ID))
  await setAdAccountToken(context.database, organizationId, AD_ACCOUNT_ID, sealed)
  return { key, database: await nameDatabase(context) }
}

/** A window of this many days, until yesterday. */
const windowOf = (days: number): Window => ({ startDate: dateOf(days), endDate: dateOf(1) })

const dateOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)

function makeCampaigns(): SandboxCampaign[] {
  const dates = Array.from({ length: Math.max(...WINDOW_DAYS) }, (_, index) => dateOf(index + 1))
  return Array.from({ length: CAMPAIGNS }, (_, index) => ({
    id: String(120_200_000_000_001 + index),
    name: `Campaign ${index}`,
    createdTime: '2026-03-01T12:00:00+0100',
    isMessageCampaign: true,
    effectiveStatus: 'ACTIVE',
    days: dates.map((date, day) => ({ date, metrics: makeMetrics(index * 1_000 + day) })),
  }))
}

const makeMetrics = (number: number): Record<string, string> => ({
  marketing_messages_spend: (number / 100).toFixed(2),
  marketing_messages_delivered: String(number),
  marketing_messages_read_rate: '71.250000',
  marketing_messages_link_btn_click: String(number % 97),
  marketing_messages_link_btn_click_rate: '4.375000',
  marketing_messages_cost_per_delivered: '0.010000',
  marketing_messages_cost_per_link_btn_click: '0.228571',
})

await bench(main)
