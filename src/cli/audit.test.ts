import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { OPERATOR_TOKEN, operatorCall, startOwnTestApp, Tenant, type TestApp } from '../../test/harness.js'

let app: TestApp
let tenant: Tenant
const asked: string[] = []
beforeAll(async () => {
  app = await startOwnTestApp()
  app.app.addHook('onRequest', async ({ method, url }) => {
    if (url.includes('/audit')) asked.push(`${method} ${url.replace(/.*\/audit/, '/audit')}`)
  })
  await app.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.app.close())
beforeEach(async () => {
  tenant = await Tenant.create(app)
  asked.length = 0
})

async function audit(code: number, options: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { port } = app.app.server.address() as AddressInfo
  const env = { GREENROOM_URL: `http://127.0.0.1:${port}`, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const argv = ['audit', '--organization', tenant.organizationId, ...options]
  const result = await greenroom(argv, { clock: app.clock, env, columns: 300, ...surroundings })
  expect(result.code, result.stderr).toBe(code)
  return result
}

/**
 * Renames the organization this many times, one hour apart, so that each change gets its own entry. The last name is `=Name
 * <count>`.
 */
async function rename(count: number): Promise<void> {
  for (let index = 1; index <= count; index++) {
    app.clock.advance(3_600_000)
    await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, {
      body: { name: `=Name ${index}` },
    })
  }
}

const hoursAgo = (hours: number): string => new Date(app.clock.now() - hours * 3_600_000).toISOString()

const names = (items: { changes: { name: string } }[]): string[] => items.map(({ changes }) => changes.name)
const expected = (from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, index) => `=Name ${from - index}`)

describe('audit', () => {
  test('shows the newest first, and says if there are older ones', async () => {
    await rename(3)
    const { stdout, stderr } = await audit(0, ['--limit', '2'])
    expect(names(JSON.parse(stdout))).toEqual(expected(3, 2))
    expect(stderr).toBe('There are more than these 2: use --limit to show more, or --all.\n')
    expect((await audit(0, [])).stderr).toBe('')
  })

  test('--all reads every page, in each format', async () => {
    await rename(205)
    const all = JSON.parse((await audit(0, ['--all'])).stdout)
    expect(names(all)).toEqual(expected(205, 1))
    expect(asked).toEqual(['GET /audit?limit=1000', `GET /audit?limit=1000&after=${all[199].id}`])
    const lines = (await audit(0, ['--all', '--ndjson'])).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(all)
    const table = (await audit(0, ['--all'], { terminal: 'both' })).stdout.trimEnd().split('\n')
    expect(table).toHaveLength(206)
    expect((await audit(0, ['--all', '--csv'])).stdout.split('\r\n')).toHaveLength(207)
    expect((await audit(2, ['--all', '--limit', '2'])).stderr).toContain("'--limit")
  })

  test('prints one row per entry on a terminal and in CSV: who, what, to what', async () => {
    await rename(1)
    const at = hoursAgo(0)
    await tenant.call(201, 'POST', '/scheduled-posts', { body: {} })
    const [created] = JSON.parse((await audit(0, ['--limit', '1'])).stdout)
    const row = [at, `key ${tenant.key.id}`, 'createScheduledPost', `scheduledPost ${created.target.id}`]
    const shown = (await audit(0, [], { terminal: 'both' })).stdout.split('\n')
    expect(shown[0]).toMatch(/^at +actor +operation +target +changes$/)
    expect(shown[1]!.split(/ {2,}/).slice(0, 4)).toEqual(row)
    expect(shown[2]!.split(/ {2,}/)).toEqual([
      ...[at, 'operator', 'updateOrganization', `organization ${tenant.organizationId}`],
      '{"name":"=Name 1"}',
    ])
    for (const options of [['--csv'], ['--csv', '--all']]) {
      const [header, first, second] = (await audit(0, options)).stdout.split('\r\n')
      expect(header).toBe('at,actor,operation,target,changes')
      expect(first!.split(',').slice(0, 4)).toEqual(row)
      expect(second).toBe(
        `${at},operator,updateOrganization,organization ${tenant.organizationId},"{""name"":""=Name 1""}"`,
      )
    }
  })

  test('an organization without changes says so, and a missing one is refused', async () => {
    expect((await audit(0, [], { terminal: 'both' })).stdout).toBe('There are no changes yet.\n')
    expect((await audit(0, ['--all'])).stdout).toBe('[]\n')
    expect((await audit(1, ['--limit', '0'])).stderr).toContain('422')
    tenant = Object.assign(Object.create(tenant), { organizationId: 'org_none' })
    expect((await audit(1, [])).stderr).toContain('404 organization_not_found')
    expect((await audit(1, ['--all'])).stderr).toContain('404 organization_not_found')
  })

  test('--actor and --target-type show matching entries, from as many pages as needed', async () => {
    await tenant.call(201, 'POST', '/scheduled-posts', { body: {} })
    await rename(3)
    const only = async (...options: string[]): Promise<string[]> =>
      JSON.parse((await audit(0, options)).stdout).map(({ operation }: { operation: string }) => operation)
    expect(await only('--target-type', 'scheduledPost')).toEqual(['createScheduledPost'])
    expect(await only('--actor', `key:${tenant.key.id}`, '--limit', '1')).toEqual(['createScheduledPost'])
    expect(await only('--target-type', 'organization', '--limit', '2')).toEqual(Array(2).fill('updateOrganization'))
    expect(await only('--all', '--actor', `key:${tenant.key.id}`)).toEqual(['createScheduledPost'])
    expect((await audit(2, ['--target-type', 'spoon'])).stderr).toContain('Allowed choices are organization, ')
  })

  test('on a terminal of 80 columns each entry is a block of lines', async () => {
    await rename(3)
    const { stdout, stderr } = await audit(0, ['--limit', '2'], { terminal: 'both', columns: 80 })
    const block = (count: number): string =>
      `at         ${hoursAgo(3 - count)}\nactor      operator\noperation  updateOrganization\ntarget     organization ${tenant.organizationId}\nchanges    { "name": "=Name ${count}" }\n`
    expect(stdout).toBe(`${block(3)}\n${block(2)}`)
    expect(stderr).toBe('There are more than these 2: use --limit to show more, or --all.\n')
  })
})
