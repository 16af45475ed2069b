import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../src/backup/place.js'
import type { Database } from '../src/database/database.js'
import { openPglite } from '../src/database/pglite/pglite.js'
import { openPostgres } from '../src/database/postgres.js'
import { readShape } from '../src/database/rows.js'
import { MASTER_KEY, startTestApp, Tenant, type TestApp } from './harness.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from './test-database.js'

/** A service on its own database, on the engine of the run, with rows that are hard to copy. */
export interface Sample {
  app: TestApp
  database: Database
  place: Place
  mediaDir: string
  masterKey: string
  organizationId: string
  channelId: string
  workspaceId: string
  /** An empty place on the same engine. */
  newPlace(): Promise<Place>
  close(): Promise<void>
}

let places = 0

/** Makes an empty place on the engine of the run or on the other one. */
export async function newPlace(
  directory: string,
  engine = TEST_DATABASE_URL === undefined ? 'pglite' : 'postgres',
): Promise<Place> {
  places += 1
  if (engine === 'pglite') return { dataDir: join(directory, `place-${places}`) }
  return { url: await createEmptyDatabase(`greenroom_place_${places}`) }
}

export async function openSample(directory: string): Promise<Sample> {
  mkdirSync(directory, { recursive: true })
  const place = await newPlace(directory)
  const database =
    'url' in place ? openPostgres({ url: place.url, poolMax: 6 }) : await openPglite({ dataDir: place.dataDir })
  const mediaDir = join(directory, 'media')
  const app = await startTestApp(
    { media: { dir: mediaDir }, http: { publicUrl: 'https://example.com' } },
    undefined,
    database,
  )
  const tenant = await Tenant.create(app)
  const workspaceId = await tenant.workspace()
  const channelId = await tenant.channel([workspaceId])
  return {
    app,
    database,
    place,
    mediaDir,
    masterKey: MASTER_KEY,
    organizationId: tenant.organizationId,
    channelId,
    workspaceId,
    newPlace: () => newPlace(directory),
    close: () => database.close(),
  }
}

/** A careless copy changes these texts. */
const HARD_TEXTS = [
  'Zoë 👩‍👩‍👧‍👦 \u{10FFFF} ﷽',
  '"quoted", \\backslashed\\ \'single\' ; -- drop',
  'tab\tline\nreturn\r\u0001\u007f',
  '{1,2,NULL}',
  '\\N',
  ' leading and trailing ',
  '',
  'e\u0301 and \u00e9',
]

export async function fillSample(
  { database, organizationId, channelId, workspaceId, mediaDir }: Sample,
  conversations = 2_500,
): Promise<void> {
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, birthday, lifetime_value, last_purchase_at_ms)
     select $1, $2, 't_' || i, 'cu_' || i, ($3::text[])[1 + i % cardinality($3::text[])], case when i % 3 = 0 then '--02-29' end,
            case when i = 1 then 1e-308 when i = 2 then 1.7976931348623157e308 when i = 3 then -0.1 else i / 7.0 end,
            case when i % 2 = 0 then 8640000000000000 - i end
       from generate_series(1, $4::int) i`,
    [organizationId, channelId, HARD_TEXTS, conversations],
  )
  await database.query(
    `insert into vip_marks (organization_id, channel_id, workspace_id, conversation_id)
     select $1, $2, $3, 't_' || i from generate_series(1, $4::int, 3) i`,
    [organizationId, channelId, workspaceId, conversations],
  )
  await database.query(
    `insert into organizations (organization_id, name, created_at)
     values ('org_torn', 'n0', '2026-01-02 03:04:05.678901+00'), ('org_far', $1, '2026-01-02 03:04:05.000001+00')`,
    [HARD_TEXTS[0]],
  )
  await database.query(
    `insert into entry_links (token_hash, created_at, expires_at)
     values ('a', '-infinity', 'infinity'), ('b', '0044-03-15 12:00:00.000001 BC', '294276-12-31 23:59:59.999999+00')`,
  )
  await database.query(
    `insert into people (person_id, name, mail, created_at) values ('usr_safe', 'Ana', 'ana@example.com', now())`,
  )
  await database.query(
    `insert into passkeys (passkey_id, person_id, credential_id, public_key, rp_id, counter, transports, name, created_at)
     values ('pk_1', 'usr_safe', 'A-_', 'A-_', 'example.com', 4294967295, array['a,b', '"', ''], $1, now())`,
    [HARD_TEXTS[1]],
  )
  await database.query(
    `insert into totp_secrets (person_id, secret_sealed, created_at, last_step)
     select 'usr_safe', secret_sealed, now(), 59000000 from api_keys where organization_id = $1 limit 1`,
    [organizationId],
  )
  await database.query("insert into recovery_codes (person_id, code_hash) values ('usr_safe', 'A'), ('usr_safe', 'B')")
  await database.query(
    "insert into workspaces (organization_id, workspace_id, name, type) values ('org_torn', 'ws_first', 'n0', 'VIP')",
  )
  // The type json keeps spaces, the order of keys, duplicate keys and escapes.
  await database.query(
    `insert into superpowers (organization_id, creative_template_id, name, superpower, active)
     values ($1, 'sp_1', $2, '{"b": 1.50,  "a":"\\u00e9 \\ud83d\\ude00", "b":null }', true)`,
    [organizationId, HARD_TEXTS[2]],
  )
  await database.query(
    `insert into api_keys (key_id, organization_id, secret_sealed, created_at, permissions, allowed_addresses)
     select 'key_hard', organization_id, secret_sealed, now(), array['a,b', '"', '\\', 'NULL', '']::text[], '{}'
       from api_keys where organization_id = $1 limit 1`,
    [organizationId],
  )
  await database.query(
    `insert into scheduled_posts (organization_id, scheduled_post_id, status, media, notes, scheduled_for, created_at, updated_at)
     select $1, 'post_' || i, 'DRAFT', repeat('m', case when i = 1 then 900000 else 10 end), $2, case when i % 2 = 0 then now() end, now(), now()
       from generate_series(1, 40) i`,
    [organizationId, HARD_TEXTS[1]],
  )
  // The copy keeps sending notifications: docs/notifications.md.
  await database.query(
    `insert into webhooks (organization_id, webhook_id, url, secret_sealed, created_at, updated_at)
     select $1, 'webhook_1', 'https://example.com/hook', secret_sealed, now(), now()
       from api_keys where organization_id = $1 limit 1`,
    [organizationId],
  )
  await database.query(
    `insert into webhook_deliveries (organization_id, webhook_id, event_id, type, at, data, status, next_attempt_at)
     select $1, 'webhook_1', 'event_' || i, 'test', now(), '{"b": 1,  "a":2}', case when i = 1 then 'PENDING' else 'DELIVERED' end,
            case when i = 1 then now() end
       from generate_series(1, 3) i`,
    [organizationId],
  )
  await database.query(
    `insert into events (organization_id, event_id, type, at, data) values ($1, 'event_4', 'post.failed', now(), '{}')`,
    [organizationId],
  )
  await database.query(
    `insert into mails (organization_id, mail_id, kind, invitation_id, count, since, next_attempt_at)
     values ($1, 'event_5', 'invitation', 'inv_1', 1, now(), now())`,
    [organizationId],
  )
  await fillIntake(database, organizationId)
  mkdirSync(join(mediaDir, organizationId), { recursive: true })
  for (const [index, bytes] of [1, 700_000].entries()) {
    const id = `media_${index}`
    writeFileSync(join(mediaDir, organizationId, `${id}.jpg`), Buffer.alloc(bytes, index + 7))
    await database.query(
      `insert into media (organization_id, media_id, content_type, bytes, width, height, created_at)
       values ($1, $2, 'image/jpeg', $3, 1, 1, now())`,
      [organizationId, id, bytes],
    )
  }
  // The other file has no small picture.
  writeFileSync(join(mediaDir, organizationId, 'media_1.jpg.small.jpg'), Buffer.alloc(300, 5))
  await database.query(
    `update media set small_bytes = 300, small_sha256 = 'a' where organization_id = $1 and media_id = 'media_1'`,
    [organizationId],
  )
}

/** Fills the tables of intake with bytes that are not text, decimals with many digits, and ids that only look alike. */
async function fillIntake(database: Database, organizationId: string): Promise<void> {
  await database.query('insert into live_audiences (organization_id, live_since_ms) values ($1, 1)', [organizationId])
  await database.query(
    `insert into sources (organization_id, source_id, type, name, secret_sealed, previous_secret_sealed, previous_until,
                          write_key_hash, created_at, updated_at)
     select $1, 'src_1', 'SHOPIFY', $2, secret_sealed, secret_sealed, 'infinity', null, now(), now()
       from api_keys where organization_id = $1 limit 1`,
    [organizationId, HARD_TEXTS[0]],
  )
  const body = Buffer.from(Array.from({ length: 512 }, (_item, index) => index % 256)).toString('base64')
  for (const table of ['inbox', 'kept_deliveries']) {
    const applied = table === 'inbox' ? '' : ', delivery_id, applied_at'
    await database.query(
      `insert into ${table} (organization_id, source_id, delivery_key, topic, headers, body, received_at${applied})
       select $1, 'src_1', 'd' || i, $2, '{"x-shopify-test":  "true"}', decode(case when i = 1 then '' else $3 end, 'base64'),
              now()${applied === '' ? '' : ', i, now()'}
         from generate_series(1, 3) i`,
      [organizationId, HARD_TEXTS[1], body],
    )
  }
  await database.query(
    `insert into problems (organization_id, problem_id, source_id, at, item, reason, headers, body, answer)
     values ($1, 'prb_1', 'src_1', now(), 'batch[3]', $2, '{}', decode($3, 'base64'), '{"b": 1,  "a":"\\u00e9"}')`,
    [organizationId, HARD_TEXTS[2], body],
  )
  await database.query(
    `insert into purchases (organization_id, source_id, order_id, id_kind, id, amount, currency, at_ms)
     select $1, 'src_1', o, 'shopify', '820982911946154508', 123456789012345.0123456789, 'EUR', 1
       from unnest($2::text[]) o`,
    [organizationId, HARD_TEXTS],
  )
  await database.query(
    `insert into refunds (organization_id, source_id, order_id, refund_id, amount, at_ms)
     select organization_id, source_id, order_id, 'r1', null, 2 from purchases where organization_id = $1`,
    [organizationId],
  )
  await database.query(
    `insert into person_ids (organization_id, kind, id, cuid, at)
     select $1, 'anonymousId', o, 'cu_1', now() from unnest($2::text[]) o`,
    [organizationId, HARD_TEXTS],
  )
  await database.query(
    `insert into person_fields (organization_id, id_kind, id, field, value, at_ms) values ($1, 'userId', 'u', 'firstName', $2, 3)`,
    [organizationId, HARD_TEXTS[7]],
  )
  await database.query(
    `insert into forgotten_ids (organization_id, id_hash, erasure_id, at) values ($1, 'hash', 'erasure', now())`,
    [organizationId],
  )
}

/**
 * Everything in the database, for comparison: the rows of each table as text, in byte order. A backup that is being
 * fetched is recorded after its last byte, when the comparison may already have begun.
 */
export async function sampleRows(database: Database): Promise<Record<string, string[]>> {
  const { tables, sequences } = await readShape(database)
  const all: Record<string, string[]> = { sequences: sequences.map((sequence) => JSON.stringify(sequence)) }
  for (const { name } of tables.filter((table) => table.name !== 'last_fetched_backup')) {
    const { rows } = await database.query<{ row: string }>(
      `select t::text as row from ${name} t order by t::text collate "C"`,
    )
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

/**
 * The rows of a source and of its restored copy, without the differences that a restore makes, such as its own audit
 * entry.
 */
export function comparable(
  source: Record<string, string[]>,
  restored: Record<string, string[]>,
): [expected: Record<string, string[]>, found: Record<string, string[]>] {
  const withoutEntry = (rows: Record<string, string[]>): Record<string, string[]> => ({
    ...rows,
    audit_trail: rows.audit_trail!.filter((row) => !row.includes(',restoreBackup,')),
    sequences: rows.sequences!.filter((sequence) => !sequence.includes('audit_trail')),
  })
  // A restore removes entry links.
  return [withoutEntry({ ...source, entry_links: [] }), withoutEntry(restored)]
}
