import { execFileSync } from 'node:child_process'
import { createHash, webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertKey, keySecretContext } from '../src/access/keys/keys.store.js'
import { Greenroom } from '../src/client/index.js'
import { systemRuntime } from '../src/client/runtime.js'
import { parseImfFixdate, parseIsoInstant } from '../src/lib/dates.js'
import { signDate } from '../src/lib/sign-date.js'
import { send, signedHeaders, startTestApp, Tenant, type TestApp } from './harness.js'
import { codeBlock, ROOT } from './recipes.js'
import { findTool } from './tools.js'

interface Vector {
  name: string
  form: 'current' | 'earlier'
  key: string
  secret: string
  epochMs: number
  date: string
  signature: string
  headers: Record<string, string>
}

interface RefusedDate {
  form: Vector['form']
  date: string
  why: string
}

const { vectors, refusedDates } = JSON.parse(readFileSync(`${ROOT}/docs/signing-vectors.json`, 'utf8')) as {
  vectors: Vector[]
  refusedDates: RefusedDate[]
}
const current = vectors.filter(({ form }) => form === 'current')
const page = 'docs/signing-vectors.md'
const python = findTool('python3')
const openssl = findTool('openssl')
const bash = findTool('bash')

/** HMAC from its definition (RFC 2104), using only SHA-256. */
function hmacByHand(secret: string, text: string): string {
  const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
  const bytes = Buffer.from(secret)
  const key = Buffer.concat([bytes.length > 64 ? sha256(bytes) : bytes, Buffer.alloc(64)]).subarray(0, 64)
  const pad = (byte: number): Buffer => Buffer.from(key.map((value) => value ^ byte))
  return sha256(pad(0x5c), sha256(pad(0x36), Buffer.from(text))).toString('hex')
}

/** HMAC as a browser computes it. */
async function hmacByWebCrypto(secret: string, text: string): Promise<string> {
  const bytes = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await webcrypto.subtle.importKey('raw', bytes.encode(secret), algorithm, false, ['sign'])
  return Buffer.from(await webcrypto.subtle.sign('HMAC', key, bytes.encode(text))).toString('hex')
}

describe('docs/signing-vectors.json', () => {
  test('has both forms, 29 February, a one-digit day, and secrets that are long or not ASCII', () => {
    expect(new Set(vectors.map(({ form }) => form))).toEqual(new Set(['current', 'earlier']))
    expect(current.some(({ date }) => date.includes('29 Feb'))).toBe(true)
    expect(current.some(({ date }) => /, 0\d /.test(date))).toBe(true)
    expect(vectors.some(({ secret }) => Buffer.byteLength(secret) === 65)).toBe(true)
    expect(vectors.some(({ secret }) => /[^\x20-\x7e]/.test(secret))).toBe(true)
    expect(new Set(vectors.map(({ key }) => key)).size).toBe(vectors.length)
  })

  test('each is signed as interface 5 says, by the service, by RFC 2104 and by WebCrypto', async () => {
    for (const { name, form, key, secret, epochMs, date, signature, headers } of vectors) {
      expect(signature, name).toMatch(/^[0-9a-f]{64}$/)
      expect(signDate(secret, date), name).toBe(signature)
      expect(hmacByHand(secret, date), name).toBe(signature)
      expect(await hmacByWebCrypto(secret, date), name).toBe(signature)
      expect(form === 'current' ? parseImfFixdate(date) : parseIsoInstant(date), name).toBe(epochMs)
      expect(headers, name).toEqual({
        'x-api-key': key,
        'x-date': date,
        'x-signature': signature,
        ...(form === 'current' ? { 'x-api-version': '1' } : {}),
      })
    }
  })

  test.skipIf(!openssl)('openssl computes the same (needs openssl)', () => {
    for (const { name, secret, date, signature } of vectors) {
      const line = execFileSync(openssl!, ['dgst', '-sha256', '-hmac', secret, '-r'], { input: date, encoding: 'utf8' })
      expect(line.split(' ')[0], name).toBe(signature)
    }
  })

  test.skipIf(!bash || !openssl)(
    "the page's shell commands print the signature of the first (needs bash, openssl)",
    () => {
      const output = execFileSync(bash!, ['-c', codeBlock(page, 'sh')], { encoding: 'utf8' })
      expect(output).toBe(`${vectors[0]!.signature}\n`)
    },
  )

  const allOk = vectors.map(({ name }) => `ok  ${name}\n`).join('')

  test("the page's check in Node passes every vector", () => {
    const program = codeBlock(page, 'js')
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(output).toBe(allOk)
  })

  test.skipIf(!python)("the page's check in Python passes every vector (needs python3)", () => {
    const output = execFileSync(python!, ['-c', codeBlock(page, 'python')], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    })
    expect(output).toBe(allOk)
  })
})

describe('the client and the vectors', () => {
  // The client writes an ISO date with milliseconds and Z; a server also accepts the other forms.
  const canonical = vectors.filter(({ form, date }) => form === 'current' || /\.\d{3}Z$/.test(date))

  test('it sends exactly the same headers', async () => {
    for (const { name, form, key, secret, epochMs, headers } of canonical) {
      let sent: Headers | undefined
      const fetch = async (_url: string, init: RequestInit): Promise<Response> => {
        sent = new Headers(init.headers)
        return Response.json([])
      }
      const options = { baseUrl: 'http://127.0.0.1/v1', key, secret, interfaceVersion: form, fetch }
      await new Greenroom(options, { ...systemRuntime, now: () => epochMs }).workspaces.list()
      expect(Object.fromEntries(sent!), name).toEqual(headers)
    }
  })
})

describe('the server and the vectors', () => {
  let running: TestApp
  let tenant: Tenant
  beforeAll(async () => {
    running = await startTestApp()
    tenant = await Tenant.create(running)
    const { database, sealer } = running.context
    for (const { key, secret } of vectors) {
      const secretSealed = sealer.seal(secret, keySecretContext(key))
      const createdAt = new Date(running.clock.now())
      await insertKey(database, { keyId: key, organizationId: tenant.organizationId, secretSealed, createdAt })
    }
  })
  /** Makes a call that passes the signature: /v1 has a list that needs nothing, and /v0 then lacks its parameters. */
  const call = (form: Vector['form'], headers: Record<string, string>, refused?: number) =>
    form === 'current'
      ? send(running.app, refused ?? 200, 'GET', '/v1/workspaces', { headers })
      : send(running.app, refused ?? 422, 'GET', '/v0/vip-users', { headers })

  test('it accepts each, and refuses it if the signature is in capitals', async () => {
    for (const { name, form, epochMs, headers } of vectors) {
      running.clock.set(new Date(epochMs).toISOString())
      await call(form, headers)
      const reply = await call(form, { ...headers, 'x-signature': headers['x-signature']!.toUpperCase() }, 403)
      expect(reply.headers['x-error-code'], name).toBe('signature_invalid')
    }
  })

  test.each(refusedDates)('it refuses $date ($form): $why', async ({ form, date }) => {
    running.clock.set('2026-11-20T09:00:00Z')
    const headers = { ...signedHeaders(tenant.key, date), ...(form === 'current' ? { 'x-api-version': '1' } : {}) }
    const reply = await call(form, headers, 403)
    expect(reply.headers['x-error-code']).toBe('date_malformed')
  })
})
