import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CliRun, greenroom, makeIo } from '../../test/cli.js'
import { CliStage } from '../../test/cli-stage.js'
import { Member, OPERATOR_TOKEN, Tenant } from '../../test/harness.js'
import { addLocalCommands } from '../local-commands/local-commands.js'
import { runCli } from './cli.js'

const stage = new CliStage()
let home: string
let file: string
let tenant: Tenant
let person: Member
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'greenroom-login-'))
  file = join(home, 'profiles.json')
  tenant = await Tenant.create(stage.app)
  person = await Member.create(stage.app, { organizationId: tenant.organizationId, role: 'EDITOR' })
})
afterEach(() => rmSync(home, { recursive: true }))

const kept = () => JSON.parse(readFileSync(file, 'utf8'))
const env = (): Record<string, string> => ({ GREENROOM_PROFILES_FILE: file, GREENROOM_URL: stage.url })
const run = async (code: number, ...argv: string[]): Promise<CliRun> => {
  const result = await greenroom(argv, { env: env(), clock: stage.app.clock })
  expect(result.code, result.stderr).toBe(code)
  return result
}

/** Runs `greenroom login`. `act` does what the person does before the command polls a second time. */
async function login(code: number, act: (userCode: string) => Promise<unknown>, ...argv: string[]): Promise<CliRun> {
  let asked = 0
  const io = {
    ...makeIo({ env: env(), clock: stage.app.clock }),
    wait: async (ms: number) => {
      stage.app.clock.advance(ms)
      asked += 1
      const userCode = /#code=([A-Z-]{9})/.exec(io.stderr.text)![1]!
      if (asked === 2) await act(userCode)
    },
  }
  const found = await runCli(['login', ...argv], io, addLocalCommands)
  expect(found, io.stderr.text).toBe(code)
  return { code: found, stdout: io.stdout.text, stderr: io.stderr.text }
}

const allow =
  (...scopes: string[]) =>
  (userCode: string): Promise<unknown> =>
    person.call(200, 'POST', '/me/device-login/allow', { body: { userCode, scopes } })

describe('greenroom login', () => {
  test('shows an address and a code, waits, and stores the token where only its user can read it', async () => {
    const { stdout, stderr } = await login(0, allow('posts:read', 'posts:write'), '--name', 'Laptop')
    expect(stderr).toMatch(/^Open http:\/\/127\.0\.0\.1:\d+\/device#code=[A-Z]{4}-[A-Z]{4} in a browser/)
    expect(JSON.parse(stdout)).toEqual({
      profile: 'default',
      id: expect.stringMatching(/^tok_/),
      name: 'Laptop',
      scopes: ['posts:read', 'posts:write'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    })
    const { token } = kept().profiles.default
    expect(token).toMatch(/^greenroom_personal_/)
    expect(kept()).toEqual({ current: 'default', profiles: { default: { url: stage.url, token } } })
    expect(stdout + stderr).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('lets the commands of /api call as the person, within the scopes, and whoami says so', async () => {
    await login(0, allow('posts:read', 'channels:read'), '--name', 'Laptop', '--scopes', 'posts:read, channels:read')
    const { organizationId } = tenant
    expect(JSON.parse((await run(0, 'whoami')).stdout)).toEqual({
      type: 'user',
      id: person.id,
      permissions: ['posts:read', 'channels:read', 'self'],
      token: { id: expect.any(String), name: 'Laptop', expiresAt: expect.any(String) },
      organizations: [{ id: organizationId, name: expect.any(String) }],
    })
    await run(0, 'workspaces', 'list', organizationId)
    expect((await run(1, 'workspaces', 'create', organizationId, 'A', '--type', 'VIP')).stderr).toContain(
      'settings:write',
    )
    const { stdout } = await run(0, 'call', 'GET', `/api/organizations/${organizationId}/scheduled-posts`)
    expect(JSON.parse(stdout)).toMatchObject({ items: [] })
  })

  test('sends the server what it requests, and informs its user of a refusal', async () => {
    let seen: unknown
    const refuse = async (userCode: string): Promise<void> => {
      seen = (await person.call(200, 'POST', '/me/device-login/read', { body: { userCode } })).body
      await person.call(200, 'POST', '/me/device-login/refuse', { body: { userCode } })
    }
    const { stderr } = await login(1, refuse, '--name', 'Laptop', '--scopes', 'posts:read')
    expect(seen).toMatchObject({ name: 'Laptop', scopes: ['posts:read'] })
    expect(stderr).toContain('access_denied')
    expect(() => kept()).toThrow('ENOENT')
  })

  test('ends after ten minutes without a response', async () => {
    expect((await login(1, async () => {})).stderr).toContain('expired_token')
  })

  test('keeps the other fields of the profile, and says which token takes precedence', async () => {
    await greenroom(['profiles', 'add', 'acme', '--url', stage.url, '--operator'], {
      env: env(),
      stdin: OPERATOR_TOKEN,
    })
    const { stderr } = await login(0, allow('posts:read'))
    expect(kept().profiles.acme).toEqual({ url: stage.url, operatorToken: OPERATOR_TOKEN, token: expect.any(String) })
    expect(stderr).toContain('has an operator token, which is used instead of this one')
    expect(JSON.parse((await run(0, 'profiles', 'list')).stdout)).toEqual([
      { name: 'acme', current: true, url: stage.url, operator: true, token: true },
    ])
  })

  test("never sends a login to a server other than the profile's, and requests only existing scopes", async () => {
    await greenroom(['profiles', 'add', 'acme', '--url', 'http://127.0.0.1:1'], { env: env() })
    expect((await run(2, 'login')).stderr).toContain('is for http://127.0.0.1:1')
    expect((await run(2, 'login', '--profile', 'other', '--scopes', 'posts:approve')).stderr).toContain(
      'There is no scope posts:approve',
    )
    expect((await run(2, 'login', '--profile', '../a')).stderr).toContain('The name of a profile')
  })
})

describe('greenroom logout', () => {
  test('revokes the token and deletes it', async () => {
    await login(0, allow('posts:read'))
    const { token } = kept().profiles.default
    expect((await run(0, 'logout')).stderr).toContain('revoked')
    expect(kept()).toEqual({ current: 'default', profiles: { default: { url: stage.url } } })
    const headers = { authorization: `Bearer ${token}` }
    expect((await stage.app.app.inject({ url: '/api/whoami', headers })).statusCode).toBe(401)
    expect((await run(2, 'logout')).stderr).toContain('has no token')
  })

  test('deletes a token that was revoked elsewhere, and keeps it while the server is unavailable', async () => {
    await login(0, allow('posts:read'))
    await person.call(200, 'DELETE', '/me/sessions')
    expect((await run(0, 'logout')).stderr).toContain('had already ended')
    await person.signInAgain()
    await login(0, allow('posts:read'))
    const { token } = kept().profiles.default
    writeFileSync(file, readFileSync(file, 'utf8').replace(stage.url, 'http://127.0.0.1:1'))
    await run(3, 'logout')
    expect(kept().profiles.default.token).toBe(token)
  })
})
