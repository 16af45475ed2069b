import type { AddressInfo } from 'node:net'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { OPERATOR_TOKEN, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'

const ESCAPE = '\u001b'
const COLUMNS = 80

let app: TestApp
let tenant: Tenant
let channel: string
let workspace: string
let post: string
let env: Record<string, string>
beforeAll(async () => {
  app = await startTestApp()
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  tenant = await Tenant.create(app)
  workspace = await tenant.workspace('VIP', 'Paris, the one in Texas')
  channel = await tenant.channel([workspace], 'INSTAGRAM_ACCOUNT', 'Café Lumière, on the corner of the market')
  post = await insertPost(tenant, { ...publishable(channel), status: 'WAITING_FOR_APPROVAL' })
  await tenant.conversations(channel, [{ id: 'c1', user_name: 'a.very.long.name.of.a.user.who.likes.names' }])
  await tenant.markVips(workspace, channel, ['c1'])
  env = {
    GREENROOM_URL: `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`,
    GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN,
    GREENROOM_KEY: tenant.key.id,
    GREENROOM_SECRET: tenant.key.secret,
  }
})
afterAll(() => app.app.close())

async function run(argv: string[], { env: more, ...surroundings }: CliSurroundings = {}): Promise<CliRun> {
  const result = await greenroom(argv, {
    ...{ clock: app.clock, terminal: 'both', columns: COLUMNS, env: { ...env, ...more } },
    ...surroundings,
  })
  expect(result.code, result.stderr).toBe(0)
  return result
}

const tooWide = ({ stdout, stderr }: CliRun): string[] =>
  `${stdout}${stderr}`.split('\n').filter((line) => stringWidth(line) > COLUMNS)

/** Returns every command as its words. */
async function allCommands(): Promise<string[][]> {
  const found: string[][] = [[]]
  const walk = async (path: string[]): Promise<void> => {
    const { stdout } = await greenroom(['__complete', ...path, ''])
    for (const line of stdout.split('\n').slice(0, -1)) {
      const [word, meaning] = line.split('\t')
      if (meaning === undefined || word === 'help') continue
      found.push([...path, word!])
      if (path.length === 0) await walk([word!])
    }
  }
  await walk([])
  return found
}

describe('80 columns', () => {
  test('are enough for the help of every command', async () => {
    const commands = await allCommands()
    expect(commands.length).toBeGreaterThan(70)
    for (const path of commands) {
      const help = await run([...path, '--help'])
      expect(tooWide(help), path.join(' ')).toEqual([])
    }
  })

  const lists = (): string[][] => [
    ['organizations', 'list'],
    ['workspaces', 'list'],
    ['channels', 'list'],
    ['keys', 'list', tenant.organizationId],
    ['posts', 'list'],
    ['posts', 'get', post],
    ['users', 'list'],
    ['vip-users', 'list', '--workspace', workspace, '--channel', channel],
    ['audit', '--organization', tenant.organizationId],
    ['status'],
    ['whoami', '--operator'],
  ]

  test('are enough for every list and object, without an escape code on a dumb terminal', async () => {
    for (const argv of lists()) {
      const shown = await run(argv, { env: { TERM: 'dumb', NO_COLOR: '' } })
      expect(tooWide(shown), argv.join(' ')).toEqual([])
      expect(shown.stdout + shown.stderr, argv.join(' ')).not.toContain(ESCAPE)
    }
  })

  test('keep ids whole, cut words, and mark omissions', async () => {
    const { stdout, stderr } = await run(['posts', 'list'])
    expect(stdout).toContain(`${post}  WAITING_FOR_APPROVAL  `)
    expect(stdout).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\dZ +\S.*…\n$/)
    expect(stderr).toBe('Not shown because the terminal is too narrow: channels; --json has everything.\n')
    const wide = await run(['posts', 'list'], { columns: 200 })
    expect(wide.stdout).toMatch(/^id +status +scheduledFor +channels +caption$/m)
    expect(wide.stdout).not.toContain('…')
    expect(wide.stderr).toBe('')
  })

  test('are the default if nothing says how wide the terminal is, unless COLUMNS does', async () => {
    const widest = (text: string): number => Math.max(...text.split('\n').map((line) => stringWidth(line)))
    const help = async (COLUMNS: string): Promise<number> =>
      widest((await run(['posts', '--help'], { terminal: 'none', columns: 0, env: { COLUMNS } })).stdout)
    expect(await help('')).toBeLessThanOrEqual(80)
    expect(await help('80')).toBeGreaterThan(60)
    expect(await help('60')).toBeLessThanOrEqual(60)
    expect(await help('wide')).toBeLessThanOrEqual(80)
  })
})

describe('colours', () => {
  const post = (env: Record<string, string>, surroundings: CliSurroundings = {}): Promise<CliRun> =>
    run(['posts', 'list'], { env, ...surroundings })

  test('are for a terminal that has them; NO_COLOR turns them off, FORCE_COLOR on', async () => {
    const yellow = `${ESCAPE}[33mWAITING_FOR_APPROVAL${ESCAPE}[39m`
    expect((await post({ NO_COLOR: '' })).stdout).toContain(yellow)
    expect((await post({ NO_COLOR: '1' })).stdout).not.toContain(ESCAPE)
    expect((await post({ NO_COLOR: '', TERM: 'dumb' })).stdout).not.toContain(ESCAPE)
    expect((await post({ NO_COLOR: '1', TERM: 'dumb', FORCE_COLOR: '1' })).stdout).toContain(yellow)
    expect((await post({ NO_COLOR: '', FORCE_COLOR: '0' })).stdout).not.toContain(ESCAPE)
    expect(JSON.parse((await post({ FORCE_COLOR: '1' }, { terminal: 'none' })).stdout)).toHaveLength(1)
  })

  test('take no room: a table has the same layout with them', async () => {
    const codes = new RegExp(`${ESCAPE}\\[\\d+m`, 'g')
    const [coloured, plain] = [await post({ NO_COLOR: '' }), await post({ NO_COLOR: '1' })]
    expect(coloured.stdout.replaceAll(codes, '')).toBe(plain.stdout)
  })
})

describe('help', () => {
  test('for the words of a command is that of the command', async () => {
    const approve = await run(['help', 'posts', 'approve'])
    expect(approve.stdout).toBe((await run(['posts', 'approve', '--help'])).stdout)
    expect(approve.stdout).toContain('--if-match <etag>')
    expect((await run(['help', 'posts'])).stdout).toContain('approve [options] <organization> <post>')
    expect((await run(['help'])).stdout).toContain('Exit codes:')
  })

  test('for an unknown command lists the known words', async () => {
    const { code, stdout, stderr } = await greenroom(['help', 'posts', 'publish'])
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      'There is no command posts publish: greenroom help posts lists them.\n',
    ])
    expect((await greenroom(['help', 'nonsense'])).stderr).toBe(
      'There is no command nonsense: greenroom help lists them.\n',
    )
  })
})

describe('completion from the server', () => {
  const complete = async (words: string[], more: Record<string, string | undefined> = {}): Promise<CliRun> =>
    greenroom(['__complete', ...words], { clock: app.clock, env: { ...env, ...more } })

  test("offers ids with their names, of the given organization or the key's", async () => {
    const of = tenant.organizationId
    const offers: [string[], string][] = [
      [['channels', 'rename', of, ''], channel],
      [['channels', 'connect', of, channel, 'ws_'], workspace],
      [['vip-users', 'list', '--workspace', ''], workspace],
      [['vip-users', 'list', '--channel', '='], channel],
      [['conversations', 'import', 'a.csv', '--organization', of, '--channel', ''], channel],
      [['posts', 'list', '--channel', ''], channel],
      [['posts', 'get', post.slice(0, 8)], post],
      [['posts', 'approve', of, ''], post],
      [['organizations', 'rename', of.slice(0, 8)], of],
      [['help', 'posts', 'app'], 'approve'],
    ]
    for (const [words, offered] of offers) {
      const { stdout } = await complete(words)
      expect(
        stdout.split('\n').map((line) => line.split('\t')[0]),
        words.join(' '),
      ).toContain(offered)
    }
    expect((await complete(['posts', 'list', '--channel', ''])).stdout).toContain('\tCafé Lumière, on the corner')
  })

  test('is silent without a server, credentials or a response', async () => {
    const words = ['vip-users', 'list', '--channel', '']
    for (const more of [{ GREENROOM_URL: 'http://127.0.0.1:1' }, { GREENROOM_SECRET: '' }, { GREENROOM_KEY: 'none' }]) {
      expect(await complete(words, more)).toEqual({ code: 0, stdout: '', stderr: '' })
    }
  })
})
