import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../test/test-database.js'
import { MIGRATIONS_DIRECTORY, MigrationError, migrate, pendingMigrations } from './migrate.js'
import { openPglite } from './pglite/pglite.js'

const database = TEST_DATABASE_URL
  ? openTestPostgres(await createEmptyDatabase('greenroom_migrate_test'), 4)
  : await openPglite()
let directory = ''
const directories: string[] = []

beforeEach(async () => {
  await database.execute('drop schema public cascade; create schema public')
  directory = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  directories.push(directory)
  write('0001_first.sql', 'create table first (id int); create table beside (id int);')
  write('0002_second.sql', 'alter table first add column name text;')
})
afterAll(async () => {
  await database.close()
  for (const made of directories) rmSync(made, { recursive: true, force: true })
})

/** Runs the program's own migrations before this one. */
async function migrateUntil(number: string): Promise<void> {
  const before = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  directories.push(before)
  for (const name of readdirSync(MIGRATIONS_DIRECTORY)) {
    if (name < number) cpSync(join(MIGRATIONS_DIRECTORY, name), join(before, name))
  }
  await migrate(database, before)
}

const write = (name: string, sql: string): void => writeFileSync(join(directory, name), sql)

test('runs what has not run, in order, once', async () => {
  expect(await pendingMigrations(database, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
  expect(await migrate(database, directory)).toEqual({ applied: ['0001_first.sql', '0002_second.sql'] })
  expect(await pendingMigrations(database, directory)).toEqual([])
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  write('0003_third.sql', 'insert into first values (1);')
  expect(await migrate(database, directory)).toEqual({ applied: ['0003_third.sql'] })
  expect((await database.query('select name from first')).rowCount).toBe(1)
})

test('several at once run each file once', async () => {
  const runs = await Promise.all([1, 2, 3].map(() => migrate(database, directory)))
  expect(runs.flatMap(({ applied }) => applied).sort()).toEqual(['0001_first.sql', '0002_second.sql'])
})

test('a file that fails is named, and leaves nothing of itself and of the ones before it', async () => {
  write('0002_second.sql', 'create table half (id int); select 1/0;')
  await expect(migrate(database, directory)).rejects.toMatchObject({
    message: 'The migration 0002_second.sql failed, and the database is as it was before: division by zero.',
    cause: { code: '22012' },
  })
  expect(await pendingMigrations(database, directory)).toEqual(['0001_first.sql', '0002_second.sql'])
  for (const table of ['first', 'half', 'migrations']) {
    await expect(database.query(`select * from ${table}`)).rejects.toMatchObject({ code: '42P01' })
  }
})

test('a table of applied migrations that an earlier version has made is read as it is', async () => {
  await migrate(database, directory)
  await database.execute('alter table migrations drop column compatible')
  write('0003_third.sql', 'insert into first values (1);')
  expect(await pendingMigrations(database, directory)).toEqual(['0003_third.sql'])
  const { rows } = await database.query('select * from migrations limit 1')
  expect(rows[0]).not.toHaveProperty('compatible')
  expect(await migrate(database, directory)).toEqual({ applied: ['0003_third.sql'] })
})

test.each([
  ['0006_audit_trail.sql', '1ebefa471b12e050e967abf0b379ff4e6f4e40ee123ffa94539fc4ddd0c14533'],
  ['0012_revisions_only_grow.sql', '8d84a73f39b04e2934dff2cf4122afa10d8236138885dfac6f615a09d8732c3e'],
  ['0042_notices.sql', '85e8617ab0e6730f2aae32cd0524894234d891371cf68de6d9956e3bbeca85ea'],
])('%s counts as it was worded before', async (name, checksum) => {
  await migrate(database)
  await database.query('update migrations set checksum = $2 where name = $1', [name, checksum])
  expect(await pendingMigrations(database)).toEqual([])
})

test('a file changed after it ran is refused; its line ends do not count', async () => {
  write('0002_second.sql', 'create table\n  lines (id int);\n')
  await migrate(database, directory)
  write('0002_second.sql', 'create table\r\n  lines (id int);\r\n')
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  write('0002_second.sql', 'create table lines (id bigint);')
  await expect(migrate(database, directory)).rejects.toThrow(MigrationError)
  await expect(migrate(database, directory)).rejects.toThrow('0002_second.sql was changed after it ran')
  await expect(pendingMigrations(database, directory)).rejects.toThrow(MigrationError)
})

test('a database that a newer version has migrated is refused', async () => {
  write('0003_newer.sql', 'create table newer (id int);')
  await migrate(database, directory)
  rmSync(join(directory, '0003_newer.sql'))
  await expect(migrate(database, directory)).rejects.toThrow('does not know (0003_newer.sql): a newer version')
})

test("the program's own migrations run on an empty database", async () => {
  const pending = await pendingMigrations(database)
  expect(pending[0]).toBe('0001_initial.sql')
  expect(await migrate(database)).toEqual({ applied: pending })
})

test('0008: what two posts have adopted stays with the one that was attempted first', async () => {
  await migrateUntil('0008')
  await database.execute(`
    insert into organizations values ('org', 'Old', true, now()), ('other', 'Other', true, now());
    insert into scheduled_posts (organization_id, scheduled_post_id, status, created_at, updated_at)
    select organization_id, id, 'PUBLISHED', now(), now() from organizations, unnest('{a,b,c,d}'::text[]) id;
    insert into publications
           (organization_id, scheduled_post_id, channel_id, state, attempted_at, external_id, permalink, error, updated_at)
    values ('org', 'a', 'FB_PAGE_1', 'PUBLISHED', '2026-11-20 09:05Z', '1', 'https://a', null, now()),
           ('org', 'b', 'FB_PAGE_1', 'PUBLISHED', '2026-11-20 09:00Z', '1', 'https://b', null, now()),
           ('org', 'c', 'FB_PAGE_1', 'FAILED', '2026-11-20 09:06Z', '1', null, 'No.', now()),
           ('org', 'd', 'FB_PAGE_1', 'PUBLISHED', '2026-11-20 09:07Z', '2', 'https://d', null, now()),
           ('org', 'd', 'FB_PAGE_2', 'PUBLISHED', '2026-11-20 09:07Z', '1', 'https://e', null, now()),
           ('other', 'a', 'FB_PAGE_1', 'PUBLISHED', '2026-11-20 09:07Z', '1', 'https://f', null, now())`)
  await migrate(database)
  const { rows } = await database.query(
    `select concat_ws(' ', organization_id, scheduled_post_id, channel_id) as key, state, external_id, permalink, error
       from publications order by 1`,
  )
  const note = "It may not have been published: 1 is another post's. Look at the channel."
  const row = (key: string, state: string, id: string | null, permalink: string | null, error: string | null) => ({
    key,
    state,
    external_id: id,
    permalink,
    error,
  })
  expect(rows).toEqual([
    row('org a FB_PAGE_1', 'PUBLISHED', null, null, note),
    row('org b FB_PAGE_1', 'PUBLISHED', '1', 'https://b', null),
    row('org c FB_PAGE_1', 'FAILED', null, null, `No. ${note}`),
    row('org d FB_PAGE_1', 'PUBLISHED', '2', 'https://d', null),
    row('org d FB_PAGE_2', 'PUBLISHED', '1', 'https://e', null),
    row('other a FB_PAGE_1', 'PUBLISHED', '1', 'https://f', null),
  ])
  const again = `update publications set external_id = '1' where scheduled_post_id = 'a' and organization_id = 'org'`
  await expect(database.query(again)).rejects.toMatchObject({ code: '23505', constraint: 'publications_external_id' })
})

test('0039: an account of one organization is bound to it, unless a provider has linked it or it owns the server', async () => {
  await migrateUntil('0039')
  await database.execute(`
    insert into organizations (organization_id, name, active, created_at) values ('org', 'A', true, now()), ('other', 'B', true, now());
    insert into people (person_id, name, mail, owner, created_at)
    select id, id, id || '@example.com', id = 'owner', now() from unnest('{one,both,none,linked,owner}'::text[]) id;
    insert into memberships (organization_id, person_id, role, may_approve, created_at)
    values ('org', 'one', 'ADMIN', true, now()), ('org', 'both', 'ADMIN', true, now()), ('other', 'both', 'VIEWER', false, now()),
           ('org', 'linked', 'EDITOR', false, now()), ('org', 'owner', 'ADMIN', true, now());
    insert into identities (issuer, subject, person_id, created_at) values ('https://id', 's', 'linked', '2026-11-20 09:00Z')`)
  await migrate(database)
  const { rows } = await database.query(
    'select person_id as id, bound_to, mail_proven_at as proven from people order by person_id',
  )
  const proven = new Date('2026-11-20T09:00:00Z')
  expect(rows).toEqual([
    { id: 'both', bound_to: null, proven: null },
    { id: 'linked', bound_to: null, proven },
    { id: 'none', bound_to: null, proven: null },
    { id: 'one', bound_to: 'org', proven: null },
    { id: 'owner', bound_to: null, proven: null },
  ])
})

test('0040: an open invitation is that of the one who made it, as the trail has it', async () => {
  await migrateUntil('0040')
  await database.execute(`
    insert into organizations (organization_id, name, active, created_at) values ('org', 'A', true, now()), ('other', 'B', true, now());
    insert into invitations (organization_id, invitation_id, token_hash, mail, role, may_approve, created_at, expires_at)
    select organization_id, id, organization_id || id, 'a@example.com', 'ADMIN', true, now(), now()
      from organizations, unnest('{inv_a,inv_b,inv_c}'::text[]) id;
    insert into audit_trail (organization_id, at, actor_type, actor_id, operation, target_type, target_id)
    values ('org', now(), 'user', 'usr_a', 'createInvitation', 'invitation', 'inv_a'),
           ('org', now(), 'operator', null, 'createInvitation', 'invitation', 'inv_b'),
           ('org', now(), 'user', 'usr_b', 'revokeInvitation', 'invitation', 'inv_c'),
           ('other', now(), 'user', 'usr_c', 'createInvitation', 'invitation', 'inv_c')`)
  await migrate(database)
  const { rows } = await database.query<{ made: string }>(
    `select concat_ws(' ', organization_id, invitation_id, created_by_type, created_by_id) as made
       from invitations order by 1`,
  )
  expect(rows.map(({ made }) => made)).toEqual([
    'org inv_a user usr_a',
    'org inv_b operator',
    'org inv_c',
    'other inv_a',
    'other inv_b',
    'other inv_c user usr_c',
  ])
})

test('0089: the names that people are searched by lose their accents, and go with the people as before', async () => {
  await migrateUntil('0089')
  await database.execute(`
    insert into organizations (organization_id, name, active, created_at) values ('org', 'A', true, now());
    insert into channels (organization_id, channel_id, type, name) values ('org', 'FB_PAGE_1', 'FB_PAGE', 'P');
    insert into conversations (organization_id, channel_id, conversation_id, cuid, first_name, last_name, user_name)
    values ('org', 'FB_PAGE_1', 'plain', 'a', 'Ada', 'King', 'ada_9'), ('org', 'FB_PAGE_1', 'accents', 'b', 'José', 'King', 'PEPE'),
           ('org', 'FB_PAGE_1', 'last', 'c', null, 'Weiß', '7up'), ('org', 'FB_PAGE_1', 'sign', 'd', '', '~Ann', null),
           ('org', 'FB_PAGE_1', 'user', 'e', 'Eve', null, '_eve'), ('org', 'FB_PAGE_1', 'none', 'f', null, null, null)`)
  const names = async () =>
    (
      await database.query<{ names: string }>(
        `select conversation_id || ': ' || string_agg(name, ', ' order by name) as names
           from conversation_names group by conversation_id order by conversation_id collate "C"`,
      )
    ).rows.map((row) => row.names)
  expect(await names()).toContain('accents: josé king, king, pepe')
  await migrate(database)
  const folded = [
    ...['accents: jose king, king, pepe', 'last: 7up, weiss', 'plain: ada king, ada_9, king'],
    ...['sign: ann, ~ann', 'user: _eve, eve'],
  ]
  expect(await names()).toEqual(folded)
  await database.execute(`update conversations set user_name = 'José' where conversation_id = 'none'`)
  expect(await names()).toEqual([...folded.slice(0, 2), 'none: jose', ...folded.slice(2)])
  await database.execute('delete from conversations')
  expect(await names()).toEqual([])
})

test('a program runs on a schema that a newer one has expanded compatibly, and on no other', async () => {
  await migrate(database, directory)
  const newer = mkdtempSync(join(tmpdir(), 'greenroom-migrations-'))
  directories.push(newer)
  for (const name of ['0001_first.sql', '0002_second.sql'])
    writeFileSync(join(newer, name), readFileSync(join(directory, name)))
  const expand = '-- compatible with the program before: it adds a column.\nalter table first add column more text;'
  writeFileSync(join(newer, '0003_expand.sql'), expand)
  await migrate(database, newer)
  expect(await pendingMigrations(database, directory)).toEqual([])
  expect(await migrate(database, directory)).toEqual({ applied: [] })
  writeFileSync(join(newer, '0004_contract.sql'), 'alter table first drop column name;')
  await migrate(database, newer)
  await expect(pendingMigrations(database, directory)).rejects.toThrow(/0004_contract\.sql/)
  await expect(migrate(database, directory)).rejects.toBeInstanceOf(MigrationError)
})
