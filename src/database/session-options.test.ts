import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startTestApp, Tenant } from '../../test/harness.js'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL, TEST_STATEMENTS } from '../../test/test-database.js'
import { readConfig } from '../config/index.js'
import { StartError } from '../lib/start-error.js'
import type { Database, Log } from './database.js'
import { openDatabase } from './open.js'
import { sessionOptions } from './session-options.js'

/** Behind a pooler that does not pass on options, a role's settings stay in effect, and the start is refused. */
const isPooled = TEST_STATEMENTS === 'unnamed'

/** Settings of a database or role that could falsify results, each with a query and its correct answer. */
const HOSTILE: readonly { name: string; value: string; query: string; expected: unknown }[] = [
  { name: 'extra_float_digits', value: '0', query: 'select 0.1::float8 + 0.2 as x', expected: 0.30000000000000004 },
  {
    name: 'DateStyle',
    value: 'SQL, DMY',
    query: `select '2026-02-03T04:05:06Z'::timestamptz as x`,
    expected: new Date('2026-02-03T04:05:06Z'),
  },
  { name: 'DateStyle', value: 'German', query: `select '2026-02-03'::date as x`, expected: '2026-02-03' },
  {
    name: 'DateStyle',
    value: 'Postgres, MDY',
    query: `select to_json('2026-02-03'::date) as x`,
    expected: '2026-02-03',
  },
  {
    name: 'IntervalStyle',
    value: 'iso_8601',
    query: `select '1 day 02:00:00'::interval as x`,
    expected: '1 day 02:00:00',
  },
  {
    name: 'TimeZone',
    value: 'America/New_York',
    query: `select '2026-02-03T04:05:06Z'::timestamptz::text as x`,
    expected: '2026-02-03 04:05:06+00',
  },
  { name: 'bytea_output', value: 'escape', query: `select '\\x00ff'::bytea::text as x`, expected: '\\x00ff' },
  { name: 'standard_conforming_strings', value: 'off', query: `select 'a\\nb' as x`, expected: 'a\\nb' },
  { name: 'array_nulls', value: 'off', query: `select '{NULL}'::text[] as x`, expected: [null] },
  { name: 'transform_null_equals', value: 'on', query: 'select null = null as x', expected: null },
  {
    name: 'default_transaction_isolation',
    value: 'serializable',
    query: 'show transaction_isolation',
    expected: 'read committed',
  },
  { name: 'exit_on_error', value: 'on', query: 'show exit_on_error', expected: 'off' },
  { name: 'gin_fuzzy_search_limit', value: '5', query: 'show gin_fuzzy_search_limit', expected: '0' },
  { name: 'client_encoding', value: 'LATIN1', query: `select 'ü€' as x`, expected: 'ü€' },
  { name: 'statement_timeout', value: '1', query: `select pg_sleep(0.05)::text as x`, expected: '' },
  { name: 'idle_session_timeout', value: '1', query: 'show idle_session_timeout', expected: '0' },
  {
    name: 'lock_timeout',
    value: '1',
    query: `select setting from pg_settings where name = 'lock_timeout'`,
    expected: '5000',
  },
]
/** Only a superuser may set these, or not every server knows them, so the start refuses them with or without a pooler. */
const REFUSED = { session_replication_role: 'replica' }

describe.skipIf(TEST_DATABASE_URL === undefined)('settings of a database or role', () => {
  let admin: Database
  let url: URL
  let name: string
  const role = `greenroom_hostile_${randomBytes(4).toString('hex')}`

  beforeAll(async () => {
    url = new URL(await createEmptyDatabase('greenroom_hostile_test'))
    name = url.pathname.slice(1)
    admin = openTestPostgres(TEST_DATABASE_URL!, 2)
    await admin.execute(`create role ${role} login password 'hostile'; alter database ${name} owner to ${role}`)
  })
  afterAll(async () => {
    await endConnections()
    await admin.execute(`drop database if exists ${name}`)
    await admin.execute(`drop role ${role}`)
    await admin.close()
  })

  /** Ends all connections, because a pooler keeps those from before a setting was changed. */
  const endConnections = () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
      [name],
    )

  async function applySetting(what: string, setting: string, value: string): Promise<void> {
    await admin.execute(`alter ${what} set ${setting} = ${/, /.test(value) ? value : `'${value}'`}`)
    await endConnections()
    onTestFinished(async () => {
      await admin.execute(`alter ${what} reset all`)
      await endConnections()
    })
  }

  const urlAs = (user: 'superuser' | 'role'): string => {
    const own = new URL(url)
    if (user === 'role') [own.username, own.password] = [role, 'hostile']
    return own.href
  }

  function open(databaseUrl: string, log: Log = pino({ level: 'silent' })): Promise<Database> {
    return openDatabase(
      { ...readConfig({}).database, url: databaseUrl, statements: TEST_STATEMENTS, startTimeoutMs: 20_000 },
      log,
    )
  }

  async function answerOf(database: Database, query: string): Promise<unknown> {
    onTestFinished(() => database.close())
    return Object.values((await database.query(query)).rows[0]!)[0]
  }

  const places = ['database', 'role', 'role in the database'] as const
  const cases = HOSTILE.flatMap((one) => places.map((place) => ({ ...one, place })))

  test.skipIf(isPooled).each(cases)(
    '$name = $value on the $place changes no result',
    async ({ place, name: setting, value, query, expected }) => {
      await applySetting(
        {
          database: `database ${name}`,
          role: `role ${role}`,
          'role in the database': `role ${role} in database ${name}`,
        }[place],
        setting,
        value,
      )
      const answer = await answerOf(await open(urlAs('role')), query)
      expect(answer).toEqual(expected)
    },
  )

  /**
   * Switches to a database that the pooler has not connected to, because a pooler remembers the settings of its first
   * connection.
   */
  async function useNewDatabase(): Promise<void> {
    const before = [url, name] as const
    url = new URL(await createEmptyDatabase(`greenroom_hostile_${randomBytes(4).toString('hex')}`))
    name = url.pathname.slice(1)
    const own = name
    onTestFinished(async () => {
      ;[url, name] = before
      await admin.execute(`drop database ${own} with (force)`)
    })
  }

  // Behind a pooler, the role of the tests has its own timeouts (scripts/run-on-postgres.ts), which take precedence over
  // those of a database.
  const testable = HOSTILE.filter((one) => !/_timeout$/.test(one.name))
  const tracked = ['DateStyle', 'TimeZone', 'standard_conforming_strings', 'client_encoding']
  test.runIf(isPooled).each(testable.filter((one) => tracked.includes(one.name)))(
    'behind a pooler $name = $value changes no result, because the session sets our value',
    async ({ name: setting, value, query, expected }) => {
      await useNewDatabase()
      await applySetting(`role postgres in database ${name}`, setting, value)
      expect(await answerOf(await open(urlAs('superuser')), query)).toEqual(expected)
    },
  )

  test.runIf(isPooled).each(testable.filter((one) => !tracked.includes(one.name)))(
    'behind a pooler $name = $value is refused with a remedy that works',
    async ({ name: setting, value, query, expected }) => {
      await useNewDatabase()
      await applySetting(`role postgres in database ${name}`, setting, value)
      const error = await open(urlAs('superuser')).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(StartError)
      const [, remedy = ''] = /run (alter .*;) If/.exec((error as Error).message) ?? []
      expect(remedy).toContain(`alter role postgres in database ${name} set ${setting} = `)
      await admin.execute(remedy)
      await endConnections()
      expect(await answerOf(await open(urlAs('superuser')), query)).toEqual(expected)
    },
  )

  test.each(Object.entries(REFUSED))('%s = %s is refused with a remedy', async (setting, value) => {
    await applySetting(`role ${role}`, setting, value)
    await applySetting(`role postgres in database ${name}`, setting, value)
    await expect(open(urlAs(isPooled ? 'superuser' : 'role'))).rejects.toThrow(
      new RegExp(
        `^The database would give wrong results, because ${setting} is ${value}: run alter role .* set ${setting} = 'origin';`,
      ),
    )
  })

  test('a role may run the suggested remedy itself', async () => {
    const database = openTestPostgres(urlAs(isPooled ? 'superuser' : 'role'), 2)
    onTestFinished(() => database.close())
    await database.execute(`alter role current_user in database ${name} set extra_float_digits = '1'`)
    await admin.execute(`alter role ${isPooled ? 'postgres' : role} in database ${name} reset all`)
  })

  test('a search_path without an existing schema is explained in one sentence', async () => {
    await applySetting(`role ${isPooled ? 'postgres' : role} in database ${name}`, 'search_path', 'nowhere')
    await expect(open(urlAs(isPooled ? 'superuser' : 'role'))).rejects.toThrow(
      /^The database has no schema for the tables, because search_path/,
    )
  })

  test('a server that may lose acknowledged changes causes a warning', async () => {
    await applySetting(`role ${isPooled ? 'postgres' : role} in database ${name}`, 'synchronous_commit', 'off')
    const warnings: string[] = []
    const log = { info() {}, error() {}, warn: (_: object, text: string) => void warnings.push(text) } as unknown as Log
    await (await open(urlAs(isPooled ? 'superuser' : 'role'), log)).close()
    expect(warnings).toEqual([expect.stringContaining('synchronous_commit is off')])
  })

  test.skipIf(isPooled)('the options of the URL change no result either', async () => {
    const own = new URL(urlAs('role'))
    own.searchParams.set('options', '-c extra_float_digits=0 -c DateStyle=German -c lock_timeout=7ms')
    const database = await open(own.href)
    onTestFinished(() => database.close())
    const { rows } = await database.query(
      `select 0.1::float8 + 0.2 as sum, '2026-02-03'::date as date, setting from pg_settings where name = 'lock_timeout'`,
    )
    expect(rows).toEqual([{ sum: 0.30000000000000004, date: '2026-02-03', setting: '7' }])
  })

  test.skipIf(isPooled)('the list of VIP users has every row, and times are correct', async () => {
    for (const [setting, value] of [
      ['extra_float_digits', '0'],
      ['DateStyle', 'SQL, DMY'],
      ['array_nulls', 'off'],
    ] as const) {
      await applySetting(`database ${name}`, setting, value)
    }
    const database = await open(urlAs('role'))
    onTestFinished(() => database.close())
    const app = await startTestApp({}, undefined, database)
    const tenant = await Tenant.create(app)
    const workspaceId = await tenant.workspace()
    const channelId = await tenant.channel([workspaceId])
    const rows = Array.from({ length: 1_200 }, (_, index) => ({
      id: `c${index}`,
      lifetime_value: 0.1 + index * Number.EPSILON,
    }))
    await tenant.conversations(channelId, rows)
    await tenant.markVips(
      workspaceId,
      channelId,
      rows.map(({ id }) => id),
    )
    const seen: string[] = []
    for (let offset = 0; ; offset += 200) {
      const { body } = await tenant.get(
        200,
        `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&limit=200&offset=${offset}`,
      )
      for (const { conversationId } of body.items) seen.push(conversationId)
      if (!body.mayHaveMore) break
    }
    expect(seen).toHaveLength(1_200)
    // The highest value comes first. If the values were rounded, they would be equal, and sorted by id.
    expect(seen.join()).toBe(
      rows
        .toReversed()
        .map(({ id }) => id)
        .join(),
    )
    const { body: post } = await tenant.call(201, 'POST', '/scheduled-posts', {
      body: { scheduledFor: '2026-12-24T09:00:00Z' },
    })
    expect((await tenant.get(200, `/scheduled-posts/${post.id}`)).body.scheduledFor).toMatch(/^2026-12-24T09:00:00/)
  })
})

describe('the URL for pg', () => {
  test.each([
    'prefer',
    'require',
    'verify-ca',
  ])('asks for the TLS that pg uses for sslmode=%s, without its warning', (mode) => {
    const sslModeOf = (url: string): string | null => new URL(sessionOptions(url)).searchParams.get('sslmode')
    expect(sslModeOf(`postgres://db/greenroom?sslmode=${mode}`)).toBe('verify-full')
    // With uselibpqcompat, the operator asks for libpq's meaning of the mode.
    expect(sslModeOf(`postgres://db/greenroom?uselibpqcompat=true&sslmode=${mode}`)).toBe(mode)
  })

  test.each(['disable', 'no-verify', 'verify-full'])('keeps sslmode=%s', (mode) => {
    expect(new URL(sessionOptions(`postgres://db/greenroom?sslmode=${mode}`)).searchParams.get('sslmode')).toBe(mode)
  })

  test('keeps the name of a database that has an encoded @', () => {
    const client = new pg.Client({ connectionString: sessionOptions('postgres://u:p%40ss@db/green%40room%2F1%25') })
    expect([client.database, client.user, client.password, client.host]).toEqual(['green@room/1%', 'u', 'p@ss', 'db'])
  })
})
