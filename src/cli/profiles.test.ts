import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { OPERATOR_TOKEN, startTestApp, Tenant, type TestApp } from '../../test/harness.js'

let app: TestApp
let url: string
let tenant: Tenant
let home: string
let file: string
beforeAll(async () => {
  app = await startTestApp()
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  tenant = await Tenant.create(app)
  await tenant.workspace('VIP', 'Paris')
})
afterAll(() => app.app.close())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'greenroom-profiles-'))
  file = join(home, '.config', 'greenroom', 'profiles.json')
})
afterEach(() => rmSync(home, { recursive: true }))

async function run(code: number, argv: string[], { env, ...others }: CliSurroundings = {}): Promise<CliRun> {
  const result = await greenroom(argv, { clock: app.clock, env: { HOME: home, ...env }, ...others })
  expect(result.code, `${argv.join(' ')}: ${result.stderr}`).toBe(code)
  expect(result.stdout + result.stderr).not.toContain(tenant.key.secret)
  expect(result.stdout + result.stderr).not.toContain(OPERATOR_TOKEN)
  return result
}

const add = (name = 'acme'): Promise<CliRun> =>
  run(0, ['profiles', 'add', name, '--url', `${url}/`, '--key', tenant.key.id], { stdin: `${tenant.key.secret}\n` })

const listed = async (surroundings?: CliSurroundings): Promise<unknown> =>
  JSON.parse((await run(0, ['profiles', 'list'], surroundings)).stdout)

test('a profile has a server and credentials: the first is the current one, and only its owner can read the file', async () => {
  expect((await add()).stderr).toBe('acme is the current profile.\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(home, '.config', 'greenroom')).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(home, '.config', 'greenroom'))).toEqual(['profiles.json'])
  expect(JSON.parse((await run(0, ['workspaces', 'list'])).stdout)).toMatchObject([{ name: 'Paris' }])
  expect(await listed()).toEqual([
    { name: 'acme', current: true, url, key: tenant.key.id, operator: false, token: false },
  ])
})

test('secrets are read line by line from stdin, or requested one by one and not shown', async () => {
  const argv = ['profiles', 'add', 'acme', '--url', url, '--key', tenant.key.id, '--operator']
  await run(0, argv, { stdin: `${tenant.key.secret}\n${OPERATOR_TOKEN}\n` })
  await run(0, ['organizations', 'list'])
  await run(0, ['workspaces', 'list'])
  rmSync(file)
  const typed = Object.assign(Readable.from([`${tenant.key.secret}\r`, `${OPERATOR_TOKEN}\r`]), { isTTY: true })
  const { stdout, stderr } = await run(0, argv, { stdin: typed, terminal: 'both' })
  expect(stdout).toBe('')
  expect(stderr).toBe(`Secret of ${tenant.key.id}: \nOperator token: \nacme is the current profile.\n`)
  await run(0, ['organizations', 'list'])
  await run(0, ['workspaces', 'list'])
  const closed = Object.assign(Readable.from([`${tenant.key.secret}\r`]), { isTTY: true })
  expect((await run(2, argv, { stdin: closed })).stderr).toContain('No operator token was given.')
  expect((await run(2, argv, { stdin: tenant.key.secret })).stderr).toBe('The operator token is empty.\n')
})

test('adding an existing profile changes the given fields and keeps the rest', async () => {
  await add()
  await run(0, ['profiles', 'add', 'acme', '--operator'], { stdin: OPERATOR_TOKEN })
  expect(await listed()).toEqual([
    { name: 'acme', current: true, url, key: tenant.key.id, operator: true, token: false },
  ])
  await run(0, ['workspaces', 'list'])
  await run(0, ['organizations', 'list'])
})

test('--profile takes precedence over GREENROOM_PROFILE, and that over the current one', async () => {
  await add()
  expect((await run(0, ['profiles', 'add', 'lost', '--url', 'http://127.0.0.1:1'])).stderr).toContain(
    'profiles use lost',
  )
  const list = ['workspaces', 'list']
  await run(0, list)
  const lost = await run(2, list, { env: { GREENROOM_PROFILE: 'lost' } })
  expect(lost.stderr).toContain('(The profile lost does not have it.)')
  await run(0, [...list, '--profile', 'acme'], { env: { GREENROOM_PROFILE: 'lost' } })
  await run(0, ['profiles', 'use', 'lost'])
  await run(2, list)
  expect((await run(2, [...list, '--profile', 'none'])).stderr).toMatch(/^There is no profile none: /)
  expect((await run(2, [...list, '--profile', 'constructor'])).stderr).toMatch(/^There is no profile constructor: /)
})

test('each variable takes precedence over its field of the profile, and an unreachable server is reported with its origin', async () => {
  await add()
  const list = ['workspaces', 'list']
  expect((await run(1, list, { env: { GREENROOM_SECRET: 'wrong' } })).stderr).toContain('403 signature_invalid')
  await run(0, ['organizations', 'list'], { env: { GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  await run(0, ['profiles', 'add', 'acme', '--url', 'http://127.0.0.1:1'])
  expect((await run(3, list)).stderr).toContain('is the URL of the profile acme correct?')
})

test("a profile's credentials are not sent to another server in GREENROOM_URL", async () => {
  await add()
  await run(0, ['profiles', 'add', 'acme', '--operator'], { stdin: OPERATOR_TOKEN })
  const env = { GREENROOM_URL: 'http://127.0.0.1:1' }
  for (const list of [
    ['workspaces', 'list'],
    ['organizations', 'list'],
  ]) {
    expect((await run(2, list, { env })).stderr).toContain(
      `The credentials of the profile acme are only for ${url}, but`,
    )
    await run(0, list, { env: { GREENROOM_URL: `${url}/` } })
  }
  const given = { ...env, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
  expect((await run(3, ['organizations', 'list'], { env: given })).stderr).toContain('is GREENROOM_URL correct?')
})

test('the demo comes last', async () => {
  writeFileSync(
    join(home, 'demo.json'),
    JSON.stringify({ baseUrl: `${url}/v1`, operatorToken: OPERATOR_TOKEN, key: tenant.key }),
  )
  const env = { DATA_DIR: home }
  await run(0, ['workspaces', 'list'], { env })
  await run(0, ['profiles', 'add', 'acme', '--url', url])
  expect((await run(2, ['workspaces', 'list'], { env })).stderr).toContain('(The profile acme does not have it.)')
})

test('a removed profile is deleted with its secrets, and no other automatically becomes the current one', async () => {
  await add()
  await add('other')
  expect((await run(0, ['profiles', 'remove', 'acme', '--yes'])).stderr).toBe(
    'There is no current profile any longer.\n',
  )
  expect(await listed()).toMatchObject([{ name: 'other', current: false }])
  await run(0, ['profiles', 'remove', 'other', '--yes'])
  expect(readFileSync(file, 'utf8')).not.toContain(tenant.key.secret)
  expect((await run(2, ['profiles', 'remove', 'other', '--yes'])).stderr).toMatch(/^There is no profile other/)
})

test.skipIf(process.platform === 'win32')('a file that others can read is refused with a remedy', async () => {
  await add()
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode)
    const { stderr } = await run(2, ['workspaces', 'list'])
    expect(stderr).toBe(`${file} has secrets, and others can read or change it: run chmod 600 ${file}.\n`)
    await run(2, ['profiles', 'add', 'other', '--url', url])
  }
  chmodSync(file, 0o600)
  await run(0, ['workspaces', 'list'])
})

test.each([
  '',
  '{',
  '[]',
  '{"profiles":[]}',
  '{"profiles":{"a":{}}}',
  '{"profiles":{"a":{"url":"elsewhere"}}}',
  '{"profiles":{"a":{"url":"http://a","secret":1}}}',
  // These values cannot be part of a header.
  '{"profiles":{"a":{"url":"http://a","operatorToken":"a\\nb"}}}',
])('a file with %j is reported as invalid, and kept', async (content) => {
  await add()
  writeFileSync(file, content)
  expect((await run(2, ['profiles', 'add', 'other', '--url', url])).stderr).toContain('is not a valid profiles file')
  expect(readFileSync(file, 'utf8')).toBe(content)
})

test('the file is where XDG_CONFIG_HOME or GREENROOM_PROFILES_FILE says', async () => {
  const other = join(home, 'other.json')
  await run(0, ['profiles', 'add', 'acme', '--url', url], { env: { GREENROOM_PROFILES_FILE: other } })
  await run(0, ['profiles', 'add', 'acme', '--url', url], { env: { XDG_CONFIG_HOME: join(home, 'xdg') } })
  expect([other, join(home, 'xdg', 'greenroom', 'profiles.json'), file].map(existsSync)).toEqual([true, true, false])
  const { stderr } = await run(2, ['profiles', 'list'], { env: { HOME: '' } })
  expect(stderr).toContain('set GREENROOM_PROFILES_FILE')
})

test.each([
  [['__proto__', '--url', 'http://a'], 'The name of a profile'],
  [['a b', '--url', 'http://a'], 'The name of a profile'],
  [['acme'], 'Add the address of the server'],
  [['acme', '--url', 'http://user:pass@a'], '--url must be'],
  [['acme', '--url', 'http://a', '--key', 'a b'], '--key must be'],
])('profiles add %j is refused before anything is requested or stored', async (argv, message) => {
  expect((await run(2, ['profiles', 'add', ...argv])).stderr).toContain(message)
  expect(existsSync(file)).toBe(false)
})
