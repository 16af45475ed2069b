import { readFileSync } from 'node:fs'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Config, readConfig } from '../src/config/index.js'
import { createContext } from '../src/context.js'
import { examine, type Finding } from '../src/doctor/doctor.js'
import { systemClock } from '../src/lib/clock.js'
import { startProblem } from '../src/serve.js'
import { MASTER_KEY } from './harness.js'
import { type PostgresServer, startPgBouncer, startPostgres } from './postgres-server.js'
import { TEST_DATABASE_URL } from './test-database.js'
import { findTool } from './tools.js'

const PASSWORD = 'pass-word-of-the-role'

/** This has its own server, because roles and limits belong to a whole server. */
describe.skipIf(TEST_DATABASE_URL === undefined)('a PostgreSQL that a service cannot use', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ settings: { fsync: 'off' } })
  }, 60_000)
  afterAll(() => server?.stop())

  async function run(sql: string, database = 'postgres', role?: string): Promise<void> {
    const url = new URL(server.url)
    url.pathname = `/${database}`
    if (role !== undefined) Object.assign(url, { username: role, password: PASSWORD })
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await client.query(statement)
    } finally {
      await client.end()
    }
  }

  const environmentOf = (role: string, database = role, more: Record<string, string> = {}): Record<string, string> => {
    const url = new URL(server.url)
    Object.assign(url, { username: role, password: PASSWORD, pathname: `/${database}` })
    const started = { START_TIMEOUT_MS: '0', PORT: '0', GRAPH_BASE_URL: 'http://127.0.0.1:1' }
    return { DATABASE_URL: url.href, MASTER_KEY, ...started, ...more }
  }

  /** Starts a service; returns the sentence with which that fails, and the warnings. */
  async function start(env: Record<string, string>): Promise<{ sentence: string | undefined; warnings: string[] }> {
    const warnings: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
    const config: Config = readConfig(env)
    try {
      await (await createContext(config, { log })).close()
      return { sentence: undefined, warnings }
    } catch (error) {
      return { sentence: startProblem(error, config), warnings }
    }
  }

  const look = async (env: Record<string, string>, state = 'problem'): Promise<Finding[]> => {
    const findings = await examine({ env })
    expect(JSON.stringify(findings)).not.toContain(PASSWORD)
    return findings.filter((finding) => finding.check === 'database' && finding.state === state)
  }

  const role = (name: string): string => `create role ${name} login password '${PASSWORD}'`

  test('the role and database of the documentation work', async () => {
    const text = readFileSync(new URL('../docs/postgresql.md', import.meta.url), 'utf8')
    const [, sql] = /```sql\n(create role greenroom [\s\S]*?)```/.exec(text)!
    await run(sql!.replace('…', PASSWORD))
    const env = environmentOf('greenroom')
    expect(await look(env, 'warning')).toEqual([])
    const empty = await look(env, 'ok')
    expect(empty.map(({ finding }) => finding)).toContain('It is empty: the first start creates its tables.')
    expect(await start(env)).toEqual({ sentence: undefined, warnings: [] })
    expect(await look(env)).toEqual([])
    expect(await look(env, 'warning')).toEqual([])
  })

  test('a role that may not create tables is reported, and works after the remedy', async () => {
    await run(`${role('no_create')}; create database no_create`)
    const env = environmentOf('no_create')
    const finding = 'The role no_create may not create tables in the schema public'
    expect((await start(env)).sentence).toMatch(new RegExp(`^${finding}: run .grant usage, create on schema public`))
    const [found] = await look(env)
    expect(found).toMatchObject({ finding: `${finding}.`, remedy: expect.stringContaining('grant usage, create') })
    await run(/`([^`]+)`/.exec(found!.remedy)![1]!, 'no_create')
    expect((await start(env)).sentence).toBeUndefined()
  })

  test.each(['SQL_ASCII', 'LATIN1'])('a database in %s is reported, and works after the remedy', async (encoding) => {
    const name = `db_${encoding.toLowerCase()}`
    await run(`${role(name)}; create database ${name} owner ${name} encoding '${encoding}' template template0`)
    const env = environmentOf(name)
    const [found] = await look(env)
    expect(found!.finding).toBe(
      `The database ${name} has the encoding ${encoding}, which cannot store every character.`,
    )
    expect((await start(env)).sentence).toContain(found!.finding.slice(0, -1))
    await run(`drop database ${name}; ${/`([^`]+)`/.exec(found!.remedy)![1]!}`)
    expect((await start(env)).sentence).toBeUndefined()
  })

  test('a database that is not UTF-8 but already contains a service starts with a warning', async () => {
    await run(`${role('latin')}; create database latin owner latin`)
    const env = environmentOf('latin')
    expect((await start(env)).sentence).toBeUndefined()
    // Earlier versions allowed this: the catalogue says so, and the texts are ASCII.
    await run(`update pg_database set encoding = pg_char_to_encoding('SQL_ASCII') where datname = 'latin'`)
    const { sentence, warnings } = await start(env)
    expect(sentence).toBeUndefined()
    expect(warnings.join('')).toContain('has the encoding SQL_ASCII')
    expect(await look(env, 'warning')).toMatchObject([{ remedy: expect.stringContaining('restore the backup') }])
  })

  test('a role or database with few connections is reported, and the start continues if they are enough to begin with', async () => {
    await run(`${role('few')} connection limit 4; create database few owner few`)
    const env = environmentOf('few')
    const words = 'The role few allows 4 connections, but DATABASE_POOL_MAX 10 plus one for a backup needs 11.'
    const begun = await start(env)
    expect(begun.sentence).toBeUndefined()
    expect(begun.warnings.join('')).toContain(words)
    expect(await look(env, 'warning')).toMatchObject([
      { finding: words, remedy: 'Set DATABASE_POOL_MAX to 3, or run `alter role few connection limit 11;`.' },
    ])
    expect(await look(environmentOf('few', 'few', { DATABASE_POOL_MAX: '3' }), 'warning')).toEqual([])
    await run('alter role few connection limit 2')
    expect((await start(env)).sentence).toMatch(/^The role few allows 2 connections, .*: run `alter role few/)
    await run('alter role few connection limit 0')
    expect((await start(env)).sentence).toMatch(/^PostgreSQL has no connection left .*too many connections for role/)
    await run('alter role few connection limit -1; alter database few connection limit 5')
    expect(await look(env, 'warning')).toMatchObject([{ finding: expect.stringMatching(/^The database few allows 5/) }])
  })

  test("a read-only role, a role without rights in another's tables, and a standby are reported", async () => {
    await run(`${role('reader')}; create database reader owner reader`)
    await run('alter role reader set default_transaction_read_only = on')
    const env = environmentOf('reader')
    const [found] = await look(env)
    expect(found!.finding).toBe('The role reader is read-only in this database (default_transaction_read_only).')
    expect((await start(env)).sentence).toMatch(/^The role reader is read-only .*: run `alter role reader in database/)
    await run(/`([^`]+)`/.exec(found!.remedy)![1]!)
    expect((await start(env)).sentence).toBeUndefined()

    await run(`${role('onlooker')}; grant create on schema public to onlooker`, 'reader')
    const other = environmentOf('onlooker', 'reader')
    expect((await start(other)).sentence).toMatch(
      /^The role onlooker may not read the tables of reader: set DATABASE_URL/,
    )
    await run('grant select on all tables in schema public to onlooker', 'reader')
    const [seen] = await look(other)
    expect(seen!.finding).toMatch(/^The role onlooker may use the tables of reader/)
    await run(/`([^`]+)`/.exec(seen!.remedy)![1]!, 'reader')
    expect((await start(other)).sentence).toBeUndefined()
  })

  test('a standby is reported', async () => {
    const standby = await startPostgres({ settings: { fsync: 'off' }, standbyOf: server.url })
    onTestFinished(() => standby.stop())
    const env = { ...environmentOf('postgres', 'postgres'), DATABASE_URL: standby.url }
    expect((await start(env)).sentence).toBe(
      'DATABASE_URL leads to a standby, which accepts no changes: set it to the primary.',
    )
    expect(await look(env)).toMatchObject([{ remedy: 'Set it to the primary.' }])
  }, 60_000)

  test('a role that may not connect is reported at once', async () => {
    await run(`${role('outside')}; create database closed; revoke connect on database closed from public`)
    const env = environmentOf('outside', 'closed', { START_TIMEOUT_MS: '600000' })
    expect((await start(env)).sentence).toMatch(
      /^PostgreSQL does not admit this role .*: grant it the right to connect/,
    )
  })

  test("a clock that differs from the database's is reported", async () => {
    await run(`${role('timed')}; create database timed owner timed`)
    const env = environmentOf('timed')
    const ahead = { now: () => systemClock.now() + 600_000 }
    const clocks = (await examine({ env, clock: ahead })).filter(({ check }) => check === 'clock')
    expect(clocks[0]).toMatchObject({
      state: 'problem',
      finding: expect.stringMatching(/^It is \d{3}\.\d s off the clock of the database\.$/),
    })
    const right = (await examine({ env })).filter(({ check, state }) => check === 'clock' && state === 'problem')
    expect(right).toEqual([])
  })

  const PGBOUNCER = findTool('pgbouncer')
  test.skipIf(PGBOUNCER === undefined)(
    'statements prepared by name are reported behind a PgBouncer that pools by transaction',
    async () => {
      const pooler = await startPgBouncer(server.url)
      onTestFinished(() => pooler.stop())
      await run('create database pooled')
      const through = (url: string, more: Record<string, string> = {}): Record<string, string> => {
        const address = new URL(url)
        address.pathname = '/pooled'
        return { ...environmentOf('postgres'), DATABASE_URL: address.href, ...more }
      }
      const words = expect.stringContaining('mixes up the prepared statements')
      expect(await look(through(pooler.url))).toMatchObject([
        { finding: words, remedy: expect.stringContaining('DATABASE_STATEMENTS=unnamed') },
      ])
      expect(await look(through(pooler.url, { DATABASE_STATEMENTS: 'unnamed' }))).toEqual([])
      expect(await look(through(server.url))).toEqual([])
    },
    60_000,
  )
})
