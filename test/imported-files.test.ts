import { beforeAll, describe, expect, test } from 'vitest'
import { readText } from '../src/interface/text-lines.js'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from './harness.js'
import { ImportChannel, line, NDJSON, toNdjson } from './imports.js'
import { Sender } from './inbox.js'

/** A file means the same to every importer, in every form in which a spreadsheet saves it. */

let app: TestApp
let editor: Member
let organizationId: string
beforeAll(async () => {
  app = await startTestApp()
  const tenant = await Tenant.create(app)
  ;({ organizationId } = tenant)
  editor = await Member.create(app, { organizationId, role: 'EDITOR' })
  await tenant.channel([], 'FB_PAGE', 'Aurora')
})

type Rows = (string | undefined)[][]

interface Importer {
  columns: string[]
  /** Rows whose last cells are empty. The first text has letters beyond ASCII. */
  rows: string[][]
  /** Imports a file and returns the resulting rows, with `undefined` for an empty cell, or the status and message. */
  read(bytes: Buffer): Promise<Rows | string>
}

const IMPORTERS: Record<string, Importer> = {
  audience: {
    columns: ['conversationId', 'cuid', 'firstName', 'lastName', 'birthday'],
    rows: [
      ['c1', 'u1', 'Zoë – €5', 'Ng', '1990-02-11'],
      ['c2', 'u2', 'Bo', '', ''],
      ['c3', 'u3', '', '', ''],
    ],
    async read(bytes) {
      const importing = await ImportChannel.create(app)
      const { tenant, workspaceId, channelId } = importing
      const { body } = await importing.send(bytes.length === 0 ? 400 : 200, 'text/csv', bytes)
      if (body.imported === undefined) return body.message
      if (body.rejectedCount > 0) return body.rejected[0].reason
      const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all`
      const { items } = (await tenant.get(200, path)).body
      return items
        .map((item: Record<string, string>) => this.columns.map((column) => item[column]))
        .toSorted(([a]: Rows[0], [b]: Rows[0]) => (a! < b! ? -1 : 1))
    },
  },
  purchases: {
    columns: ['orderId', 'amount', 'currency', 'at', 'userId'],
    rows: [
      ['é – €1', '10', 'EUR', '2026-11-01T10:00:00Z', 'u1'],
      ['o2', '20', 'EUR', '2026-11-02T10:00:00Z', ''],
      ['o3', '30', 'EUR', '2026-11-03T10:00:00Z', ''],
    ],
    async read(bytes) {
      const sender = await Sender.create(app, 'EVENTS')
      const { organizationId } = sender.tenant
      const path = `/organizations/${organizationId}/sources/${sender.source.id}/purchases`
      const headers = { 'content-type': 'text/csv' }
      const { body } = await operatorCall(app, 200, 'POST', path, { body: bytes, headers })
      if (body.rejectedCount > 0) return body.rejected[0].reason
      const { rows } = await app.context.database.query<Record<string, string>>(
        `select order_id, amount::text as amount, currency, at_ms::text as at_ms, id
           from purchases where organization_id = $1 order by at_ms`,
        [organizationId],
      )
      return rows.map(({ order_id, amount, currency, at_ms, id }) => [
        order_id,
        amount,
        currency,
        new Date(Number(at_ms)).toISOString().replace('.000', ''),
        id ?? undefined,
      ])
    },
  },
  posts: {
    columns: ['time', 'channel', 'text', 'media', 'notes'],
    rows: [
      ['2027-01-05 18:00', 'Aurora', 'Pão de queijo – café € 5', '', 'For Bea'],
      ['', 'Aurora', 'Bread', '', ''],
      ['2027-01-07 18:00', 'Aurora', 'Rolls', '', ''],
    ],
    async read(bytes) {
      // The console and the command line read the bytes, and send the text.
      const read = readText(bytes)
      if ('reason' in read) return read.reason
      const path = `/organizations/${organizationId}/scheduled-posts/import`
      const body = { csv: read.text, dryRun: true }
      const { lines } = (await editor.call(200, 'POST', path, { body })).body
      const [problem] = lines.flatMap(({ problems }: { problems: { message: string }[] }) => problems)
      if (problem !== undefined) return problem.message
      return lines.map(({ cells }: { cells: Record<string, string> }) =>
        this.columns.map((column) => cells[column] || undefined),
      )
    },
  },
}

const table = (rows: readonly string[][], separator = ',', end = '\r\n'): string =>
  rows.map((cells) => `${cells.join(separator)}${end}`).join('')
const quoted = (cell: string): string => `"${cell}"`
const formula = (cell: string): string => (cell === '' ? '' : `"=""${cell}"""`)
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
/** Windows-1252 for the few characters here that Latin-1 lacks. */
const ansi = (text: string): Buffer => Buffer.from(text.replaceAll('€', '\x80').replaceAll('–', '\x96'), 'latin1')
const withoutEmptyEnds = (text: string): string => text.replaceAll(/,+\r\n/g, '\r\n')
const mixedEnds = (text: string): string =>
  text.split('\r\n').reduce((all, part, at) => `${all}${['\r', '\n', '\r\n'][at % 3]}${part}`)

const FORMS: [name: string, toBytes: (rows: string[][]) => Buffer | string][] = [
  ['with line feeds', (rows) => table(rows, ',', '\n')],
  ['with CRLF and a byte order mark', (rows) => `\uFEFF${table(rows)}`],
  ['with only carriage returns', (rows) => table(rows, ',', '\r')],
  ['with mixed line ends', (rows) => mixedEnds(table(rows))],
  ['without a last line end', (rows) => table(rows).slice(0, -2)],
  ['with semicolons', (rows) => table(rows, ';')],
  ['with tabs', (rows) => table(rows, '\t')],
  ['with a line that names the separator', (rows) => `sep=;\r\n${table(rows, ';')}`],
  ['with such a line for commas, in quotes and behind a mark', (rows) => `\uFEFF"sep=,"\r\n${table(rows)}`],
  ['with short lines', (rows) => withoutEmptyEnds(table(rows))],
  ['with short lines and carriage returns', (rows) => withoutEmptyEnds(table(rows)).replaceAll('\r\n', '\r')],
  ['with empty columns at the end', (rows) => table(rows.map((cells) => [...cells, '', '']))],
  [
    'with empty columns below the header only',
    ([header, ...rows]) => table([header!, ...rows.map((row) => [...row, '', ' '])]),
  ],
  ['with an empty column in the middle', (rows) => table(rows.map(([first, ...rest]) => [first!, '', ...rest]))],
  ['with lines of separators', (rows) => table(rows.flatMap((cells) => [cells, ['', '', ''], ['""', ' ']]))],
  ['with lines of separators and blank ones before the header', (rows) => `;;;\r\n\r\n,,\r\n${table(rows, ';')}`],
  ['with blank lines', (rows) => table(rows, ',', '\n\n  \n')],
  ['in which every cell is quoted', (rows) => table(rows.map((cells) => cells.map(quoted)))],
  ['in which every cell is a formula of its text', (rows) => table(rows.map((cells) => cells.map(formula)))],
  [
    'with blanks around the names of columns',
    ([header, ...rows]) => table([header!.map((name) => ` ${name} `), ...rows]),
  ],
  ['in UTF-16 with a mark', (rows) => utf16(`\uFEFF${table(rows, '\t')}`)],
  ['in UTF-16 with a mark and the high byte first', (rows) => utf16(`\uFEFF${table(rows, '\t')}`).swap16()],
  ['in UTF-16 without a mark', (rows) => utf16(table(rows))],
  ['in UTF-16 without a mark and with the high byte first', (rows) => utf16(table(rows, ';', '\r')).swap16()],
  ['in Windows-1252', (rows) => ansi(table(rows, ';'))],
  ['in Windows-1252 with carriage returns', (rows) => ansi(table(rows, ',', '\r'))],
]

describe.each(Object.entries(IMPORTERS))('a file for %s', (_name, importer) => {
  const expected = (): Rows => importer.rows.map((cells) => cells.map((cell) => cell || undefined))

  test.each(FORMS)('%s is read', async (_form, toBytes) => {
    const bytes = Buffer.from(toBytes([importer.columns, ...importer.rows]) as string)
    expect(await importer.read(bytes)).toEqual(expected())
  })

  test('keeps quotes in the middle of a cell, and line breaks and separators in quotes', async () => {
    const place = importer.columns.findIndex((column) => ['firstName', 'orderId', 'text'].includes(column))
    const rows = importer.rows.map((cells, at) =>
      cells.with(place, ['5" disk', '"two;\r\nlines, ""so"""', '"a"b'][at]!),
    )
    const read = (await importer.read(Buffer.from(table([importer.columns, ...rows])))) as Rows
    expect(read.map((cells) => cells[place])).toEqual(['5" disk', 'two;\r\nlines, "so"', '"a"b'])
  })

  test('reports a line with more cells than columns', async () => {
    const rows = importer.rows.map((cells) => [...cells, 'x'])
    expect(await importer.read(Buffer.from(table([importer.columns, ...rows])))).toBe(
      'the line has 6 cells, but the header has 5: put any text that contains commas in quotes',
    )
  })
})

describe('the people in a file', () => {
  const send = async (importing: ImportChannel, csv: string | Buffer, query?: string) =>
    (await importing.send(200, 'text/csv', csv, query)).body

  test('keep the ids of an export, which protects them from spreadsheets', async () => {
    const importing = await ImportChannel.create(app)
    const csv = '\uFEFFconversationId,cuid,firstName\r\n"=""17841400008460056""","=""98765432109876543""",Ana\r\n'
    expect(await send(importing, csv)).toMatchObject({ received: 1, imported: 1 })
    const { workspaceId, channelId, tenant } = importing
    const path = `/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}&scope=all`
    expect((await tenant.get(200, path)).body.items).toEqual([
      { conversationId: '17841400008460056', cuid: '98765432109876543', firstName: 'Ana' },
    ])
  })

  test('come with a report of how the file was read, in a dry run and in the import', async () => {
    const importing = await ImportChannel.create(app)
    const csv = ansi('conversationId;cuid;firstName\nc1;u1;São – €\n')
    for (const dryRun of ['true', 'false']) {
      expect((await send(importing, csv, `?dryRun=${dryRun}`)).encoding).toBe('Windows-1252')
    }
    expect((await send(importing, utf16('conversationId;cuid\nc1;u1\n'))).encoding).toBe('UTF-16')
    expect(await send(importing, 'conversationId;cuid\nc1;ü\n')).not.toHaveProperty('encoding')
  })

  test.each([
    '1.78414E+16',
    '1,78414E+16',
    '1.78E16',
    '1.78414000084601E+16',
    '1.78414e+016',
    '"=""1.78414E+16"""',
    ' 2E+16 ',
    '2E16',
  ])('are refused line by line if a spreadsheet has rounded an id to %s', async (id) => {
    const importing = await ImportChannel.create(app)
    const csv = `conversationId;cuid\n${id};u1\nc2;${id}\nc3;u3\n`
    const report = await send(importing, csv)
    expect(report).toMatchObject({ received: 3, imported: 1, rejectedCount: 2 })
    expect(report.rejected.map(({ line }: { line: number }) => line)).toEqual([2, 3])
    for (const { reason } of report.rejected) expect(reason).toContain('a spreadsheet rounded it')
    const ofJson = JSON.stringify(line('x', { cuid: id.replaceAll(/^"=""|"""$/g, '') }))
    const { body } = await importing.sendLines(ofJson)
    expect(body.rejected[0].reason).toContain('a spreadsheet rounded it')
  })

  test.each([
    '12E4',
    '5e3',
    'E16',
    '1.5',
    '17841400008460000',
    '1.2.3E+4',
    'a1.78E+16',
    '007',
    '1E300000',
  ])('can have the id %s', async (id) => {
    const importing = await ImportChannel.create(app)
    expect(await send(importing, `conversationId;cuid\n${id};${id}\n`)).toMatchObject({ imported: 1 })
  })
})

test('purchases with a rounded id are refused line by line, whichever id it is', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  const ids = ['orderId', 'userId', 'anonymousId', 'shopify', 'woocommerce', 'Customer ID', 'Note Attributes']
  const header = [...ids, 'amount', 'currency', 'at']
  const rest = ['10', 'EUR', '2026-11-01T10:00:00Z']
  const rows = ids.map((wrong, at) =>
    ids.map((name) => {
      if (name === 'orderId' && wrong !== name) return `o${at}`
      if (name !== wrong) return ''
      return name === 'Note Attributes' ? 'greenroom_user_id: 8.20982911946154E+17' : '8.20982911946154E+17'
    }),
  )
  const csv = table([header, ...rows.map((cells) => [...cells, ...rest]), [...ids.map(() => 'ok'), ...rest]])
  const { body } = await operatorCall(app, 200, 'POST', path, { body: csv, headers: { 'content-type': 'text/csv' } })
  expect(body).toMatchObject({ received: ids.length + 1, imported: 1, rejectedCount: ids.length })
  for (const { reason } of body.rejected) expect(reason).toContain('a spreadsheet rounded it')
})

test('purchases with only the later lines of an order are reported', async () => {
  const sender = await Sender.create(app, 'SHOPIFY')
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  const send = async (body: string | Buffer, type = 'text/csv') =>
    (await operatorCall(app, 200, 'POST', path, { body, headers: { 'content-type': type } })).body
  const report = await send('Id,Total,Currency,Created at,Name\n,,,,#1\n,,,,#2\n')
  expect(report).toMatchObject({ received: 2, rejectedCount: 2 })
  expect(report.rejected[0].reason).toContain('has no order id')
  expect((await send('Id,Total,Currency,Created at\n,,,\n')).note).toContain('nothing to import')
  expect((await send('', NDJSON)).note).toContain('nothing to import')
})

test.each([
  ['a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 with a mark', (text: string) => utf16(`\uFEFF${text}`)],
  ['UTF-16 without a mark', (text: string) => utf16(text)],
  ['carriage returns', (text: string) => Buffer.from(text.replaceAll('\n', '\r'))],
])('NDJSON may have %s', async (_what, toBytes) => {
  const importing = await ImportChannel.create(app)
  const people = toBytes(toNdjson([line('a', { firstName: 'Zoë' }), line('b')]))
  expect((await importing.send(200, NDJSON, people)).body).toMatchObject({ received: 2, imported: 2 })
  const sender = await Sender.create(app, 'EVENTS')
  const path = `/organizations/${sender.tenant.organizationId}/sources/${sender.source.id}/purchases`
  const orders = ['é', 'b'].map((orderId) => ({ orderId, amount: 1, currency: 'EUR', at: '2026-11-01T10:00:00Z' }))
  const reply = await operatorCall(app, 200, 'POST', path, {
    ...{ body: toBytes(toNdjson(orders)), headers: { 'content-type': NDJSON } },
  })
  expect(reply.body).toMatchObject({ received: 2, imported: 2 })
})
