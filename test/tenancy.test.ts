import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { TABLE_ENTRIES } from '../src/database/tables.js'
import { openTestDatabase } from './test-database.js'

/** The schema and the statements suit a database that is distributed by organization (docs/scaling.md). */

/** Statements on tenant tables that are not limited to one organization: file, first words, reason. */
const ACROSS_ORGANIZATIONS: [file: string, beginning: string, reason: string][] = [
  ['access/keys/keys.store.ts', 'insert into key_uses', 'when keys were last used: gathered over all of them'],
  ['access/keys/keys.store.ts', 'insert into key_refusals', 'what was refused to keys: gathered over all of them'],
  ['access/keys/keys.store.ts', 'key_id, name', 'no statement: columns of one that gives the organization'],
  [
    'news/reminders.store.ts',
    'select organization_id, key_id, ends_at',
    'reminders: keys of any organization that end',
  ],
  ['news/reminders.store.ts', 'insert into key_reminders', 'the same: reminders already sent'],
  ['access/people/invitations.store.ts', 'select i.organization_id', 'an invitation is found by its token'],
  ['access/people/invitations.store.ts', 'delete from invitations where (token_hash', 'the same'],
  ['access/people/invitations.store.ts', 'select from organizations o', 'the same: its organization is locked'],
  ['access/people/grants.store.ts', 'exists (select from people', 'a right of a person in the organization of a row'],
  ['access/people/grants.store.ts', 'select (select count(*)', 'what a person made, also in all organizations'],
  ['access/people/grants.store.ts', 'delete from invitations', 'the same'],
  ['access/people/grants.store.ts', 'update review_links', 'the same'],
  ['access/people/grants.store.ts', 'select from scheduled_posts', 'the same: the posts of the links'],
  [
    'access/people/grants.store.ts',
    'with recursive issued (organization_id',
    'the same: keys, and when they were last used',
  ],
  ['access/people/memberships.store.ts', '( select json_agg', 'no statement: the roles by channel of a membership'],
  ['access/people/memberships.store.ts', 'select organization_id, name', 'the organizations of a person'],
  [
    'access/people/memberships.store.ts',
    'select organization_id from memberships',
    'the same, whose account is deleted',
  ],
  ['access/review-links/review-links.store.ts', 'select $', 'a link is found by its token'],
  ['posts/calendar/calendar.store.ts', 'select f.organization_id', 'a calendar address is found by its token'],
  ['access/review-links/review-links.store.ts', '(l.mail is null', 'no statement: what holds of a link that works'],
  ['backup/restored.store.ts', 'with gone', 'a restore: the ways in to every organization'],
  [
    'backup/restored.store.ts',
    'select distinct on (operation',
    'a restore: the whole trail, of the replaced server too',
  ],
  ['backup/restored.store.ts', 'select audit_id, organization_id, at', 'the same'],
  [
    'audience/browse/browse.store.ts',
    '(select $',
    'one channel of one organization: both are in audience_key, with which its indexes begin',
  ],
  [
    'audience/list/change-log.store.ts',
    'with asked as',
    'changes of the channels of many requests: one select for all',
  ],
  ['access/snapshot.store.ts', 'select $', 'revisions of the channels of many requests: one select for all'],
  [
    'channels/channels.store.ts',
    'select organization_id, channel_id, token_problem',
    'the doctor: whose token is refused',
  ],
  [
    'channels/refresh-tokens.store.ts',
    'select organization_id, channel_id, token_refresh_at',
    'the worker: tokens that are due, of any organization',
  ],
  ['media/media.store.ts', 'select organization_id, media_id, content_type from media order', 'a backup: every file'],
  [
    'media/media.store.ts',
    'select organization_id, media_id, content_type from media where small_bytes is not null',
    'a backup: every small picture',
  ],
  [
    'media/media.store.ts',
    'select organization_id, media_id, content_type from media_removals',
    'retention: files that are to go',
  ],
  ['removal/audit-exports.store.ts', 'with recursive trails', 'retention: who has a trail'],
  ['removal/audit-exports.store.ts', 'select organization_id, through', 'retention: whose trail was exported'],
  ['removal/audit-exports.store.ts', 'insert into audit_exports', 'one file has entries of many organizations'],
  ['backup/restored.store.ts', 'select organization_id, before', 'a restore: how far back the trail reaches'],
  ['media/media.store.ts', 'select exists (select from media)', 'backups: if any organization has a file'],
  ['database/sealed-column.ts', 'select $', 'the rotation of the master key walks every secret'],
  ['database/sealed-column.ts', 'select count(*)', 'the same: how many are left'],
  ['publisher/claims.store.ts', 'select post.status', 'the claim: what is due, of any organization'],
  ['publisher/claims.store.ts', 'select p.status', 'the claim: how far it has read'],
  ['publisher/claims.store.ts', "update scheduled_posts p set status = 'P", 'the claim: its posts, by key'],
  ['publisher/publications.store.ts', 'insert into publications', 'the claim and the expiry: of their posts, by key'],
  ['publisher/publications.store.ts', 'select organization_id, scheduled_post_id, $', 'the same'],
  ['posts/waits.store.ts', 'select reason, count(*)', 'the late posts of all organizations, for the status'],
  ['posts/scheduled-posts.store.ts', '$', 'the claim: its posts, by key'],
  ['publisher/claims.store.ts', 'update scheduled_posts p set leased_until', 'the posts of a dead publisher'],
  ['publisher/claims.store.ts', 'select organization_id, scheduled_post_id, (select', 'the expiry: what is too late'],
  ['publisher/claims.store.ts', "update publications p set state = 'F", 'the expiry: of its posts, by key'],
  ['publisher/due-posts.store.ts', '(select organization_id, scheduled_for', 'the oldest due post, for probes'],
  ['posts/scheduled-posts.store.ts', 'select organization_id, scheduled_post_id, status', 'no statement: the same'],
  ['news/events.store.ts', 'delete from events e', 'the outbox: the oldest, of any organization'],
  ['news/events.store.ts', 'select exists', 'whether there is anything to pass on'],
  ['news/mails/mails.store.ts', 'select distinct organization_id from mails', 'the organizations with due emails'],
  [
    'news/mails/mails.store.ts',
    'select distinct organization_id from inbox_mails',
    'the organizations with due emails about news',
  ],
  ['news/mails/mails.store.ts', 'select p.name', 'a person, and how people read in the first organization'],
  ['news/mails/mails.store.ts', 'select count(*)', 'how many emails wait, of the whole server'],
  ['news/webhooks/deliveries.store.ts', 'select w.webhook_id', 'the webhooks whose deliveries may be sent'],
  [
    'news/webhooks/deliveries.store.ts',
    'delete from webhook_deliveries where (organization_id, webhook_id, event_id) in',
    'what is old, of any organization',
  ],
  [
    'news/webhooks/deliveries.store.ts',
    "update webhook_deliveries set status = 'FAILED'",
    'what has waited for too long, of any organization',
  ],
  ['news/webhooks/deliveries.store.ts', 'with beyond as materialized', 'what is too many, of each organization'],
  ['intake/hooks/activity.store.ts', 'insert into source_activity', 'what sources did: gathered over all of them'],
  ['intake/worker/worker.store.ts', 'select a.organization_id', 'what workers of any organization died over'],
  ['intake/worker/worker.store.ts', 'delete from intake_attempts where holder', 'the same: of a worker that stops'],
  ['intake/inbox/inbox.store.ts', 'insert into inbox (o', 'deliveries that arrive together share a commit'],
  ['intake/inbox/inbox.store.ts', 'select l.organization_id', 'the worker: the organizations with work'],
  ['intake/inbox/inbox.store.ts', 'with waiting as materialized', 'what waits in all, for probes'],
  ['intake/inbox/inbox.store.ts', 'select count(*) from sources', 'the doctor: sources whose purchases do not count'],
  ['intake/inbox/inbox.store.ts', 'select organization_id, source_id', 'the doctor: sources that refuse signatures'],
  [
    'intake/sources/sources.store.ts',
    'select s.* from sources s join organizations o on o.organization_id = s.organization_id where s',
    'a source is found by its address',
  ],
  [
    'intake/sources/sources.store.ts',
    'select s.* from sources s join organizations o on o.organization_id = s.organization_id where (',
    'the same, by its write key',
  ],
  [
    'intake/platform/platform.store.ts',
    'insert into channel_subscriptions',
    'the channels with a token, of any organization',
  ],
  ['intake/platform/platform.store.ts', 'select c.organization_id', 'the same: those that are to be made'],
  ['intake/platform/platform.store.ts', 'select b.organization_id', 'the same: those that no longer have any'],
  ['intake/platform/platform.store.ts', 'delete from channel_subscriptions', 'the same'],
  [
    'intake/worker/worker.store.ts',
    'select organization_id from live',
    'retention: the organizations that have sources',
  ],
  ['audience/live/refresh.store.ts', 'update conversations c', 'one organization: the one of what it computes'],
  ['automation/raffles/draw.store.ts', 'r.frozen_at is null', 'no statement: a condition of the next'],
  [
    'automation/raffles/draw.store.ts',
    'select r.organization_id, r.scheduled_post_id, r.channel_id from raffles',
    'the worker: the raffles that have ended, of any organization',
  ],
  [
    'automation/raffles/draw.store.ts',
    'select organization_id, scheduled_post_id, channel_id from raffles where frozen_at is not null',
    'the worker: the raffles whose beacons have given their values',
  ],
  [
    'automation/raffles/draw.store.ts',
    'select organization_id, scheduled_post_id, channel_id, beacon_round',
    'the worker: the raffles that wait for their beacons',
  ],
  [
    'automation/raffles/messages.store.ts',
    'select organization_id, scheduled_post_id, channel_id from raffles',
    'the worker: the raffles whose messages are not all planned',
  ],
  ['audience/incoming-comments.store.ts', 'with recursive waiting', 'a worker looks for the posts whose comments wait'],
  ['automation/reports.store.ts', 'select (select count', 'figures of all organizations, for the operator'],
  ['work/claims.store.ts', 'select exists (select from', 'a worker looks if a row of any organization is due'],
  [
    'work/claims.store.ts',
    'select ${key',
    'a worker claims rows of any organization; every later statement names the key',
  ],
  ['work/claims.store.ts', ").join(', ')} from (select among", 'the same: the organizations whose turn is next'],
  ['work/claims.store.ts', ").join(', ')}, t.next", 'the same, fair by organization'],
]

/** Unique across all organizations. */
const UNIQUE_ACROSS: Record<string, string> = {
  invitations_mail_token_hash_key:
    'an invitation whose link was mailed is found by its token, before its organization is known',
  invitations_token_hash_key: 'so is any other invitation',
  review_links_token_hash_key: 'so is a review link',
  sources_by_id: 'a source is found by its address',
  sources_by_write_key: 'so is one by its write key',
  calendar_feeds_token_hash_key: 'a calendar address is found by its token',
}

const tenantTables = TABLE_ENTRIES.flatMap(([name, { global }]) => (global === undefined ? [name] : []))

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})

describe('the schema', () => {
  test('has the organization in every unique index and every foreign key between tenant tables', async () => {
    const { rows: unique } = await database.query<{ table: string; index: string }>(
      `select c.relname as table, i.indexrelid::regclass::text as index
         from pg_index i join pg_class c on c.oid = i.indrelid
        where i.indisunique and c.relname = any($1::text[])
          and not exists (select from pg_attribute a
                           where a.attrelid = c.oid and a.attname = 'organization_id' and a.attnum = any(i.indkey))`,
      [tenantTables],
    )
    expect(unique.map(({ index }) => index).sort()).toEqual(Object.keys(UNIQUE_ACROSS).sort())
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

describe('every statement on a tenant table', () => {
  const SRC = resolve(import.meta.dirname, '../src')

  /** Returns the SQL literals of a file, each in one line. */
  function statementsOf(file: string): string[] {
    const text = readFileSync(join(SRC, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    return [...text.matchAll(/`[^`]*`|'[^'\n]*'/g)]
      .map(([literal]) => literal.slice(1, -1).replaceAll(/\s+/g, ' ').trim())
      .filter((literal) => /\b(select|insert into|update \w+|delete from)\b/i.test(literal))
  }

  /** Returns whether it compares the organization with one value, or inserts rows of one. */
  const isConfined = (statement: string): boolean =>
    /\borganization_id = \$\d/.test(statement) ||
    /^insert into \w+( as \w+)? \(organization_id\b[^)]*?\)? ?(values \(\$1|select \$1)/.test(statement) ||
    /^insert into \w+( as \w+)? \(organization_id\b.*\) (values \(|select )\$1\b/.test(statement)

  const TENANT_TABLE = tenantTables.join('|')
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.store.ts') || (file.startsWith('database/') && file.endsWith('.ts')))
    .filter((file) => !file.endsWith('.test.ts'))
  const isListed = ([file, statement]: [string, string]): boolean =>
    ACROSS_ORGANIZATIONS.some(([listed, beginning]) => listed === file && statement.startsWith(beginning))

  test('is limited to one organization, or is listed with its reason', () => {
    expect(files.length).toBeGreaterThan(20)
    // A statement with a table as a parameter may be on one of these tables.
    const isOfTenant = (statement: string): boolean =>
      new RegExp(`\\b(from|join|into|update|exists \\() ?((${TENANT_TABLE})\\b|\\$\\{[a-z]\\w*\\})`).test(statement) ||
      /\$\{(SELECT_POSTS|LIVE|LINKS|others)\}/.test(statement)
    const across = files.flatMap((file) =>
      statementsOf(file)
        .filter((statement) => isOfTenant(statement) && !isConfined(statement))
        .map((statement): [string, string] => [file, statement]),
    )
    expect(across.filter((found) => !isListed(found))).toEqual([])
    // A stale entry proves nothing, and an entry that matches two statements would let the second pass.
    const wrong = ACROSS_ORGANIZATIONS.filter(
      ([file, beginning]) =>
        across.filter(([found, statement]) => found === file && statement.startsWith(beginning)).length !== 1,
    )
    expect(wrong).toEqual([])
  })

  test('compares the organization of each of their tables, or inserts it', () => {
    const unnamed = files.flatMap((file) =>
      statementsOf(file)
        .filter((statement) => !isListed([file, statement]))
        .flatMap((statement) =>
          tablesWithoutOrganization(statement, TENANT_TABLE).map((table) => [file, table, statement]),
        ),
    )
    expect(unnamed).toEqual([])
  })

  test.each([
    ['select name from channels where organization_id = $1', []],
    ['select organization_id, name from channels where channel_id = $1', ['channels']],
    [
      'select w.name from workspaces w join channels c on c.organization_id = w.organization_id where w.organization_id = $1',
      [],
    ],
    ['select w.name from workspaces w join channels c on c.channel_id = $2 where w.organization_id = $1', ['channels']],
    ['select name from workspaces join channels using (organization_id, channel_id) where organization_id = $1', []],
    [
      'select exists (select from channels where channel_id = $2) from workspaces where organization_id = $1',
      ['channels'],
    ],
    ['insert into channels (organization_id, channel_id) values ($1, $2)', []],
    ['insert into channels (channel_id) select channel_id from workspaces where organization_id = $1', ['channels']],
    ['update channels c set name = $2 from workspaces w where w.organization_id = $1', ['channels']],
    ['delete from channels where (organization_id, channel_id) in (select $1, unnest($2::text[]))', []],
  ])('the rule finds a table without it: %s', (statement, tables) => {
    expect(tablesWithoutOrganization(statement, TENANT_TABLE)).toEqual(tables)
  })
})

/** Returns the tables of a statement for which neither a condition nor an insert names the organization. */
function tablesWithoutOrganization(statement: string, tables: string): string[] {
  const mentions = statement.matchAll(
    new RegExp(
      `\\b(from|join|update|into|using)( only)? (${tables})\\b(?: (?:as )?(?!(?:on|set|where|using|join|left|order|group|limit|values|select|for|cross|returning|union|tablesample)\\b)([a-z_]+))?`,
      'g',
    ),
  )
  return [...mentions].flatMap(({ 0: text, 1: verb, 3: table, 4: alias, index }) => {
    const rest = statement.slice(index + text.length)
    if (verb === 'into') return /^ ?\([^)]*\borganization_id\b/.test(rest) ? [] : [table!]
    const scope = scopeAt(statement, index)
    const own = `(?<![.\\w])(?:(?:${alias ?? table}|${table})\\.)?organization_id\\b`
    const row = `\\(${own}[^()]*\\)`
    const compared = new RegExp(`(?:${own}|${row}) (?:=|<>|>|<|in\\b|is )|(?:=|>|<|in) (?:${own}(?! \\()|${row})`)
    const isJoined = verb === 'join' && /^ using \(organization_id\b/.test(rest)
    return compared.test(scope) || isJoined ? [] : [table!]
  })
}

/** Returns the select, update or delete around a position, without those within it. */
function scopeAt(statement: string, position: number): string {
  const QUERY = /^\( ?(select|with|insert|update|delete)\b/
  let start = position
  for (let open = 0; start > 0; start--) {
    if (statement[start - 1] === ')') open += 1
    else if (statement[start - 1] === '(' && open > 0) open -= 1
    else if (QUERY.test(statement.slice(start - 1, start + 9))) break
  }
  let scope = ''
  let hidden = 0
  let depth = 0
  for (let at = start; at < statement.length; at++) {
    if (statement[at] === '(') {
      depth += 1
      if (hidden === 0 && QUERY.test(statement.slice(at, at + 10))) hidden = depth
    }
    if (hidden === 0) scope += statement[at]
    if (statement[at] === ')') {
      if (depth === 0) break
      if (hidden === depth) hidden = 0
      depth -= 1
    }
  }
  return scope
}
