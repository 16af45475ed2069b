import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { type CliRun, greenroom } from '../../test/cli.js'
import { TestClock } from '../../test/harness.js'
import { parseImfFixdate, parseIsoInstant } from '../lib/dates.js'
import { signDate } from '../lib/sign-date.js'

const TOKEN = 'a-token-that-nobody-may-see'
const SECRET = 'a-secret-that-nobody-may-see'
const CREDENTIALS = { GREENROOM_OPERATOR_TOKEN: TOKEN, GREENROOM_KEY: 'key_1', GREENROOM_SECRET: SECRET }

let server: Server | undefined
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server?.close()
  server = undefined
})

async function listen(started: Server): Promise<string> {
  server = started.listen(0, '127.0.0.1')
  started.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  await once(started, 'listening')
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

const answering = (listener: RequestListener): Promise<string> => listen(http.createServer(listener))

const list = (url: string): Promise<CliRun> =>
  greenroom(['organizations', 'list'], { env: { ...CREDENTIALS, GREENROOM_URL: url } })

function upload(url: string, stdin: Readable | string, terminal: 'stderr' | 'none' = 'none', clock = new TestClock()) {
  const argv = [
    'conversations',
    'import',
    '-',
    '--format',
    'ndjson',
    '--organization',
    'org_1',
    '--channel',
    'FB_PAGE_1',
  ]
  return greenroom(argv, { env: { ...CREDENTIALS, GREENROOM_URL: url }, stdin, terminal, clock })
}

async function* chunks(count: number, each = (): void => {}): AsyncGenerator<Buffer> {
  for (let index = 0; index < count; index++) {
    each()
    yield Buffer.alloc(100_000, 'a')
  }
}

const stream = (source: AsyncIterable<Buffer>): Readable => Readable.from(source, { objectMode: false })

describe('a server that cannot be used', () => {
  test('unreachable: exit code 3, and what to check', async () => {
    const url = await listen(createServer())
    server!.close()
    await once(server!, 'close')
    const { code, stderr } = await list(url)
    expect(code).toBe(3)
    expect(stderr).toBe(
      `There is no response from ${url} (connection refused): is the server running, and is GREENROOM_URL correct?\n`,
    )
    expect(await upload(url, 'x')).toMatchObject({ code: 3, stderr })
  })

  test("a response that is not JSON, for example a proxy's: exit code 3", async () => {
    const url = await answering((_request, response) => response.writeHead(502).end('<html>Bad gateway</html>'))
    const { code, stderr } = await list(url)
    expect(code).toBe(3)
    expect(stderr).toBe(`${url} answered 502 without JSON: is GREENROOM_URL the address of a Greenroom server?\n`)
  })

  test('the connection is lost before the response: exit code 3', async () => {
    const url = await listen(createServer((socket) => socket.once('data', () => socket.destroy())))
    expect(await list(url)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('was lost before a response arrived'),
    })
  })

  test('the messages contain neither the token nor the secret', async () => {
    const answers: RequestListener[] = [
      (_request, response) => response.writeHead(401).end('{"message":"no"}'),
      (_request, response) => response.writeHead(500).end('oops'),
      (request) => request.socket.destroy(),
    ]
    for (const answer of answers) {
      const url = await answering(answer)
      const env = { ...CREDENTIALS, GREENROOM_URL: url }
      const runs = [await list(url), await greenroom(['call', 'GET', '/workspaces'], { env }), await upload(url, 'x')]
      for (const { code, stdout, stderr } of runs) {
        expect(code).not.toBe(0)
        expect(stdout + stderr).not.toMatch(/nobody-may-see/)
      }
    }
  })
})

describe('an upload', () => {
  test('refused by a server that closes the connection at once still shows the response', async () => {
    const url = await answering((_request, response) =>
      response.writeHead(413, { connection: 'close' }).end('{"message":"Too much for me."}'),
    )
    const { code, stderr } = await upload(url, stream(chunks(Number.POSITIVE_INFINITY)))
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Too much for me.\n(413)\n' })
  })

  test('that a proxy refuses for its size is reported, with what to set', async () => {
    const url = await answering((_request, response) =>
      response.writeHead(413, { connection: 'close', 'content-type': 'text/html' }).end('<html>413</html>'),
    )
    const { code, stderr } = await upload(url, stream(chunks(Number.POSITIVE_INFINITY)))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `A proxy in front of ${url} rejected the body as too large (413); Greenroom itself did not.\nRaise the proxy's limit for bodies, for example client_max_body_size 0; in nginx.\n`,
    })
  })

  test('with a cut connection exits with 3 and says that the file can be sent again', async () => {
    const url = await answering((request) => {
      request.once('data', () => request.socket.destroy())
    })
    const { code, stderr } = await upload(url, stream(chunks(Number.POSITIVE_INFINITY)))
    expect(code).toBe(3)
    expect(stderr).toMatch(/^The connection was lost after about \d+\.\d MB \(.+\)\. .*send the same file again.*\n$/)
  })

  test('is read only as fast as the server reads', async () => {
    const url = await answering((request) => {
      request.pause()
    })
    let pulled = 0
    const running = upload(
      url,
      stream(
        chunks(1_000, () => {
          pulled++
        }),
      ),
    )
    await stillness(() => pulled)
    // There are 100 MB to read. A few are in the buffers of the two sockets.
    expect(pulled).toBeLessThan(300)
    for (const socket of sockets) socket.destroy()
    expect((await running).code).toBe(3)
  })

  /** Resolves when a count has not changed for 500 turns of the event loop. */
  async function stillness(count: () => number): Promise<void> {
    for (let still = 0, last = -1; still < 500; still = count() === last ? still + 1 : 0) {
      last = count()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const swallow: RequestListener = (request, response) => {
    request
      .resume()
      .once('end', () => response.end('{"received":1,"imported":1,"erased":0,"rejected":[],"rejectedCount":0}'))
  }

  test('prints its progress in plain lines every 5 seconds', async () => {
    const clock = new TestClock()
    const steps = chunks(12, () => clock.advance(1_000))
    const { stderr } = await upload(await answering(swallow), stream(steps), 'none', clock)
    expect(stderr).toMatch(/^(\d\.\d MB sent, 0\.1 MB\/s\n){2}$/)
  })

  test('prints its progress on one line of a terminal, which is removed at the end', async () => {
    const clock = new TestClock()
    const steps = chunks(12, () => clock.advance(1_000))
    const { stderr } = await upload(await answering(swallow), stream(steps), 'stderr', clock)
    expect(stderr).toContain('1.2 MB sent, waiting for the server to finish')
    expect(stderr).not.toContain('\n')
    // It does not change the terminal's settings, so it cannot leave any changed.
    expect(stderr).not.toContain('\u001b[?')
  })
})

describe('call --print-curl', () => {
  /** Returns the arguments that a POSIX shell passes to curl. */
  function argumentsOf(command: string, env: Record<string, string> = {}): string[] {
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
    return execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
  }

  const clock = new TestClock()
  const printCurl = (argv: string[], data?: string): Promise<CliRun> =>
    greenroom(['call', ...argv, '--print-curl', ...(data === undefined ? [] : ['--data', data])], {
      env: { ...CREDENTIALS, GREENROOM_URL: 'http://127.0.0.1:1' },
      clock,
    })

  test('prints a command that a shell reads correctly, signed now, and sends nothing', async () => {
    const body = `{"notes":"l'été \\"$HOME\\" \`id\`\\n\\\\"}`
    const { code, stdout, stderr } = await printCurl(['PATCH', "/scheduled-posts/it's[1]?a={b}&c=$d"], body)
    expect(code).toBe(0)
    expect(stderr).toBe('Valid for 30 seconds from now.\n')
    expect(stdout).not.toContain(SECRET)
    const date = new Date(clock.now()).toUTCString()
    expect(parseImfFixdate(date)).toBe(clock.now())
    expect(argumentsOf(stdout)).toEqual([
      '--globoff',
      ...['--request', 'PATCH', "http://127.0.0.1:1/v1/scheduled-posts/it's[1]?a={b}&c=$d"],
      ...['--header', 'x-api-key: key_1'],
      ...['--header', `x-date: ${date}`],
      ...['--header', `x-signature: ${signDate(SECRET, date)}`],
      ...['--header', 'x-api-version: 1'],
      ...['--header', 'content-type: application/json'],
      ...['--data-raw', body],
    ])
  })

  test('knows the earlier variant', async () => {
    const { stdout, stderr } = await printCurl(['GET', '/vip-users', '--earlier'])
    const date = new Date(clock.now()).toISOString()
    expect(parseIsoInstant(date)).toBe(clock.now())
    expect(stderr).toBe('Valid for 60 seconds from now.\n')
    expect(argumentsOf(stdout)).toEqual([
      ...['--globoff', '--request', 'GET', 'http://127.0.0.1:1/v0/vip-users', '--header', 'x-api-key: key_1'],
      ...['--header', `x-date: ${date}`, '--header', `x-signature: ${signDate(SECRET, date)}`],
    ])
  })

  test("leaves the operator's token to the shell", async () => {
    const { stdout, stderr } = await printCurl(['GET', '/api/organizations'])
    expect(stdout + stderr).not.toContain(TOKEN)
    expect(argumentsOf(stdout, CREDENTIALS)).toContain(`authorization: Bearer ${TOKEN}`)
  })
})

describe('the command line itself', () => {
  const commands = [
    'organizations create',
    'organizations list',
    'organizations activate',
    'organizations deactivate',
    'organizations rename',
    'organizations delete',
    'keys issue',
    'keys list',
    'keys revoke',
    'operator-tokens issue',
    'operator-tokens list',
    'operator-tokens revoke',
    'workspaces create',
    'workspaces list',
    'workspaces rename',
    'workspaces delete',
    'channels create',
    'channels list',
    'channels rename',
    'channels delete',
    'channels connect',
    'channels disconnect',
    'ad-accounts create',
    'ad-accounts list',
    'ad-accounts connect',
    'ad-accounts disconnect',
    'vips mark',
    'vips unmark',
    'vip-users list',
    'vip-users export',
    'insights',
    'conversations import',
    'conversations delete',
    'people erase',
    'people readmit',
    'posts list',
    'posts get',
    'posts create',
    'posts update',
    'posts submit',
    'posts revert',
    'posts reject',
    'posts delete',
    'posts approve',
    'posts retry',
    'posts history',
    'superpowers list',
    'superpowers rename',
    'superpowers activate',
    'superpowers deactivate',
    'superpowers delete',
    'superpowers explain',
    'audit',
    'call',
  ]
  test.each(commands)('%s --help shows an example that the command itself accepts', async (command) => {
    const { code, stdout } = await greenroom([...command.split(' '), '--help'])
    expect(code).toBe(0)
    const line = /Example:\n {2}greenroom ([\s\S]+)\n$/.exec(stdout)?.[1] ?? ''
    expect(line.startsWith(`${command} `) || line === command).toBe(true)
    const words = execFileSync('sh', ['-c', `printf '%s\\0' ${line.replace(/ < .*/, '')}`], { encoding: 'utf8' })
    // It fails on the settings, the file of the example or the token from stdin, not on its usage.
    const { stderr } = await greenroom(words.split('\0').slice(0, -1), { env: {} })
    expect(stderr).toMatch(/^(Set GREENROOM_|fans\.csv cannot be read|The access token is empty)/)
  })

  test.each([
    [[], 2],
    [['keys'], 2],
    [['nonsense'], 2],
    [['keys', 'issue'], 2],
    [['keys', 'issue', 'a', 'b'], 2],
    [['workspaces', 'create', 'o', 'n', '--type', 'GOLD'], 2],
    [['workspaces', 'create', 'o', 'n'], 2],
    [['--help'], 0],
    [['help', 'keys'], 0],
    [['--version'], 0],
  ])('greenroom %j exits with %i', async (argv, code) => {
    expect((await greenroom(argv, { env: CREDENTIALS })).code).toBe(code)
  })

  test('a wrong setting is named, never shown', async () => {
    const env = { GREENROOM_URL: 'ftp://user:nobody-may-see@host', GREENROOM_SECRET: 'nobody-may-see\n' }
    const { code, stderr } = await greenroom(['call', 'GET', '/workspaces'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('GREENROOM_URL must be')
    expect(stderr).toContain('GREENROOM_SECRET must be')
    expect(stderr).not.toContain('nobody-may-see')
  })
})
