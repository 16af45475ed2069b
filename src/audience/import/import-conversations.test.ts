import { Readable } from 'node:stream'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OPERATOR_TOKEN, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { CSV, ImportChannel, line, NDJSON, toNdjson } from '../../../test/imports.js'
import { buildApp } from '../../app.js'
import { toCsv as toConsoleCsv } from '../../console/audience/csv.js'
import { type Database, DatabaseUnavailableError } from '../../database/database.js'
import { toCsvRecord } from '../../interface/csv.js'
import { BATCH_ROWS } from './import-rows.js'
import { leaseImport } from './running-imports.store.js'

let testApp: TestApp
let importing: ImportChannel
let tenant: Tenant
let workspaceId: string
let channelId: string

beforeAll(async () => {
  testApp = await startTestApp()
})
beforeEach(async () => {
  importing = await ImportChannel.create(testApp)
  ;({ tenant, workspaceId, channelId } = importing)
})

const pathOf = (query = '', channel = channelId): string => importing.path(query, channel)
const send = (...given: Parameters<ImportChannel['send']>): Promise<Reply> => importing.send(...given)
const sendLines = (...lines: (object | string)[]): Promise<Reply> => importing.sendLines(...lines)

const rejectedLines = ({ body }: Reply): number[] => body.rejected.map((reject: { line: number }) => reject.line)

/** The rows of GET /vip-users, by conversation. */
async function audience(scope: 'all' | 'vip' = 'all'): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await tenant.get(200, `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=${scope}`)
  return Object.fromEntries(
    body.items.map(({ conversationId, ...row }: Record<string, unknown>) => [conversationId, row]),
  )
}

/** The rows that one transaction writes. */
const batchRows = (): number => BATCH_ROWS[testApp.context.database.engine]

describe('importConversations', () => {
  const FULL = {
    userName: 'ada',
    firstName: 'Ada 🌸',
    lastName: '愛 "the", first',
    profilePic: 'https://pictures.example/1.jpg',
    birthday: '--02-29',
    lastPurchaseTimestamp: 1732092000001,
    lastUserMessageTimestamp: 1732092000002,
    lastAppOpenTimestamp: 1732092000003,
  }

  test('NDJSON is imported, VIPs are marked, and the list shows both', async () => {
    const { body } = await sendLines(
      line('a', { ...FULL, lifetimeValue: 10, vip: true }),
      line('b', { lifetimeValue: 20.5, vip: false }),
      line('c'),
    )
    expect(body).toEqual({ received: 3, imported: 3, erased: 0, rejected: [], rejectedCount: 0 })
    const all = await audience()
    expect(all).toEqual({ b: { cuid: 'u-b' }, a: { cuid: 'u-a', ...FULL }, c: { cuid: 'u-c' } })
    expect(Object.keys(all)).toEqual(['b', 'a', 'c'])
    expect(Object.keys(await audience('vip'))).toEqual(['a'])
  })

  test('CSV with a byte order mark, CRLF, quoted commas and line feeds is imported the same way', async () => {
    const header = 'conversationId,cuid,userName,firstName,lastName,profilePic,birthday,lastPurchaseTimestamp'
    const csv = [
      `\uFEFF${header},lastUserMessageTimestamp,lastAppOpenTimestamp,lifetimeValue,vip`,
      'a,u-a,ada,Ada 🌸,"愛 ""the"", first",https://pictures.example/1.jpg,--02-29,1732092000001,1732092000002,1732092000003,10,true',
      '',
      'b,u-b,"two\r\nlines",,,,,,,,20.5,FALSE',
      'c,u-c,,,,,,,,,,',
      'd,u-d,,,,,2026-02-30,,,,,',
    ].join('\r\n')
    const reply = await send(200, CSV, csv)
    expect(reply.body).toMatchObject({ received: 4, imported: 3, rejectedCount: 1 })
    expect(rejectedLines(reply)).toEqual([7])
    expect(await audience()).toEqual({
      a: { cuid: 'u-a', ...FULL },
      b: { cuid: 'u-b', userName: 'two\r\nlines' },
      c: { cuid: 'u-c' },
    })
    expect(Object.keys(await audience('vip'))).toEqual(['a'])
  })

  test('CSV written by the command line or the console is imported unchanged', async () => {
    const unit = fc.constantFrom(...'a1. "\',;\t\r\n=+-@＝#\uFEFF\u200f')
    const text = fc.string({ unit, minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 20 }), text, async (ids, name) => {
        channelId = await tenant.channel([workspaceId])
        importing.channelId = channelId
        const fields = { cuid: name, userName: name, firstName: ids[0]!, lastPurchaseTimestamp: 1732092000001 }
        const users = ids.map((conversationId) => ({ conversationId, ...fields }))
        const columns = ['conversationId', ...Object.keys(fields)] as (keyof (typeof users)[number])[]
        const ofCli = [columns, ...users.map((user) => columns.map((column) => user[column]))].map(toCsvRecord).join('')
        const items = users.map((user, index) => ({ ...user, lifetimeValue: 2.5, rank: index + 1, vip: false }))
        for (const csv of [ofCli, toConsoleCsv({ items, currency: 'EUR' })]) {
          expect((await send(200, CSV, csv)).body).toMatchObject({ received: ids.length, imported: ids.length })
          const imported = await audience()
          for (const id of ids) expect(imported[id]).toEqual(fields)
        }
      }),
      { numRuns: 20, examples: [[['\n\uFEFFa', 'a'], 'a']] },
    )
  })

  test('a CSV file with unknown columns is refused, and the message suggests a --map for them', async () => {
    const { body } = await send(400, CSV, 'Customer no,Chat,Email\n7,c-7,a@b.example\n')
    expect(body.message).toContain('The file has the columns "Customer no", "Chat", "Email".')
    const map = { 'Customer no': 'conversationId', Chat: 'cuid', Email: '' }
    expect(body.message).toContain(`--map 'Customer no=conversationId' --map Chat=cuid --map Email= (over HTTP`)
    expect(body.message).toContain(`columns=${JSON.stringify(map)}`)
    // The example in the message works.
    const query = `?columns=${encodeURIComponent(JSON.stringify(map))}`
    expect((await send(200, CSV, 'Customer no,Chat,Email\n7,c-7,a@b.example\n', query)).body.imported).toBe(1)
    // If the file only lacks a field, there is no column to map.
    expect((await send(400, CSV, 'conversationId\n7\n')).body.message).not.toContain('--map')
  })

  test.each([
    'c-1,u-1,Anna',
    't_1001;cu_1001',
    '1764460800000,anna@b.example,,Anna',
    'https://a.example/x,2026-11-01',
    '7c9e6679-7425-40de-944b-e07fc1f90ae7,Anna',
  ])('a CSV file that begins with the data %s is refused without suggesting a --map, which would lose that line', async (line) => {
    const { body } = await send(400, CSV, `${line}\n`)
    expect(body.message).toContain('put the names of the columns above it, such as conversationId,cuid.')
    expect(body.message).not.toContain('--map')
  })

  test.each([
    'Customer no,Chat,Address 1',
    'Spalte1,Spalte2',
    'conversationId,c-1,u-1',
  ])('a first line %s is taken for column names, and the message suggests a --map for them', async (line) => {
    expect((await send(400, CSV, `${line}\n`)).body.message).toContain('--map')
  })

  test('importing the same lines again changes nothing', async () => {
    const lines = [line('a', { ...FULL, vip: true }), line('b', { lifetimeValue: 3 })]
    await sendLines(...lines)
    const before = [await audience(), await audience('vip')]
    expect((await sendLines(...lines)).body).toMatchObject({ received: 2, imported: 2 })
    expect([await audience(), await audience('vip')]).toEqual(before)
  })

  test('an absent field keeps the stored value, and null or an empty cell clears it', async () => {
    await sendLines(line('a', { ...FULL, lifetimeValue: 7, vip: true }), line('z', { lifetimeValue: 5 }))
    await sendLines(line('a', { cuid: 'new', userName: null, lastPurchaseTimestamp: null }))
    const { userName: _1, lastPurchaseTimestamp: _2, ...rest } = FULL
    expect(await audience()).toEqual({ a: { ...rest, cuid: 'new' }, z: { cuid: 'u-z' } })
    expect(Object.keys(await audience('vip'))).toEqual(['a'])

    await send(200, CSV, 'conversationId,cuid,birthday,lifetimeValue,vip\na,new,,,\n')
    const { birthday: _3, ...less } = rest
    expect((await audience()).a).toEqual({ ...less, cuid: 'new' })
    // Its lifetime value is 0 again, so it comes after z.
    expect(Object.keys(await audience())).toEqual(['z', 'a'])
    expect(await audience('vip')).toEqual({})
  })

  test('of two lines for one conversation, the later wins in the fields that it has', async () => {
    const { body } = await sendLines(
      line('a', { userName: 'first', lastName: 'Kept', vip: true }),
      line('b'),
      line('a', { userName: 'second', vip: false }),
      line('b', { vip: true }),
    )
    expect(body).toMatchObject({ received: 4, imported: 4 })
    expect((await audience()).a).toEqual({ cuid: 'u-a', userName: 'second', lastName: 'Kept' })
    expect(Object.keys(await audience('vip'))).toEqual(['b'])
  })

  test('each invalid line is reported by number, and the valid lines around it are imported', async () => {
    const tooLong = JSON.stringify(line('long', { userName: 'x'.repeat(1024 * 1024) }))
    const lines = [
      JSON.stringify(line('good1')),
      '',
      '{"conversationId":"x"',
      '[{"conversationId":"x","cuid":"u"}]',
      '"x"',
      JSON.stringify(line('x', { unknown: 1 })),
      JSON.stringify(line('x', { birthday: '2023-02-29' })),
      JSON.stringify(line('x', { lifetimeValue: '5' })),
      '{"conversationId":"x","cuid":"u","lifetimeValue":NaN}',
      '{"conversationId":"x","cuid":"u","userName":"\\u0000"}',
      '{"conversationId":"x","cuid":"u","userName":"\\ud800"}',
      tooLong,
      '   ',
      `${JSON.stringify(line('good2'))}\r`,
      JSON.stringify(line('x', { lastAppOpenTimestamp: 1.5 })),
      `\u0000${JSON.stringify(line('x'))}`,
    ]
    const bytes = [
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]),
      toNdjson([line('good3')]),
    ]
    const reply = await send(200, NDJSON, Buffer.concat(bytes.map((part) => Buffer.from(part as string))))
    expect(reply.body).toMatchObject({ received: 16, imported: 3, rejectedCount: 13 })
    expect(rejectedLines(reply)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17])
    for (const { reason } of reply.body.rejected) expect(reason).toMatch(/^.{10,400}$/)
    expect(Object.keys(await audience())).toEqual(['good1', 'good2', 'good3'])
  })

  test('a binary file as NDJSON imports nothing, and reports each line', async () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from([0xff, 0x0a, 0x00, 0x0a, 0xfe])])
    const { body } = await send(200, NDJSON, png)
    expect(body.imported).toBe(0)
    expect(body.rejectedCount).toBe(body.received)
    expect(body.rejected.length).toBeGreaterThan(0)
  })

  test('at most 100 invalid lines are listed, but all are counted', async () => {
    const lines = Array.from({ length: 1250 }, (_, index) => (index % 5 === 0 ? line(`c${index}`) : 'wrong'))
    const { body } = await sendLines(...lines)
    expect(body).toMatchObject({ received: 1250, imported: 250, rejectedCount: 1000 })
    expect(body.rejected).toHaveLength(100)
    expect(body.rejected.at(-1).line).toBe(125)
    expect(await tenant.countConversations()).toBe(250)
  })

  test.each([
    ['an empty file', ''],
    ['a file of blank lines', '\n\r\n  \n'],
  ])('%s has nothing to import as NDJSON, and no header as CSV', async (_what, body) => {
    const note = expect.stringContaining('nothing to import')
    expect((await send(200, NDJSON, body)).body).toMatchObject({ received: 0, imported: 0, note })
    expect((await send(200, CSV, `conversationId,cuid\n${body}`)).body).toMatchObject({ received: 0, note })
    expect((await send(400, CSV, body)).body.message).toContain('the file is empty')
  })

  test.each<[string, string | Buffer, string]>([
    ['an unknown column', 'conversationId,cuid,nick\na,b,c\n', '"nick" is not a field'],
    ['a missing required column', 'conversationId,userName\na,b\n', 'cuid is missing'],
    ['a duplicate column', 'conversationId,cuid,cuid\na,b,c\n', '"cuid" appears twice'],
    ['pipes instead of commas', 'conversationId|cuid\na|b\n', 'separated by commas, semicolons or tabs'],
    ['an unsupported delimiter', 'sep=|\nconversationId|cuid\na|b\n', 'conversationId is missing'],
    ['no header', 'a,b\nc,d\n', 'conversationId is missing'],
    ['an unclosed quote', 'conversationId,"cuid\na,b\n', 'a quote is opened but never closed'],
    ['binary content', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00, 0x0a, 0x0a]), 'the file is a ZIP archive'],
  ])('a CSV file with %s is refused as a whole', async (_what, csv, message) => {
    const reply = await send(400, CSV, csv)
    expect(reply.body.message).toContain(message)
    expect(reply.headers['x-error-code']).toBe('body_malformed')
    expect(await tenant.countConversations()).toBe(0)
  })

  test.each<[string, string]>([
    ['semicolons', 'conversationId;cuid;firstName;birthday;lifetimeValue\n{a};{b}'],
    [
      'semicolons, CRLF and a byte order mark',
      '\uFEFFconversationId;cuid;firstName;birthday;lifetimeValue\r\n{a}\r\n{b}',
    ],
    ["Excel's sep= line", '\uFEFFsep=;\r\nconversationId;cuid;firstName;birthday;lifetimeValue\r\n{a}\r\n{b}\r\n'],
    ['tabs', 'conversationId\tcuid\tfirstName\tbirthday\tlifetimeValue\n{a}\n{b}\n'],
    ["Excel's sep= line, with tabs", 'sep=\t\nconversationId\tcuid\tfirstName\tbirthday\tlifetimeValue\n{a}\n{b}'],
    [
      'semicolons and blank lines before them',
      '\n\r\nconversationId;cuid;firstName;birthday;lifetimeValue\n{a}\n\n{b}\n',
    ],
    [
      'commas outnumbered by semicolons in quotes',
      'conversationId,cuid,"first;;;;;;Name",birthday,lifetimeValue\n{a}\n{b}\n',
    ],
  ])('a CSV file with %s is imported, including emoji, quotes, 29 February, and a last line without a line break', async (_what, text) => {
    const delimiter = text.includes('\t') ? '\t' : text.includes('conversationId;') ? ';' : ','
    const rows = {
      a: ['a', 'u-a', '"Ada ""🌸""; one,\ttwo"', '--02-29', '20.5'],
      b: ['b', 'u-b', '👩🏽‍🎤', '2024-02-29', '1e1'],
    }
    const body = text
      .replace('{a};{b}', '{a}\n{b}')
      .replace('{a}', rows.a.join(delimiter))
      .replace('{b}', rows.b.join(delimiter))
    const columns = text.includes('first;') ? `&columns=${encodeURIComponent('{"first;;;;;;Name":"firstName"}')}` : ''
    const reply = await send(200, CSV, body, `?workspaceId=${workspaceId}${columns}`)
    expect(reply.body).toEqual({ received: 2, imported: 2, erased: 0, rejected: [], rejectedCount: 0 })
    expect(await audience()).toEqual({
      a: { cuid: 'u-a', firstName: 'Ada "🌸"; one,\ttwo', birthday: '--02-29' },
      b: { cuid: 'u-b', firstName: '👩🏽‍🎤', birthday: '2024-02-29' },
    })
    expect(Object.keys(await audience())).toEqual(['a', 'b'])
  })

  test('columns with other names are mapped, or left out', async () => {
    const map = (columns: unknown): string =>
      `?workspaceId=${workspaceId}&columns=${encodeURIComponent(typeof columns === 'string' ? columns : JSON.stringify(columns))}`
    const csv = 'Kunden-Nr;Chat ID;="Notiz";constructor\nu-a;a;call her;x\n'
    const columns = { 'Kunden-Nr': 'cuid', 'Chat ID': 'conversationId', constructor: '' }
    const plain = csv.replace('="Notiz"', 'Notiz')
    for (const file of [csv, plain]) {
      expect((await send(400, CSV, file, map(columns))).body.message).toContain('"Notiz" is not a field')
    }
    await send(200, CSV, plain, map({ ...columns, Notiz: '' }))
    expect(await audience()).toEqual({ a: { cuid: 'u-a' } })
    const lacking = await send(400, CSV, plain, map({ ...columns, Notiz: '', Nome: 'firstName' }))
    expect(lacking.body.message).toContain('the mapping names a column "Nome", which the file does not have')
    const lines: object[] = [
      { 'Kunden-Nr': 'u-b', 'Chat ID': 'b', constructor: 'x' },
      { 'Kunden-Nr': 'u-c', cuid: 'u-d', 'Chat ID': 'c' },
      { cuid: 'u-e', conversationId: 'e' },
      { Nome: 'x', cuid: 'u-f', conversationId: 'f' },
      // The escape character must not reach a terminal as part of a suggested command.
      { 'No\u001bme': 'x', cuid: 'u-f', conversationId: 'f' },
    ]
    const ndjson = `${lines.map((one) => JSON.stringify(one)).join('\n')}\n[]\n`
    const { body } = await send(200, NDJSON, ndjson, map(columns))
    expect(body.rejected).toEqual([
      { line: 2, reason: '"cuid" appears twice' },
      { line: 4, reason: expect.stringContaining('use --map Nome=FIELD or, to leave it out, --map Nome=') },
      { line: 5, reason: expect.not.stringContaining('--map') },
      { line: 6, reason: expect.stringContaining('not a JSON object') },
    ])
    expect(await audience()).toEqual({ a: { cuid: 'u-a' }, b: { cuid: 'u-b' }, e: { cuid: 'u-e' } })
    for (const wrong of ['cuid', '[]', '{"a":1}', 'null']) {
      expect(JSON.stringify((await send(422, CSV, plain, map(wrong))).body)).toContain(
        'must be a JSON object that maps',
      )
    }
  })

  test('a dry run checks and counts like the import, and changes nothing', async () => {
    const csv = 'conversationId;cuid;birthday;vip\na;u-a;2023-02-29;true\nb;u-b;;true\nc;u-gone;;\nd;u-d;;\n'
    const erase = `/organizations/${tenant.organizationId}/people/u-gone`
    await sendLines(line('gone'))
    await operatorCall(testApp, 200, 'DELETE', erase)
    const audits = async (): Promise<unknown[]> =>
      (await operatorCall(testApp, 200, 'GET', `/organizations/${tenant.organizationId}/audit`)).body.items
    const before = await audits()
    const dry = await send(200, CSV, csv, `?workspaceId=${workspaceId}&dryRun=true`)
    expect(dry.body).toMatchObject({ dryRun: true, received: 4, imported: 2, created: 2, erased: 1, rejectedCount: 1 })
    expect(await tenant.countConversations()).toBe(0)
    expect(await audits()).toEqual(before)
    const { body } = await send(200, CSV, csv, `?workspaceId=${workspaceId}&dryRun=false`)
    const { dryRun: _, created: __, ...same } = dry.body
    expect(body).toEqual(same)
    expect(await tenant.countConversations()).toBe(2)
    const wrong = await send(400, CSV, 'cuid;nick\n', `?dryRun=true`)
    expect(wrong.body.message).toContain('conversationId is missing')
  })

  test('a dry run works during an import to the same channel', async () => {
    const self = { organizationId: tenant.organizationId, channelId, leasedBy: 'import_other' }
    await leaseImport(testApp.context.database, self, 30_000)
    await send(409, NDJSON, toNdjson([line('a')]))
    expect((await send(200, NDJSON, toNdjson([line('a')]), '?dryRun=true')).body).toMatchObject({ imported: 1 })
  })

  test('the reason for a rejection quotes the invalid value, shortened and with invisible characters escaped', async () => {
    const reasonOf = async (fields: object): Promise<string> =>
      (await sendLines(line('x', fields))).body.rejected[0].reason
    expect(await reasonOf({ birthday: '29/02/2023' })).toMatch(/^birthday must be a date .*, not "29\/02\/2023"$/)
    expect(await reasonOf({ lifetimeValue: '12,50' })).toContain('not "12,50"')
    expect(await reasonOf({ vip: { a: ['\u0007'] } })).toContain('not {"a":["\\u0007"]}')
    expect(await reasonOf({ userName: 'a\0b\u001b[31m\u0085\u202e\n' })).toContain(
      'not "a\\u0000b\\u001b[31m\\u0085\\u202e\\n"',
    )
    expect(await reasonOf({ profilePic: '🌸'.repeat(2_000) })).toMatch(/, not "🌸{25}…"$/u)
    const { body } = await send(200, NDJSON, '{"conversationId":\u001b\n')
    expect(body.rejected).toEqual([
      { line: 1, reason: expect.stringContaining('"{\\"conversationId\\":\\u001b" is not valid JSON') },
    ])
  })

  test('rejected lines can be corrected and sent again with the reason still above each', async () => {
    const reason = '# line 3: birthday must be a date, not "2023-02-29'
    const csv = `conversationId;cuid;birthday\n${reason}\na;u-a;2023-02-28\n# line 7: "\n# ;u-b;\n`
    expect((await send(200, CSV, csv)).body).toMatchObject({ received: 2, imported: 2, rejectedCount: 0 })
    expect(Object.keys(await audience())).toEqual(['# ', 'a'])
    const lines = await sendLines('# line 1: "" is not valid JSON', line('c'), '# nothing')
    expect(lines.body).toMatchObject({ received: 2, imported: 1, rejected: [{ line: 3 }] })
  })

  test('a rejected record of several lines is reported with its first and last, and more than 100 are listed on request', async () => {
    const csv = 'conversationId,cuid,userName,birthday\na,u-a,"two\nlines",x\nb,u-b,one,x\n'
    expect((await send(200, CSV, csv)).body.rejected).toEqual([
      { line: 2, lastLine: 3, reason: expect.stringContaining('birthday') },
      { line: 4, reason: expect.stringContaining('birthday') },
    ])
    const many = 'wrong\n'.repeat(300)
    expect((await send(200, NDJSON, many, '?rejects=250')).body.rejected).toHaveLength(250)
    await send(422, NDJSON, many, '?rejects=10001')
  })

  test('vip requires a workspace: without one, a line with vip is rejected, and a CSV file with that column is refused', async () => {
    const lines = toNdjson([line('a', { vip: true }), line('b')])
    expect((await send(200, NDJSON, lines, '')).body).toMatchObject({ imported: 1, rejected: [{ line: 1 }] })
    const reply = await send(400, CSV, 'conversationId,cuid,vip\na,b,true\n', '')
    expect(reply.body.message).toContain('?workspaceId=')
  })

  test('numbers are stored as sent, small and large', async () => {
    await sendLines(
      line('tiny', { lifetimeValue: 5e-324 }),
      line('huge', { lifetimeValue: 1.7976931348623157e308, lastPurchaseTimestamp: 8_640_000_000_000_000 }),
      line('cents', { lifetimeValue: 0.1 }),
      line('minus', { lifetimeValue: -3 }),
    )
    const { rows } = await testApp.context.database.query(
      `select conversation_id as id, lifetime_value as value from conversations
        where organization_id = $1 and channel_id = $2 order by lifetime_value`,
      [tenant.organizationId, channelId],
    )
    expect(rows).toEqual([
      { id: 'minus', value: -3 },
      { id: 'tiny', value: 5e-324 },
      { id: 'cents', value: 0.1 },
      { id: 'huge', value: 1.7976931348623157e308 },
    ])
  })

  test('any text in a field is stored as sent', async () => {
    const texts = ['{}', '{"a",b}', 'NULL', '\\', "'", '"', 'a\nb\tc', '👩🏽‍🎤', 'ʼ‮', 'a,b', ' x ']
    await sendLines(...texts.map((userName, index) => line(`t${index}`, { userName })))
    const all = await audience()
    texts.forEach((userName, index) => {
      expect(all[`t${index}`]).toEqual({ cuid: `u-t${index}`, userName })
    })
  })

  test('5,001 lines with varying fields are imported in batches', async () => {
    const body = Array.from({ length: 5_001 }, (_, index) =>
      JSON.stringify(line(`c${index}`, { lifetimeValue: index, ...(index % 3 ? { userName: 'u' } : {}) })),
    ).join('\n')
    expect((await send(200, NDJSON, body)).body).toMatchObject({ received: 5_001, imported: 5_001 })
    expect(await tenant.countConversations()).toBe(5_001)
  })

  describe('is refused before the body is read', () => {
    const refuse = async (status: number, path: string, code: string, headers: Record<string, string> = {}) => {
      let asked = false
      const body = new Readable({
        read() {
          asked = true
          this.push(null)
        },
      })
      const response = await testApp.app.inject({
        method: 'POST',
        url: `/api${path}`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': NDJSON, ...headers },
        payload: body,
      })
      expect([response.statusCode, response.headers['x-error-code'], asked]).toEqual([status, code, false])
    }

    test('without the token, with another content type, or for an unknown organization, channel or workspace', async () => {
      await refuse(401, pathOf(), 'operator_token_wrong', { authorization: 'Bearer wrong' })
      await refuse(415, pathOf(), 'media_type_unsupported', { 'content-type': 'application/json' })
      await refuse(404, `/organizations/none/channels/${channelId}/conversations`, 'organization_not_found')
      await refuse(404, pathOf('', 'FB_PAGE_1'), 'channel_not_found')
      const other = await Tenant.create(testApp)
      await refuse(404, pathOf('', await other.channel()), 'channel_not_found')
      await refuse(404, pathOf('?workspaceId=none'), 'workspace_not_found')
      await refuse(404, pathOf(`?workspaceId=${await other.workspace()}`), 'workspace_not_found')
      await refuse(422, pathOf('?workspace=none'), 'validation_failed')
    })

    test('for a workspace that is not a VIP workspace or not connected to the channel', async () => {
      await refuse(400, pathOf(`?workspaceId=${await tenant.workspace('STANDARD')}`), 'workspace_not_vip')
      await refuse(400, pathOf(`?workspaceId=${await tenant.workspace('VIP')}`), 'channel_not_connected')
    })
  })

  const full = Object.assign(new Error('could not extend file'), { code: '53100' })
  test.each([
    ['a lost database', new Error('gone'), 'database_unavailable', 'lines were imported: send the same file again'],
    ['a full disk', full, 'disk_full', 'The server.s disk is full.*lines were imported and stay: .*free space'],
  ])('%s is answered with a 503 and the number of imported lines, and sending the file again imports the rest', async (...given) => {
    const [, cause, code, words] = given
    const body = toNdjson(Array.from({ length: 2500 }, (_, index) => line(`c${index}`)))
    const { context } = testApp
    let transactions = 0
    const transaction: Database['transaction'] = async (work) => {
      transactions += 1
      if (transactions === 3) throw new DatabaseUnavailableError(cause)
      return context.database.transaction(work)
    }
    const failing = await buildApp({ ...context, database: { ...context.database, transaction } })
    const reply = await operatorCall({ ...testApp, app: failing }, 503, 'POST', pathOf(), {
      body,
      headers: { 'content-type': NDJSON },
    })
    expect(reply.headers['x-error-code']).toBe(code)
    expect(reply.body.message).toMatch(new RegExp(words))
    expect(reply.body.message).toContain(` ${2 * batchRows()} lines `)
    expect(reply.headers['retry-after']).toBeTruthy()
    expect(await tenant.countConversations()).toBe(2 * batchRows())
    await send(200, NDJSON, body)
    expect(await tenant.countConversations()).toBe(2500)
  })
})
