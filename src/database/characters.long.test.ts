import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/test-database.js'

const database = await openTestDatabase()

const SURROGATES = { first: 0xd800, last: 0xdfff }
const LAST = 0x10ffff
const BATCH = 50_000

/** Every code point that a string can contain, in texts that begin with it. */
function* batches(): Generator<string[]> {
  let batch: string[] = []
  for (let code = 1; code <= LAST; code++) {
    if (code >= SURROGATES.first && code <= SURROGATES.last) continue
    batch.push(String.fromCodePoint(code))
    if (batch.length < BATCH && code < LAST) continue
    yield batch
    batch = []
  }
}

test('every character is stored unchanged, first in a row, in an array, in JSON and in the middle of a text', async () => {
  let count = 0
  for (const batch of batches()) {
    const { rows } = await database.query<{ text: string }>(
      'select text from unnest($1::text[]) with ordinality t (text, place) order by place',
      [batch],
    )
    // They are compared in one piece, because the difference of such long lists would take minutes to print.
    const missing = batch.filter((text, index) => rows[index]?.text !== text)
    expect(missing.map((text) => text.codePointAt(0)!.toString(16))).toEqual([])
    const { rows: whole } = await database.query<Record<'texts' | 'json' | 'jsonb', string[]> & { joined: string }>(
      `select $1::text[] as texts, $2::json as json, $2::jsonb as jsonb, string_agg(text, '' order by place) as joined
         from unnest($1::text[]) with ordinality t (text, place)`,
      [batch, JSON.stringify(batch)],
    )
    const { texts, json, jsonb, joined } = whole[0]!
    const expected = batch.join('\n')
    expect([texts, json, jsonb].map((list) => list.join('\n') === expected)).toEqual([true, true, true])
    expect(joined === batch.join('')).toBe(true)
    count += batch.length
  }
  expect(count).toBe(LAST - (SURROGATES.last - SURROGATES.first + 1))
}, 120_000)

test('any text is stored unchanged, whatever is beside it', async () => {
  const odd = fc.constantFrom(
    '\ufeff',
    '\ufffe',
    '\uffff',
    '\u{1ffff}',
    '\u200f',
    '\u2028',
    '"',
    '\\',
    '{',
    '}',
    ',',
    ' ',
    'NULL',
    '',
  )
  const text = fc
    .array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
    .map((parts) => parts.join('').replaceAll('\0', ''))
  await database.execute(
    'drop table if exists odd_texts; create table odd_texts (id int primary key, text text, texts text[], json jsonb, plain json)',
  )
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.option(text), { maxLength: 4 }), async (one, several) => {
      const json = { [`k${one}`]: [one, ...several] }
      const values = [one, several, JSON.stringify(json)]
      await database.query(
        `insert into odd_texts values (1, $1, $2, $3::text::jsonb, $3::text::json)
             on conflict (id) do update set text = excluded.text, texts = excluded.texts, json = excluded.json, plain = excluded.plain`,
        values,
      )
      const { rows } = await database.query(
        `select text, texts, json, plain, text = $1 as "isSame", octet_length(text) as bytes,
                (select name from jsonb_object_keys(json) name) as name
           from odd_texts where text = $1`,
        [one],
      )
      const bytes = Buffer.byteLength(one)
      expect(rows).toEqual([{ text: one, texts: several, json, plain: json, isSame: true, bytes, name: `k${one}` }])
    }),
    {
      numRuns: 300,
      examples: [
        ['\ufeff', ['\ufeff', null]],
        ['\ufeff\ufeffa', []],
        ['a\ufeff', ['']],
      ],
    },
  )
})

test('names of columns, errors and U+0000 are as on PostgreSQL', async () => {
  expect((await database.query('select 1 as "\ufeffname"')).rows).toEqual([{ '\ufeffname': 1 }])
  const raised = database.query(`select ('\ufeffdetail')::int`)
  await expect(raised).rejects.toMatchObject({ code: '22P02', message: expect.stringContaining('"\ufeffdetail"') })
  await expect(database.query('select $1::text', ['a\0b'])).rejects.toMatchObject({ code: '22021' })
})

test('the texts of the schema have types that are tested here', async () => {
  const { rows } = await database.query<{ type: string }>(
    `select distinct format_type(a.atttypid, null) as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and c.relname <> 'odd_texts'`,
  )
  const others = [
    'bigint',
    'boolean',
    'integer',
    'smallint',
    'double precision',
    'timestamp with time zone',
    'date',
    'numeric',
    'xid8',
    // Bytes as received, written in base64.
    'bytea',
  ]
  const known = ['text', 'text[]', 'json', 'jsonb', ...others]
  expect(rows.map(({ type }) => type).filter((type) => !known.includes(type))).toEqual([])
})
