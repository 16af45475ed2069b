import { expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { Tenant } from '../../test/harness.js'

const stage = new CliStage()
const { run, json } = stage

const emptyOrganization = (): Promise<{ id: string }> => json(['organizations', 'create', 'Empty'])

test('a list is an aligned table on a terminal, JSON with --json or without a terminal', async () => {
  const tenant = await Tenant.create(stage.app)
  const standard = await tenant.workspace('STANDARD', '喫茶\u001b[31m店')
  const vip = await tenant.workspace('VIP', 'Paris')
  const list = ['workspaces', 'list', tenant.organizationId]
  const { stdout } = await run(0, list, { terminal: 'both' })
  const column = Math.max(standard.length, vip.length)
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      `${'id'.padEnd(column)}  type      name`,
      `${standard.padEnd(column)}  STANDARD  喫茶 [31m店`,
      `${vip.padEnd(column)}  VIP       Paris`,
    ]),
  )
  expect(JSON.parse((await run(0, [...list, '--json'], { terminal: 'both' })).stdout)).toHaveLength(2)
  expect(JSON.parse((await run(0, list)).stdout)).toHaveLength(2)
  expect((await run(0, ['keys', 'list', (await emptyOrganization()).id], { terminal: 'both' })).stdout).toBe(
    'There are no keys yet.\n',
  )
})

test('a new secret is shown once, with a sentence that says so', async () => {
  const { id } = await emptyOrganization()
  const onTerminal = await run(0, ['keys', 'issue', id], { terminal: 'both' })
  expect(onTerminal.stdout).toMatch(/^id +key_\S+\nsecret +greenroom_secret_[0-9a-f]{64}\nname +\n/)
  expect(onTerminal.stderr).toBe('Save the secret now: it is not shown again.\n')
  const piped = await run(0, ['keys', 'issue', id])
  expect(JSON.parse(piped.stdout).secret).toMatch(/^greenroom_secret_[0-9a-f]{64}$/)
  expect((await run(0, ['keys', 'list', id])).stdout).not.toContain(JSON.parse(piped.stdout).secret)
})

test('a key is issued with a name, permissions, an expiry, addresses and a limit', async () => {
  const { id } = await emptyOrganization()
  const issued = await json([
    ...['keys', 'issue', id, '--name', 'Warehouse', '--permissions', 'read-only,audience:write'],
    ...['--expires', '+90d', '--allow-address', '192.0.2.0/24', '--allow-address', '::1'],
    ...['--requests-per-second', '5'],
  ])
  expect(issued).toMatchObject({
    name: 'Warehouse',
    permissions: [
      ...['channels:read', 'audience:read', 'audience:write', 'insights:read', 'posts:read', 'superpowers:read'],
      ...['settings:read', 'audit:read'],
    ],
    allowedAddresses: ['192.0.2.0/24', '::1'],
    expiresAt: new Date(stage.app.clock.now() + 90 * 86_400_000).toISOString(),
    requestsPerSecond: 5,
  })
  const env = { GREENROOM_KEY: issued.id, GREENROOM_SECRET: issued.secret }
  const refused = await run(1, ['call', 'GET', '/workspaces'], { env })
  expect(refused.stderr).toContain('403 address_not_allowed')
  expect((await run(0, ['keys', 'list', id], { terminal: 'both', columns: 200 })).stdout).toMatch(
    /^id +name +permissions +expiresAt/,
  )
  const wrong = await run(2, ['keys', 'issue', id, '--permissions', 'read-only,posts:approve'])
  expect(wrong.stderr).toContain('"posts:approve" is not one of read-only, channels:read')
})
