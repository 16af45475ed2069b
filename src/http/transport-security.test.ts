import { expect, test } from 'vitest'
import { send, startTestApp } from '../../test/harness.js'

const SECURE = 'https://greenroom.example.com/app'
const PROXY = ['127.0.0.1']
const OTHER_PROXY = ['192.0.2.1']

/** The header in the responses to a request with these headers. */
async function sent(http: object, headers: Record<string, string> = {}): Promise<unknown> {
  const { app } = await startTestApp({ http })
  const answers = [
    await send(app, 200, 'GET', '/healthz', { headers }),
    await send(app, 401, 'GET', '/api/me', { headers }),
    await send(app, 404, 'GET', '/nowhere', { headers }),
    // This request is refused before its route is known.
    await send(app, 400, 'GET', '/%zz', { headers }),
  ]
  const [first, ...others] = answers.map((answer) => answer.headers['strict-transport-security'])
  for (const other of others) expect(other).toBe(first)
  return first
}

const forwarded = (proto: string): Record<string, string> => ({ 'x-forwarded-proto': proto })

test.each<[what: string, http: object, headers: Record<string, string>]>([
  ['the public address is https', { publicUrl: SECURE }, {}],
  ['a proxy says so', { trustProxy: PROXY }, forwarded('https')],
  ['a proxy says so as the last of several', { trustProxy: PROXY }, forwarded('http, HTTPS')],
  ['a stranger says otherwise', { publicUrl: SECURE, trustProxy: OTHER_PROXY }, forwarded('http')],
])('the header that keeps browsers on https is sent if %s', async (_what, http, headers) => {
  // It applies to this host only.
  expect(await sent(http, headers)).toBe('max-age=31536000')
})

test.each<[what: string, http: object, headers: Record<string, string>]>([
  ['nothing indicates TLS', {}, {}],
  ['the public address is http', { publicUrl: 'http://greenroom.example.com' }, {}],
  ['a stranger says so', {}, forwarded('https')],
  ['a stranger says so beside a proxy', { trustProxy: OTHER_PROXY }, forwarded('https')],
  ['a proxy says otherwise', { publicUrl: SECURE, trustProxy: PROXY }, forwarded('http')],
  ['only the client says so, in front of a proxy', { trustProxy: PROXY }, forwarded('https, http')],
])('and not if %s', async (_what, http, headers) => {
  expect(await sent(http, headers)).toBeUndefined()
})
