import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, TEST_OPTIONS } from '../../test/harness.js'
import { buildApp } from '../app.js'

const HTML = `<!doctype html><title>Greenroom API</title><link rel="stylesheet" href="./assets/index-abc.css">
<script type="module" src="./assets/index-abc.js"></script>`

describe('the reference', () => {
  let root: string
  let app: FastifyInstance

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'greenroom-reference-'))
    mkdirSync(join(root, 'assets'))
    writeFileSync(join(root, 'index.html'), HTML)
    writeFileSync(join(root, 'assets', 'index-abc.js'), 'export {}')
    writeFileSync(join(root, 'assets', 'index-abc.css'), 'body{}')
    const { context } = await startTestApp()
    app = await buildApp(context, { ...TEST_OPTIONS, referenceFolder: pathToFileURL(`${root}/`) })
  })
  afterAll(() => rmSync(root, { recursive: true }))

  test.each([
    ['/docs', 'below/'],
    ['/docs/', 'below/'],
  ])('%s uses relative addresses for its files, so that any path may precede it', async (path, prefix) => {
    const page = await app.inject(path)
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset]) => asset!)
    expect(assets).toHaveLength(2)
    for (const asset of assets) {
      const { pathname } = new URL(asset, `http://localhost/${prefix}${path.slice(1)}`)
      expect(pathname).toMatch(/^\/below\/docs\/assets\/index-abc\.(js|css)$/)
      const file = await app.inject(pathname.slice('/below'.length))
      expect(file.statusCode).toBe(200)
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })

  test.each(['/docs', '/docs/', '/openapi.json', '/v1/openapi.json'])('%s runs only its own files', async (path) => {
    const { headers } = await app.inject(path)
    expect(headers['content-security-policy']).toBe(
      "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['cross-origin-opener-policy']).toBe(path.endsWith('.json') ? undefined : 'same-origin')
  })

  test.each([
    '/openapi.json',
    '/v1/openapi.json',
  ])('%s shows the address of the proxy, and the root without one', async (path) => {
    const serversOf = async (publicUrl: string | undefined): Promise<unknown> =>
      (await (await startTestApp({ http: { publicUrl } })).app.inject(path)).json().servers
    expect(await serversOf('https://example.com/greenroom')).toEqual([{ url: 'https://example.com/greenroom' }])
    expect(await serversOf(undefined)).toEqual([{ url: '/' }])
  })

  test.each(['/openapi.json', '/v1/openapi.json'])('%s has the version of the package', async (path) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect((await app.inject(path)).json().info.version).toBe(version)
  })

  test('openapi.json has /v0 only where it is served, and /v1/openapi.json has /v1 only', async () => {
    const prefixesOf = async (path: string, earlierVariant: boolean): Promise<string[]> => {
      const document = (await (await startTestApp({ http: { earlierVariant } })).app.inject(path)).json()
      return [...new Set(Object.keys(document.paths).map((one) => one.split('/')[1]!))]
    }
    expect(await prefixesOf('/openapi.json', true)).toEqual(['v1', 'v0', 'api'])
    expect(await prefixesOf('/openapi.json', false)).toEqual(['v1', 'api'])
    expect(await prefixesOf('/v1/openapi.json', true)).toEqual(['v1'])
  })

  test('openapi.json is compressed for clients that accept it, and not sent again to those who have it', async () => {
    const plain = await app.inject('/openapi.json')
    const compressed = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(compressed.rawPayload).toString()).toBe(plain.body)
    expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 6)
    const headers = { 'if-none-match': String(compressed.headers.etag) }
    const known = await app.inject({ url: '/openapi.json', headers })
    expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', headers['if-none-match']])
  })

  test('without a build there is no page, but openapi.json exists', async () => {
    const { context } = await startTestApp()
    const bare = await buildApp(context, { referenceFolder: new URL('nothing/', pathToFileURL(`${root}/`)) })
    expect((await bare.inject('/docs')).statusCode).toBe(404)
    expect((await bare.inject('/openapi.json')).statusCode).toBe(200)
  })
})
