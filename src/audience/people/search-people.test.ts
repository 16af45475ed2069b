import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatorCall, startTestApp, type TestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'
import { code } from '../../../test/people.js'
import { inLongSuite } from '../../../test/runs.js'
import type { Database } from '../../database/database.js'
import type { FoundPerson } from '../../interface/generated/types.js'
import { findByIds, findByName, findLastPlace, findPersonDetails } from './people.store.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

let sender: Sender
let channelId: string
beforeEach(async () => {
  sender = await Sender.create(app, 'EVENTS')
  channelId = await sender.tenant.channel()
})

const importLines = (lines: object[], channel = channelId) =>
  operatorCall(app, 200, 'POST', `/organizations/${sender.tenant.organizationId}/channels/${channel}/conversations`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
const search = async (text: string, more = '') =>
  (await sender.operator(200, 'GET', `/people?search=${encodeURIComponent(text)}${more}`)).body
const found = async (text: string): Promise<string[]> =>
  (await search(text)).items.map((row: FoundPerson) => row.conversationId)

describe('by name', () => {
  beforeEach(() =>
    importLines([
      { conversationId: 'c1', cuid: 'cu_1', firstName: 'Ada', lastName: 'Lovelace', userName: 'countess' },
      { conversationId: 'c2', cuid: 'cu_2', firstName: 'Adam', lastName: 'Ant' },
      { conversationId: 'c3', cuid: 'cu_3', userName: 'ADA_9%' },
      { conversationId: 'c4', cuid: 'cu_4', firstName: 'Özge', lastName: 'Şahin' },
      { conversationId: 'c5', cuid: 'cu_5', firstName: 'İbrahim' },
      { conversationId: 'c6', cuid: 'cu_6' },
      { conversationId: 'c7', cuid: 'cu_7', firstName: 'Antonia', lastName: 'Antonova', userName: 'antonia' },
    ]),
  )

  test.each([
    ['the beginning of a first name', 'ada', ['c1', 'c3', 'c2']],
    ['first and last name', 'ADA LOVE', ['c1']],
    ['a last name', 'lovelace', ['c1']],
    ['a user name', 'Count', ['c1']],
    ['characters that are wildcards in SQL', 'ada_9%', ['c3']],
    ['letters beyond ASCII', 'özge şa', ['c4']],
    ['a capital letter whose lowercase form is longer', 'İbrahim', ['c5']],
    ['surrounding spaces', '  adam ', ['c2']],
    ['no one', 'lady', []],
    ['a person only once, although several of their names match', 'anto', ['c7']],
    ['first and last names in a single order', 'ant', ['c2', 'c7']],
  ])('%s', async (_, text, ids) => {
    expect(await found(text)).toEqual(ids)
  })

  test('reflects every change: a new name, a cleared name, a deletion, a profile from a source', async () => {
    await importLines([{ conversationId: 'c1', cuid: 'cu_1', firstName: 'Augusta', lastName: 'King' }])
    expect(await found('ada l')).toEqual([])
    expect(await found('augusta k')).toEqual(['c1'])
    expect(await found('countess')).toEqual(['c1'])
    await importLines([{ conversationId: 'c2', cuid: 'cu_2', firstName: null, lastName: null }])
    expect(await found('adam')).toEqual([])
    await sender.operator(200, 'DELETE', `/channels/${channelId}/conversations/c3`)
    expect(await found('ada_')).toEqual([])
    const timestamp = new Date(app.clock.now()).toISOString()
    await sender.track({
      type: 'identify',
      userId: 'cu_6',
      messageId: 'i',
      timestamp,
      traits: { name: 'Grace Hopper' },
    })
    expect(await found('hopper')).toEqual(['c6'])
    await sender.operator(200, 'DELETE', '/people/cu_6')
    expect(await found('grace')).toEqual([])
    const { rows } = await app.context.database.query<{ name: string }>(
      'select name from conversation_names where organization_id = $1 order by name, conversation_id',
      [sender.tenant.organizationId],
    )
    expect(rows.map(({ name }) => name)).toEqual([
      ...['antonia', 'antonia antonova', 'antonova', 'augusta king', 'countess', 'ibrahim', 'king'],
      ...['ozge sahin', 'sahin'],
    ])
  })

  test('an unchanged name is not written again when another changes', async () => {
    const { database } = app.context
    const { organizationId } = sender.tenant
    const versions = async () =>
      (
        await database.query<{ name: string; version: string }>(
          'select name, xmin::text as version from conversation_names where organization_id = $1 order by name',
          [organizationId],
        )
      ).rows
    const before = await versions()
    await database.query(
      `update conversations set first_name = 'Eve' where organization_id = $1 and conversation_id = 'c2'`,
      [organizationId],
    )
    const kept = (await versions()).filter(({ name }) => name !== 'eve ant')
    expect(kept).toEqual(before.filter(({ name }) => name !== 'adam ant'))
    expect(kept.length).toBe(before.length - 1)
  })

  test('people of another organization are not found', async () => {
    const other = await Sender.create(app, 'EVENTS')
    expect((await other.operator(200, 'GET', '/people?search=ada')).body).toEqual({ items: [], nextCursor: null })
  })

  test('a search text of at most 200 characters is required', async () => {
    for (const query of ['', '?search=', '?search=%20', `?search=${'a'.repeat(201)}`]) {
      expect(code(await sender.operator(422, 'GET', `/people${query}`))).toBe('validation_failed')
    }
    expect(await found('a'.repeat(200))).toEqual([])
  })

  test('a name of more than 200 characters is found by its beginning', async () => {
    await importLines([{ conversationId: 'c8', cuid: 'cu_8', userName: 'Z'.repeat(256) }])
    expect(await found('z'.repeat(200))).toEqual(['c8'])
  })
})

describe('by name, in every spelling', () => {
  const DECOMPOSED = 'Andre\u0301'
  const PEOPLE = {
    jose: { firstName: 'José', lastName: 'Peña', userName: 'pepe' },
    jose2: { firstName: 'Jose', userName: '@sepe' },
    andre: { firstName: DECOMPOSED },
    weiss: { lastName: 'Weiß', firstName: 'Søren' },
    lukasz: { firstName: 'ŁUKASZ', lastName: 'Wójcik-Æsop' },
    yildiz: { firstName: 'Işıl', lastName: 'Yıldız' },
    anna: { firstName: '🌸 ✨Anna', lastName: '❤️', userName: '_anna_' },
    anna2: { userName: 'anna.b' },
    obrien: { lastName: 'O’Brien' },
    nikos: { firstName: 'Νίκος' },
    sergei: { firstName: 'Сергей' },
    hana: { firstName: 'が', lastName: '김민준' },
    bold: { firstName: '𝓕𝓪𝓷𝓬𝔂' },
    ahmad: { firstName: 'أحمَد' },
    flower: { firstName: '🌸' },
  }
  beforeEach(() =>
    importLines(
      Object.entries(PEOPLE).map(([id, names]) => ({ conversationId: `p-${id}`, cuid: `cu_${id}`, ...names })),
    ),
  )

  test.each([
    ['jose', ['jose2', 'jose']],
    ['José', ['jose2', 'jose']],
    ['JOSE\u0301 p', ['jose']],
    ['pena', ['jose']],
    ['andré', ['andre']],
    ['andre', ['andre']],
    ['weiss', ['weiss']],
    ['WEIẞ', ['weiss']],
    ['soren w', ['weiss']],
    ['Łuk', ['lukasz']],
    ['lukasz wojcik-aes', ['lukasz']],
    ['isil', ['yildiz']],
    ['IŞIL', ['yildiz']],
    ['yıldız', ['yildiz']],
    ['YILDIZ', ['yildiz']],
    ['yi\u0307ldiz', ['yildiz']],
    ['anna', ['anna', 'anna2']],
    ['_anna', ['anna']],
    ['🌸', ['flower', 'anna']],
    ['✨', []],
    ['anna ❤', ['anna']],
    ['anna ❤️', ['anna']],
    ['@anna', ['anna', 'anna2']],
    ['@anna.b', ['anna2']],
    ['  @ anna.B ', ['anna2']],
    ['@sepe', ['jose2']],
    ['sepe', ['jose2']],
    ["o'brien", ['obrien']],
    ['O‘brien', ['obrien']],
    ['νικος', ['nikos']],
    ['ΝΙΚΟΣ', ['nikos']],
    ['сергеи', ['sergei']],
    ['か', []],
    ['기', []],
    ['김', ['hana']],
    ['fancy', ['bold']],
    ['احمد', ['ahmad']],
    ['\u0301', []],
    ['\u200B', []],
  ])('%j finds %j', async (text, ids) => {
    expect(await found(text)).toEqual(ids.map((id) => `p-${id}`))
  })

  test('a lone @ finds the names that begin with it, and an @ in an id must match', async () => {
    expect(await found('@')).toEqual(['p-jose2'])
    await importLines([{ conversationId: '@7', cuid: '@cu' }])
    expect(await found('@7')).toEqual(['@7'])
    expect(await found('@cu')).toEqual(['@7'])
  })

  test.each([
    '@ñ',
    '@_',
    '@李',
    '@7',
    '@🌸',
    '@_x',
    '＠.',
    '@@',
    'ñ',
    '_',
    '李',
    '!',
  ])('the name %j is found by itself, as a user name or first name, once and across pages', async (name) => {
    await importLines([
      { conversationId: 'a-1', cuid: 'cu_a1', userName: name },
      { conversationId: 'a-2', cuid: 'cu_a2', firstName: name },
      { conversationId: 'a-3', cuid: 'cu_a3', firstName: name, userName: name.replace(/^[@＠]/, '') },
    ])
    const own = (ids: string[]) => ids.filter((id) => id.startsWith('a-')).toSorted()
    expect(own(await found(name))).toEqual(['a-1', 'a-2', 'a-3'])
    const paged: string[] = []
    for (let more = '&limit=1'; ; ) {
      const page = await search(name, more)
      paged.push(...page.items.map((row: FoundPerson) => row.conversationId))
      if (page.nextCursor === null) break
      more = `&limit=1&after=${encodeURIComponent(page.nextCursor)}`
    }
    expect(own(paged)).toEqual(['a-1', 'a-2', 'a-3'])
  })

  test('a search text may become longer when its ligatures are expanded', async () => {
    await importLines([{ conversationId: 'p-long', cuid: 'cu_long', userName: 'ﬃ'.repeat(200) }])
    expect(await found('ﬃ'.repeat(200))).toEqual(['p-long'])
  })

  test('a person who has a name twice, with an accent and without, is found only once', async () => {
    await importLines([
      { conversationId: 'p-twice', cuid: 'cu_twice', firstName: 'Zoë', lastName: 'Zoe', userName: '~zoe' },
      { conversationId: 'p-next', cuid: 'cu_next', firstName: 'Zoé', lastName: 'Zz' },
    ])
    expect(await found('zoe')).toEqual(['p-twice', 'p-next'])
    const first = await search('zoé', '&limit=1')
    expect(first.items).toMatchObject([{ conversationId: 'p-twice' }])
  })
})

describe('by an id', () => {
  test('finds all conversations by cuid or external id, and a single one by its own id', async () => {
    const other = await sender.tenant.channel()
    await importLines([{ conversationId: '77', cuid: 'cu_1' }])
    await importLines([{ conversationId: '88', cuid: 'cu_1' }], other)
    await sender.operator(200, 'POST', '/people/cu_1/links', { kind: 'shopify', id: '207119551' })
    for (const id of ['cu_1', '207119551']) expect((await found(id)).toSorted()).toEqual(['77', '88'])
    expect(await found('77')).toEqual(['77'])
    for (const part of ['cu_', '2071', '7', 'CU_1']) expect(await found(part)).toEqual([])
  })

  test('a person found by an id and by a name appears once, first', async () => {
    await importLines([
      { conversationId: 'ada', cuid: 'cu_1', firstName: 'Ada' },
      { conversationId: 'c2', cuid: 'cu_2', firstName: 'Ada' },
      { conversationId: 'c3', cuid: 'cu_3', firstName: 'ad' },
    ])
    expect(await found('ada')).toEqual(['ada', 'c2'])
  })
})

describe('in a large audience', () => {
  const MANY = 25_001

  async function fill(): Promise<void> {
    const { database } = app.context
    const ids = [sender.tenant.organizationId, channelId]
    await database.query(
      `insert into conversations (organization_id, channel_id, conversation_id, cuid, first_name, last_name, user_name)
       select $1, $2, 'c' || n, 'cu_' || n, 'Name' || n % 100, 'Family' || n % 1000, 'user' || n
         from generate_series(1, ${MANY}) n`,
      ids,
    )
    await database.query(
      `insert into person_ids (organization_id, kind, id, cuid, at)
       select $1, 'shopify', n::text, 'cu_' || n, now() from generate_series(1, ${MANY}) n`,
      ids.slice(0, 1),
    )
    await database.query(
      `insert into purchases (organization_id, source_id, order_id, id_kind, id, amount, currency, at_ms)
       select $1, 'src_1', 'o' || n, 'shopify', (n % ${MANY})::text, 1, 'EUR', n from generate_series(1, ${3 * MANY}) n`,
      ids.slice(0, 1),
    )
    await database.query(
      `insert into person_fields (organization_id, id_kind, id, field, value, at_ms)
       select $1, 'shopify', n::text, 'firstName', 'A', n from generate_series(1, ${MANY}) n`,
      ids.slice(0, 1),
    )
  }

  test('pages are stable, complete and without repeats while people are added', async () => {
    await importLines(
      Array.from({ length: 95 }, (_, n) => ({
        ...{
          conversationId: `c${n}`,
          cuid: `cu_${n}`,
          firstName: 'Kim',
          lastName: `Kimura ${n % 7}`,
          userName: `kim${n}`,
        },
      })),
    )
    const seen: string[] = []
    let pages = 0
    for (let after = ''; ; pages++) {
      const { items, nextCursor } = await search('kim', `&limit=10${after}`)
      expect(items.length).toBeLessThanOrEqual(10)
      seen.push(...items.map((row: FoundPerson) => row.conversationId))
      if (nextCursor === null) break
      after = `&after=${encodeURIComponent(nextCursor)}`
      // These sort before the cursor's position.
      await importLines([{ conversationId: `new${pages}`, cuid: `cu_new${pages}`, firstName: 'Kim', lastName: '!' }])
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => id.startsWith('c')).length).toBe(95)
    expect(code(await sender.operator(422, 'GET', '/people?search=kim&after=nonsense'))).toBe('validation_failed')
  })

  test.runIf(inLongSuite())(`no lookup scans a table of ${MANY} rows`, async () => {
    await fill()
    const { database } = app.context
    const { organizationId } = sender.tenant
    await database.execute('analyze conversations, conversation_names, person_ids, purchases, person_fields')
    const plans: { sql: string; plan: string }[] = []
    const explained = {
      ...database,
      async query(sql: string, values?: unknown[]) {
        const { rows } = await database.query<Record<string, string>>(`explain ${sql}`, values)
        plans.push({ sql, plan: rows.map((row) => Object.values(row)[0]).join('\n') })
        return await database.query(sql, values)
      },
    } as Database
    const place: [string, string, string] = ['user2', channelId, 'c2']
    await findByIds(explained, organizationId, 'cu_77')
    for (const after of [undefined, place]) {
      await findByName(explained, organizationId, { beginnings: ['user2', '@user2'], after, rows: 20 })
      await findLastPlace(explained, organizationId, { beginnings: ['user2', '@user2'], after, rows: 20 })
    }
    expect(
      (await findPersonDetails(explained, organizationId, 'cu_77', { conversations: 1_000, purchases: 100 }))
        ?.purchasesTotal,
    ).toBe(3)
    expect(plans.length).toBeGreaterThan(8)
    const scanned = /(Seq Scan on (conversations|conversation_names|person_ids|purchases|person_fields)\b.*)/
    expect(plans.filter(({ plan }) => scanned.test(plan))).toEqual([])
  })
})
