import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import { type Greenroom, GreenroomError, type VipUser, type VipUserListQuery } from '../client/index.js'
import { api } from './client.js'
import { groupOf } from './command-group.js'
import { toId, toWholeNumber } from './input.js'
import type { Cli, Format } from './io.js'
import {
  FORMATS_BY_EXTENSION,
  type ListView,
  note,
  printList,
  type Row,
  type Write,
  writeRows,
  writeToStdout,
} from './output.js'
import { countWhile, toCount } from './progress.js'
import { writeWholeFile } from './whole-file.js'

/** In the order of interface 2.1. */
export const FULL_COLUMNS: (keyof VipUser)[] = [
  ...(['conversationId', 'userName', 'firstName', 'lastName', 'cuid', 'profilePic', 'birthday'] as const),
  ...(['lastPurchaseTimestamp', 'lastUserMessageTimestamp', 'lastAppOpenTimestamp'] as const),
]
const COMPACT_COLUMNS: (keyof VipUser)[] = ['conversationId', 'cuid', 'birthday']
const PAGE_ROWS = { full: 200, compact: 5000 } // interface 8

interface FilterOptions {
  workspace: string
  channel: string
  scope?: 'vip' | 'all'
  hasBirthday?: true
  birthdayMonth?: number
  compact?: true
}

interface ListOptions extends FilterOptions {
  limit?: number
  offset?: number
}

const LIST = '--workspace ws_2Hc7Yd --channel FB_PAGE_104512883716042'

export function addVipUsers(program: Command, cli: Cli): void {
  const { add } = groupOf(program, cli, 'vip-users', 'the VIPs of a channel or its whole audience')

  addFilters(
    add(
      'list',
      'show a page of users, highest lifetime value first',
      `${LIST} --limit 10`,
      async ({ limit, offset, ...filters }: ListOptions) => {
        const page = await api(cli).vipUsers.list({ ...toQuery(filters), limit, offset })
        printList(cli, page.items, viewOf(filters))
        if (!page.mayHaveMore) return
        const total = `${toCount(page.total)}${page.scanCapped ? ' or more' : ''}`
        const shown = `${toCount(page.nextOffset - page.returned + 1)} to ${toCount(page.nextOffset)} of ${total}`
        note(cli, `${shown}: go on with --offset ${page.nextOffset}, or export them all.`)
      },
    ),
  )
    .option('--limit <number>', 'users to show: 50 by default, at most 200; compact 5000', toWholeNumber)
    .option('--offset <number>', 'users to skip', toWholeNumber)

  addFilters(
    add(
      'export',
      'write all users, page by page, as JSON, NDJSON or CSV',
      `${LIST} --birthday-month 12 --output birthdays.csv`,
      async ({ output, ...filters }: FilterOptions & { output?: string }) => {
        const format = cli.givenFormat() ?? FORMATS_BY_EXTENSION[extname(output ?? '').toLowerCase()] ?? 'json'
        const walk = new Walk(cli, filters)
        if (output === undefined) await exportTo(cli, writeToStdout(cli), format, walk, cli.stdout.isTTY === true)
        else await writeWholeFile(output, (write) => exportTo(cli, write, format, walk, false))
      },
    ),
  ).option('--output <file>', 'write to a file, which appears when it is complete; its extension sets the format')
}

function addFilters(command: Command): Command {
  return command
    .requiredOption('--workspace <id>', 'a VIP workspace', toId)
    .requiredOption('--channel <id>', 'a channel that is connected to it', toId)
    .addOption(
      new Option('--scope <scope>', 'vip (default): users marked VIP; all: every conversation').choices(['vip', 'all']),
    )
    .option('--has-birthday', 'only users with a known birthday')
    .option('--birthday-month <month>', 'only users whose birthday falls in this month, 1 to 12', toWholeNumber)
    .option('--compact', 'only conversation, cuid and birthday')
}

const toQuery = ({ workspace, channel, ...filters }: FilterOptions): VipUserListQuery => ({
  workspaceId: workspace,
  mediumId: channel,
  ...filters,
})

export const toUserRow = (user: VipUser): Row => ({
  conversationId: user.conversationId,
  userName: user.userName,
  name: [user.firstName, user.lastName].filter(Boolean).join(' ') || undefined,
  birthday: user.birthday,
  lastPurchase: user.lastPurchaseTimestamp && new Date(user.lastPurchaseTimestamp).toISOString().slice(0, 10),
})

const viewOf = ({ compact }: FilterOptions): ListView<VipUser> =>
  compact
    ? { columns: COMPACT_COLUMNS, noun: 'VIP users' }
    : {
        columns: ['conversationId', 'userName', 'name', 'birthday', 'lastPurchase'],
        csvColumns: FULL_COLUMNS,
        noun: 'VIP users',
        toRow: toUserRow,
      }

async function exportTo(
  cli: Cli,
  write: Write,
  format: Exclude<Format, 'table'>,
  walk: Walk,
  isShown: boolean,
): Promise<void> {
  await countWhile(cli, 'users', isShown, (count) => writeRows(write, format, walk.users(count), walk.columns))
  if (walk.isCapped) {
    note(
      cli,
      'The channel holds more than 25,000 conversations: at most 25,000 users are read, those of the highest lifetime value.',
    )
  }
  if (await walk.mayHaveChanged()) {
    note(
      cli,
      'The audience may have changed while it was read: a user may be missing or listed twice. Export it again.',
    )
  }
}

/** A walk over all pages that knows afterwards whether the audience may have changed meanwhile. */
class Walk {
  isCapped = false
  readonly columns: (keyof VipUser)[]
  readonly #query: VipUserListQuery
  readonly #api: Greenroom
  readonly #totals = new Set<number>()
  #etag: string | null = null
  #firstEtag: string | null = null
  #pages = 0

  constructor(cli: Cli, filters: FilterOptions) {
    this.columns = filters.compact ? COMPACT_COLUMNS : FULL_COLUMNS
    const limit = filters.compact ? PAGE_ROWS.compact : PAGE_ROWS.full
    this.#query = { ...toQuery(filters), limit, offset: 0 }
    this.#api = api(cli, (headers) => {
      this.#etag = headers.get('etag')
    })
  }

  async *users(onCount: (done: number, total: number) => void): AsyncGenerator<VipUser> {
    let count = 0
    for await (const page of this.#api.vipUsers.pages(this.#query)) {
      if (this.#pages++ === 0) this.#firstEtag = this.#etag
      this.#totals.add(page.total)
      this.isCapped = page.scanCapped
      yield* page.items
      count += page.returned
      onCount(count, page.total)
    }
  }

  /**
   * True when something may have changed between the pages. The ETag of a page changes with its channel: while that of the
   * first page is the same, all pages are of one state. Without ETags only the totals are compared.
   */
  async mayHaveChanged(): Promise<boolean> {
    if (this.#pages < 2) return false
    if (this.#firstEtag === null) return this.#totals.size > 1
    try {
      await this.#api.vipUsers.list(this.#query, { headers: { 'if-none-match': this.#firstEtag } })
      return this.#etag !== this.#firstEtag
    } catch (error) {
      if (error instanceof GreenroomError) return error.status !== 304
      throw error
    }
  }
}
