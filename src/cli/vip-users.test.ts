import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import http, { type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startChild } from '../../test/child.js'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { startOwnTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { runCli } from './cli.js'

let app: TestApp
let url: string
let tenant: Tenant
let workspace: string
let channel: string
let directory: string
/** Runs before each page of the list is returned. */
let beforePage: (offset: number) => Promise<void> | void
beforeAll(async () => {
  app = await startOwnTestApp()
  app.app.addHook('preHandler', async (request) =>
    beforePage(Number(new URL(request.url, url).searchParams.get('offset') ?? 0)),
  )
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
})
afterAll(() => app.app.close())
beforeEach(async () => {
  beforePage = () => {}
  directory = mkdtempSync(join(tmpdir(), 'greenroom-vip-users-'))
  tenant = await Tenant.create(app)
  workspace = await tenant.workspace()
  channel = await tenant.channel([workspace])
})
afterEach(() => rmSync(directory, { recursive: true }))

const env = (): Record<string, string> => ({
  GREENROOM_URL: url,
  GREENROOM_KEY: tenant.key.id,
  GREENROOM_SECRET: tenant.key.secret,
})
const from = (): string[] => ['--workspace', workspace, '--channel', channel]

async function run(code: number, argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const result = await greenroom(argv, { clock: app.clock, env: env(), ...surroundings })
  expect(result.code, `${argv.join(' ')}: ${result.stderr}`).toBe(code)
  return result
}

const idOf = (index: number): string => `c${String(index).padStart(4, '0')}`

/** Imports this many conversations. The first has the highest value. */
async function fill(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => idOf(index))
  await tenant.conversations(
    channel,
    ids.map((id, index) => ({ id, lifetime_value: count - index, user_name: `user ${index}`, birthday: '--05-17' })),
  )
  return ids
}

const ndjsonIds = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).conversationId)

describe('vip-users list', () => {
  test('shows one page and how to continue', async () => {
    const ids = await fill(5)
    await tenant.markVips(workspace, channel, ids.slice(0, 4))
    const list = ['vip-users', 'list', ...from()]
    const { stdout, stderr } = await run(0, [...list, '--limit', '2', '--offset', '1'])
    expect(JSON.parse(stdout).map((user: { conversationId: string }) => user.conversationId)).toEqual(ids.slice(1, 3))
    expect(stderr).toBe('2 to 3 of 4: continue with --offset 3, or export them all.\n')
    expect(JSON.parse((await run(0, [...list, '--scope', 'all'])).stdout)).toHaveLength(5)
    expect(JSON.parse((await run(0, [...list, '--birthday-month', '6'])).stdout)).toEqual([])
    expect(JSON.parse((await run(0, [...list, '--compact', '--limit', '1'])).stdout)).toEqual([
      { conversationId: ids[0], cuid: `cu_${ids[0]}`, birthday: '--05-17' },
    ])
  })

  test('is a table on a terminal whose columns align in any script', async () => {
    await tenant.conversations(channel, [
      { id: 'a', lifetime_value: 3, user_name: '喫茶店 👩‍🚀', birthday: '1990-01-02' },
      { id: 'b', lifetime_value: 2, user_name: 'x\u001b[2J\u009b1m\u202ey', birthday: '--05-17' },
    ])
    const { stdout } = await run(0, ['vip-users', 'list', ...from(), '--scope', 'all'], { terminal: 'both' })
    expect(stdout.split('\n')).toEqual([
      'conversationId  userName    name  birthday    lastPurchase',
      'a               喫茶店 👩‍🚀   -     1990-01-02  -',
      'b               x [2J 1m y  -     --05-17     -',
      '',
    ])
  })

  test('an invalid number is wrong usage, and so is an empty id', async () => {
    expect((await run(2, ['vip-users', 'list', ...from(), '--limit', 'ten'])).stderr).toContain('whole number')
    expect((await run(2, ['vip-users', 'list', '--workspace', '', '--channel', 'c'])).stderr).toBe('An id is empty.\n')
    expect((await run(1, ['vip-users', 'list', ...from(), '--limit', '0'])).stderr).toContain('422 validation_failed')
  })
})

describe('vip-users export', () => {
  const exporting = (...argv: string[]): string[] => ['vip-users', 'export', ...from(), '--scope', 'all', ...argv]

  test('returns every row of all pages once, in order, in each format', async () => {
    const ids = await fill(450)
    const json = await run(0, exporting())
    expect(JSON.parse(json.stdout).map((user: { conversationId: string }) => user.conversationId)).toEqual(ids)
    const ndjson = await run(0, exporting('--ndjson'))
    expect(ndjsonIds(ndjson.stdout)).toEqual(ids)
    const csv = await run(0, exporting('--csv'))
    expect(parse(csv.stdout, { columns: true })).toEqual(
      ids.map((id, index) => ({
        conversationId: id,
        userName: `user ${index}`,
        firstName: '',
        lastName: '',
        cuid: `cu_${id}`,
        profilePic: '',
        birthday: '--05-17',
        lastPurchaseTimestamp: '',
        lastUserMessageTimestamp: '',
        lastAppOpenTimestamp: '',
      })),
    )
    expect(json.stderr + ndjson.stderr + csv.stderr).toBe('')
    expect((await run(0, exporting('--csv', '--compact'))).stdout).toMatch(/^conversationId,cuid,birthday\r\nc0000,/)
    expect((await run(2, exporting('--csv', '--ndjson'))).stderr).toContain('cannot be used with')
  })

  test('is an empty list without users', async () => {
    expect((await run(0, exporting())).stdout).toBe('[]\n')
    expect((await run(0, exporting('--ndjson'))).stdout).toBe('')
    expect((await run(0, exporting('--csv', '--compact'))).stdout).toBe('conversationId,cuid,birthday\r\n')
  })

  test('says if the audience changed between its pages, and only then', async () => {
    await fill(450)
    beforePage = async (offset) => {
      if (offset === 200) await tenant.conversations(channel, [{ id: 'new', lifetime_value: 10_000 }])
    }
    expect((await run(0, exporting('--ndjson'))).stderr).toContain('may have changed during the export')
    beforePage = () => {}
    expect((await run(0, exporting('--ndjson'))).stderr).toBe('')
  })

  test('shows its progress only on a terminal', async () => {
    await fill(450)
    const shown = await run(0, exporting('--ndjson'), { terminal: 'stderr' })
    expect(shown.stderr).toContain('█ 450 of 450 users')
    // Progress would break up the rows on the same terminal.
    expect((await run(0, exporting('--ndjson'), { terminal: 'both' })).stderr).toBe('')
  })

  test('requests no more pages than its reader takes', async () => {
    await fill(450)
    let pages = 0
    const server = await listen((_request, response) => {
      pages++
      response.end(JSON.stringify(endlessPage(pages * 200)))
    })
    let go: (() => void) | undefined
    const stalled = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        go = done
      },
    })
    const running = runCli(exporting('--ndjson'), {
      stdin: Readable.from([]),
      stdout: stalled,
      stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
      clock: app.clock,
      env: { ...env(), GREENROOM_URL: server.url },
    })
    // A page has 200 rows. After half of the first page, no row of the second is needed.
    for (let rows = 0; rows < 100; rows++) {
      while (go === undefined) await new Promise(setImmediate)
      const next = go
      go = undefined
      next()
    }
    expect(pages).toBe(1)
    stalled.destroy(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    expect(pages).toBe(1)
  })

  describe('--output', () => {
    test('takes the format from the extension by default', async () => {
      const ids = await fill(3)
      const file = (name: string): string => join(directory, name)
      for (const name of ['a.csv', 'a.json', 'a.ndjson', 'a.JSONL', 'a.txt']) {
        expect((await run(0, exporting('--output', file(name)))).stdout).toBe('')
      }
      await run(0, exporting('--ndjson', '--output', file('b.csv')))
      const read = (name: string): string => readFileSync(file(name), 'utf8')
      expect(parse(read('a.csv'), { columns: true })).toHaveLength(3)
      for (const name of ['a.json', 'a.txt']) expect(JSON.parse(read(name))).toHaveLength(3)
      for (const name of ['a.ndjson', 'a.JSONL', 'b.csv']) expect(ndjsonIds(read(name))).toEqual(ids)
      expect(readdirSync(directory).filter((name) => name.includes('partial'))).toEqual([])
    })

    test('keeps the file behind a link, and its mode', async () => {
      await fill(1)
      const file = join(directory, 'fans.csv')
      const link = join(directory, 'link.csv')
      writeFileSync(file, 'old')
      chmodSync(file, 0o600)
      symlinkSync(file, link)
      await run(0, exporting('--output', link))
      expect(readFileSync(file, 'utf8')).toContain('c0000')
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })

    test('keeps the old file and leaves no partial one if a page fails', async () => {
      await fill(450)
      const file = join(directory, 'fans.csv')
      writeFileSync(file, 'old')
      beforePage = async (offset) => {
        if (offset === 200) throw new Error('the disk of the server is on fire')
      }
      expect((await run(1, exporting('--output', file))).stderr).toContain('(500 ')
      expect(readFileSync(file, 'utf8')).toBe('old')
      expect(readdirSync(directory)).toEqual(['fans.csv'])
    })

    test('explains why a place cannot be written', async () => {
      await fill(1)
      const to = async (path: string): Promise<string> => (await run(2, exporting('--output', path))).stderr
      expect(await to(join(directory, 'none', 'a.csv'))).toMatch(/a\.csv cannot be written: there is no such file or/)
      mkdirSync(join(directory, 'folder'))
      expect(await to(join(directory, 'folder'))).toMatch(/folder cannot be written: it is a directory\.\n$/)
      expect(await to('/dev/null')).toBe('/dev/null is not a regular file: redirect the output to it instead.\n')
    })

    test.skipIf(process.platform === 'win32')('a signal ends it as usual, and leaves no partial file', async () => {
      const server = await listen((request, response) => {
        // The second page never arrives.
        if (request.url!.includes('offset=0')) response.end(JSON.stringify(endlessPage(200)))
        else child.process.kill('SIGINT')
      })
      const child = startChild(
        new URL('../main.ts', import.meta.url),
        exporting('--output', join(directory, 'a.csv')),
        {
          ...env(),
          HOME: directory,
          GREENROOM_URL: server.url,
        },
      )
      onTestFinished(() => void child.process.kill('SIGKILL'))
      expect(await child.ended).toBe('SIGINT')
      expect(readdirSync(directory)).toEqual([])
    })
  })

  test.skipIf(process.platform === 'win32')('ends silently when its reader stops', async () => {
    await fill(1)
    const server = await listen((_request, response) => response.end(JSON.stringify(endlessPage(++pages * 200))))
    let pages = 0
    const child = startChild(new URL('../main.ts', import.meta.url), exporting('--ndjson'), {
      ...env(),
      HOME: directory,
      GREENROOM_URL: server.url,
    })
    onTestFinished(() => void child.process.kill('SIGKILL'))
    for await (const line of child.lines) {
      expect(JSON.parse(line)).toHaveProperty('conversationId')
      break
    }
    child.process.stdout.destroy()
    // This is 128 plus SIGPIPE, as for any program.
    expect(await child.ended).toBe(141)
    expect(child.errors()).toBe('')
  })
})

/** Returns a page of 200 users that ends at `end` and is not the last. */
function endlessPage(end: number): object {
  const items = Array.from({ length: 200 }, (_, index) => ({ conversationId: idOf(end - 200 + index), cuid: 'cu' }))
  return { items, returned: 200, total: 1_000_000, mayHaveMore: true, nextOffset: end, scanCapped: false }
}

async function listen(listener: RequestListener): Promise<{ url: string }> {
  const server: Server = http.createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
