import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type CallOptions,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { jpeg } from '../../../test/media.js'
import { operatorAny, readHistory } from '../../../test/posts.js'
import type { ImportProblem, PostImportReport, ReportedLine } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'

const PUBLIC_URL = 'https://greenroom.example'
let directory: string
let app: TestApp
let tenant: Tenant
let editor: Member
let page: string
let account: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-import-'))
  app = await startTestApp({ media: { dir: directory }, http: { publicUrl: PUBLIC_URL } })
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(async () => {
  tenant = await Tenant.create(app)
  await operatorCall(app, 200, 'PATCH', `/organizations/${tenant.organizationId}`, {
    body: { timeZone: 'Europe/Berlin' },
  })
  editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
  page = await tenant.channel([], 'FB_PAGE', 'Café Aurora 🥐')
  account = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'aurora')
})

const path = (tail = ''): string => `/organizations/${tenant.organizationId}/scheduled-posts${tail}`
const post = (status: number, body: object, headers?: CallOptions['headers']): Promise<Reply> =>
  editor.call(status, 'POST', path('/import'), { body, ...(headers && { headers }) })
const dry = async (csv: string): Promise<PostImportReport> => (await post(200, { csv, dryRun: true })).body
/** The only line of a file with these cells. */
async function look(cells: Partial<ReportedLine['cells']>): Promise<ReportedLine> {
  const lines = [{ line: 2, channel: 'aurora', text: 'Hello', ...cells }]
  return (await post(200, { lines, dryRun: true })).body.lines[0]
}
const codes = ({ problems }: { problems: ImportProblem[] }): string[] =>
  problems.map(({ column, code }) => `${column}: ${code}`)
const listed = async (): Promise<string[]> =>
  (await editor.call(200, 'GET', path('?limit=200'))).body.items.map(({ id }: { id: string }) => id)

describe('a file', () => {
  const FILE = [
    'Time;Channel;Text;Media;Notes',
    `2026-12-24 18:00;café aurora 🥐;"Merry Christmas; from all of us\n🎄";https://cdn.example.com/a.jpg;For Bea`,
    '',
    `2026-12-31T17:30:00Z;${'{account}'};Happy new year;https://cdn.example.com/b.mp4;`,
    ';aurora;No time yet;;',
  ].join('\r\n')

  test('is checked line by line, and creates nothing', async () => {
    const report = await dry(`\uFEFF${FILE.replace('{account}', account)}`)
    expect(report).toEqual({
      created: 0,
      lines: [
        {
          line: 2,
          cells: {
            time: '2026-12-24 18:00',
            channel: 'café aurora 🥐',
            text: 'Merry Christmas; from all of us\n🎄',
            media: 'https://cdn.example.com/a.jpg',
            notes: 'For Bea',
          },
          scheduledFor: '2026-12-24T17:00:00.000Z',
          channelId: page,
          problems: [],
        },
        {
          line: 5,
          cells: {
            time: '2026-12-31T17:30:00Z',
            channel: account,
            text: 'Happy new year',
            media: 'https://cdn.example.com/b.mp4',
            notes: '',
          },
          scheduledFor: '2026-12-31T17:30:00.000Z',
          channelId: account,
          problems: [],
        },
        {
          line: 6,
          cells: { time: '', channel: 'aurora', text: 'No time yet', media: '', notes: '' },
          channelId: account,
          problems: [],
        },
      ],
    })
    expect(await listed()).toEqual([])
  })

  test('becomes drafts whose author is the person, and nothing more than drafts', async () => {
    const { body } = await post(200, { csv: FILE.replace('{account}', account) })
    expect(body.created).toBe(3)
    const [first, second, third] = body.lines.map(({ scheduledPostId }: ReportedLine) => scheduledPostId)
    expect((await editor.call(200, 'GET', path(`/${first}`))).body).toMatchObject({
      status: 'DRAFT',
      scheduledFor: '2026-12-24T17:00:00.000Z',
      media: 'https://cdn.example.com/a.jpg',
      mediaType: 'IMAGE',
      notes: 'For Bea',
      mediumsData: { [page]: { caption: 'Merry Christmas; from all of us\n🎄' } },
    })
    expect((await editor.call(200, 'GET', path(`/${second}`))).body).toMatchObject({
      status: 'DRAFT',
      mediaType: 'VIDEO',
    })
    expect((await editor.call(200, 'GET', path(`/${third}`))).body).not.toHaveProperty('scheduledFor')
    expect(await readHistory(tenant, first)).toMatchObject([
      { action: 'created', actor: `user:${editor.id}`, toStatus: 'DRAFT' },
    ])
  })

  test.each([
    ['an empty file', '', 'the file is empty'],
    ['a file without a column', 'time,text\n,Hello', 'the column channel is missing'],
    ['a file with an unknown column', 'channel,text,caption\na,b,c', '"caption" is not a column'],
    ['a file with a duplicate column', 'channel,text,text\na,b,c', 'text appears twice'],
    ['a file with an unclosed quote', 'channel,text\na,"b', 'a quote is opened but never closed'],
  ])('%s is refused as a whole', async (_what, csv, reason) => {
    const reply = await post(csv === '' ? 422 : 400, csv === '' ? { csv, dryRun: true } : { csv, dryRun: true })
    if (csv !== '') expect(reply.body.message).toContain(reason)
  })

  test('with only a heading has no lines', async () => {
    const note = expect.stringContaining('nothing to import')
    expect(await dry('channel,text\n')).toEqual({ created: 0, lines: [], note })
  })

  test('with more cells than columns reports the line', async () => {
    const { lines } = await dry('channel,text\naurora,Bread, fresh\naurora,Rolls')
    expect(lines.map(codes)).toEqual([['text: too_many_cells'], []])
    expect(lines[0]!.problems[0]!.message).toContain('3 cells, but the header has 2')
  })

  test('loses the apostrophe that an export puts before a formula', async () => {
    const { lines } = await dry(`channel,text\naurora,"'=1+1"`)
    expect(lines[0]!.cells.text).toBe('=1+1')
  })

  test('has a maximum number of lines', async () => {
    const many = limit('postImportLines')
    const file = (lines: number): string => `channel,text\n${'aurora,Hello\n'.repeat(lines)}`
    expect((await dry(file(many))).lines).toHaveLength(many)
    expect(JSON.stringify((await post(422, { csv: file(many + 1), dryRun: true })).body)).toContain('at most 500 posts')
  })
})

describe('a cell that no plan contains', () => {
  test('a time of any length is reported with its line, and takes limited work', async () => {
    const { lines } = await dry(
      `time,channel,text\n${' '.repeat(50_000)}x,aurora,Bread\n,aurora,"2${' '.repeat(120_000)}\n,"`,
    )
    expect(lines.map(({ line }) => line)).toEqual([2, 3])
    const long = (cell: string) => look({ time: cell })
    expect(codes(await long(`2026-12-24${' '.repeat(120_000)}18:00`))).toEqual(['time: time_unreadable'])
    expect(codes(await long(`2026-12-24 18:00${' '.repeat(50)}+02:00`))).toEqual([])
  })

  test('a name with many marks is not a channel, but one with a long run of spaces around it is', async () => {
    expect(codes(await look({ channel: `a${'\u0301\u0323'.repeat(50_000)}` }))).toEqual(['channel: channel_unknown'])
    expect(codes(await look({ channel: `${' '.repeat(50_000)}aurora${' '.repeat(50_000)}` }))).toEqual([])
  })

  test('a first line with too many cells is refused as a whole', async () => {
    const header = Array.from({ length: 100_000 }, (_, n) => `a${n}`).join(',')
    expect((await post(400, { csv: `${header}\n`, dryRun: true })).body.message).toContain('more than 1000 cells')
  })
})

describe('a time', () => {
  test.each([
    ['2026-12-24 18:00', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24T18:00', '2026-12-24T17:00:00.000Z'],
    ['2026-12-24 9:05:00', '2026-12-24T08:05:00.000Z'],
    ['2026-12-24 18:00 +02:00', '2026-12-24T16:00:00.000Z'],
    ['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.000Z'],
    ['2027-07-01 18:00', '2027-07-01T16:00:00.000Z'],
    ['2028-02-29 12:00', '2028-02-29T11:00:00.000Z'],
    ['2027-03-28 03:00', '2027-03-28T01:00:00.000Z'],
    ['2027-10-31T02:30+02:00', '2027-10-31T00:30:00.000Z'],
  ])('%s means %s', async (time, instant) => {
    const line = await look({ time })
    expect([line.scheduledFor, codes(line)]).toEqual([instant, []])
  })

  test.each([
    ['2026-11-20 10:00', 'time_past'],
    ['2026-11-19T09:00:00Z', 'time_past'],
    ['2027-03-28 02:30', 'time_never'],
    ['2027-10-31 02:30', 'time_twice'],
    ['2027-02-29 12:00', 'time_unreadable'],
    ['tomorrow', 'time_unreadable'],
    ['2026-12-24', 'time_unreadable'],
    ['2026-12-24 24:00', 'time_unreadable'],
  ])('%s is refused: %s', async (time, code) => {
    const line = await look({ time })
    expect([codes(line), line.scheduledFor]).toEqual([[`time: ${code}`], undefined])
  })

  test('that occurs twice is refused with both of its instants', async () => {
    const [problem] = (await look({ time: '2027-10-31 02:30' })).problems
    expect(problem!.message).toContain('2027-10-31T00:30:00.000Z or 2027-10-31T01:30:00.000Z')
  })
})

describe("a time in the format of a country's spreadsheets", () => {
  test.each([
    ['5.1.2027 18:00', '2027-01-05T17:00:00.000Z'],
    ['05.01.27 18:00:00', '2027-01-05T17:00:00.000Z'],
    ['5. 1. 2027 18.00', '2027-01-05T17:00:00.000Z'],
    ['2027. 01. 05. 18:00', '2027-01-05T17:00:00.000Z'],
    ['2027/1/5 18:00', '2027-01-05T17:00:00.000Z'],
    ['2027-01-05 6:00 PM', '2027-01-05T17:00:00.000Z'],
    ['05/05/2027 18:00', '2027-05-05T16:00:00.000Z'],
    ['13/01/2027 18:00', '2027-01-13T17:00:00.000Z'],
    ['1/13/2027 6:00 PM', '2027-01-13T17:00:00.000Z'],
    ['1/13/2027, 12:30\u202fa.m.', '2027-01-12T23:30:00.000Z'],
    ['13-01-2027 18h00', '2027-01-13T17:00:00.000Z'],
    ['29/02/2028 12 pm', '2028-02-29T11:00:00.000Z'],
  ])('%s means %s', async (time, instant) => {
    const line = await look({ time })
    expect([line.scheduledFor, codes(line)]).toEqual([instant, []])
  })

  test('is spelled out, unless it begins with the year', async () => {
    expect((await look({ time: '5.1.2027 6:05 PM' })).timeReadAs).toBe(
      '5.1.2027 6:05 PM was read as 5 January 2027, 18:05 in Europe/Berlin.',
    )
    expect(await look({ time: '2027-01-05 18:00' })).not.toHaveProperty('timeReadAs')
  })

  test.each([
    '5.13.2027 18:00',
    '31/04/2027 18:00',
    '29/02/2027 18:00',
    '0/1/2027 18:00',
    '5.1.2027',
    '5.1.2027 25:00',
    '5.1.2027 13:00 PM',
    '5.1.2027 0:30 am',
    '5.1/2027 18:00',
    '5.1.202718:00',
    '5.1.20270 18:00',
    '5.1.2027 18',
    '46392.75',
    '46392,75',
    '46392',
  ])('%s is refused', async (time) => {
    const line = await look({ time })
    expect([codes(line), line.scheduledFor]).toEqual([['time: time_unreadable'], undefined])
  })

  test('a clock change applies here too', async () => {
    expect(codes(await look({ time: '28.03.2027 02:30' }))).toEqual(['time: time_never'])
    expect(codes(await look({ time: '31.10.2027 02:30' }))).toEqual(['time: time_twice'])
  })

  const plan = (...times: string[]): string =>
    ['time;channel;text', ...times.map((time) => `${time};aurora;Hello`)].join('\r\n')

  test('an ambiguous date leads to a question, never a guess', async () => {
    const report = await dry(plan('05/01/2027 18:00', '1/5/2027 6:00 PM'))
    expect(report).not.toHaveProperty('dateOrder')
    expect(report.lines.map(codes)).toEqual([['time: time_ambiguous'], ['time: time_ambiguous']])
    const [problem] = report.lines[0]!.problems
    expect(problem!.message).toContain('can be 5 January 2027, 18:00 or 1 May 2027, 18:00')
    expect(problem!.choices).toEqual({ DMY: '2027-01-05T17:00:00.000Z', MDY: '2027-05-01T16:00:00.000Z' })
  })

  test.each([
    ['DMY', '13/02/2027 09:00', ['2027-01-05T17:00:00.000Z', '2027-02-13T08:00:00.000Z']],
    ['MDY', '2/13/2027 09:00', ['2027-05-01T16:00:00.000Z', '2027-02-13T08:00:00.000Z']],
  ])('another date of the file shows that it is %s', async (dateOrder, shows, instants) => {
    const report = await dry(plan('05/01/2027 18:00', shows))
    expect(report.dateOrder).toBe(dateOrder)
    expect(report.lines.map(({ scheduledFor }) => scheduledFor)).toEqual(instants)
    expect(report.lines[0]!.timeReadAs).toContain('05/01/2027 18:00 was read as')
  })

  test('contradicting dates show nothing', async () => {
    const report = await dry(plan('05/01/2027 18:00', '13/02/2027 09:00', '2/14/2027 09:00'))
    expect(report.lines.map(codes)).toEqual([['time: time_ambiguous'], [], []])
  })

  test('the caller chooses the order, and dates that do not match it are refused', async () => {
    const csv = plan('05/01/2027 18:00', '13/02/2027 09:00')
    const read = async (dateOrder: string) =>
      (await post(200, { csv, dateOrder, dryRun: true })).body.lines.map(
        (line: ReportedLine) => line.scheduledFor ?? codes(line)[0],
      )
    expect(await read('DMY')).toEqual(['2027-01-05T17:00:00.000Z', '2027-02-13T08:00:00.000Z'])
    expect(await read('MDY')).toEqual(['2027-05-01T16:00:00.000Z', 'time: time_unreadable'])
    await post(422, { csv, dateOrder: 'YMD' })
  })

  test('the lines of a plan become drafts at the displayed times', async () => {
    const { body } = await post(200, { csv: plan('05/01/2027 18:00'), dateOrder: 'DMY' })
    const draft = await editor.call(200, 'GET', path(`/${body.lines[0].scheduledPostId}`))
    expect(draft.body.scheduledFor).toBe('2027-01-05T17:00:00.000Z')
  })
})

describe('a cell that a program has changed', () => {
  test.each([
    '1.78414E+16',
    '1,78414E+16',
    '1.78E16',
    '1.78414000084601E+16',
  ])('the channel %s is a rounded id', async (channel) => {
    const line = await look({ channel })
    expect(codes(line)).toEqual(['channel: channel_rounded'])
    expect(line.problems[0]!.message).toContain('a spreadsheet rounded it')
  })

  test('a channel name may look like a rounded number', async () => {
    const named = await tenant.channel([], 'FB_PAGE', '1.5E+3')
    expect((await look({ channel: '1.5e+3' })).channelId).toBe(named)
  })

  test.each([
    ['characters that could not be decoded', 'P\uFFFDo'],
    ['Windows-1252 read as Latin-1', 'caf\u00e9 \u0080 5'],
  ])('a text with %s is refused', async (_what, text) => {
    const [line] = (await dry(`channel,text\naurora,${text}`)).lines
    expect(codes(line!)).toEqual(['text: characters_lost'])
    expect(line!.problems[0]!.message).toContain('save it as UTF-8')
  })
})

describe('a channel', () => {
  test('with a shared name can be named only by its id', async () => {
    const twin = await tenant.channel([], 'FB_PAGE', 'Aurora')
    const line = await look({ channel: 'AURORA' })
    expect(codes(line)).toEqual(['channel: channel_ambiguous'])
    for (const id of [twin, account]) expect(line.problems[0]!.message).toContain(id)
    expect((await look({ channel: twin })).channelId).toBe(twin)
  })

  test('of another organization is unknown, and so is a deleted one', async () => {
    const other = await Tenant.create(app)
    const theirs = await other.channel([], 'FB_PAGE', 'Theirs')
    for (const channel of [theirs, 'Theirs'])
      expect(codes(await look({ channel }))).toEqual(['channel: channel_unknown'])
    await operatorCall(app, 200, 'DELETE', `/organizations/${tenant.organizationId}/channels/${account}`)
    expect(codes(await look({}))).toEqual(['channel: channel_unknown'])
  })

  test('must be named', async () => {
    expect(codes(await look({ channel: ' ', text: '  ' }))).toEqual(['channel: channel_missing', 'text: text_missing'])
  })
})

test('a text is counted as in the console, for its channel', async () => {
  const text = '🥐'.repeat(2200)
  expect(codes(await look({ text }))).toEqual([])
  const long = await look({ text: `${text}x` })
  expect(codes(long)).toEqual(['text: text_too_long'])
  expect(long.problems[0]!.excess).toEqual({ what: 'characters', count: 2201, max: 2200 })
  expect(codes(await look({ text: `${text}x`, channel: page }))).toEqual([])
  expect((await look({ text: '#a '.repeat(31) })).problems[0]!.excess).toMatchObject({ what: 'hashtags', count: 31 })
})

test('media are an address, and an uploaded file must exist and suit the channel', async () => {
  expect(codes(await look({ media: 'a.jpg' }))).toEqual(['media: media_no_url'])
  expect(codes(await look({ media: `https://cdn.example.com/${'x'.repeat(2048)}` }))).toEqual(['media: media_no_url'])
  expect(codes(await look({ media: `${PUBLIC_URL}/media/${tenant.organizationId}/media_nothing.jpg` }))).toEqual([
    'media: media_gone',
  ])
  const { body } = await send(app.app, 201, 'POST', `/api/organizations/${tenant.organizationId}/media`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/octet-stream' },
    body: jpeg(3000, 1000),
  })
  const refused = await look({ media: body.url })
  expect([codes(refused), refused.problems[0]!.media]).toEqual([
    ['media: media_refused'],
    { what: 'ratio', min: 0.8, max: 1.91, is: 3 },
  ])
  expect(codes(await look({ media: body.url, channel: page }))).toEqual([])
})

test('notes have a maximum length', async () => {
  expect(codes(await look({ notes: 'x'.repeat(10_000) }))).toEqual([])
  expect(codes(await look({ notes: 'x'.repeat(10_001) }))).toEqual(['notes: notes_too_long'])
})

describe('an import', () => {
  const lines = [
    { line: 2, channel: 'aurora', text: 'One' },
    { line: 3, channel: 'aurora', text: 'Two' },
  ]

  test('creates nothing while a line has an error, and reports which', async () => {
    const { body } = await post(200, { lines: [...lines, { line: 4, channel: 'unknown', text: 'Three' }] })
    expect([body.created, body.lines.map(codes)]).toEqual([0, [[], [], ['channel: channel_unknown']]])
    expect(await listed()).toEqual([])
  })

  test('that is repeated with its key creates no second draft, even if both arrive at once', async () => {
    const headers = { 'idempotency-key': 'import-1' }
    const once = () => operatorAny(tenant, 'POST', '/scheduled-posts/import', { body: { lines }, headers })
    const [first, second] = await Promise.all([once(), once()])
    expect(first.body).toEqual(second.body)
    expect((await once()).body).toEqual(first.body)
    expect(await listed()).toHaveLength(2)
    app.clock.advance(3_600_000)
    expect((await once()).body).toEqual(first.body)
  })

  test('that was refused leaves its key for the corrected lines', async () => {
    const headers = { 'idempotency-key': 'import-2' }
    await post(200, { lines: [{ line: 2, channel: 'unknown', text: 'One' }] }, headers)
    expect((await post(200, { lines }, headers)).body.created).toBe(2)
  })

  test('has a file or lines, and is only for people who may write', async () => {
    await post(422, {})
    await post(422, { csv: 'channel,text', lines })
    await post(422, { lines: [{ line: 2, colour: 'red' }] })
    const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
    await viewer.call(403, 'POST', path('/import'), { body: { lines, dryRun: true } })
    const stranger = await Member.create(app)
    await stranger.call(404, 'POST', path('/import'), { body: { lines } })
  })
})
