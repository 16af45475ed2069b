import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from './free-port.js'
import { type ListeningApp, startListening } from './listening.js'
import { talkRaw } from './raw-http.js'
import { findTool } from './tools.js'

// The proxies' files as shipped, except for ports and TLS, in the real programs. The callers are on this machine, so the
// service itself would answer them.

/** Reads a file without its comments, which quote the lines to change. */
const deployed = (name: string): string =>
  readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8').replaceAll(/^\s*#.*\n/gm, '')

interface Proxy {
  name: string
  program: string | undefined
  /** Makes the changes that the file describes for a service without a path prefix. */
  withoutPrefix(config: string): string
  /** Returns a whole configuration with the file in it, and the program's arguments. */
  configure(
    shipped: string,
    folder: string,
    ports: { own: number; service: number },
  ): { config: string; args: (file: string) => string[] }
  file: string
}

/** Replaces texts that must exist. */
const change = (text: string, ...changes: [from: string | RegExp, to: string][]): string =>
  changes.reduce((changed, [from, to]) => {
    if (changed.search(typeof from === 'string' ? from.replaceAll(/\W/g, '\\$&') : from) < 0)
      throw new Error(`${from} is not there`)
    return changed.replace(from, () => to)
  }, text)

const APACHE_MODULES = '/usr/lib/apache2/modules'

const PROXIES: Proxy[] = [
  {
    name: 'haproxy',
    program: findTool('haproxy'),
    file: 'haproxy.cfg',
    withoutPrefix: (config) =>
      change(
        config,
        ['path_beg /greenroom/', 'path_beg /'],
        [/.*http-request replace-path.*/, ''],
        [/.*http-request redirect location.*/, ''],
      ),
    configure: (shipped, _folder, { own, service }) => ({
      config: change(
        shipped,
        ['bind :443 ssl crt /etc/haproxy/site.pem', `bind 127.0.0.1:${own}`],
        ['127.0.0.1:8080', `127.0.0.1:${service}`],
        ['maxconn 20000', 'maxconn 100'],
      ),
      args: (file) => ['-db', '-f', file],
    }),
  },
  {
    name: 'nginx',
    program: findTool('nginx'),
    file: 'nginx.conf',
    withoutPrefix: (config) =>
      change(
        config,
        ['location /greenroom/ {', 'location / {'],
        ['proxy_pass http://greenroom/;', 'proxy_pass http://greenroom;'],
      ),
    configure: (shipped, folder, { own, service }) => ({
      config: `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${change(
    shipped,
    ['listen 443 ssl', `listen 127.0.0.1:${own}`],
    [/ssl_certificate .*/, ''],
    [/ssl_certificate_key .*/, ''],
    ['127.0.0.1:8080', `127.0.0.1:${service}`],
  )}
}`,
      args: (file) => ['-p', folder, '-e', `${folder}/nginx.log`, '-c', file],
    }),
  },
  {
    name: 'caddy',
    program: findTool('caddy'),
    file: 'Caddyfile',
    withoutPrefix: (config) => change(config, ['handle_path /greenroom/*', 'handle']),
    configure: (shipped, _folder, { own, service }) => ({
      config: `{\n\tadmin off\n\tauto_https off\n}\n${change(
        shipped,
        ['example.com {', `http://example.com:${own} {\n\tbind 127.0.0.1`],
        ['127.0.0.1:8080', `127.0.0.1:${service}`],
      )}`,
      args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    }),
  },
  {
    name: 'apache',
    program: findTool('apache2', 'httpd'),
    file: 'apache.conf',
    withoutPrefix: (config) =>
      change(config, ['ProxyPass "/greenroom/" "', 'ProxyPass "/" "'], [/.*RedirectMatch.*/, '']),
    configure: (shipped, folder, { own, service }) => ({
      config: `ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog ${folder}/apache.log
${['mpm_event', 'authz_core', 'alias', 'env', 'headers', 'proxy', 'proxy_http']
  .map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`)
  .join('\n')}
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
Listen 127.0.0.1:${own}
${change(
  shipped,
  ['<VirtualHost *:443>', `<VirtualHost 127.0.0.1:${own}>`],
  ['SSLEngine on', ''],
  [/SSLCertificateFile .*/, ''],
  [/SSLCertificateKeyFile .*/, ''],
  ['127.0.0.1:8080', `127.0.0.1:${service}`],
)}`,
      args: (file) => ['-d', folder, '-f', file, '-D', 'FOREGROUND'],
    }),
  },
]

/** Other spellings of a path, by the part after the prefix. */
const spellingsOf = (name: string): string[] => {
  const [first = ''] = name
  const escaped = `%${first.charCodeAt(0).toString(16)}${name.slice(1)}`
  const all = [...name].map((letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`).join('')
  return [
    ...[
      name,
      escaped,
      all,
      name.toUpperCase(),
      `${name}/`,
      `${name}//`,
      `/${name}`,
      `//${escaped}`,
      `./${name}`,
      `././${escaped}`,
    ],
    ...[
      `x/../${name}`,
      `%2e/${name}`,
      `%2f${name}`,
      `${name}%2f`,
      `${name}?x=1`,
      `${escaped}?`,
      `${name}%3f`,
      `${name}%23x`,
      `${name};x`,
    ],
    ...[`${escaped};x`, `${name}#x`, `${escaped}#x`, `%25${escaped.slice(1)}`, `${name}%20`, `${name}%00`],
  ]
}

let service: ListeningApp
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-proxies-'))
  service = await startListening({ TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://example.com/greenroom' })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the status, and whether the service itself answered. */
async function talk(port: number, path: string): Promise<{ status: string; isOurs: boolean }> {
  const answer = await talkRaw(port, `GET ${path} HTTP/1.1\r\nHost: example.com:${port}\r\nConnection: close\r\n\r\n`)
  return { status: /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'nothing', isOurs: /^x-request-id:/im.test(answer) }
}

const ask = async (port: number, path: string): Promise<string> => (await talk(port, path)).status

const PASSED_ON = { status: '200', isOurs: true }
const VARIANTS = PROXIES.flatMap((proxy) =>
  ['/greenroom', ''].map((prefix) => ({ ...proxy, prefix, title: `${proxy.name} ${prefix || 'without a prefix'}` })),
)

describe.each(VARIANTS)('$title', ({ name, program, file: shippedName, withoutPrefix, configure, prefix }) => {
  let port: number
  let proxy: ChildProcess
  let ended: Promise<unknown>

  beforeAll(async () => {
    if (program === undefined) return
    port = await freePort()
    const own = join(folder, `${name}${prefix === '' ? '-root' : ''}`)
    mkdirSync(own)
    const shipped = prefix === '' ? withoutPrefix(deployed(shippedName)) : deployed(shippedName)
    const { config, args } = configure(shipped, own, { own: port, service: Number(new URL(service.url).port) })
    const file = join(own, 'config')
    writeFileSync(file, config)
    proxy = spawn(program, args(file), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
    })
    ended = once(proxy, 'close')
    let output = ''
    proxy.stderr!.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const reached = async () =>
      expect(await talk(port, `${prefix}/readyz`).catch((error) => `${error} ${output}`)).toEqual(PASSED_ON)
    await vi.waitFor(reached, { timeout: 20_000, interval: 100 })
  }, 30_000)
  afterAll(async () => {
    if (program === undefined) return
    proxy.kill('SIGTERM')
    await ended
  })

  test.skipIf(program === undefined)(
    'passes on neither metrics nor status, however their path is spelled',
    async () => {
      for (const path of ['metrics', 'status']) {
        expect(await ask(Number(new URL(service.url).port), `/${path}`)).toBe('200')
        for (const spelling of spellingsOf(path)) {
          expect(['400', '404'], `${name} passes on ${prefix}/${spelling}`).toContain(
            await ask(port, `${prefix}/${spelling}`),
          )
        }
      }
      expect(await talk(port, `${prefix}/openapi.json`)).toEqual(PASSED_ON)
    },
  )

  test.skipIf(program === undefined)(
    'sends browsers one header to stay with https, if the proxy reports that they use it',
    async () => {
      const answer = await talkRaw(
        port,
        `GET ${prefix}/readyz HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`,
      )
      // Some report https for every client, because they are shipped with TLS; the others know that these tests use none.
      const reportsTls = /X-Forwarded-Proto https/.test(deployed(shippedName))
      expect(answer.match(/^strict-transport-security: max-age=31536000\r$/gim) ?? []).toHaveLength(reportsTls ? 1 : 0)
    },
  )
})

// Debian has no package of Traefik. This test can check only that its rule excludes what the service would answer.
test('the rule for Traefik excludes every path of metrics and status that the service would answer', async () => {
  const [, pattern] = /!PathRegexp\(`\(\?i\)([^`]+)`\)/.exec(deployed('traefik.yaml'))!
  const leftOut = new RegExp(pattern!, 'i')
  for (const path of ['metrics', 'status']) {
    for (const spelling of spellingsOf(path)) {
      const [written = ''] = spelling.split(/[?#]/)
      // Traefik decodes escaped letters, and removes dots and double slashes from a path before it compares it.
      const read = new URL(written.replaceAll(/%[46-7][\da-f]/gi, decodeURIComponent), 'http://localhost/greenroom/')
      const isAnswered = (await ask(Number(new URL(service.url).port), `/${spelling}`)) === '200'
      const seen = read.pathname.replaceAll(/\/+/g, '/')
      if (isAnswered) expect([`/greenroom/${path}`, `/${path}`], spelling).toContain(seen)
      expect(leftOut.test(`/greenroom/${written}`) || leftOut.test(seen) || !isAnswered, spelling).toBe(true)
    }
    for (const prefix of ['', '/greenroom']) expect(leftOut.test(`${prefix}/${path}`)).toBe(true)
  }
  for (const kept of ['/greenroom/v1/workspaces', '/greenroom/statuses', '/greenroom/o/status']) {
    expect(leftOut.test(kept)).toBe(false)
  }
})
