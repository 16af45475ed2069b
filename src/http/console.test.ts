import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConfigChanges } from '../../test/config.js'
import { startTestApp, TEST_OPTIONS } from '../../test/harness.js'
import { buildApp } from '../app.js'
import { readConfig } from '../config/index.js'
import { languageOf, localeOf } from './language.js'

const HTML = '<!doctype html><html><head><base href="/" /><title>Greenroom</title></head></html>'
const PORTUGUESE = HTML.replace('<html', '<html lang="pt"')

test.each([
  [{}, 'en'],
  [{ 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.8' }, 'pt'],
  [{ 'accept-language': 'fr-FR, de;q=0.5, es;q=0.7' }, 'es'],
  [{ 'accept-language': 'DE-at' }, 'de'],
  [{ 'accept-language': 'de;q=0, *' }, 'en'],
  [{ 'accept-language': 'de;q=x' }, 'en'],
  [{ 'accept-language': ';;,,q=', cookie: 'greenroom_language=fr' }, 'en'],
  [{ 'accept-language': 'de', cookie: '__Host-greenroom=abc; greenroom_language=es' }, 'es'],
  [{ 'accept-language': 'de', cookie: 'other_greenroom_language=es' }, 'de'],
])('a browser with %j gets the console in %s', (headers, language) => {
  expect(languageOf(headers)).toBe(language)
})

test.each([
  [{}, undefined],
  [{ 'accept-language': 'fr-FR, fr;q=0.9' }, undefined],
  [{ 'accept-language': 'pt' }, 'pt'],
  [{ 'accept-language': 'pt;q=0.9, PT-br;q=0.8, pt-PT;q=0.1' }, 'pt-BR'],
  [{ 'accept-language': 'es-419,en-US;q=0.9' }, 'es-419'],
  [{ 'accept-language': 'en-US,de-AT;q=0.5', cookie: 'greenroom_language=de' }, 'de-AT'],
  [{ 'accept-language': 'en-US', cookie: 'greenroom_language=de' }, 'de'],
  [{ 'accept-language': 'de-x"><script>,de-toolong' }, 'de'],
])('a browser with %j shows numbers and times as in %s', (headers, locale) => {
  expect(localeOf(headers)).toBe(locale)
})

describe('the web console as files', () => {
  let root: string
  let folder: URL

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'greenroom-console-'))
    mkdirSync(join(root, 'assets'))
    writeFileSync(join(root, 'index.html'), HTML)
    writeFileSync(join(root, 'index.pt.html'), PORTUGUESE)
    writeFileSync(join(root, 'assets', 'index-abc.js'), 'export {}')
    writeFileSync(join(root, 'assets', 'index-abc.css'), 'body{}')
    folder = pathToFileURL(`${root}/`)
  })

  afterAll(() => rmSync(root, { recursive: true }))

  /** Apps are cached by their settings, because making one is costly. */
  const made = new Map<string, FastifyInstance>()

  async function start(config: ConfigChanges = {}, options = { consoleFolder: folder }): Promise<FastifyInstance> {
    const key = JSON.stringify([config, options.consoleFolder])
    const { context } = await startTestApp(config)
    const app = made.get(key) ?? (await buildApp(context, { ...TEST_OPTIONS, ...options }))
    made.set(key, app)
    return app
  }

  test.each([
    '/',
    '/o/org_1/approvals',
    '/o/org_1/approvals?post=post_1',
    '/o/anything/at/all',
    '/device',
  ])('%s answers with the one page, which is never cached and runs only its own files', async (url) => {
    const reply = await (await start()).inject({ url })
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toBe(HTML)
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.headers['content-security-policy']).toMatch(
      /^default-src 'self'; img-src 'self' https: data:; media-src 'self' https:; frame-ancestors 'none'; /,
    )
    expect(reply.headers['content-security-policy']).not.toContain('unsafe')
    expect(reply.headers).toMatchObject({
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    })
  })

  test('the page is in the language of the browser or the person, or in English if that was not built', async () => {
    const app = await start()
    const read = async (headers: Record<string, string>) =>
      (await app.inject({ url: '/o/org_1/calendar', headers })).body
    expect(await read({ 'accept-language': 'pt-PT' })).toBe(PORTUGUESE)
    expect(await read({ 'accept-language': 'pt-PT', cookie: 'greenroom_language=en' })).toBe(HTML)
    expect(await read({ 'accept-language': 'es' })).toBe(HTML)
  })

  test('its hashed files may be cached forever, and are compressed for clients that accept it', async () => {
    const app = await start()
    const plain = await app.inject({ url: '/assets/index-abc.js' })
    expect(plain.body).toBe('export {}')
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    const compressed = await app.inject({ url: '/assets/index-abc.css', headers: { 'accept-encoding': 'br, gzip' } })
    expect(compressed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(compressed.rawPayload).toString()).toBe('body{}')
  })

  test.each([
    '/v1/o/org_1',
    '/v1',
    '/v0/nothing',
    '/api/nothing',
    '/api/nothing',
    '/docs/nothing',
    '/healthz/nothing',
    '/assets/index-of-no-build.js',
    '/assets/../index.html',
    '/nothing',
  ])('%s is not a page: it gets the response of an unknown route', async (url) => {
    const reply = await (await start()).inject({ url })
    expect(reply.statusCode).toBe(404)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.headers['x-error-code']).toBe('route_not_found')
  })

  test('the page can only be read', async () => {
    expect((await (await start()).inject({ method: 'POST', url: '/' })).statusCode).toBe(404)
  })

  test('CONSOLE=off serves only the API', async () => {
    const app = await start({ http: { console: readConfig({ CONSOLE: 'off' }).http.console } })
    expect((await app.inject({ url: '/' })).statusCode).toBe(404)
    expect((await app.inject({ url: '/openapi.json' })).statusCode).toBe(200)
  })

  test('without a build there is no console, and everything else works', async () => {
    const app = await start({}, { consoleFolder: new URL('nothing/', folder) })
    expect((await app.inject({ url: '/' })).statusCode).toBe(404)
    expect((await app.inject({ url: '/healthz' })).statusCode).toBe(200)
  })

  test.each([
    ['https://example.com', '/'],
    ['https://example.com/greenroom/', '/greenroom/'],
    ['http://example.com/a/b?no', undefined],
    ['https://example.com/"><script>', '/%22%3E%3Cscript%3E/'],
  ])('with PUBLIC_URL %s its addresses begin with %s', async (publicUrl, base) => {
    if (base === undefined) {
      expect(() => readConfig({ PUBLIC_URL: publicUrl })).toThrow(/PUBLIC_URL must have no query/)
      return
    }
    const app = await start({ http: { publicUrl: readConfig({ PUBLIC_URL: publicUrl }).http.publicUrl } })
    expect((await app.inject({ url: '/' })).body).toContain(`<base href="${base}" />`)
  })
})
