import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { TestClock } from '../../test/harness.js'
import { readConfig } from '../config.js'
import type { Database } from '../database/database.js'
import { openPglite } from '../database/pglite/pglite.js'
import { type RunningServer, serve } from '../serve.js'
import { runDemo } from './demo.js'

const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-demo-'))
const demoFile = join(dataDir, 'demo.json')
const clock = new TestClock()
let server: RunningServer | undefined
afterAll(async () => {
  await server?.close()
  rmSync(dataDir, { recursive: true })
})

/** Starts the demo and gives what it says. */
async function start(): Promise<string> {
  const said: string[] = []
  const settings = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', PUBLISHER_INTERVAL_MS: '100' })
  server = await runDemo(settings, { say: (lines) => said.push(lines), clock })
  return said.join('\n')
}

async function run(argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await greenroom(argv, { env: { DATA_DIR: dataDir }, clock })
  expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0)
  return stdout.trim()
}

/** The commands that the demo shows, word by word as a shell would read them. */
const commandsIn = (text: string): string[][] =>
  [...text.replaceAll(/ \\\n\s*/g, ' ').matchAll(/npx greenroom (.+?)\)?$/gm)].map(([, line]) =>
    line!.match(/(?:'[^']*'|[^\s'])+/g)!.map((word) => word.replaceAll("'", '')),
  )

const statusesOfChannels = async (): Promise<string[]> =>
  JSON.parse(await run(['call', 'GET', '/channels'])).map(({ status }: { status: string }) => status)

test("the demo's calls take a post from draft to published a minute later, and its page shows it", async () => {
  const commands = commandsIn(await start())
  const demo = JSON.parse(readFileSync(demoFile, 'utf8'))
  let post = ''
  for (const argv of commands) {
    const said = await run(argv.map((word) => (word === '$post' ? post : word)))
    if (argv[0] === 'posts' && argv[1] === 'create') post = said
  }
  const verbs = commands.map(([command, verb]) => `${command} ${verb ?? ''}`.trim())
  expect(verbs).toEqual(expect.arrayContaining(['posts submit', 'posts approve', 'posts history', 'status']))
  const read = async () => JSON.parse(await run(['posts', 'get', post]))
  expect(await read()).toMatchObject({ status: 'SCHEDULED' })

  clock.advance(60_000)
  await vi.waitFor(async () => expect(await read()).toMatchObject({ status: 'PUBLISHED' }), { timeout: 15_000 })
  const page = await fetch(`${demo.sandboxUrl}/pages/${demo.channelId.replace('FB_PAGE_', '')}`)
  expect(await page.text()).toContain('Lanterns tonight at eight')
  const status = JSON.parse(await run(['status']))
  expect(status.publisher.published).toMatchObject({ count: 1 })
}, 60_000)

test('a later start finds its data and connects the channels, also those of a version that knew no page tokens', async () => {
  const { sandboxUrl, ...earlier } = JSON.parse(readFileSync(demoFile, 'utf8'))
  for (const channel of [earlier.channelId, earlier.largeChannelId]) {
    await run(['channels', 'disconnect-platform', earlier.organizationId, channel])
  }
  expect(await statusesOfChannels()).not.toContain('connected')
  await server!.close()
  writeFileSync(demoFile, JSON.stringify(earlier))
  await start()
  const { baseUrl, earlierBaseUrl, operatorUrl, ...later } = JSON.parse(readFileSync(demoFile, 'utf8'))
  expect({ ...earlier, ...later }).toEqual({ ...earlier, sandboxUrl: expect.stringMatching(/^http:/) })
  expect((await statusesOfChannels()).toSorted()).toEqual(['connected', 'connected', 'not-connected'])
}, 60_000)

test('a service refuses the data of the demo, and the demo those of a service, and changes nothing of them', async () => {
  await server!.close()
  server = undefined
  const env = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }
  await expect(serve(readConfig(env))).rejects.toThrow(
    `The database at DATA_DIR ${dataDir} holds the made-up data of the demo: set another DATA_DIR.`,
  )
  const database = await openPglite({ dataDir })
  await database.query("update installation set purpose = 'service'")
  const count = async (from: Database) => (await from.query('select count(*) from organizations')).rows
  const before = await count(database)
  await database.close()
  writeFileSync(demoFile, '{}')
  await expect(start()).rejects.toThrow('holds the data of a service, which a demo would mix with made-up data')
  expect(readFileSync(demoFile, 'utf8')).toBe('{}')
  const again = await openPglite({ dataDir })
  expect(await count(again)).toEqual(before)
  await again.close()
}, 60_000)
