import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { toCsv as toConsoleCsv } from '../src/console/audience/csv.js'
import { toCsvFile } from '../src/console/csv.js'
import type { ReportedLine } from '../src/interface/generated/types.js'
import { IMPORT_COLUMNS } from '../src/interface/post-import.js'
import { CliStage } from './cli-stage.js'
import { operatorCall, Tenant } from './harness.js'
import { toNdjson } from './imports.js'

/** Every export of the service, the command line and the console can be imported again. */

const stage = new CliStage()
const { run, json, file } = stage

/** Texts that a spreadsheet, a CSV reader or a terminal would change. */
const TEXTS = [
  ...['17841400008460056', '00123', '1.5', '0x10', '--05-17', '+4915112345678', '５', 'true', 'null', '１７８'],
  ...['=1+1', '=', '+A1()', '-2+3', '@SUM(1)', '＝1+1', '\t=1', '\rx', "'=1+1", "''x", "it's", '="12"', '="a""b"', "'"],
  ...['a"b', '"', '""', '"a"b', 'a,b', 'a;b', 'a;=b', 'a\tb', 'two\nlines', 'two\r\nlines\rmore', ' x ', 'x\n', '\n=1'],
  ...[
    '🌸',
    '👩🏽‍🎤',
    'é',
    'e\u0301',
    'שלום',
    '\uFEFFa',
    '\u200fa',
    '\u001b[31m',
    'a\u0085b',
    '\uFFFD',
    'Ã©',
    '#',
    '# line 3: x',
    'sep=;',
  ],
]

let tenant: Tenant
let workspace: string
let channel: string
/** The lines of the channel, by conversation id. */
let lines: Record<string, Record<string, unknown>>
beforeAll(async () => {
  tenant = await Tenant.create(stage.app)
  workspace = await tenant.workspace('VIP')
  channel = await tenant.channel([workspace])
  const given = TEXTS.map((text, at) => ({
    ...{ conversationId: text, cuid: TEXTS.at(at - 1)!, userName: TEXTS.at(at - 2)!, firstName: TEXTS.at(at - 3)! },
    ...{ lastName: TEXTS.at(at - 4)!, profilePic: TEXTS.at(at - 5)!, birthday: at % 2 ? '--02-29' : '1990-02-11' },
    ...{
      lastPurchaseTimestamp: 1_732_092_000_001 + at,
      lastUserMessageTimestamp: at,
      lifetimeValue: at / 8,
      vip: at % 3 === 0,
    },
  }))
  const report = await importFile(channel, 'given.ndjson', toNdjson(given))
  expect(report).toMatchObject({ imported: TEXTS.length })
  lines = await read(channel)
  expect(Object.keys(lines)).toHaveLength(TEXTS.length)
})

const placeOf = (channel: string): string[] => [
  ...['--organization', tenant.organizationId, '--channel', channel, '--workspace', workspace],
]
const importFile = (channel: string, name: string, content: string) =>
  json(['conversations', 'import', file(name, content), ...placeOf(channel)])

/** Returns the lines of a channel, as the service exports them. */
async function read(channel: string): Promise<Record<string, Record<string, unknown>>> {
  const path = join(stage.directory, 'read.ndjson')
  await run(0, ['conversations', 'export', path, ...placeOf(channel)])
  const found = readFileSync(path, 'utf8').trimEnd().split('\n')
  return Object.fromEntries(found.map((text) => JSON.parse(text)).map((line) => [line.conversationId, line]))
}

/** Runs a command that writes a file. */
const exported =
  (...argv: string[]) =>
  async (extension: string): Promise<string> => {
    const path = join(stage.directory, `export.${extension}`)
    const from = ['--workspace', workspace, '--channel', channel, '--scope', 'all', '--output', path]
    const env = { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret }
    await run(0, [...argv.map((word) => (word === 'ORG' ? tenant.organizationId : word)), ...from], { env })
    return readFileSync(path, 'utf8')
  }

const USER = ['conversationId', 'cuid', 'userName', 'firstName', 'lastName', 'profilePic', 'birthday']
const TIMES = ['lastPurchaseTimestamp', 'lastUserMessageTimestamp']

describe('the people of a channel', () => {
  test.each<[string, string, (extension: string) => Promise<string>, string[]]>([
    [
      'greenroom audience export',
      'csv',
      exported('audience', 'export', 'ORG'),
      [...USER, ...TIMES, 'lifetimeValue', 'vip'],
    ],
    [
      'greenroom audience export',
      'ndjson',
      exported('audience', 'export', 'ORG'),
      [...USER, ...TIMES, 'lifetimeValue', 'vip'],
    ],
    ['greenroom vip-users export', 'csv', exported('vip-users', 'export'), [...USER, ...TIMES]],
    ['greenroom vip-users export', 'ndjson', exported('vip-users', 'export'), [...USER, ...TIMES]],
    [
      'greenroom conversations export',
      'ndjson',
      async () => toNdjson(Object.values(lines)),
      [...USER, ...TIMES, 'lifetimeValue', 'vip'],
    ],
    ['the console', 'csv', ofConsole, [...USER, ...TIMES, 'lifetimeValue']],
  ])('of %s as %s are unchanged after an import', async (_what, extension, exportTo, fields) => {
    const other = await tenant.channel([workspace])
    const content = await exportTo(extension)
    expect(await importFile(other, `back.${extension}`, content)).toMatchObject({
      ...{ received: TEXTS.length, imported: TEXTS.length, rejectedCount: 0 },
    })
    const back = await read(other)
    for (const [id, line] of Object.entries(lines)) {
      for (const field of fields) expect([id, field, back[id]?.[field]]).toEqual([id, field, line[field]])
    }
  })

  async function ofConsole(): Promise<string> {
    const query = `workspaceId=${workspace}&channelId=${channel}&scope=all`
    const path = `/organizations/${tenant.organizationId}/audience/export?${query}`
    return toConsoleCsv((await operatorCall(stage.app, 200, 'GET', path)).body)
  }
})

test('the posts of a plan that the console writes are unchanged after an import', async () => {
  const own = await Tenant.create(stage.app)
  await own.channel([], 'FB_PAGE', '=Café "Aurora"; +1')
  const texts = TEXTS.filter((text) => text.trim() !== '' && !/[\uFFFD\u0085]/.test(text))
  const plan = texts.map((text, at) => ['2027-01-05 18:00', '=Café "Aurora"; +1', text, '', texts.at(at - 1)!])
  const path = file('plan.csv', toCsvFile([IMPORT_COLUMNS, ...plan]))
  const report = await json(['posts', 'import', own.organizationId, path, '--dry-run', '--json'])
  const cells = (report as ReportedLine[]).map(({ cells }) => IMPORT_COLUMNS.map((column) => cells[column]))
  expect(cells).toEqual(plan)
})
