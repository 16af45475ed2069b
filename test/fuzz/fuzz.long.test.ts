/**
 * Sends odd requests to every operation of openapi.json. `FUZZ_REQUESTS` is their number, and `FUZZ_SEED` determines
 * them: a failure prints the seed of its round of 1,000, which `FUZZ_SEED=… FUZZ_REQUESTS=1000 npm run fuzz` repeats.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/errors.js'
import { documentOf } from '../documents.js'
import { type DescribedOperation, type FuzzRequest, fuzzRequest } from './requests.js'
import { openStage, type SentRequest, type Stage, World } from './world.js'

const REQUESTS = Number(process.env.FUZZ_REQUESTS || 10_000)
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 1_000_000_000)
/** The requests of one world, so that a failure can be repeated in seconds. */
const ROUND = 1_000
const FAILURES_SHOWN = 20
const REQUEST_MS_MAX = 100

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test(`${REQUESTS} odd requests from the seed ${SEED}`, { timeout: 60_000 + REQUESTS * REQUEST_MS_MAX }, async () => {
  const failures = new Map<string, string>()
  const statuses = new Map<number, number>()
  for (let done = 0; done < REQUESTS && failures.size < FAILURES_SHOWN; done += ROUND) {
    const seed = SEED + done / ROUND
    const world = await World.create(stage)
    for (const request of fc.sample(fuzzRequest, { seed, numRuns: Math.min(ROUND, REQUESTS - done) })) {
      const { sent, answer } = await exchange(world, request)
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
      const wrong = findWrong(request, sent.url, answer)
      // One failure of each kind is enough.
      if (wrong !== undefined) failures.set(`${request.operation.operationId}: ${wrong}`, show(seed, sent, answer))
    }
  }
  expect([...failures].map(([wrong, shown]) => `${wrong}\n${shown}`).join('\n\n')).toBe('')
  // A generator whose requests never succeed would satisfy everything.
  if (REQUESTS >= 10 * ROUND) {
    expect((statuses.get(200) ?? 0) + (statuses.get(201) ?? 0)).toBeGreaterThan(REQUESTS / 5)
    for (const status of [304, 400, 403, 404, 412, 422]) expect(statuses.get(status), `${status}`).toBeGreaterThan(0)
  }
})

async function exchange(
  world: World,
  request: FuzzRequest,
): Promise<{ sent: SentRequest; answer: LightMyRequestResponse }> {
  const { test, sandbox } = stage
  // A 304 needs an earlier 200.
  if (/«etag/.test(request.headers['if-none-match'] ?? '')) {
    await exchange(world, { ...request, headers: { ...request.headers, 'if-none-match': undefined } })
  }
  const sent = world.resolve(request)
  if (request.fault !== undefined) sandbox.faults.add({ fault: { kind: request.fault }, times: 2 })
  stage.takeLoggedError()
  const { method, url, headers, body } = sent
  const answer = await test.app.inject({ method: method as InjectOptions['method'], url, headers, payload: body })
  sandbox.faults.clear()
  if (answer.statusCode < 300) await world.learn(request, sent, readJson(answer) ?? {}, answer.headers.etag)
  return { sent, answer }
}

/** Returns the promise of docs/errors.md or openapi.json that the response breaks; undefined if it keeps all. */
function findWrong(
  { operation, method, fault }: FuzzRequest,
  url: string,
  answer: LightMyRequestResponse,
): string | undefined {
  const { statusCode: status, headers } = answer
  const code = headers['x-error-code']
  if (!headers['x-request-id']) return `${status} without x-request-id`
  const isOwn = method === operation.method && !isOfAnotherPath(url)
  if (status === 304)
    return answer.body === '' && operation.responses[304] ? undefined : '304 with a body, or undocumented'
  const body = readJson(answer)
  if (method === 'HEAD') {
    return status < 500 || mayFail(operation, fault, code as ErrorCode) ? undefined : `${status} ${code} of HEAD`
  }
  const types = Object.keys(operation.responses[status]?.content ?? {})
  if (isOwn && status < 300 && types.length > 0 && !types.includes('application/json')) {
    const type = String(headers['content-type']).split(';')[0]!
    return types.includes(type) ? undefined : `${status} of the undocumented type ${type}`
  }
  if (!/^application\/json/.test(String(headers['content-type'])) || body === undefined) return `${status} without JSON`
  if (status < 300) return isOwn ? findWrongSuccess(operation, status, body) : undefined
  const known = Object.hasOwn(ERRORS, String(code)) ? ERRORS[code as ErrorCode] : undefined
  if (known?.[0] !== status) return `${status} with x-error-code ${code}`
  if (!isError(code as ErrorCode, body)) return `${status} ${code} in another shape`
  if (status >= 500) return mayFail(operation, fault, code as ErrorCode) ? undefined : `${status} ${code}`
  const isOfAll = ERRORS_WITHOUT_OPERATION.includes(code as ErrorCode) || DEFAULT_STATUSES.includes(status)
  return !isOwn || isOfAll || operation.responses[status] !== undefined
    ? undefined
    : `${status} ${code} is undocumented`
}

/** Like a browser, the client resolves a segment `..` and sends the request to another path. */
const isOfAnotherPath = (url: string): boolean =>
  url
    .split(/[?#]/)[0]!
    .split(/[/\\]/)
    .some((segment) => /^(\.|%2e){1,2}$/i.test(segment))

/** Errors of a path without an operation. */
const ERRORS_WITHOUT_OPERATION: ErrorCode[] = ['route_not_found', 'request_malformed']
/** The statuses that openapi.json's `default` answer lists. */
const DEFAULT_STATUSES = [413, 415, 429]

/** Returns whether the platform may fail: because the script says so, or because an odd request has sent it a token. */
function mayFail({ operationId }: DescribedOperation, fault: FuzzRequest['fault'], code: ErrorCode): boolean {
  const asksPlatform = /Insights$|^(create|update|connect)(Channel|AdAccount)$/.test(operationId)
  return asksPlatform && (code === 'platform_refused' || (fault !== undefined && code.startsWith('platform_')))
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
ajv.addSchema(documentOf('all'), 'openapi')

function findWrongSuccess(
  { path, method, responses }: DescribedOperation,
  status: number,
  body: unknown,
): string | undefined {
  if (responses[status] === undefined) return `${status} is undocumented`
  const steps = [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  ]
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const validate = ajv.getSchema(`openapi#/${pointer}`)!
  return validate(body) ? undefined : `${status} that does not match its schema: ${ajv.errorsText(validate.errors)}`
}

function isError(code: ErrorCode, body: unknown): boolean {
  const { message, error, conflicts, ...rest } = (body ?? {}) as Record<string, unknown>
  if (Object.keys(rest).length > 0) return false
  if (code !== 'validation_failed') {
    return (
      typeof message === 'string' &&
      message !== '' &&
      error === undefined &&
      (conflicts === undefined || code === 'hashtag_conflict')
    )
  }
  const isDetail = ({ message, path, type, context }: Record<string, unknown>): boolean =>
    typeof message === 'string' &&
    Array.isArray(path) &&
    path.every((step) => typeof step === 'string') &&
    typeof type === 'string' &&
    typeof context === 'object'
  return Array.isArray(error) && error.length > 0 && error.every(isDetail) && message === undefined
}

function show(seed: number, { method, url, headers, body }: SentRequest, answer: LightMyRequestResponse): string {
  const cut = (text: string | undefined): string => (text ?? '').slice(0, 1_500)
  const logged = answer.statusCode === 500 ? `\n${cut(stage.takeLoggedError())}` : ''
  return `FUZZ_SEED=${seed}\n${method} ${cut(url)}\n${cut(JSON.stringify(headers))}\n${cut(body)}\n→ ${answer.statusCode} ${cut(answer.body)}${logged}`
}

/** Undefined if the body is not JSON. */
function readJson({ rawPayload, headers }: LightMyRequestResponse): unknown {
  const encoding = headers['content-encoding']
  try {
    const plain =
      encoding === 'br' ? brotliDecompressSync(rawPayload) : encoding === 'gzip' ? gunzipSync(rawPayload) : rawPayload
    return JSON.parse(plain.toString())
  } catch {
    return undefined
  }
}
