import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Child, startChild } from './child.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from './test-database.js'

const MAIN = new URL('../src/main.ts', import.meta.url)
const PAGES_MAX = 50

/** What of demo.json is needed to ask for all that the demo holds. */
interface Demo {
  baseUrl: string
  operatorToken: string
  organizationId: string
  workspaceId: string
  channelId: string
  key: { id: string; secret: string }
}

/** The commands that docs/operations.md gives, on the demo: what it holds must be the same wherever it was carried. */
describe('the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-carried-'))
  const passphraseFile = join(folder, 'passphrase.txt')
  const passphrase = ['--passphrase-file', passphraseFile]
  const backup = join(folder, 'demo.backup')
  let demo: Demo
  let post: string
  let restored: string
  let before: Held
  const running: Child[] = []

  afterAll(async () => {
    for (const child of running) child.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a command to its end, and gives what it printed. */
  async function run(args: string[], env: Record<string, string>): Promise<string> {
    const child = startChild(MAIN, args, { LOG_LEVEL: 'silent', ...env })
    child.process.stdin.end()
    let printed = ''
    for await (const line of child.lines) printed += `${line}\n`
    expect([await child.ended, child.errors()]).toEqual([0, expect.any(String)])
    return printed
  }
  const call = (url: string): Record<string, string> => ({
    GREENROOM_URL: url,
    GREENROOM_KEY: demo.key.id,
    GREENROOM_SECRET: demo.key.secret,
    GREENROOM_OPERATOR_TOKEN: demo.operatorToken,
  })

  async function start(args: string[], env: Record<string, string>): Promise<{ child: Child; url: string }> {
    const child = startChild(MAIN, args, { PORT: '0', HOST: '127.0.0.1', ...env })
    running.push(child)
    for await (const line of child.lines) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(/^Ready at|listening/i.test(line) ? line : '') ?? []
      if (url !== undefined) return { child, url }
    }
    throw new Error(`it did not start: ${child.errors()}`)
  }
  async function stop({ child }: { child: Child }): Promise<void> {
    child.process.kill('SIGTERM')
    expect(await child.ended).toBe(0)
  }

  interface Held {
    people: unknown[]
    posts: unknown[]
    superpowers: unknown
    workspaces: unknown
    history: unknown
  }

  /** All that a caller can read of the demo's organization, over the interface. */
  async function held(url: string): Promise<Held> {
    const get = async (path: string) => JSON.parse(await run(['call', 'GET', path], call(url)))
    const people: unknown[] = []
    const { workspaceId, channelId } = demo
    for (let offset = 0; ; offset = people.length) {
      const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all&limit=5000&offset=${offset}`
      const { items } = await get(path)
      people.push(...items)
      if (items.length < 5000) break
    }
    const posts: unknown[] = []
    let cursor = ''
    for (let page = 0; page < PAGES_MAX; page++) {
      const answer = await get(`/scheduled-posts?limit=200${cursor}`)
      posts.push(...answer.items)
      if (!answer.mayHaveMore) break
      cursor = `&after=${encodeURIComponent(answer.nextCursor)}`
    }
    const history = JSON.parse(await run(['posts', 'history', demo.organizationId, post, '--json'], call(url)))
    return { people, posts, superpowers: await get('/superpowers'), workspaces: await get('/workspaces'), history }
  }

  /** Starts what answers and publishes nothing, asks it for everything, and stops it. */
  async function heldIn(env: Record<string, string>): Promise<Held> {
    const service = await start(['serve', '--role', 'api'], {
      OPERATOR_TOKEN: demo.operatorToken,
      EARLIER_VARIANT: 'on',
      MEDIA_DIR: join(folder, 'media'),
      // Asked for when a media of the demo is told of.
      PUBLIC_URL: new URL(demo.baseUrl).origin,
      ...env,
    })
    const found = await held(service.url)
    await stop(service)
    return found
  }

  beforeAll(async () => {
    writeFileSync(passphraseFile, 'words that no one guesses\n', { mode: 0o600 })
    const dataDir = join(folder, 'demo')
    const service = await start(['demo'], { DATA_DIR: dataDir })
    demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
    post = (
      await run(['posts', 'create', '--quiet', '--channel', `${demo.channelId}=Carried over 🏮`], call(service.url))
    ).trim()
    await run(['backup', backup, ...passphrase], call(service.url))
    await stop(service)
    expect(await run(['backup', 'verify', backup, ...passphrase], {})).toMatch(/opens/)
    restored = join(folder, 'restored')
    await run(['restore', backup, ...passphrase], { DATA_DIR: restored, MEDIA_DIR: join(folder, 'media') })
    before = await heldIn({ DATA_DIR: restored })
  }, 600_000)

  test('is backed up while it lives, and restored: its people, its posts and their history', () => {
    expect(before.people.length).toBeGreaterThan(100)
    expect(before.posts.length).toBeGreaterThan(10)
    expect(JSON.stringify(before.posts)).toContain('Carried over 🏮')
    expect(JSON.stringify(before.history)).toContain(post)
  })

  test.skipIf(TEST_DATABASE_URL === undefined)('is moved to PostgreSQL and back, and is the same', async () => {
    const url = await createEmptyDatabase('greenroom_carried')
    await run(['move', '--to', url], { DATA_DIR: restored })
    expect(await heldIn({ DATABASE_URL: url, MASTER_KEY_FILE: join(restored, 'master.key') })).toEqual(before)
    const back = join(folder, 'back')
    await run(['move', '--to', back], { DATABASE_URL: url, MASTER_KEY_FILE: join(restored, 'master.key') })
    expect(await heldIn({ DATA_DIR: back })).toEqual(before)
    // The sources are left as they were.
    expect(await heldIn({ DATA_DIR: restored })).toEqual(before)
  })
})
