import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { readShape } from '../src/database/rows.js'
import { type Owner, TABLE_ENTRIES, TABLES, type Table } from '../src/database/tables.js'
import { LIMITS } from '../src/lib/limits.js'
import { openOwnDatabase } from './test-database.js'

/** Compares the registry of tables with the schema that the migrations make. */

interface RealTable {
  name: string
  columns: string[]
  key: string[]
  /** The tables that its foreign keys point to; true if deleting one of those rows deletes its rows too. */
  references: Record<string, boolean>
  /** The columns that the trigger against another master key checks. */
  guarded: string[]
}

let database: Database
let real: Map<string, RealTable>
beforeAll(async () => {
  database = await openOwnDatabase()
  const { rows } = await database.query<RealTable>(
    `select c.relname as name,
            (select json_agg(a.attname) from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
            (select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
               from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
              where i.indrelid = c.oid and i.indisprimary) as key,
            coalesce((select json_object_agg(f.relname, r.confdeltype = 'c')
               from pg_constraint r join pg_class f on f.oid = r.confrelid
              where r.conrelid = c.oid and r.contype = 'f'), '{}') as references,
            coalesce((select json_agg(a.attname)
               from pg_trigger t join pg_attribute a on a.attrelid = c.oid and a.attnum = any(t.tgattr)
              where t.tgrelid = c.oid and t.tgfoid = 'refuse_seal_of_another_key'::regproc), '[]') as guarded
       from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by c.relname`,
  )
  real = new Map(rows.map((table) => [table.name, table]))
})

const entryOf = (name: string): Table | undefined => (TABLES as Record<string, Table>)[name]
const columnsOf = (table: string): string[] => real.get(table)!.columns
const tablesWith = (column: string): string[] => [...real.keys()].filter((table) => columnsOf(table).includes(column))

test('the registry has each table of the database once, and no other', () => {
  expect(Object.keys(TABLES).toSorted()).toEqual([...real.keys()])
})

test('each table comes after those that it refers to, so that deleting in reverse order violates no foreign key', () => {
  const place = new Map(TABLE_ENTRIES.map(([name], index) => [name, index]))
  const early = [...real.values()].flatMap(({ name, references }) =>
    Object.keys(references)
      .filter((other) => other !== name && place.get(other)! > place.get(name)!)
      .map((other) => `${name} refers to ${other}`),
  )
  expect(early).toEqual([])
})

test('the organization leads the key of every tenant table, and of no table that explains why not', () => {
  const led = [...real.values()].filter(({ name, key }) => name !== 'organizations' && key[0] === 'organization_id')
  const tenant = TABLE_ENTRIES.flatMap(([name, { global }]) => (global === undefined ? [name] : []))
  expect(led.map(({ name }) => name)).toEqual(tenant.toSorted())
})

describe('sealed columns', () => {
  /** These are encrypted with a key other than the current master key. */
  const OTHERWISE: Record<string, string> = {
    'master_keys.secret_sealed': 'under the master key that its row names',
    'sessions.id_token_encrypted': "under a key from the session's token, which only the browser has",
    'half_sessions.id_token_encrypted': 'the same',
  }
  /** These have no trigger: they copy the sealed value of a guarded column. */
  const COPIES = ['webhooks.previous_secret_sealed', 'mails.secret_sealed', 'sources.previous_secret_sealed']

  const registered = (): string[] =>
    TABLE_ENTRIES.flatMap(([name, { sealed = {} }]) => Object.keys(sealed).map((column) => `${name}.${column}`))

  test('are all that the database has', () => {
    const found = [...real.values()].flatMap(({ name, columns }) =>
      columns.filter((column) => /_(sealed|encrypted)$/.test(column)).map((column) => `${name}.${column}`),
    )
    expect([...registered(), ...Object.keys(OTHERWISE)].toSorted()).toEqual(found.toSorted())
  })

  test('name the columns that identify their rows, and each has its own context', () => {
    const contexts = TABLE_ENTRIES.flatMap(([name, { sealed = {} }]) =>
      Object.values(sealed).map(({ id, scope, context }) => {
        expect(columnsOf(name)).toContain(id)
        expect(columnsOf(name).includes('organization_id')).toBe(scope === undefined)
        expect(context('org_a', 'id_b')).toContain('id_b')
        return context('org_a', 'id_b')
      }),
    )
    // The two secrets of a webhook, those of a source, and those of an event and its email share a context.
    expect(new Set(contexts).size).toBe(contexts.length - 3)
  })

  test('accept no secret that is sealed with a key other than the current one', () => {
    const guarded = [...real.values()].flatMap((table) => table.guarded.map((column) => `${table.name}.${column}`))
    expect([...guarded, ...COPIES].toSorted()).toEqual(registered().toSorted())
  })
})

describe('deletion with an owner', () => {
  const COLUMNS: Record<Owner, string> = {
    organization: 'organization_id',
    workspace: 'workspace_id',
    channel: 'channel_id',
  }
  /** Tables with the id of an owner whose rows stay after the owner is deleted. */
  const STAYS: Record<Owner, Record<string, string>> = {
    organization: {
      audit_trail: 'it outlives the organization',
      audit_repeats: 'the same',
      audit_exports: 'the same',
      pending_audience_changes: 'the transaction that writes a row deletes it',
    },
    workspace: {},
    channel: {
      channels: 'posts that are out name it',
      scheduled_post_channels: 'the same',
      publications: 'the same',
      hashtag_claims: 'they go with the post',
      automation_stops: 'the same',
      audiences: 'a revision never goes back',
      audience_changes: 'removing them is a change of the audience: dropChangeLogs',
      pending_audience_changes: 'the transaction that writes a row deletes it',
      running_imports: 'the import ends with a 404, and then removes its row',
    },
  }

  test.each(
    Object.entries(COLUMNS) as [Owner, string][],
  )('covers every table with the id of the %s', (owner, column) => {
    const going = TABLE_ENTRIES.filter(([, { deletedWith }]) => deletedWith?.[owner] !== undefined)
    const named = [...going.map(([name]) => name), ...Object.keys(STAYS[owner])]
    expect(named.toSorted()).toEqual(tablesWith(column).toSorted())
  })

  test('is done by the database if the registry names a table', () => {
    for (const [name, { deletedWith = {} }] of TABLE_ENTRIES) {
      for (const [owner, deletion] of Object.entries(deletedWith)) {
        if (['first', 'last', 'batches'].includes(deletion)) continue
        expect([name, real.get(name)!.references[deletion]]).toEqual([name, true])
        expect([deletion, entryOf(deletion)?.deletedWith]).toEqual([
          deletion,
          expect.objectContaining({ [owner]: expect.any(String) }),
        ])
      }
    }
  })
})

test("a table with a person's id, or texts about themselves, states whose data it contains", () => {
  const personal =
    /^(person_id|made_by|merged_into|mail|password_hash|address|user_agent|cuid|conversation_ids?|person_hash|(approved_)?actor_id)$/
  for (const { name, columns } of real.values()) {
    if (!columns.some((column) => personal.test(column))) continue
    expect([name, entryOf(name)?.personal]).toEqual([name, expect.stringMatching(/^(audience|accounts)$/)])
  }
})

test('a backup contains every table except those that the registry leaves out', async () => {
  const left = TABLE_ENTRIES.flatMap(([name, { carried }]) => (carried === false ? [name] : []))
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'r' and relpersistence = 'u' and relnamespace = 'public'::regnamespace`,
  )
  // A crash of the server empties these.
  expect(left.toSorted()).toEqual(['migrations', ...rows.map(({ name }) => name)].toSorted())
  const { tables } = await readShape(database)
  expect([...tables.map(({ name }) => name), ...left].toSorted()).toEqual([...real.keys()])
})

describe('the retention of rows', () => {
  const RETENTION = readFileSync(new URL('../docs/retention.md', import.meta.url), 'utf8')

  test('is a setting, a limit, or described in words', () => {
    const named = TABLE_ENTRIES.flatMap(([, { kept = '' }]) => kept.match(/^[A-Z_]+$|\b[a-z]+[A-Z]\w+/g) ?? [])
    const settings = [...RETENTION.matchAll(/^\| `(\w+_KEEP_DAYS)` \|/gm)].map(([, name]) => name!)
    expect(settings.filter((name) => !named.includes(name))).toEqual([])
    expect(named.filter((name) => !settings.includes(name) && !(name in LIMITS))).toEqual([])
  })

  test('is described in docs/retention.md for every table with personal data', () => {
    const lines = TABLE_ENTRIES.filter(([, { personal }]) => personal !== undefined).map(
      ([name, { personal, deletedWith = {}, kept = 'as long as that' }]) => {
        const owners = Object.keys(deletedWith).join(', ')
        return `| \`${name}\` | ${personal} | ${owners} | ${/^\w+_DAYS$|Log/.test(kept) ? kept.replaceAll(/\w+/g, '`$&`') : kept} |`
      },
    )
    const [, table] = /\| table \| of \|.*\n.*\n((?:\|.*\n)+)/.exec(RETENTION) ?? []
    expect(table?.trimEnd().split('\n')).toEqual(lines)
  })
})
