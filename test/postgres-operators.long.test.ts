import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/config/index.js'
import { createContext } from '../src/context.js'
import { examine } from '../src/doctor/doctor.js'
import { systemClock } from '../src/lib/clock.js'
import { startProblem } from '../src/serve.js'
import { type Child, startChild } from './child.js'
import { greenroom } from './cli.js'
import { MASTER_KEY, OPERATOR_TOKEN } from './harness.js'
import { type PostgresServer, startPostgres } from './postgres-server.js'

const PASSWORD = 'pass-word-of-the-role'
const MAIN = new URL('../src/main.ts', import.meta.url)

let server: PostgresServer
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-operators-'))
  server = await startPostgres({ settings: { fsync: 'off' } })
}, 60_000)
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function urlOf(role: string, database: string, password = PASSWORD): string {
  const url = new URL(server.url)
  Object.assign(url, { username: role, password, pathname: `/${database}` })
  return url.href
}

async function run(sql: string, url = server.url): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Returns the sentence with which the start of a service fails. */
async function start(env: Record<string, string>): Promise<string | undefined> {
  const config = readConfig({ MASTER_KEY, START_TIMEOUT_MS: '0', ...env })
  try {
    await (await createContext(config, { log: pino({ level: 'silent' }) })).close()
    return undefined
  } catch (error) {
    return startProblem(error, config)
  }
}

describe('a connection that PostgreSQL refuses', () => {
  beforeAll(async () => {
    await run(`create role sound login password '${PASSWORD}'`)
    await run(`create role asleep nologin password '${PASSWORD}'`)
    await run('create database sound owner sound')
    await run(`create role late login password '${PASSWORD}' valid until '2001-01-01'`)
    await run('create database closed owner sound allow_connections false')
    await run('create database broken owner sound')
    await run(`update pg_database set datconnlimit = -2 where datname = 'broken'`)
    await run(`create role barred login password '${PASSWORD}'`)
    await run(`create role plain login password '${PASSWORD}'`)
    await run(`set password_encryption = 'md5'; create role hashed login password '${PASSWORD}'`)
    const { hba_file: file } = (await run('show hba_file')).rows[0]
    const lines = ['barred 127.0.0.1/32 reject', 'plain 127.0.0.1/32 password', 'hashed 127.0.0.1/32 md5']
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, `${lines.map((line) => `host all ${line}\n`).join('')}${before}`)
    await run('select pg_reload_conf()')
    await vi.waitFor(() => expect(run('select 1', urlOf('barred', 'sound'))).rejects.toThrow('rejects'))
  })

  const withHost = (change: (url: URL) => void): string => {
    const url = new URL(urlOf('sound', 'sound'))
    change(url)
    return url.href
  }
  test.each<[string, () => string, RegExp]>([
    [
      'a wrong password',
      () => urlOf('sound', 'sound', 'hush-wrong'),
      /refuses the password of the role sound: it is wrong, or the role does not exist or has expired .*`psql -h 127\.0\.0\.1 -p \d+ -U postgres -c 'select rolname, rolvaliduntil from pg_roles'`/,
    ],
    ['an expired role', () => urlOf('late', 'sound'), /`alter role late valid until 'infinity';`/],
    [
      'a line with reject',
      () => urlOf('barred', 'sound'),
      /rejects this connection (?!.*sslmode).*`select \*.*`select pg_reload_conf\(\);`/,
    ],
    [
      'a database that accepts no connections',
      () => urlOf('sound', 'closed'),
      /^The database closed .* accepts no connections .*`alter database closed allow_connections true;`/,
    ],
    [
      'a database whose drop was interrupted',
      () => urlOf('sound', 'broken'),
      /^The database broken .* interrupted drop.*`drop database broken;`/,
    ],
    [
      'a parameter that it does not know',
      () => withHost((url) => url.searchParams.set('options', '-c hush=1')),
      /does not accept the connection \(unrecognized configuration parameter "hush"\): correct/,
    ],
    [
      'no password in clear',
      () => urlOf('plain', 'sound', ''),
      /asks for the password of the role plain: .*PGPASSWORD/,
    ],
    [
      'no password by MD5',
      () => urlOf('hashed', 'sound', ''),
      /asks for the password of the role hashed: .*PGPASSWORD/,
    ],
    ['no password', () => urlOf('sound', 'sound', ''), /asks for the password of the role sound, .*PGPASSWORD/],
    [
      'an unknown role',
      () => urlOf('nobody', 'sound'),
      /refuses the password of the role nobody: .*`create role nobody /,
    ],
    [
      'NOLOGIN',
      () => urlOf('asleep', 'sound'),
      /^The role asleep is not permitted to log in .*`alter role asleep login;`/,
    ],
    [
      'no database',
      () => urlOf('sound', 'nowhere'),
      /^There is no database nowhere .*`create database nowhere owner sound/,
    ],
    [
      'another port',
      () => withHost((url) => Object.assign(url, { port: '1' })),
      /^No PostgreSQL listens at 127\.0\.0\.1:1 .*`pg_isready -h 127\.0\.0\.1 -p 1`/,
    ],
    [
      'an unknown host',
      () => withHost((url) => Object.assign(url, { hostname: 'db.invalid' })),
      /^(There is no host|The host name) db\.invalid.*`getent hosts db\.invalid`/,
    ],
    [
      'no socket',
      () => `postgres://sound:${PASSWORD}@%2Fnowhere/sound`,
      /^There is no PostgreSQL socket in \/nowhere: start PostgreSQL/,
    ],
    [
      'TLS that is not offered',
      () => withHost((url) => url.searchParams.set('sslmode', 'require')),
      /does not support TLS, .*ssl = on/,
    ],
  ])('%s is explained in one sentence, by a start, by doctor and by the commands', async (_what, url, sentence) => {
    const env = { DATABASE_URL: url(), GRAPH_BASE_URL: 'http://127.0.0.1:1', PORT: '0' }
    const said = await start(env)
    expect(said).toMatch(sentence)
    expect(said).not.toContain('\n')
    const surroundings = { env: { ...env, START_TIMEOUT_MS: '0', MASTER_KEY } }
    const migrated = await greenroom(['migrate'], surroundings)
    expect([migrated.code, migrated.stderr.trim()]).toEqual([1, said])
    const [finding] = (await examine({ env: { MASTER_KEY, ...env } })).filter(({ check }) => check === 'database')
    expect(said).toContain(finding!.finding.slice(0, -1))
    expect(said).toContain(finding!.remedy.slice(1))
    const moved = await greenroom(['restore', 'nothing.backup', '--to', env.DATABASE_URL], surroundings)
    for (const text of [said, migrated.stderr, JSON.stringify(finding), moved.stderr]) {
      expect(text).not.toMatch(/pass-word-of-the-role|hush-wrong|\n +at /)
    }
  })
})

test.each([
  'serve',
  'doctor',
  'migrate',
  'move',
])('%s without the password that PostgreSQL demands ends at once, although the server waits for it', async (command) => {
  const url = urlOf('postgres', 'postgres', '')
  const dataDir = join(folder, `moved-${command}`)
  if (command === 'move') await greenroom(['migrate'], { env: { DATA_DIR: dataDir } })
  const place: Record<string, string> = command === 'move' ? { DATA_DIR: dataDir } : { DATABASE_URL: url }
  const child = startChild(MAIN, command === 'move' ? [command, '--to', url] : [command], {
    ...{ ...place, MASTER_KEY, PORT: '0', HOST: '127.0.0.1', GRAPH_BASE_URL: 'http://127.0.0.1:1' },
  })
  const printed: string[] = []
  const begun = performance.now()
  for await (const line of child.lines) printed.push(line)
  await child.ended
  expect(performance.now() - begun).toBeLessThan(15_000)
  expect(printed.join('\n') + child.errors()).toContain('asks for the password of the role postgres')
}, 60_000)

describe('greenroom migrate with MIGRATE_DATABASE_URL', () => {
  const migrate = async (DATABASE_URL: string, MIGRATE_DATABASE_URL: string | undefined, ...options: string[]) => {
    const env = { START_TIMEOUT_MS: '0', DATABASE_URL, ...(MIGRATE_DATABASE_URL && { MIGRATE_DATABASE_URL }) }
    const { code, stdout, stderr } = await greenroom(['migrate', ...options], { env })
    return { code, stdout, said: stderr.trim() }
  }
  beforeAll(async () => {
    for (const role of ['serving', 'owning']) await run(`create role ${role} login password '${PASSWORD}'`)
    for (const name of ['one', 'another']) await run(`create database ${name} owner owning`)
  })

  test('changes nothing if DATABASE_URL leads to another database, or does not answer at its address', async () => {
    const [one, another] = [urlOf('owning', 'one'), urlOf('serving', 'another')]
    for (const options of [[], ['--sql']]) {
      const refused = await migrate(another, one, ...options)
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        said: expect.stringMatching(
          /^MIGRATE_DATABASE_URL leads to the PostgreSQL database one at [^ ,]+, but DATABASE_URL to the PostgreSQL database another at [^ ,]+, .*--grant-to\.$/,
        ),
      })
    }
    const unknown = await migrate(urlOf('serving', 'nowhere'), one)
    expect(unknown).toMatchObject({
      code: 1,
      said: expect.stringContaining('which cannot be confirmed to be the same'),
    })
    expect((await run(`select to_regclass('migrations') as found`, one)).rows).toEqual([{ found: null }])
  })

  test('prints the statements for an empty database with a role that may not create tables', async () => {
    const printed = await migrate(urlOf('serving', 'another'), undefined, '--sql', '--grant-to', 'serving')
    expect([printed.code, printed.said]).toEqual([0, ''])
    expect(printed.stdout).toContain('grant select, insert, update, delete on all tables in schema public to serving;')
  })

  test('migrates the same database at another address', async () => {
    const elsewhere = urlOf('serving', 'one').replace('127.0.0.1', 'localhost')
    expect(await migrate(elsewhere, urlOf('owning', 'one'))).toMatchObject({ code: 0, said: '' })
  })

  test('names that setting if it is at fault', async () => {
    const service = urlOf('serving', 'one')
    await run(`create role idle login password '${PASSWORD}'`)
    await run(`create role looking login password '${PASSWORD}'`)
    await run('alter role looking set default_transaction_read_only = on')
    for (const url of [
      urlOf('owning', 'one', 'hush-wrong'),
      urlOf('owning', 'nowhere'),
      urlOf('idle', 'one'),
      urlOf('looking', 'one'),
      urlOf('owning', 'one').replace(/:\d+\//, ':1/'),
    ]) {
      const { code, said } = await migrate(service, url)
      expect([code, said]).toEqual([1, expect.stringContaining('MIGRATE_DATABASE_URL')])
      expect(said).not.toMatch(/\bDATABASE_URL|the URL of the database|hush-wrong/)
    }
  })
})

describe('a service whose role may not change tables', () => {
  let child: Child
  const log: string[] = []
  let env: Record<string, string>

  beforeAll(async () => {
    const text = readFileSync(new URL('../docs/postgresql.md', import.meta.url), 'utf8')
    const [, sql] = /```sql\n(create role greenroom_owner [\s\S]*?)```/.exec(text)!
    const statements = sql!
      .replaceAll('…', PASSWORD)
      .split(';')
      .filter((statement) => statement.trim() !== '')
    for (const statement of statements) await run(statement)
    const [DATABASE_URL, owner] = ['greenroom', 'greenroom_owner'].map((role) => urlOf(role, 'greenroom'))
    const off = { DATABASE_URL: DATABASE_URL!, MIGRATE_AT_START: 'off' }
    const emptied = await examine({ env: { MASTER_KEY, GRAPH_BASE_URL: 'http://127.0.0.1:1', PORT: '0', ...off } })
    expect(emptied.filter(({ check }) => check === 'database')).toContainEqual(
      expect.objectContaining({
        state: 'problem',
        finding: expect.stringMatching(/^It is empty, but MIGRATE_AT_START/),
      }),
    )
    expect(await start(off)).toMatch(/^The database needs .*migration.*run `greenroom migrate` with the role/)
    expect(await start({ DATABASE_URL: DATABASE_URL! })).toMatch(
      /^The role greenroom may not create tables in the schema/,
    )

    const migrated = await greenroom(['migrate'], { env: { ...off, MIGRATE_DATABASE_URL: owner } })
    expect(migrated.code, migrated.stderr).toBe(0)
    expect(JSON.parse(migrated.stdout)).toMatchObject({ applied: expect.any(Number), grantedTo: 'greenroom' })
    const again = await greenroom(['migrate'], { env: { ...off, MIGRATE_DATABASE_URL: owner } })
    expect([again.code, JSON.parse(again.stdout).applied]).toEqual([0, 0])
    const printed = await greenroom(['migrate', '--sql'], { env: { ...off, MIGRATE_DATABASE_URL: owner } })
    const [, documented] = /```sql\n(grant connect [\s\S]*?)```/.exec(text)!
    const version = Number((await run('show server_version_num')).rows[0].server_version_num)
    const expected = documented!.split('\n').map((line) => line.replace(/ -- .*/, ''))
    const hasMaintain = (line: string): boolean => version >= 170_000 || !line.startsWith('grant maintain')
    // The owner of the database grants connect.
    expect(printed.stdout.split('\n')).toEqual(expected.filter(hasMaintain))

    for (const statement of ['create table own (id int)', 'alter table posts add x int', 'delete from migrations']) {
      await expect(run(statement, DATABASE_URL), statement).rejects.toThrow(
        /permission denied|must be owner|does not exist/,
      )
    }
    env = { ...off, BACKUP_DIR: join(folder, 'backups'), BACKUP_PASSPHRASE: 'a passphrase of backups' }
    child = startChild(MAIN, ['serve'], {
      ...env,
      ...{ MASTER_KEY, OPERATOR_TOKEN, PORT: '0', HOST: '127.0.0.1', GRAPH_BASE_URL: 'http://127.0.0.1:1' },
      ...{ REVOKED_KEYS_KEEP_DAYS: '1', POST_CONTENT_KEEP_DAYS: '1', PUBLISHER_INTERVAL_MS: '100', DRAIN_MS: '0' },
    })
    for await (const line of child.lines) {
      log.push(line)
      const [, url] = /Greenroom listens at (http:\S+?)"/.exec(line) ?? []
      if (url === undefined) continue
      env = { GREENROOM_URL: url, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
      break
    }
    if (env.GREENROOM_URL === undefined) throw new Error(child.errors())
    child.process.stdout.on('data', (chunk) => log.push(String(chunk)))
  }, 120_000)
  afterAll(async () => {
    child?.process.kill('SIGTERM')
    await child?.ended
  })

  const json = async (argv: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await greenroom(argv, { env: { ...env, ...more }, clock: systemClock })
    expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }

  test('imports, receives deliveries, claims, backs up and deletes without a refusal in the log', async () => {
    await expect
      .poll(() => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.backup')), { timeout: 60_000 })
      .toHaveLength(1)
    const { id: organization } = await json(['organizations', 'create', 'Acme'])
    const { id: workspace } = await json(['workspaces', 'create', organization, 'VIPs', '--type', 'VIP'])
    const channel = 'FB_PAGE_104512883716042'
    const page = ['--type', 'FB_PAGE', '--platform-id', channel.slice(8), '--name', 'Acme']
    await json(['channels', 'create', organization, ...page])
    await json(['channels', 'connect', organization, channel, workspace])
    const csv = join(folder, 'audience.csv')
    const lines = Array.from({ length: 2_000 }, (_, row) => `c-${row},u-${row},${row},true`)
    writeFileSync(csv, ['conversationId,cuid,lifetimeValue,vip', ...lines].join('\n'))
    const place = ['--organization', organization, '--channel', channel, '--workspace', workspace]
    expect(await json(['conversations', 'import', csv, ...place])).toMatchObject({ imported: 2_000 })
    const key = await json(['keys', 'issue', organization])
    const withKey = { GREENROOM_KEY: key.id, GREENROOM_SECRET: key.secret }
    const list = ['vip-users', 'list', '--workspace', workspace, '--channel', channel, '--limit', '5']
    expect(JSON.stringify(await json(list, withKey))).toContain('c-1999')

    const source = await json(['sources', 'add', organization, 'events', '--name', 'App'])
    const event = { type: 'track', event: 'Application Opened', userId: 'u-1', messageId: 'm-1' }
    const sent = await fetch(`${env.GREENROOM_URL}/ingest/v1/track`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(`${source.writeKey}:`)}` },
      body: JSON.stringify({ ...event, timestamp: new Date(systemClock.now()).toISOString() }),
    })
    expect(sent.status, await sent.text()).toBe(200)

    const { id: post } = await json(
      [
        ...['posts', 'create', '--scheduled-for', '+2s', '--channel', `${channel}=The lights are on`],
        ...['--media', 'https://cdn.example/lights.jpg'],
      ],
      withKey,
    )
    await json(['posts', 'submit', post], withKey)
    await greenroom(['posts', 'approve', organization, post, '--yes'], { env, clock: systemClock })
    const file = join(folder, 'own.backup')
    const passphrase = join(folder, 'passphrase')
    writeFileSync(passphrase, 'a passphrase of backups')
    expect(await json(['backup', file, '--passphrase-file', passphrase])).toMatchObject({ masterKey: true })
    const drilled = await json(['backup', 'verify', file, '--restore', '--in', folder, '--passphrase-file', passphrase])
    expect(drilled).toMatchObject({ authenticated: true, organizations: 1, conversations: 2_000, posts: 1 })
    expect(drilled.secrets).toBeGreaterThan(0)
    expect(drilled.secretsOpened).toBe(drilled.secrets)
    await json(['people', 'erase', organization, 'u-7', '--yes'])
    await json(['channels', 'delete', organization, channel, '--force', '--yes'])
    const health = await json(['server', 'health'])
    expect(health.parts).toContainEqual(expect.objectContaining({ part: 'intake', found: 'on_time' }))
    onTestFinished(() => expect(log.join('\n')).not.toMatch(/permission denied|must be owner|42501/))
  }, 120_000)
})
