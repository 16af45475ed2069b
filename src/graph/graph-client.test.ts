import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  accountLimitFault,
  appLimitFault,
  badGatewayFault,
  emptyBodyFault,
  type Fault,
  graphErrorFault,
  invalidJsonFault,
  quotaReachedFault,
  refusedFault,
  tokenExpiredFault,
} from '../../packages/sandbox/src/make-faults.js'
import {
  ACCESS_TOKEN,
  AD_ACCOUNT_ID,
  makeAccount,
  makeCampaign,
  makePages,
  PAGE_ACCESS_TOKEN,
  PAGE_ID,
  startGraph,
} from '../../test/graph-harness.js'
import { impatiently } from '../../test/patience.js'
import type { GraphAccess } from './graph-call.js'
import type { GraphError } from './graph-error.js'

const CAMPAIGN = makeCampaign(['2026-11-01'])
const ACCOUNT = makeAccount({ campaigns: [CAMPAIGN] })
const PATH = `/${CAMPAIGN.id}`
const HOST = 'graph.facebook.com'
const FIELDS = { fields: 'id,name' }
const BODY = { id: CAMPAIGN.id, name: CAMPAIGN.name }

/** The platform's header of limits by id and use case, with the minutes that each lasts. */
const usageHeader = (usage: Record<string, { type: string; minutes: number }[]>) => {
  const header = Object.entries(usage).map(([id, entries]) => [
    id,
    entries.map(({ type, minutes }) => ({ type, call_count: 100, estimated_time_to_regain_access: minutes })),
  ])
  const headers = { 'x-business-use-case-usage': JSON.stringify(Object.fromEntries(header)) }
  return { kind: 'headers', headers } as const
}

const answer = (status: number, body: string, headers?: Record<string, string>): Fault => ({
  kind: 'answer',
  answer: { status, body, headers },
})

describe('a call', () => {
  it('goes to the configured version with the token in the header, never in the URL', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(sandbox.requests).toEqual([
      { method: 'GET', host: HOST, path: PATH, version: 'v27.0', query: FIELDS, tokenIn: 'header', hasProof: false },
    ])
  })

  it('percent-encodes its parameters', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    const params = { fields: 'id', odd: '{"a":["ü&=+#%","\n"]}' }
    await graph.get(PATH, params, access)
    expect(sandbox.requests[0]?.query).toEqual(params)
  })

  it('has the appsecret_proof if there is an app secret', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT], { appSecret: 'app-secret' })
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(sandbox.requests[0]?.hasProof).toBe(true)
  })

  it.each([
    undefined,
    'another-secret',
  ])('with the app secret %s when another is required: credentials', async (secret) => {
    const config = { appSecret: secret }
    const { sandbox, graph, access, logText } = await startGraph([ACCOUNT], { appSecret: 'app-secret', config })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'credentials' })
    expect(sandbox.requests).toHaveLength(1)
    const proof = createHmac('sha256', 'another-secret').update(ACCESS_TOKEN).digest('hex')
    expect(logText()).toContain('credentials')
    expect(logText()).not.toContain(proof)
  })

  it('accepts JSON whatever its content type', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: answer(200, '{"id":"7"}', { 'content-type': 'text/javascript; charset=UTF-8' }) })
    expect(await graph.get(PATH, FIELDS, access)).toEqual({ id: '7' })
  })
})

it('a slow first byte is awaited, and does not delay other calls', async () => {
  const { sandbox, graph, access } = await startGraph([ACCOUNT])
  let begin = (): void => {}
  const until = new Promise<void>((resolve) => {
    begin = resolve
  })
  sandbox.faults.add({ fault: { kind: 'slow', until } })
  let isAnswered = false
  const slow = graph.get(PATH, FIELDS, access).finally(() => {
    isAnswered = true
  })
  expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
  expect(isAnswered).toBe(false)
  begin()
  expect(await slow).toEqual(BODY)
})

describe('temporary failures are tried twice, permanent ones once', () => {
  it.each<[string, Fault, string]>([
    ['HTML 502', badGatewayFault(), 'transient'],
    ['an empty 503', emptyBodyFault(503), 'transient'],
    ['half a JSON with 500', invalidJsonFault(500), 'transient'],
    ['an error object without fields', answer(500, '{"error":{}}'), 'transient'],
    ['is_transient', graphErrorFault({ code: 100, isTransient: true }), 'transient'],
    ['code 2', graphErrorFault({ status: 500, code: 2 }), 'transient'],
    ['a bare code 1', graphErrorFault({ status: 500, code: 1 }), 'maybe-too-much-data'],
    ['a reset', { kind: 'reset' }, 'network'],
    ['a reset in the middle of the body', { kind: 'reset-in-body' }, 'network'],
  ])('%s: the second response counts', async (_name, fault, kind) => {
    const once = await startGraph([ACCOUNT])
    once.sandbox.faults.add({ fault })
    expect(await once.graph.get(PATH, FIELDS, once.access)).toEqual(BODY)
    expect(once.waits).toHaveLength(1)

    const always = await startGraph([ACCOUNT])
    always.sandbox.faults.add({ fault, times: 9 })
    await expect(always.graph.get(PATH, FIELDS, always.access)).rejects.toMatchObject({ name: 'GraphError', kind })
    expect(always.sandbox.requests).toHaveLength(2)
  })

  it.each<[string, Fault, string]>([
    ['190', tokenExpiredFault(), 'credentials'],
    ['a missing permission', graphErrorFault({ status: 403, code: 200 }), 'credentials'],
    ['a wrong parameter', graphErrorFault({ code: 100 }), 'invalid'],
    ['an explicit "reduce"', graphErrorFault({ code: 100, subcode: 1487534 }), 'too-much-data'],
    ['an empty 200', emptyBodyFault(), 'nonsense'],
    ['half a JSON with 200', invalidJsonFault(), 'nonsense'],
    ['HTML with 200', answer(200, '<html></html>', { 'content-type': 'text/html' }), 'nonsense'],
    ['a JSON list', answer(200, '[]'), 'nonsense'],
    ['JSON null', answer(200, 'null'), 'nonsense'],
    ['a 404 without an error', answer(404, '{}'), 'nonsense'],
    ['more than 16 MiB', answer(200, `"${'x'.repeat(16 * 1024 * 1024)}"`), 'nonsense'],
  ])('%s: called once', async (_name, fault, kind) => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault, times: 9 })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ name: 'GraphError', kind })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('an error beside a 200 is an error', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: graphErrorFault({ status: 200, code: 190 }) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'credentials' })
  })

  it('a redirect is not followed', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: answer(302, '', { location: `${sandbox.url}/v27.0/elsewhere` }), times: 9 })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'network' })
    expect(sandbox.requests.map(({ path }) => path)).toEqual([PATH, PATH])
  })

  it('a refused connection is a network error', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    await sandbox.close()
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'network' })
  })

  it('a hanging call ends at the timeout, and is not repeated', async () => {
    const { sandbox, graph, access, patience } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: { kind: 'hang' }, times: 9, match: impatiently(patience) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'timeout' })
    expect(sandbox.requests).toHaveLength(1)
  })
})

describe('a post', () => {
  const FEED = `/${PAGE_ID}/feed`
  const POST = { message: 'Olá! "ü" & <b>\n✨', attached_media: [] }
  const ACCESS: GraphAccess = { accessToken: PAGE_ACCESS_TOKEN, limitKey: PAGE_ID, useCase: 'pages' }
  const start = (options: Parameters<typeof startGraph>[1] = {}): ReturnType<typeof startGraph> =>
    startGraph([], { pages: makePages(), ...options })

  it('has its parameters as JSON, and the token only in the header', async () => {
    const { sandbox, graph } = await start({ appSecret: 'app-secret' })
    expect(await graph.post(FEED, POST, ACCESS)).toEqual({ id: expect.stringMatching(/^\d+_\d+$/) })
    expect(sandbox.requests).toEqual([
      {
        method: 'POST',
        host: HOST,
        path: FEED,
        version: 'v27.0',
        query: {},
        body: POST,
        tokenIn: 'header',
        hasProof: true,
      },
    ])
    expect(sandbox.published).toMatchObject([{ pageId: PAGE_ID, text: POST.message, received: 1 }])
  })

  it.each<[string, Fault, string, 'refused' | 'unknown']>([
    ['HTML 502', badGatewayFault(), 'transient', 'unknown'],
    ['an empty 503', emptyBodyFault(503), 'transient', 'unknown'],
    ['an empty 200', emptyBodyFault(), 'nonsense', 'unknown'],
    ['half a JSON with 200', invalidJsonFault(), 'nonsense', 'unknown'],
    ['HTML 404', answer(404, '<html></html>', { 'content-type': 'text/html' }), 'nonsense', 'unknown'],
    ['a bare code 1', graphErrorFault({ status: 500, code: 1 }), 'maybe-too-much-data', 'unknown'],
    ['is_transient', graphErrorFault({ code: 100, isTransient: true }), 'transient', 'unknown'],
    ['a redirect', answer(302, '', { location: '/elsewhere' }), 'network', 'unknown'],
    ['a reset', { kind: 'reset' }, 'network', 'unknown'],
    ['a reset in the middle of the body', { kind: 'reset-in-body' }, 'network', 'unknown'],
    ['a reset after it was carried out', { kind: 'accepted-then-reset' }, 'network', 'unknown'],
    ['an expired token', tokenExpiredFault(), 'credentials', 'refused'],
    ['a refusal', refusedFault('No.'), 'invalid', 'refused'],
    ['a rate limit', graphErrorFault({ code: 32 }), 'rate-limited', 'refused'],
  ])('%s: never tried twice; outcome %s', async (_name, fault, kind, outcome) => {
    const { sandbox, graph, waits, logLines } = await start()
    sandbox.faults.add({ fault })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ name: 'GraphError', kind, outcome })
    expect(sandbox.requests).toHaveLength(1)
    expect(waits).toEqual([])
    expect(logLines().at(-1)).toMatchObject({ level: 40, method: 'POST', path: FEED, kind, outcome })
  })

  it('a timeout leaves the outcome unknown', async () => {
    const { sandbox, graph, patience } = await start()
    const fault = { kind: 'accepted-then-slow', until: new Promise<void>(() => {}) } as const
    sandbox.faults.add({ fault, match: impatiently(patience) })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'timeout', outcome: 'unknown' })
    expect(sandbox.published).toHaveLength(1)
  })

  it('if nothing listens, it was certainly not carried out', async () => {
    const { sandbox, graph } = await start()
    await sandbox.close()
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'network', outcome: 'refused' })
    const unreached = { code: 'ECONNREFUSED' }
    await expect(graph.get(FEED, {}, ACCESS)).rejects.toMatchObject({ kind: 'network', unreached })
  })

  it('aborted on its way its outcome is unknown; aborted before, it is not called', async () => {
    const { sandbox, graph } = await start()
    const request = new AbortController()
    const reason = new Error('stopping')
    const stop = (): boolean => {
      request.abort(reason)
      return true
    }
    sandbox.faults.add({ fault: { kind: 'hang' }, match: stop })
    const forRequest = graph.forRequest({ signal: request.signal, onUpstreamMs: () => {} })
    const onItsWay = forRequest.post(FEED, POST, ACCESS)
    await expect(onItsWay).rejects.toMatchObject({ kind: 'network', outcome: 'unknown', cause: reason })
    const before = forRequest.post(FEED, POST, ACCESS)
    await expect(before).rejects.toMatchObject({ kind: 'network', outcome: 'refused', cause: reason })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('is not called with an invalid token, or while limited: certainly not carried out', async () => {
    const { sandbox, graph } = await start()
    const none = { ...ACCESS, accessToken: '' }
    await expect(graph.post(FEED, POST, none)).rejects.toMatchObject({ kind: 'credentials', outcome: 'refused' })
    sandbox.faults.add({ fault: graphErrorFault({ code: 32 }) })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'rate-limited' })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'rate-limited', outcome: 'refused' })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('suspected spam affects nobody else, and an account with a used-up quota of posts can still be read', async () => {
    const { sandbox, graph } = await start()
    sandbox.faults.add({ fault: graphErrorFault({ code: 4, subcode: 2207051, isTransient: true }) })
    sandbox.faults.add({ fault: quotaReachedFault() })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({ kind: 'invalid' })
    await expect(graph.post(FEED, POST, ACCESS)).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterSeconds: 3600,
    })
    expect(await graph.get(`/${PAGE_ID}`, {}, ACCESS)).toMatchObject({ id: PAGE_ID })
  })

  it.each<[string, Fault, string]>([
    ['the message for people', refusedFault('Add a photo.'), 'Add a photo.'],
    [
      'or the technical message',
      graphErrorFault({ code: 506, message: '(#506) Duplicate status' }),
      '(#506) Duplicate status',
    ],
    ['or what was received', graphErrorFault({ code: 100 }), 'the platform answered HTTP 400 without saying why'],
    ['no HTML', badGatewayFault(), 'the platform answered HTTP 502 without saying why'],
    ['no token', refusedFault(`Bad ${PAGE_ACCESS_TOKEN}.`), 'Bad [access token].'],
    ['no novel', refusedFault('x'.repeat(9_999)), 'x'.repeat(500)],
    ['our own text without a response', { kind: 'reset' }, 'no whole response: UND_ERR_SOCKET'],
  ])('userText has %s', async (_name, fault, userText) => {
    const { sandbox, graph } = await start()
    sandbox.faults.add({ fault })
    const error = await graph.post(FEED, POST, ACCESS).catch((failure: unknown) => failure)
    expect((error as GraphError).userText.replace('ECONNRESET', 'UND_ERR_SOCKET')).toBe(userText)
  })
})

describe('one of our requests', () => {
  it('ends the upstream call with it', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    const request = new AbortController()
    const reason = new Error('the caller has gone')
    const leave = (): boolean => {
      request.abort(reason)
      return true
    }
    sandbox.faults.add({ fault: { kind: 'hang' }, match: leave })
    const forRequest = graph.forRequest({ signal: request.signal, onUpstreamMs: () => {} })
    await expect(forRequest.get(PATH, FIELDS, access)).rejects.toBe(reason)
    await expect(forRequest.get(PATH, FIELDS, access)).rejects.toBe(reason)
    expect(sandbox.requests).toHaveLength(1)
  })

  it('records the time of every upstream call, including failed ones', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    const times: number[] = []
    const forRequest = graph.forRequest({ signal: new AbortController().signal, onUpstreamMs: (ms) => times.push(ms) })
    const start = performance.now()
    await forRequest.get(PATH, FIELDS, access)
    expect(times).toHaveLength(1)
    expect(times[0]).toBeGreaterThan(0)
    expect(times[0]).toBeLessThanOrEqual(performance.now() - start)

    sandbox.faults.add({ fault: badGatewayFault(), times: 2 })
    await expect(forRequest.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'transient' })
    expect(times).toHaveLength(3)
  })
})

describe('rate limits', () => {
  const OTHER: GraphAccess = { accessToken: ACCESS_TOKEN, limitKey: '222', useCase: 'ads' }

  it("a limited account is not called until the platform's time has passed", async () => {
    const { sandbox, graph, access, clock } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: accountLimitFault(AD_ACCOUNT_ID, 5) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterSeconds: 300,
    })

    clock.advance(299_001)
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 1 })
    expect(sandbox.requests).toHaveLength(1)
    expect(await graph.get(PATH, FIELDS, OTHER)).toEqual(BODY)

    clock.advance(999)
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(sandbox.requests).toHaveLength(3)
  })

  it.each<[string, Fault, number]>([
    ['code 17 without a time', graphErrorFault({ code: 17, subcode: 2446079 }), 60],
    ['code 613 with Retry-After', graphErrorFault({ code: 613, headers: { 'retry-after': '120' } }), 120],
    ['a plain 429', answer(429, 'slow down'), 60],
    [
      'a full ad account',
      graphErrorFault({
        code: 17,
        headers: { 'x-ad-account-usage': '{"acc_id_util_pct":100,"reset_time_duration":200}' },
      }),
      200,
    ],
  ])('%s: the account waits', async (_name, fault, retryAfterSeconds) => {
    const { sandbox, graph, access, clock } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds })
    clock.advance(retryAfterSeconds * 1000 - 1)
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited' })
    clock.advance(1)
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
  })

  it('a good answer that reports a used-up quota is returned, and the next call waits', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: usageHeader({ [AD_ACCOUNT_ID]: [{ type: 'ads_insights', minutes: 2 }] }) })
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({
      kind: 'rate-limited',
      retryAfterSeconds: 120,
    })
  })

  it('what a good answer reports about another account or use case delays nothing', async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({
      fault: usageHeader({
        222: [{ type: 'ads_insights', minutes: 300 }],
        [AD_ACCOUNT_ID]: [
          { type: 'messenger', minutes: 300 },
          { type: 'ads_management', minutes: 0 },
        ],
      }),
    })
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(await graph.get(PATH, FIELDS, OTHER)).toEqual(BODY)
  })

  it("a limited account waits for its own time, not for another's", async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: accountLimitFault('222', 300) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 60 })
    expect(await graph.get(PATH, FIELDS, OTHER)).toEqual(BODY)
  })

  it("an app-wide limit does not last for one account's minutes", async () => {
    const { sandbox, graph, access, clock } = await startGraph([ACCOUNT], {
      appSecret: 'app-secret',
      pages: makePages(),
    })
    const page: GraphAccess = { accessToken: PAGE_ACCESS_TOKEN, limitKey: PAGE_ID, useCase: 'pages' }
    const { headers } = usageHeader({ [AD_ACCOUNT_ID]: [{ type: 'ads_management', minutes: 600 }] })
    sandbox.faults.add({ fault: graphErrorFault({ code: 4, headers }) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 60 })
    await expect(graph.get(`/${PAGE_ID}`, {}, page)).rejects.toMatchObject({ retryAfterSeconds: 60 })
    clock.advance(60_000)
    expect(await graph.get(`/${PAGE_ID}`, {}, page)).toMatchObject({ id: PAGE_ID })
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
  })

  it('an app-wide limit lasts as long as Retry-After says, at most an hour', async () => {
    for (const [retryAfter, seconds] of [
      ['90', 90],
      ['36000', 3600],
    ] as const) {
      const { sandbox, graph, access } = await startGraph([ACCOUNT])
      sandbox.faults.add({ fault: graphErrorFault({ code: 4, headers: { 'retry-after': retryAfter } }) })
      await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ retryAfterSeconds: seconds })
    }
  })

  it.each([
    1504022, 1504039,
  ])("4/%i, the load of all insights, limits the app's ad accounts, but no page", async (subcode) => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT], { appSecret: 'app-secret', pages: makePages() })
    const page: GraphAccess = { accessToken: PAGE_ACCESS_TOKEN, limitKey: PAGE_ID, useCase: 'pages' }
    sandbox.faults.add({ fault: graphErrorFault({ code: 4, subcode }) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited' })
    await expect(graph.get(PATH, FIELDS, OTHER)).rejects.toMatchObject({ kind: 'rate-limited' })
    expect(await graph.get(`/${PAGE_ID}`, {}, page)).toMatchObject({ id: PAGE_ID })
  })

  it("without an app secret, one token's limit on an account does not apply to another token, which may be of another app", async () => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.model.tokens.EAAanother = [AD_ACCOUNT_ID]
    sandbox.faults.add({ fault: accountLimitFault(AD_ACCOUNT_ID, 300) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited' })
    expect(await graph.get(PATH, FIELDS, { ...access, accessToken: 'EAAanother' })).toEqual(BODY)
  })

  it.each([4, 341])('code %i affects every account of the token', async (code) => {
    const { sandbox, graph, access } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: graphErrorFault({ code }) })
    await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited' })
    await expect(graph.get(PATH, FIELDS, OTHER)).rejects.toMatchObject({ kind: 'rate-limited' })
    expect(sandbox.requests).toHaveLength(1)
  })

  it('with an app secret all tokens belong to one app; without it, an app-wide limit applies only to its token', async () => {
    for (const [appSecret, calls] of [
      ['app-secret', 1],
      [undefined, 2],
    ] as const) {
      const { sandbox, graph, access } = await startGraph([ACCOUNT], { appSecret })
      sandbox.model.tokens.EAAanother = [AD_ACCOUNT_ID]
      sandbox.faults.add({ fault: appLimitFault() })
      await expect(graph.get(PATH, FIELDS, access)).rejects.toMatchObject({ kind: 'rate-limited' })
      await graph.get(PATH, FIELDS, { ...access, accessToken: 'EAAanother', limitKey: 'x' }).catch(() => {})
      expect(sandbox.requests).toHaveLength(calls)
    }
  })
})

describe('the log', () => {
  it('never has the access token, its proof or the app secret, even if the platform quotes them', async () => {
    const { sandbox, graph, access, logText } = await startGraph([ACCOUNT], { appSecret: 'app-secret' })
    const proof = createHmac('sha256', 'app-secret').update(ACCESS_TOKEN).digest('hex')
    const another = 'EAAtokenOfAPageInAnAnswer'
    const secrets = [ACCESS_TOKEN, proof, 'app-secret', another]
    const failures: unknown[] = []
    const fail = async (token = ACCESS_TOKEN): Promise<void> => {
      const call = graph.get(PATH, FIELDS, { ...access, accessToken: token })
      failures.push(await call.catch((error: unknown) => error))
    }
    await graph.get(PATH, FIELDS, access)
    sandbox.model.tokens = {}
    await fail() // "Malformed access token …"
    sandbox.faults.add({ fault: answer(400, `<a href="/?access_token=${ACCESS_TOKEN}&appsecret_proof=${proof}">`) })
    await fail()
    for (const body of [`{"data":[{"access_token" : "${another}"`, `{"access_token":"${another}","expires_in":60}`]) {
      sandbox.faults.add({ fault: answer(500, body), times: 2 })
      await fail()
    }
    sandbox.faults.add({ fault: graphErrorFault({ code: 100, userMessage: `bad ${ACCESS_TOKEN}` }) })
    await fail()
    sandbox.faults.add({ fault: { kind: 'reset' }, times: 2 })
    await fail()
    await fail(`${ACCESS_TOKEN}\nx-other: 1`)
    expect(failures.map((failure) => (failure as { kind: string }).kind)).toEqual([
      'credentials',
      'nonsense',
      'transient',
      'transient',
      'invalid',
      'network',
      'credentials',
    ])
    const output = logText() + failures.map((failure) => String(failure) + (failure as Error).stack).join()
    for (const secret of secrets) expect(output).not.toContain(secret)
    expect(output).toContain('Malformed access token [access token]')
  })

  it("has a failed call with the platform's description", async () => {
    const { sandbox, graph, access, logLines } = await startGraph([ACCOUNT])
    sandbox.faults.add({ fault: tokenExpiredFault() })
    const error = await graph.get(PATH, FIELDS, access).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ status: 401, code: 190, subcode: 463, fbtraceId: 'AsandboxTrace123' })
    expect(logLines().at(-1)).toMatchObject({
      level: 40,
      path: PATH,
      kind: 'credentials',
      status: 401,
      code: 190,
      subcode: 463,
      fbtraceId: 'AsandboxTrace123',
      reason: expect.stringContaining('Session has expired'),
    })
  })

  it('is silent about an ample quota, and warns from 80 percent', async () => {
    const { sandbox, graph, access, logLines } = await startGraph([ACCOUNT])
    const headers = (percent: number): Fault => ({
      kind: 'headers',
      headers: { 'x-app-usage': `{"call_count":${percent}}` },
    })
    sandbox.faults.add({ fault: headers(79) })
    sandbox.faults.add({ fault: headers(80) })
    await graph.get(PATH, FIELDS, access)
    await graph.get(PATH, FIELDS, access)
    expect(logLines().map(({ level, usagePercent }) => [level, usagePercent])).toEqual([
      [20, 79],
      [40, 80],
    ])
  })

  it('warns about an outdated version, and tolerates odd headers', async () => {
    const { sandbox, graph, access, logLines } = await startGraph([ACCOUNT])
    const headers = { 'x-ad-api-version-warning': 'upgraded to v28.0', 'x-app-usage': '{', 'x-ad-account-usage': '[]' }
    sandbox.faults.add({ fault: { kind: 'headers', headers } })
    expect(await graph.get(PATH, FIELDS, access)).toEqual(BODY)
    expect(logLines()[0]).toMatchObject({ level: 40, version: 'v27.0', versionWarning: 'upgraded to v28.0' })
  })
})
