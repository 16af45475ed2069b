import { extname } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AudienceRow, ExportAudienceQuery, ListAudienceQuery } from '../client/index.js'
import { AUDIENCE_SORTS, type AudienceSort } from '../interface/audience.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { definedOnly, toId, toWholeNumber } from './input.js'
import type { Cli } from './io.js'
import { FORMATS_BY_EXTENSION, type ListView, note, printList, type Write, writeRows, writeToStdout } from './output.js'
import { toCount } from './progress.js'
import { FULL_COLUMNS, toUserRow } from './vip-users.js'
import { writeWholeFile } from './whole-file.js'

interface FilterOptions {
  workspace: string
  channel: string
  scope?: 'vip' | 'all'
  segment?: string
  hasBirthday?: true
  birthdayMonth?: number
  birthdayWithin?: number
  valueAbove?: number
  withoutPurchase?: number
  sort?: AudienceSort
}

type ListOptions = FilterOptions & Pick<ListAudienceQuery, 'limit' | 'offset' | 'after'>

const PLACE = 'org_5V3kPq --workspace ws_2Hc7Yd --channel FB_PAGE_104512883716042'

const CSV_COLUMNS: (keyof AudienceRow)[] = [...FULL_COLUMNS, 'lifetimeValue', 'vip', 'rank']
const VIEW: ListView<AudienceRow> = {
  columns: ['rank', 'conversationId', 'userName', 'name', 'lifetimeValue', 'vip', 'birthday', 'lastPurchase'],
  spare: ['lastPurchase', 'birthday', 'userName'],
  csvColumns: CSV_COLUMNS,
  noun: 'such people on this page',
  toRow: ({ rank, lifetimeValue, vip, ...user }) => ({ ...toUserRow(user), rank, lifetimeValue, vip }),
}

export function addAudience(program: Command, cli: Cli): void {
  const about = 'as the operator: the people of a channel with value, place and VIP mark'
  const { add } = groupOf(program, cli, 'audience', about)

  addFilters(
    add(
      'list <organization>',
      'show a page of people, by conditions or a segment',
      `${PLACE} --scope all --value-above 500`,
      (organization: string, options: ListOptions) => listPeople(cli, organization, options),
    ),
  )
    .option('--limit <number>', 'people to show: 50 by default, at most 200', toWholeNumber)
    .option('--offset <number>', 'people to skip, in the order by value without conditions', toWholeNumber)
    .addOption(new Option('--after <cursor>', 'go on where a page has ended').conflicts('offset'))

  addFilters(
    add(
      'export <organization>',
      'write all people of such a list, as they are at one moment, as JSON, NDJSON or CSV',
      `${PLACE} --segment seg_4Rt8Qs --output best.csv`,
      (organization: string, options: FilterOptions & { output?: string }) => exportPeople(cli, organization, options),
    ),
  ).option('--output <file>', 'write to a file, which appears when it is complete; its extension sets the format')
}

const addFilters = (command: Command): Command =>
  command
    .requiredOption('--workspace <id>', 'a VIP workspace', toId)
    .requiredOption('--channel <id>', 'a channel that is connected to it', toId)
    .addOption(new Option('--scope <scope>', 'vip (default): VIPs; all: every conversation').choices(['vip', 'all']))
    .addOption(new Option('--sort <order>', 'the order').choices(AUDIENCE_SORTS).default('value'))
    .option('--segment <segment>', 'only people of this segment', toId)
    .option('--value-above <number>', 'only people with a greater lifetime value', toNumber)
    .option('--without-purchase <days>', 'only people without a purchase for so many days', toWholeNumber)
    .option(
      '--birthday-within <days>',
      'only people with a birthday within so many days, today included',
      toWholeNumber,
    )
    .option('--birthday-month <month>', 'only people whose birthday falls in this month, 1 to 12', toWholeNumber)
    .option('--has-birthday', 'only people with a known birthday')

function toNumber(given: string): number {
  if (given.trim() !== '' && Number.isFinite(Number(given))) return Number(given)
  throw new InvalidArgumentError('It must be a number.')
}

const toQuery = (options: FilterOptions): ExportAudienceQuery => ({
  workspaceId: options.workspace,
  channelId: options.channel,
  ...definedOnly({
    scope: options.scope,
    sort: options.sort,
    segmentId: options.segment,
    valueAbove: options.valueAbove,
    noPurchaseForDays: options.withoutPurchase,
    birthdayWithinDays: options.birthdayWithin,
    birthdayMonth: options.birthdayMonth,
    hasBirthday: options.hasBirthday && ('true' as const),
  }),
})

async function listPeople(cli: Cli, organization: string, { limit, offset, after, ...filters }: ListOptions) {
  const query = { ...toQuery(filters), ...definedOnly({ limit, offset, after }) }
  const page = await operator(cli).audience.list(organization, query)
  printList(cli, page.items, VIEW)
  if (!page.mayHaveMore) return
  const shown = page.skipped + page.items.length
  const next = page.nextCursor === null ? `--offset ${shown}` : `--after ${page.nextCursor}`
  const total = `${toCount(page.total)}${page.scanCapped ? ' or more' : ''}`
  note(cli, `${toCount(shown)} of ${total} so far: go on with ${next}, or export them all.`)
}

async function exportPeople(
  cli: Cli,
  organization: string,
  { output, ...filters }: FilterOptions & { output?: string },
) {
  const format = cli.givenFormat() ?? FORMATS_BY_EXTENSION[extname(output ?? '').toLowerCase()] ?? 'json'
  const { items, scanCapped } = await operator(cli).audience.export(organization, toQuery(filters))
  const write = async (to: Write): Promise<void> => {
    await writeRows(to, format, items, CSV_COLUMNS)
  }
  if (output === undefined) await write(writeToStdout(cli))
  else await writeWholeFile(output, write)
  if (scanCapped) {
    note(cli, 'Only the first 25,000 people of the channel, in this order, were looked at: there are more.')
  }
}
