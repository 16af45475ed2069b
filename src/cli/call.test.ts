import { describe, expect, test } from 'vitest'
import { type CliSurroundings, greenroom } from '../../test/cli.js'
import { CliStage } from '../../test/cli-stage.js'
import { issueTestKey, OPERATOR_TOKEN, randomDigits, Tenant } from '../../test/harness.js'

const stage = new CliStage()
const { run, json, file } = stage

describe('call', () => {
  test('sends the current form to /v1, the earlier one to /v0, the token to /api', async () => {
    const tenant = await Tenant.create(stage.app)
    const workspaceId = await tenant.workspace()
    const channelId = await tenant.channel([workspaceId])
    const env = { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret }
    const audience = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`
    for (const argv of [['/workspaces'], ['/v1/workspaces'], [audience, '--earlier'], [`/v0${audience}`]]) {
      await run(0, ['call', 'GET', ...argv], { env })
    }
    await run(0, ['call', 'get', '/api/organizations'], { env })
    expect((await run(2, ['call', 'GET', '/v1/workspaces', '--earlier'], { env })).stderr).toContain('/v1')
    expect((await run(2, ['call', 'GET', 'workspaces'], { env })).stderr).toContain('must begin with a slash')
    expect((await run(2, ['call', 'GE T', '/workspaces'], { env })).stderr).toContain('METHOD')
    expect((await run(2, ['call', 'TRACE', '/workspaces'], { env })).stderr).toContain('METHOD')
    expect((await run(2, ['call', 'GET', '/workspaces', '--data', '{}'], { env })).stderr).toContain('no body')
  })

  test('accepts a body from the argument, a file or stdin', async () => {
    const name = (): string => `Org ${randomDigits(9)}`
    for (const from of ['argument', 'file', 'stdin']) {
      const body = JSON.stringify({ name: name() })
      const data = from === 'argument' ? body : from === 'file' ? `@${file('body.json', body)}` : '-'
      const argv = ['call', 'POST', '/api/organizations', '--data', data]
      expect(await json(argv, { stdin: body })).toMatchObject(JSON.parse(body))
    }
    const argv = ['call', 'POST', '/api/organizations', '--data', '@/nowhere/body.json']
    expect((await run(2, argv)).stderr).toContain('there is no such file')
  })

  test('prints the body as received without a terminal, and with line breaks on one', async () => {
    const tenant = await Tenant.create(stage.app)
    await tenant.workspace('VIP', 'Paris')
    const env = { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret }
    const { stdout } = await run(0, ['call', 'GET', '/workspaces'], { env })
    const shown = await run(0, ['call', 'GET', '/workspaces'], { env, terminal: 'both' })
    expect(stdout).toBe(JSON.stringify(JSON.parse(stdout)))
    expect(shown.stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`)
  })

  test('an error prints its body, and status, code and request id on stderr; the exit code is 1', async () => {
    const tenant = await Tenant.create(stage.app)
    const env = { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: 'f'.repeat(64) }
    const { stdout, stderr } = await run(1, ['call', 'GET', '/workspaces'], { env })
    expect(JSON.parse(stdout)).toEqual({ message: expect.stringContaining('signature') })
    expect(stderr).toMatch(/^403 signature_invalid, request req_\S+\n$/)
    expect(stdout + stderr).not.toContain('f'.repeat(64))
  })

  test('a missing key is requested by its variable', async () => {
    const missing = `Set GREENROOM_KEY and GREENROOM_SECRET for ${stage.url}: `
    expect((await run(2, ['call', 'GET', '/workspaces'])).stderr.startsWith(missing)).toBe(true)
    const env = { GREENROOM_KEY: 'key_x' }
    expect((await run(2, ['call', 'GET', '/workspaces'], { env })).stderr).toMatch(/^Set GREENROOM_SECRET for http/)
  })

  test("a missing key beside a demo: the message has the intended server and the demo's ids", async () => {
    const demo = {
      baseUrl: `${stage.url}/v1`,
      operatorToken: OPERATOR_TOKEN,
      organizationId: 'org_d',
      key: { id: 'key_d' },
    }
    file('demo.json', JSON.stringify({ ...demo, key: { ...demo.key, secret: 'the secret of the demo' } }))
    const env = { DATA_DIR: stage.directory, GREENROOM_URL: 'http://127.0.0.1:1' }
    const { code, stderr } = await greenroom(['call', 'GET', '/workspaces'], { env, clock: stage.app.clock })
    expect(code).toBe(2)
    expect(stderr).toContain('Set GREENROOM_KEY and GREENROOM_SECRET for http://127.0.0.1:1: ')
    expect(stderr).toContain('with the organization org_d and the key key_d')
    expect(stderr).not.toContain('the secret of the demo')
    file('demo.json', '{"key": 5')
    expect((await greenroom(['call', 'GET', '/workspaces'], { env, clock: stage.app.clock })).stderr).not.toContain(
      'demo',
    )
  })

  test("the demo's settings are used only if none is set", async () => {
    const tenant = await Tenant.create(stage.app)
    const key = await issueTestKey(stage.app, tenant.organizationId)
    const demo = { baseUrl: `${stage.url}/v1`, operatorToken: OPERATOR_TOKEN, key }
    file('demo.json', JSON.stringify(demo))
    const surroundings = (env = {}): CliSurroundings => ({
      env: { DATA_DIR: stage.directory, ...env },
      clock: stage.app.clock,
    })
    expect(await greenroom(['call', 'GET', '/workspaces'], surroundings())).toMatchObject({ code: 0, stdout: '[]' })
    expect(await greenroom(['organizations', 'list'], surroundings())).toMatchObject({ code: 0 })
    expect(await greenroom(['organizations', 'list'], surroundings({ GREENROOM_URL: stage.url }))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `Set GREENROOM_OPERATOR_TOKEN to the OPERATOR_TOKEN of the server ${stage.url}, or`,
      ),
    })
    file('demo.json', '{"baseUrl":')
    expect(await greenroom(['organizations', 'list'], surroundings())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('start the demo again'),
    })
  })
})
