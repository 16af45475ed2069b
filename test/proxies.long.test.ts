import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ListeningApp, startListening } from './listening.js'
import { talkRaw } from './raw-http.js'
import { findTool } from './tools.js'

// The proxies' files as they are shipped, but for their ports and TLS, in the real programs. The callers are on this machine, so that
// the service itself would answer them.

const deployed = (name: string): string => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')

interface Proxy {
  name: string
  program: string | undefined
  /** Its file, and its arguments. */
  configure(
    folder: string,
    ports: { own: number; service: number },
  ): { config: string; args: (file: string) => string[] }
}

const PROXIES: Proxy[] = [
  {
    name: 'haproxy',
    program: findTool('haproxy'),
    configure: (_folder, { own, service }) => ({
      config: deployed('haproxy.cfg')
        .replace('bind :443 ssl crt /etc/haproxy/site.pem', `bind 127.0.0.1:${own}`)
        .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
        .replace('maxconn 20000', 'maxconn 100'),
      args: (file) => ['-db', '-f', file],
    }),
  },
  {
    name: 'nginx',
    program: findTool('nginx'),
    configure: (folder, { own, service }) => ({
      config: `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${deployed('nginx.conf')
    .replace('listen 443 ssl', `listen 127.0.0.1:${own}`)
    .replaceAll(/ssl_certificate.*/g, '')
    .replace('127.0.0.1:8080', `127.0.0.1:${service}`)}
}`,
      args: (file) => ['-p', folder, '-e', `${folder}/nginx.log`, '-c', file],
    }),
  },
  {
    name: 'caddy',
    program: findTool('caddy'),
    configure: (_folder, { own, service }) => ({
      config: `{\n\tadmin off\n\tauto_https off\n}\n${deployed('Caddyfile')
        .replace('example.com {', `http://example.com:${own} {\n\tbind 127.0.0.1`)
        .replace('127.0.0.1:8080', `127.0.0.1:${service}`)}`,
      args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    }),
  },
]

/** Other spellings of one path, by what stands behind the prefix. */
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const ask = async (port: number, path: string): Promise<string> => {
  const answer = await talkRaw(port, `GET ${path} HTTP/1.1\r\nHost: example.com:${port}\r\nConnection: close\r\n\r\n`)
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'nothing'
}

describe.each(PROXIES)('$name', ({ name, program, configure }) => {
  let port: number
  let proxy: ChildProcess
  let ended: Promise<unknown>

  beforeAll(async () => {
    if (program === undefined) return
    port = await freePort()
    const own = join(folder, name)
    mkdirSync(own)
    const { config, args } = configure(own, { own: port, service: Number(new URL(service.url).port) })
    const file = join(own, 'config')
    writeFileSync(file, config)
    proxy = spawn(program, args(file), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
    })
    ended = once(proxy, 'close')
    let said = ''
    proxy.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const reached = async () =>
      expect(await ask(port, '/greenroom/readyz').catch((error) => `${error} ${said}`)).toBe('200')
    await vi.waitFor(reached, { timeout: 20_000, interval: 100 })
  }, 30_000)
  afterAll(async () => {
    if (program === undefined) return
    proxy.kill('SIGTERM')
    await ended
  })

  test.skipIf(program === undefined)(
    'passes on neither metrics nor status, however their path is written',
    async () => {
      for (const path of ['metrics', 'status']) {
        expect(await ask(Number(new URL(service.url).port), `/${path}`)).toBe('200')
        for (const spelling of spellingsOf(path)) {
          expect(['400', '404'], `${name} passes on /greenroom/${spelling}`).toContain(
            await ask(port, `/greenroom/${spelling}`),
          )
        }
      }
      expect(await ask(port, '/greenroom/openapi.json')).toBe('200')
    },
  )
})
