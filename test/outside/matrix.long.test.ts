/**
 * Calls every route of the service as every kind of caller, with the ids of its own organization, of another one, and of
 * nothing. The test uses only a document with the internal operations, docs/access.md and HTTP. It prints how many calls
 * it made.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDemoModel } from '../../packages/sandbox/src/model.js'
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/sandbox.js'
import { documentOfAll } from '../documents.js'
import { startTestApp, type TestApp, TestClock } from '../harness.js'
import { makeOutsideCallers, type OutsideCaller, type Promised } from './callers.js'
import { type Ids, kindsOf, makeRequest, type OutsideRequest, type OutsideRoute, readRoutes } from './routes.js'
import { makeTenant, missingLike, type OutsideTenant, rowsOf } from './tenants.js'

const DEVIATIONS_SHOWN = 20

let app: TestApp
let sandbox: Sandbox
let own: OutsideTenant
let other: OutsideTenant
let callers: OutsideCaller[]
let routes: OutsideRoute[]
const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-outside-'))

beforeAll(async () => {
  const demo = makeDemoModel({ seed: 7, today: '2026-11-20' })
  sandbox = await startSandbox({ model: demo.model, clock: new TestClock() })
  app = await startTestApp({
    graph: { baseUrl: sandbox.url },
    media: { dir: mediaDir },
    http: { publicUrl: 'https://greenroom.example.com' },
  })
  const heavy = demo.model.adAccounts.find(({ id }) => id === demo.heavyAdAccountId)!
  const { accessToken } = demo
  own = await makeTenant(app, { adAccountId: demo.adAccountId, campaignId: demo.campaignId, accessToken })
  other = await makeTenant(app, { adAccountId: heavy.id, campaignId: heavy.campaigns[0]!.id, accessToken })
  callers = await makeOutsideCallers(app, own, other)
  routes = readRoutes(documentOfAll())
}, 300_000)
afterAll(async () => {
  app.app.server.closeAllConnections()
  await app.app.close()
  await sandbox.close()
  rmSync(mediaDir, { recursive: true })
})

/** The comparable part of a response: without what differs from call to call, and without the ids that were sent. */
interface Seen {
  status: number
  code: string | undefined
  /** Status, headers and body. */
  text: string
  /** The response as it was sent. */
  raw: string
}

class Run {
  calls = 0
  /** Routes that have admitted a caller. */
  readonly open = new Set<string>()
  readonly outcomes = new Map<string, number>()
  readonly deviations: string[] = []
  /** Values of the other organization that a caller has put into its own, where it may read them. */
  private readonly written = new Set<string>()

  async call(caller: OutsideCaller, route: OutsideRoute, ids: Ids, query: Record<string, string> = {}): Promise<Seen> {
    const request = makeRequest(route, ids, query)
    const headers = { ...request.headers, ...caller.headersAt(route.surface) }
    const answer = await app.app.inject({ ...request, headers })
    this.calls++
    const seen = toSeen(answer, ids)
    if (seen.status < 300) this.noteWritten(route, ids)
    this.check(caller, route, request, seen)
    if (route.method !== 'GET' && seen.status < 300) await caller.renew?.()
    return seen
  }

  deviate(caller: OutsideCaller, route: OutsideRoute, what: string, seen?: Seen): void {
    this.deviations.push(
      `${route.method} ${route.path} by ${caller.name}: ${what}${seen === undefined ? '' : `\n  ${seen.status} ${seen.raw.slice(0, 300)}`}`,
    )
  }

  private noteWritten(route: OutsideRoute, ids: Ids): void {
    for (const kind of kindsOf(route, ids).body)
      if (ids[kind] === other.ids[kind] || ids[kind] === other.spare[kind]) this.written.add(ids[kind]!)
  }

  /** Every call must satisfy this. */
  private check(caller: OutsideCaller, route: OutsideRoute, request: OutsideRequest, seen: Seen): void {
    const outcome = `${seen.status}`
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    if (seen.status >= 500) this.deviate(caller, route, 'failed', seen)
    const isShared = [400, 413, 415, 417, 429].includes(seen.status)
    if (!route.statuses.includes(seen.status) && !isShared) this.deviate(caller, route, 'undocumented status', seen)
    if (caller.seesAll && !route.path.includes('{organizationId}')) return
    if (caller.seesAll && !request.url.includes(own.organizationId)) return
    const sent = `${decodeURIComponent(request.url)} ${request.payload ?? ''}`
    let text = seen.raw
    for (const value of this.written) text = text.replaceAll(value, '')
    for (const mark of other.marks) {
      if (text.includes(mark) && !sent.includes(mark))
        this.deviate(caller, route, `reveals ${mark} of another tenant`, seen)
    }
  }
}

const DIFFERS = new Set(['x-request-id', 'date', 'content-length', 'set-cookie', 'server-timing', 'retry-after'])

function toSeen(answer: LightMyRequestResponse, ids: Ids): Seen {
  const headers = Object.entries(answer.headers).filter(([name]) => !DIFFERS.has(name) && !name.startsWith('ratelimit'))
  let text = `${answer.statusCode} ${JSON.stringify(headers)} ${answer.body}`
  // A longer id may contain a shorter one.
  for (const [kind, value] of Object.entries(ids).toSorted(([, a], [, b]) => b.length - a.length)) {
    text = text.replaceAll(value, `<${kind}>`)
  }
  const code = answer.headers['x-error-code'] as string | undefined
  return { status: answer.statusCode, code, text, raw: `${JSON.stringify(answer.headers)} ${answer.body}` }
}

const NOT_LET_IN =
  /^(header_missing|date_malformed|signature_\w{1,40}|address_not_allowed|(?:operator_)?token_wrong|session_(missing|ended)|second_factor_needed|link_token_wrong|cross_site|organization_not_found|organization_inactive)$/
const NOT_PERMITTED = /^(permission_missing|approval_is_human|token_cannot_confirm)$/

/** Describes what is wrong with a route's answer to a caller with this promise, in its own organization. */
function findBroken(promised: Promised, { status, code = '' }: Seen): string | undefined {
  const isRefused = NOT_LET_IN.test(code) || NOT_PERMITTED.test(code)
  switch (promised) {
    case 'unknown':
      return NOT_LET_IN.test(code) && [401, 402, 403, 404].includes(status)
        ? undefined
        : 'is not refused as an unknown caller'
    case 'forbidden':
      return NOT_PERMITTED.test(code) && status === 403 ? undefined : 'is not refused for lack of its permission'
    case 'allowed':
      return isRefused ? 'is refused, although it holds the permission' : undefined
    case 'undocumented':
      return undefined
  }
}

const pick = (ids: Ids, kinds: readonly string[]): Ids =>
  Object.fromEntries(kinds.filter((kind) => kind in ids).map((kind) => [kind, ids[kind]!]))

/** Replaces the caller's own ids with those of another organization, or of nothing. */
const put = (kinds: readonly string[], by: Ids): Ids => ({
  ...own.ids,
  ...pick(by, kinds),
})

/** Ids that a body may choose for a new object, so that a call with a foreign one creates an own object with this id. */
const CHOSEN_BY_CALLER = ['workspaceId', 'platformId', 'adAccountId']

type Missing = Pick<OutsideTenant, 'ids' | 'spare'>

/** Calls one route as one caller with ids that are not its own. */
async function callForeign(run: Run, caller: OutsideCaller, route: OutsideRoute, missing: Missing): Promise<void> {
  const { path, query, body } = kindsOf(route, other.ids)
  const chosen = body.filter((kind) => CHOSEN_BY_CALLER.includes(kind))
  const foreign = { ...other.ids, ...pick(other.spare, chosen) }
  const nothing = { ...missing.ids, ...pick(missing.spare, chosen) }
  const isOfOrganization = route.path.includes('{organizationId}')
  // Nothing on the server is foreign to its operators.
  if (caller.seesAll && !isOfOrganization) return
  const compare = async (what: string, kinds: readonly string[], isInPath: boolean): Promise<void> => {
    const [seen, wanted] = [
      await run.call(caller, route, put(kinds, foreign)),
      await run.call(caller, route, put(kinds, nothing)),
    ]
    const isSame = seen.status < 300 ? seen.status === wanted.status : seen.text === wanted.text
    if (!isSame)
      run.deviate(caller, route, `${what} does not look like a missing one: ${wanted.text.slice(0, 300)}`, seen)
    if (isInPath && seen.status < 300 && !NAMES_NOTHING.has(route.path.split('/{organizationId}').at(-1)!)) {
      run.deviate(caller, route, `${what} is reached`, seen)
    }
  }
  const all = [...path, ...query, ...body]
  const withOrganization = isOfOrganization && !caller.seesAll ? [...all, 'organizationId'] : all
  if (withOrganization.length > 0)
    await compare('another organization', withOrganization, withOrganization.length > body.length)
  // One pair of calls shows that an id does not admit a caller who is refused without one.
  if (caller.promised(route) === 'unknown') return
  if (withOrganization.length > all.length) {
    if (path.length > 0) await compare('another organization with its own objects', ['organizationId'], true)
    if (path.length > 1) await compare('foreign ids', all, true)
  }
  // An attacker would try one foreign id among own ids.
  for (const kind of new Set(all)) await compare(`a foreign ${kind}`, [kind], path.includes(kind))
}

/**
 * Routes whose id is a name of the caller's or of the platform's and is stored as given, so that none is missing. Three
 * lists have a filter by an object that may be deleted, so an unknown id makes them empty.
 */
const NAMES_NOTHING = new Set([
  ...['/people/{cuid}', '/people/{cuid}/readmit', '/channels/{channelId}/opt-outs/{fromId}'],
  ...['/webhook-deliveries', '/audit', '/audit/export'],
])

/** A generator whose requests never succeed, or whose callers are all refused alike, would satisfy everything. */
function expectToHaveTried(run: Run): void {
  expect(new Set(routes.map(({ surface }) => surface)).size).toBe(4)
  expect(routes.length).toBeGreaterThan(150)
  expect(callers.length).toBeGreaterThan(40)
  expect(new Set(callers.map(({ name }) => name)).size).toBe(callers.length)
  for (const [status, least] of Object.entries({ 200: 300, 201: 40, 403: 1_000, 404: 1_000 })) {
    expect(run.outcomes.get(status) ?? 0, status).toBeGreaterThanOrEqual(least)
  }
  // No key approves, and no caller publishes: the service does. A permission can be checked only if docs/access.md says
  // who holds it.
  const isDocumented = (route: OutsideRoute): boolean =>
    callers.some((caller) => caller.promised(route) !== 'undocumented')
  const closed = routes
    .filter((route) => isDocumented(route) && !run.open.has(route.operationId))
    .map(({ operationId }) => operationId)
  // Passing a second factor needs a code or a signature, which the generator does not have.
  const passing = ['beginPassPasskey', 'finishPassPasskey', 'passRecoveryCode', 'passTotp']
  expect(closed.toSorted()).toEqual(['approveScheduledPost', ...passing, 'publishScheduledPost'])
}

test(
  'no caller can do more than documented, or learn anything about another organization',
  { timeout: 600_000 },
  async () => {
    const begun = performance.now()
    const run = new Run()
    const missing: Missing = { ids: missingLike(other.ids), spare: missingLike(other.spare) }
    // Uses of keys and their refusals are collected and written later: here instead of after a minute.
    await app.context.keyUses.flush()
    const before = await rowsOf(app.context.database, other)
    for (const route of routes) {
      // Other tests cover the limits per minute.
      app.clock.advance(61_000)
      const { path } = kindsOf(route, own.ids)
      for (const caller of callers) {
        await callForeign(run, caller, route, missing)
        const seen = await run.call(caller, route, own.ids)
        const broken = findBroken(caller.promised(route), seen)
        if (broken !== undefined && seen.status !== 429) run.deviate(caller, route, broken, seen)
        if (caller.promised(route) === 'allowed' && broken === undefined) run.open.add(route.operationId)
        if (route.method !== 'GET' && seen.status < 300) await own.renew(path)
      }
    }
    await app.context.keyUses.flush()
    const after = await rowsOf(app.context.database, other)
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
    const counts = [...run.outcomes].toSorted().map(([status, count]) => `${status}: ${count}`)
    process.stdout.write(
      `the access matrix from outside: ${routes.length} routes, ${callers.length} callers, ${run.calls} calls in ${seconds} s (${counts.join(', ')})\n`,
    )
    expect(`${run.deviations.length} deviations\n${run.deviations.slice(0, DEVIATIONS_SHOWN).join('\n')}`).toBe(
      '0 deviations\n',
    )
    expect(after).toEqual(before)
    const { rows: refused } = await app.context.database.query<{ key_id: string; last_reason: string }>(
      'select key_id, last_reason from key_refusals where organization_id = $1',
      [other.organizationId],
    )
    expect(refused).toEqual([{ key_id: other.tenant.key.id, last_reason: 'signature' }])
    expectToHaveTried(run)
  },
)
