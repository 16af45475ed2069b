import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { runs } from '../../test/runs.js'
import type { Database } from '../database/database.js'
import { readListRows } from './list/list-rows.store.js'

let testApp: TestApp
let database: Database
beforeAll(async () => {
  testApp = await startTestApp()
  database = testApp.context.database
})

interface Place {
  tenant: Tenant
  channelId: string
  workspaceId: string
  path: string
}

async function makePlace(): Promise<Place> {
  const tenant = await Tenant.create(testApp)
  const workspaceId = await tenant.workspace('VIP')
  const channelId = await tenant.channel([workspaceId])
  return {
    ...{ tenant, channelId, workspaceId },
    path: `/organizations/${tenant.organizationId}/channels/${channelId}/conversations`,
  }
}

/** Imports the values as written in a line; returns how many lines were accepted. */
async function importValues({ path }: Place, values: readonly string[]): Promise<number> {
  const body = values
    .map((value, index) => `{"conversationId":"c${index}","cuid":"u","lifetimeValue":${value}}\n`)
    .join('')
  const reply = await operatorCall(testApp, 200, 'POST', path, {
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return reply.body.imported
}

/** The printed lifetime values of an export, by conversation. */
async function exportedValues({ path }: Place): Promise<Map<string, string>> {
  const { payload } = await testApp.app.inject({
    ...{ method: 'GET', url: `/api${path}` },
    headers: { authorization: 'Bearer operator-token-of-the-tests' },
  })
  return new Map(
    [...payload.matchAll(/"conversationId" : "(\w+)".*?"lifetimeValue" : ([^,}]+)/g)].map(([, id, value]) => [
      id!,
      value!,
    ]),
  )
}

const listedIds = async ({ tenant, channelId, workspaceId }: Place): Promise<string[]> => {
  const query = new URLSearchParams({ workspaceId, mediumId: channelId, scope: 'all' })
  const { body } = await tenant.get(200, `/vip-users?${query}&limit=200`)
  return body.items.map(({ conversationId }: { conversationId: string }) => conversationId)
}

/**
 * A double as the database prints it in JSON, which is how the values were stored and printed before they were decimals.
 */
async function printed(value: number): Promise<string> {
  const { rows } = await database.query<{ text: string }>('select to_json($1::float8)::text as text', [value])
  return rows[0]!.text
}

test.each([
  ...['0', '-0', '-3', '0.1', '19.99', '0.30000000000000004', '1e21', '1E+2', '1e-7', '123456789012345678901234567890'],
  ...['0.1000000000000000055511151231257827', '1.7976931348623157e308', '5e-324', '1e-400', '9007199254740993'],
])('%s is exported as the same double', async (value) => {
  const place = await makePlace()
  expect(await importValues(place, [value])).toBe(1)
  // JSON has no negative zero, so none was ever stored.
  expect(await exportedValues(place)).toEqual(new Map([['c0', await printed(Number(value) + 0)]]))
})

test.each(['1e309', '-1e999', 'NaN', 'Infinity', '"NaN"', '"1"'])('%s is refused', async (value) => {
  expect(await importValues(await makePlace(), [value])).toBe(0)
})

test('all doubles are listed highest first with equal ones by id, and exported with all digits', async () => {
  const double = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 0.1, 0.30000000000000004, 0.3, 5e-324, 1e300, -1e300),
    fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(double, { minLength: 1, maxLength: 30 }), async (values) => {
      const place = await makePlace()
      await importValues(
        place,
        values.map((value) => JSON.stringify(value)),
      )
      const order = values
        .map((_, index) => index)
        .sort((a, b) => values[b]! - values[a]! || (`c${a}` < `c${b}` ? -1 : 1))
      expect(await listedIds(place)).toEqual(order.map((index) => `c${index}`))
      const exported = await exportedValues(place)
      for (const [index, value] of values.entries()) expect(exported.get(`c${index}`)).toBe(await printed(value + 0))
    }),
    { numRuns: runs(6, 25) },
  )
})

describe('beside a writer that knows only the double', () => {
  /** Its statement for an import of one row with every column. */
  const writeAsBefore = ({ tenant, channelId }: Place, id: string, value: number | null) =>
    tenant.changeAudience(
      channelId,
      `insert into conversations as stored (organization_id, channel_id, conversation_id, cuid, lifetime_value)
       select $1, $2, conversation_id, cuid, coalesce(lifetime_value, 0)
         from json_to_recordset($3::json) as t (conversation_id text, cuid text, lifetime_value double precision)
       on conflict (organization_id, channel_id, conversation_id)
       do update set cuid = excluded.cuid, lifetime_value = excluded.lifetime_value
        where row(stored.cuid, stored.lifetime_value) is distinct from row(excluded.cuid, excluded.lifetime_value)`,
      [JSON.stringify([{ conversation_id: id, cuid: 'u', lifetime_value: value }])],
    )

  test('its values are listed and exported with all digits', async () => {
    const place = await makePlace()
    await importValues(place, ['1', '2', '3'])
    await writeAsBefore(place, 'c0', 2.3000000000000003)
    await writeAsBefore(place, 'c2', 0)
    await writeAsBefore(place, 'n', 0.30000000000000004)
    expect(await listedIds(place)).toEqual(['c0', 'c1', 'n', 'c2'])
    expect(await exportedValues(place)).toEqual(
      new Map([
        ['c0', '2.3000000000000003'],
        ['c1', '2'],
        ['c2', '0'],
        ['n', '0.30000000000000004'],
      ]),
    )
  })

  test('a double has one place in the list, regardless of its writer', async () => {
    // PostgreSQL writes this double with 16 digits, JavaScript with one.
    const place = await makePlace()
    await importValues(place, ['1e23', '1e23'])
    for (const id of ['a', 'c1', 'd']) await writeAsBefore(place, id, 1e23)
    const channel = { organizationId: place.tenant.organizationId, channelId: place.channelId }
    const idsAfter = async (after?: { value: number; id: string }) =>
      (await readListRows(database, channel, undefined, 10, after)).map(([id]) => id)
    expect(await idsAfter()).toEqual(['a', 'c0', 'c1', 'd'])
    expect(await idsAfter({ value: 1e23, id: 'c0' })).toEqual(['c1', 'd'])
  })

  test('it reads a value written by this version, the first and a later one', async () => {
    const place = await makePlace()
    const read = async () => {
      const { rows } = await database.query<{ value: number }>(
        'select lifetime_value as value from conversations where organization_id = $1 order by conversation_id',
        [place.tenant.organizationId],
      )
      return rows.map(({ value }) => value)
    }
    await importValues(place, ['0', '5e-324', '1.7976931348623157e308'])
    expect(await read()).toEqual([0, 5e-324, Number.MAX_VALUE])
    await importValues(place, ['0.30000000000000004', '0', '-7'])
    expect(await read()).toEqual([0.30000000000000004, 0, -7])
  })
})
