import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { SandboxAdAccount, SandboxCampaign, SandboxModel, SandboxPage } from '../packages/sandbox/src/model.js'
import type { RecordedRequest } from '../packages/sandbox/src/route.js'
import { type Sandbox, startSandbox } from '../packages/sandbox/src/sandbox.js'
import type { GraphConfig } from '../src/config/graph.js'
import type { GraphAccess } from '../src/graph/graph-call.js'
import type { GraphClient } from '../src/graph/graph-client.js'
import { createGraphClient } from '../src/graph/graph-client.js'
import type { ChannelType } from '../src/interface/generated/types.js'
import { PLATFORM_CALLS, type PlatformCall } from '../src/networks/calls.js'
import { type ChannelTarget, toChannelTarget } from '../src/networks/target.js'
import { createPatience, type Patience } from './patience.js'

export const ACCESS_TOKEN = 'EAAtopSecretAccessToken'
export const AD_ACCOUNT_ID = '4100000000000001'
export const PAGE_ACCESS_TOKEN = 'EAAtopSecretPageToken'
export const PAGE_ID = '102938475610293'
export const INSTAGRAM_ID = '17841400008460056'

export interface GraphHarness {
  sandbox: Sandbox
  graph: GraphClient
  access: GraphAccess
  clock: { now(): number; advance(ms: number): void }
  /** How long the client waited before each repeat; the waits take no real time. */
  waits: number[]
  patience: Patience
  /** Everything logged so far, as text and as objects. */
  logText(): string
  logLines(): Record<string, unknown>[]
}

/** Starts a sandbox with these accounts, and a client that talks to it over a real socket; both end with the test. */
export async function startGraph(
  accounts: SandboxAdAccount[],
  options: { appSecret?: string; config?: Partial<GraphConfig>; pages?: SandboxPage[] } = {},
): Promise<GraphHarness> {
  const model: SandboxModel = {
    appSecret: options.appSecret,
    tokens: { [ACCESS_TOKEN]: accounts.map(({ id }) => id) },
    adAccounts: accounts,
    pages: options.pages,
  }
  let nowMs = Date.parse('2026-11-20T09:00:00Z')
  const clock = {
    now: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
  }
  const sandbox = await startSandbox({ model, clock })
  onTestFinished(async () => {
    await sandbox.close()
    for (const request of sandbox.requests) requirePlatformCall(request)
  })
  const waits: number[] = []
  const written: string[] = []
  const patience = createPatience()
  const graph = createGraphClient(
    {
      ...{ baseUrl: sandbox.url, version: 'v27.0', appSecret: options.appSecret, timeoutMs: 10_000 },
      ...{ instagramUrl: sandbox.instagramUrl, instagramAppSecret: undefined },
      ...options.config,
    },
    {
      clock,
      log: pino({ level: 'debug' }, { write: (line: string) => void written.push(line) }),
      wait: async (ms) => void waits.push(ms),
      startTimer: patience.startTimer,
    },
  )
  return {
    sandbox,
    graph,
    access: { accessToken: ACCESS_TOKEN, limitKey: AD_ACCOUNT_ID, useCase: 'ads' },
    clock,
    waits,
    patience,
    logText: () => written.join(''),
    logLines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

/** Makes a page and an Instagram account to publish to. */
export function makePages(): [page: SandboxPage, account: SandboxPage] {
  const accessToken = PAGE_ACCESS_TOKEN
  return [
    { id: PAGE_ID, platform: 'facebook', name: 'Shop', accessToken },
    { id: INSTAGRAM_ID, platform: 'instagram', name: 'shop', accessToken, pageId: PAGE_ID },
  ]
}

/** Starts a sandbox with `makePages`, a client, and publishing targets for both pages. */
export async function startPublishing(
  options: { config?: Partial<GraphConfig> } = {},
): Promise<GraphHarness & { page: ChannelTarget; account: ChannelTarget }> {
  const harness = await startGraph([], { ...options, pages: makePages() })
  const target = (type: ChannelType, platformId: string, pageId: string | null): ChannelTarget =>
    toChannelTarget(harness.graph, { channelId: `${type}_${platformId}`, type, pageId }, PAGE_ACCESS_TOKEN)
  return {
    ...harness,
    page: target('FB_PAGE', PAGE_ID, null),
    account: target('INSTAGRAM_ACCOUNT', INSTAGRAM_ID, PAGE_ID),
  }
}

export function makeAccount(account: Partial<SandboxAdAccount> = {}): SandboxAdAccount {
  return {
    id: AD_ACCOUNT_ID,
    name: 'Shop',
    currency: 'EUR',
    timezone: 'Europe/Madrid',
    campaigns: [],
    ...account,
  }
}

/** Throws if the table of calls, and so docs/meta.md, lacks the call. */
function requirePlatformCall({ method, path, host }: RecordedRequest): void {
  const asked = `${method} ${path}`
  const login = host === 'graph.instagram.com' ? 'instagram' : 'facebook'
  if (!PLATFORM_CALLS.some((one) => one.login === login && patternOf(one).test(asked))) {
    throw new Error(`docs/meta.md has no call ${asked} at ${host}`)
  }
}

/** `me` may take the place of an id: it means the owner of the token. */
const patternOf = ({ call }: PlatformCall): RegExp =>
  new RegExp(`^${call.replace(/\{[a-z]+\}/g, '(?:[0-9_]{1,65}|me)')}$`)

let lastCampaign = 0

/** Makes a live marketing-message campaign of the spring, delivered on the given dates. */
export function makeCampaign(dates: string[], campaign: Partial<SandboxCampaign> = {}): SandboxCampaign {
  const id = String(120_200_000_000_000_000n + BigInt(++lastCampaign))
  return {
    id,
    name: `Campaign ${id}`,
    createdTime: '2026-04-02T10:11:12+0200',
    isMessageCampaign: true,
    effectiveStatus: 'ACTIVE',
    days: dates.map((date) => ({
      date,
      metrics: { marketing_messages_spend: '38.87', marketing_messages_delivered: '2755' },
    })),
    ...campaign,
  }
}

/** `count` consecutive dates from `first`. */
export function datesFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10),
  )
}
