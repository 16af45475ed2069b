import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest'
import { type Child, startChild } from '../test/child.js'
import { canMount, findContainer } from '../test/tools.js'
import { openPglite } from './database/pglite/pglite.js'

const MAIN = new URL('main.ts', import.meta.url)
const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-main-'))

const children: Child[] = []
afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.splice(0).map(({ ended }) => ended))
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

function start(command: string | string[], env: Record<string, string> = {}, through: string[] = []): Child {
  // An empty variable counts as not set.
  const clean = { DATABASE_URL: '', MASTER_KEY: '', OPERATOR_TOKEN: '', HOST: '', LOG_LEVEL: '', STOP_TIMEOUT_MS: '' }
  const child = startChild(MAIN, [command].flat(), { ...clean, DATA_DIR: dataDir, PORT: '0', ...env }, through)
  children.push(child)
  return child
}

/** The URL in the line that says where the server listens. */
async function listening(child: Child): Promise<string> {
  for await (const line of child.lines) {
    const url = /Greenroom listens at (http:\S+?)"/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`it never listened: ${child.errors()}`)
}

test('serve says where it listens, keeps its data directory to itself, and stops at SIGTERM with exit code 0', async () => {
  const server = start('serve')
  const url = await listening(server)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  const second = start('serve')
  expect(await second.ended).toBe(1)
  expect(second.errors()).toMatch(new RegExp(`^The data directory is in use by process ${server.process.pid}: .+\n$`))

  server.process.kill('SIGTERM')
  expect(await server.ended).toBe(0)
  // Output that is not a terminal is a log, which keeps what is printed.
  expect(server.errors()).toMatch(
    /^No one has an account yet\. Set OPERATOR_TOKEN .+`greenroom users invite-owner` prints the link .+\n$/,
  )
  expect(server.errors()).not.toContain('#invitation=')
})

test('--role publisher and --role worker serve health but no API; --role api has no publisher', async () => {
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status
  const publisher = start(['serve', '--role', 'publisher'], { OPERATOR_TOKEN: 'x'.repeat(16) })
  const publisherUrl = await listening(publisher)
  expect(await (await fetch(`${publisherUrl}/readyz`)).json()).toMatchObject({ status: 'ready', publisher: {} })
  expect(await (await fetch(`${publisherUrl}/metrics`)).text()).toContain('greenroom_scheduled_posts{status="DRAFT"} 0')
  expect(await statusOf(`${publisherUrl}/v1/workspaces`)).toBe(404)
  expect(await statusOf(`${publisherUrl}/api/organizations`)).toBe(404)
  publisher.process.kill('SIGTERM')
  expect(await publisher.ended).toBe(0)

  const api = start(['serve', '--role', 'api'])
  const apiUrl = await listening(api)
  expect(await (await fetch(`${apiUrl}/readyz`)).json()).not.toHaveProperty('publisher')
  expect(await statusOf(`${apiUrl}/v1/workspaces`)).toBe(400)
  api.process.kill('SIGTERM')
  expect(await api.ended).toBe(0)

  const worker = start(['serve', '--role', 'worker'], { OPERATOR_TOKEN: 'x'.repeat(16) })
  const workerUrl = await listening(worker)
  expect(await (await fetch(`${workerUrl}/readyz`)).json()).not.toHaveProperty('publisher')
  expect(await statusOf(`${workerUrl}/v1/workspaces`)).toBe(404)
  worker.process.kill('SIGTERM')
  expect(await worker.ended).toBe(0)

  const neither = start(['serve', '--role', 'cook'])
  expect(await neither.ended).toBe(2)
  expect(neither.errors()).toContain('Allowed choices are api, publisher, worker.')
})

test('serve reports every mistake of its configuration and exits with 2', async () => {
  const child = start('serve', { PORT: 'no', LOG_LEVEL: 'loud' })
  expect(await child.ended).toBe(2)
  expect(child.errors()).toMatch(
    /^The configuration is invalid:\n {2}- PORT must [^\n]{1,200}\n {2}- LOG_LEVEL must [^\n]{1,200}\n$/,
  )
})

test('if two processes start for the first time together, one serves, and there is one master key', async () => {
  const isolated = findContainer() ?? []
  // Each runs as the first process of a container with the same host name, so neither sees the other.
  const through = isolated.length === 0 ? [] : [...isolated, 'sh', '-c', 'hostname web && exec "$@"', 'sh']
  const servers = [start('serve', {}, through), start('serve', {}, through)]
  const results = await Promise.all(
    servers.map((server) => Promise.race([listening(server).catch(() => ''), server.ended])),
  )
  expect(results.filter((result) => String(result).startsWith('http'))).toHaveLength(1)
  const loser = servers[results.findIndex((result) => !String(result).startsWith('http'))]!
  expect(await loser.ended).toBe(1)
  expect(loser.errors()).toMatch(/^The data directory is in use by process \d+: .+\n$/)
  expect(readdirSync(dataDir).toSorted()).toEqual(['database', 'database.lock', 'master.key'])
})

test.each([
  ['a parent directory that is a file', join('file', 'data'), 'a part of its path is a file'],
  ['a file', 'file', 'it is a file'],
])('an unusable DATA_DIR (%s) is reported in one sentence, with exit code 1', async (_what, path, reason) => {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'file'), '')
  const child = start('serve', { DATA_DIR: join(dataDir, path) })
  expect(await child.ended).toBe(1)
  expect(child.errors()).toBe(`DATA_DIR ${join(dataDir, path)} cannot be used: ${reason}: set another DATA_DIR.\n`)
})

test.runIf(canMount())(
  'a full disk, a read-only disk and a directory of another user are each reported in one sentence',
  async () => {
    const mounted = join(dataDir, 'mounted')
    mkdirSync(mounted, { recursive: true })
    const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mounted])
    const problem = async (path: string, through: string[] = []): Promise<string> => {
      const child = start('serve', { DATA_DIR: path }, through)
      expect(await child.ended).toBe(1)
      return child.errors()
    }
    for (const [options, path, reason] of [
      // A new database does not fit.
      ['size=8m', 'data', 'its disk is full: free some space there'],
      ['ro', 'data', 'its disk is read-only: mount it for writing'],
      ['ro', '', 'its disk is read-only: mount it for writing'],
    ] as const) {
      mount(options)
      try {
        const at = join(mounted, path)
        expect(await problem(at)).toBe(`DATA_DIR ${at} cannot be used: ${reason}, or set another DATA_DIR.\n`)
        // Nothing remains that would keep the disk full.
        if (options !== 'ro') expect(existsSync(join(at, 'database.new'))).toBe(false)
      } finally {
        execFileSync('umount', [mounted])
      }
    }
    const owned = mkdtempSync(join(tmpdir(), 'greenroom-owned-'))
    onTestFinished(() => rmSync(owned, { recursive: true }))
    const refused = `DATA_DIR ${owned} cannot be used: this user may not read and write there: chown it to the user that runs the service, or set another DATA_DIR.\n`
    const another = ['setpriv', '--reuid=65534', '--clear-groups']
    expect(await problem(owned, another)).toBe(refused)
    // The user owns the directory but not the database in it.
    mkdirSync(join(owned, 'database'))
    chmodSync(owned, 0o777)
    expect(await problem(owned, another)).toBe(refused)
  },
)

test.runIf(existsSync('/dev/full'))('output to a full disk is reported in one sentence, with exit code 1', async () => {
  const child = start('openapi', {}, ['sh', '-c', 'exec "$@" > /dev/full', 'sh'])
  expect(await child.ended).toBe(1)
  expect(child.errors()).toBe('The output cannot be written: the disk is full.\n')
})

test('an unexpected error, at a start or in another command, is one line without source code', async () => {
  const broken = join(dataDir, 'broken')
  const database = await openPglite({ dataDir: broken })
  await database.execute('create table installation (id int primary key)')
  await database.close()
  for (const [command, line] of [
    ['serve', 'The service cannot start: column "purpose" does not exist.\n'],
    [['move', '--to', join(dataDir, 'nowhere')], 'greenroom failed: relation "migrations" does not exist.\n'],
  ] as const) {
    const child = start([command].flat(), { DATA_DIR: broken })
    expect(await child.ended).toBe(1)
    expect(child.errors()).toBe(line)
  }
})

test('openapi prints the document', async () => {
  const child = start('openapi')
  let printed = ''
  for await (const line of child.lines) printed += `${line}\n`
  expect(await child.ended).toBe(0)
  expect(JSON.parse(printed)).toMatchObject({ openapi: '3.1.0', info: { title: 'Greenroom' } })
})
