import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { openTestDatabase } from './test-database.js'

/** What the schema and the statements owe to a database that is distributed by organization (docs/scaling.md). */

/** Tables that belong to no organization. An engine that distributes the others keeps these whole, on one node or on all. */
const GLOBAL_TABLES: Record<string, string> = {
  organizations: 'the directory: the tenants themselves',
  api_keys: 'the directory: a tenant is found from a key, before there is a tenant',
  access_revisions: 'a counter for each organization, each person, and the rest: tells caches what changed',
  people: 'a person may belong to several organizations, or own the server',
  entry_links: 'a first or a lost way in, found by its token',
  sessions: "a person's, before it is known which organization is meant",
  sign_in_places: "a person's",
  person_mails: "a person's: notices about the account, which belongs to the server",
  identities: "a person's at the identity provider",
  finished_visits: 'sign-ins by the identity provider, before it is known who it is',
  passkeys: "a person's, found by their credential",
  totp_secrets: "a person's",
  recovery_codes: "a person's",
  factor_failures: "a person's",
  half_sessions: "a person's, before they have passed the second factor",
  operator_tokens: "the operator's",
  operator_token_reminders: "the operator's",
  master_keys: 'keys of the installation',
  installation: 'one row: whose data the database holds',
  migrations: 'one row a migration',
  publishers: 'one row a process: signs of life',
  last_backup: 'one row: when the whole installation was backed up',
  housekeeping: 'one row a task of retention, of the installation',
  post_counts: 'figures of the installation, counted by a trigger',
}

/** Statements on tenant tables that are not confined to one organization: file, how it begins, reason. */
const ACROSS_ORGANIZATIONS: [file: string, beginning: string, reason: string][] = [
  ['access/keys.store.ts', 'insert into key_uses', 'when keys were last used: gathered over all of them'],
  ['access/keys.store.ts', 'key_id, name', 'no statement: columns of one that gives the organization'],
  [
    'access/reminders.store.ts',
    'select organization_id, key_id, ends_at',
    'reminders: keys of any organization that end',
  ],
  ['access/reminders.store.ts', 'insert into key_reminders', 'the same: what was told'],
  ['access/people/invitations.store.ts', 'select i.organization_id', 'an invitation is found by its token'],
  ['access/people/invitations.store.ts', 'delete from invitations where (token_hash', 'the same'],
  ['access/people/grants.store.ts', 'exists (select from people', 'a right of a person in the organization of a row'],
  ['access/people/grants.store.ts', 'select (select count(*)', 'what a person made, also in all organizations'],
  ['access/people/grants.store.ts', 'delete from', 'the same'],
  ['access/people/grants.store.ts', 'select from scheduled_posts', 'the same: the posts of the links'],
  ['access/people/grants.store.ts', 'select k.organization_id', 'the same: keys, and when they were last used'],
  ['access/people/memberships.store.ts', 'select organization_id, name', 'the organizations of a person'],
  ['access/review-links/review-links.store.ts', 'select $', 'a link is found by its token'],
  ['access/restored.store.ts', '(select', 'a restore: the whole trail, of the server that is replaced too'],
  ['access/snapshot.store.ts', 'select $', 'revisions of the channels of many requests: one select for all'],
  [
    'channels/channels.store.ts',
    'select organization_id, channel_id, token_problem',
    'the doctor: whose token is refused',
  ],
  [
    'media/media.store.ts',
    'select organization_id, media_id, content_type',
    'a backup: every file; retention: files that are to go',
  ],
  ['access/audit-exports.store.ts', 'with recursive trails', 'retention: who has a trail'],
  ['access/audit-exports.store.ts', 'select organization_id, through', 'retention: whose trail was exported'],
  ['access/audit-exports.store.ts', 'insert into audit_exports', 'one file has entries of many organizations'],
  ['access/audit-exports.store.ts', 'select organization_id, before', 'a restore: how far back the trail reaches'],
  ['media/media.store.ts', 'select exists (select from media)', 'backups: if any organization has a file'],
  ['database/sealed-column.ts', 'select $', 'the rotation of the master key walks every secret'],
  ['database/sealed-column.ts', 'select count(*)', 'the same: how many are left'],
  ['publisher/claims.store.ts', 'select post.status', 'the claim: what is due, of any organization'],
  ['publisher/claims.store.ts', 'select p.status', 'the claim: how far it has read'],
  ['publisher/claims.store.ts', "update scheduled_posts p set status = 'P", 'the claim: its posts, by key'],
  ['publisher/publications.store.ts', 'insert into publications', 'the claim and the expiry: of their posts, by key'],
  ['publisher/publications.store.ts', 'select organization_id, scheduled_post_id, $', 'the same'],
  ['posts/scheduled-posts.store.ts', '$', 'the claim: its posts, by key'],
  ['publisher/claims.store.ts', 'update scheduled_posts p set leased_until', 'the posts of a dead publisher'],
  ['publisher/claims.store.ts', 'select organization_id, scheduled_post_id, (select', 'the expiry: what is too late'],
  ['publisher/claims.store.ts', "update publications p set state = 'F", 'the expiry: of its posts, by key'],
  ['publisher/due-posts.store.ts', '(select organization_id, scheduled_for', 'the oldest due post, for probes'],
  ['posts/scheduled-posts.store.ts', 'select organization_id, scheduled_post_id, status', 'no statement: the same'],
  ['events/events.store.ts', 'delete from events e', 'the outbox: the oldest, of any organization'],
  ['events/events.store.ts', 'select exists', 'whether there is anything to pass on'],
  ['notifications/mails.store.ts', 'select distinct organization_id from mails', 'the organizations with due mails'],
  ['notifications/deliveries.store.ts', 'select w.organization_id', 'the organizations whose deliveries may be sent'],
  [
    'notifications/deliveries.store.ts',
    'delete from webhook_deliveries where (organization_id, event_id) in',
    'what is old, of any organization',
  ],
  [
    'notifications/deliveries.store.ts',
    "update webhook_deliveries set status = 'FAILED'",
    'what has waited for too long, of any organization',
  ],
  ['notifications/deliveries.store.ts', 'with beyond as materialized', 'what is too many, of each organization'],
]

/** Unique over all organizations. */
const UNIQUE_ACROSS: Record<string, string> = {
  invitations_token_hash_key: 'an invitation is found by its token, before its organization is known',
  review_links_token_hash_key: 'so is a link to a post',
  invitations_mail_token_hash_key: 'so is one whose link was mailed',
}

let database: Database
let tenantTables: string[]
beforeAll(async () => {
  database = await openTestDatabase()
  tenantTables = (await tables()).filter((table) => !(table in GLOBAL_TABLES))
})

async function tables(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  )
  // Other tests of the same database have tables of their own.
  const folder = resolve(import.meta.dirname, '../migrations')
  const migrations = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const made = new Set([
    'migrations',
    ...migrations.flatMap((sql) => [...sql.matchAll(/^create .*?table (\w+)/gm)].map(([, name]) => name)),
  ])
  return rows.map(({ name }) => name).filter((name) => made.has(name))
}

describe('the schema', () => {
  test('has the organization first in the key of every table but the global ones', async () => {
    const { rows } = await database.query<{ name: string; first: string }>(
      `select c.relname as name, a.attname as first
         from pg_index i join pg_class c on c.oid = i.indrelid
         join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indisprimary and c.relnamespace = 'public'::regnamespace`,
    )
    const ledBy = new Map(rows.map(({ name, first }) => [name, first]))
    expect(tenantTables.filter((table) => ledBy.get(table) !== 'organization_id')).toEqual([])
    expect(Object.keys(GLOBAL_TABLES).filter((table) => !ledBy.has(table))).toEqual([])
    expect(tenantTables.length).toBeGreaterThan(15)
  })

  test('has the organization in every unique index and every foreign key between tables of organizations', async () => {
    const { rows: unique } = await database.query<{ table: string; index: string }>(
      `select c.relname as table, i.indexrelid::regclass::text as index
         from pg_index i join pg_class c on c.oid = i.indrelid
        where i.indisunique and c.relname = any($1::text[])
          and not exists (select from pg_attribute a
                           where a.attrelid = c.oid and a.attname = 'organization_id' and a.attnum = any(i.indkey))`,
      [tenantTables],
    )
    expect(unique.map(({ index }) => index)).toEqual(Object.keys(UNIQUE_ACROSS))
    const { rows: foreign } = await database.query<{ name: string }>(
      `select conname as name from pg_constraint k
        where contype = 'f' and conrelid::regclass::text = any($1::text[]) and confrelid::regclass::text = any($1::text[])
          and not exists (select from pg_attribute a
                           where a.attrelid = k.conrelid and a.attname = 'organization_id' and a.attnum = any(k.conkey))`,
      [tenantTables],
    )
    expect(foreign).toEqual([])
  })
})

describe('every statement on a table of organizations', () => {
  const SRC = resolve(import.meta.dirname, '../src')

  /** The literals of a file that are SQL, in one line each. */
  function statementsOf(file: string): string[] {
    const text = readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)]
      .map(([literal]) => literal.slice(1, -1).replaceAll(/\s+/g, ' ').trim())
      .filter((literal) => /\b(select|insert into|update \w+|delete from)\b/i.test(literal))
  }

  /** Compares the organization with one value, or inserts rows of one. */
  const isConfined = (statement: string): boolean =>
    /\borganization_id = \$\d/.test(statement) ||
    /^insert into \w+( as \w+)? \(organization_id\b[^)]*?\)? ?(values \(\$1|select \$1)/.test(statement) ||
    /^insert into \w+( as \w+)? \(organization_id\b.*\) (values \(|select )\$1\b/.test(statement)

  test('is confined to one of them, or is listed with its reason', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.store.ts') || (file.startsWith('database/') && file.endsWith('.ts')))
      .filter((file) => !file.endsWith('.test.ts'))
    expect(files.length).toBeGreaterThan(20)
    // Of a table whose name is a parameter too.
    const isOfTenant = (statement: string): boolean =>
      new RegExp(`\\b(from|join|into|update|exists \\() ?(${tenantTables.join('|')}|\\$\\{\\w+\\})\\b`).test(
        statement,
      ) || /\$\{(SELECT_POSTS|LIVE|others)\}/.test(statement)
    const across = files.flatMap((file) =>
      statementsOf(file)
        .filter((statement) => isOfTenant(statement) && !isConfined(statement))
        .map((statement): [string, string] => [file, statement]),
    )
    const isListed = ([file, statement]: [string, string]): boolean =>
      ACROSS_ORGANIZATIONS.some(([listed, beginning]) => listed === file && statement.startsWith(beginning))
    expect(across.filter((found) => !isListed(found))).toEqual([])
    const stale = ACROSS_ORGANIZATIONS.filter(
      ([file, beginning]) => !across.some(([found, statement]) => found === file && statement.startsWith(beginning)),
    )
    expect(stale).toEqual([])
  })
})
