import { extname } from 'node:path'
import type { Command } from 'commander'
import {
  type AudienceExport,
  type AudienceList,
  type AudienceRow,
  type Greenroom,
  GreenroomError,
  type VipUser,
  type VipUserList,
  type VipUserListQuery,
} from '../client/index.js'
import { byKey } from './client.js'
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
import { group, row, type TableCall } from './table-command.js'
import { writeWholeFile } from './whole-file.js'

/** The order of interface 2.1. */
const FULL_COLUMNS: (keyof VipUser)[] = [
  ...(['conversationId', 'userName', 'firstName', 'lastName', 'cuid', 'profilePic', 'birthday'] as const),
  ...(['lastPurchaseTimestamp', 'lastUserMessageTimestamp', 'lastAppOpenTimestamp'] as const),
]
const COMPACT_COLUMNS: (keyof VipUser)[] = ['conversationId', 'cuid', 'birthday']
const AUDIENCE_COLUMNS: (keyof AudienceRow)[] = [...FULL_COLUMNS, 'lifetimeValue', 'vip', 'rank']
const PAGE_ROWS = { full: 200, compact: 5000 } // interface 8

const toUserRow = (user: VipUser): Row => ({
  conversationId: user.conversationId,
  userName: user.userName,
  name: [user.firstName, user.lastName].filter(Boolean).join(' ') || undefined,
  birthday: user.birthday,
  lastPurchase: user.lastPurchaseTimestamp && new Date(user.lastPurchaseTimestamp).toISOString().slice(0, 10),
})

const COMPACT: ListView<VipUser> = { columns: COMPACT_COLUMNS, noun: 'VIP users' }
const FULL: ListView<VipUser> = {
  columns: ['conversationId', 'userName', 'name', 'birthday', 'lastPurchase'],
  csvColumns: FULL_COLUMNS,
  noun: 'VIP users',
  toRow: toUserRow,
}
/** /api adds the lifetime value and the rank to the list of the contract. */
const AUDIENCE: ListView<AudienceRow> = {
  columns: ['rank', 'conversationId', 'userName', 'name', 'lifetimeValue', 'vip', 'birthday', 'lastPurchase'],
  dropFirst: ['lastPurchase', 'birthday', 'userName'],
  csvColumns: AUDIENCE_COLUMNS,
  noun: 'matching people on this page',
  toRow: ({ rank, lifetimeValue, vip, ...user }) => ({ ...toUserRow(user), rank, lifetimeValue, vip }),
}

const isByKey = ({ ids }: TableCall): boolean => ids.organizationId === undefined

async function listUsers(call: TableCall): Promise<void> {
  if (!isByKey(call)) return await listAudience(call)
  const { cli, query, send } = call
  const page: VipUserList = await send()
  printList(cli, page.items, query.compact ? COMPACT : FULL)
  if (!page.mayHaveMore) return
  const total = `${toCount(page.total)}${page.scanCapped ? ' or more' : ''}`
  const shown = `${toCount(page.nextOffset - page.returned + 1)} to ${toCount(page.nextOffset)} of ${total}`
  note(cli, `${shown}: continue with --offset ${page.nextOffset}, or export them all.`)
}

async function listAudience({ cli, send }: TableCall): Promise<void> {
  const page: AudienceList = await send()
  printList(cli, page.items, AUDIENCE)
  if (!page.mayHaveMore) return
  const shown = page.skipped + page.items.length
  const next = page.nextCursor === null ? `--offset ${shown}` : `--after ${page.nextCursor}`
  const total = `${toCount(page.total)}${page.scanCapped ? ' or more' : ''}`
  note(cli, `${toCount(shown)} of ${total} so far: continue with ${next}, or export them all.`)
}

const addOutput = (command: Command): Command =>
  command.option('--output <file>', 'write to a file, which is created once complete; its extension sets the format')

async function exportUsers(call: TableCall): Promise<void> {
  if (!isByKey(call)) return await exportAudience(call)
  const { cli, query, options } = call
  const walk = new Walk(cli, query as unknown as VipUserListQuery)
  await writeOut(cli, options, async (write, format, isShown) => {
    await countWhile(cli, 'users', isShown, (count) => writeRows(write, format, walk.users(count), walk.columns))
    if (walk.isCapped) {
      note(
        cli,
        'The channel has more than 25,000 conversations: only the 25,000 users with the highest lifetime value are read.',
      )
    }
    if (await walk.mayHaveChanged()) {
      note(
        cli,
        'The audience may have changed during the export, so a user may be missing or listed twice. Export it again.',
      )
    }
  })
}

async function exportAudience({ cli, options, send }: TableCall): Promise<void> {
  const { items, scanCapped }: AudienceExport = await send()
  await writeOut(cli, options, async (write, format) => {
    await writeRows(write, format, items, AUDIENCE_COLUMNS)
  })
  if (scanCapped) {
    note(cli, 'Only the first 25,000 people of the channel in this order were read: there are more.')
  }
}

type Fill = (write: Write, format: Exclude<Format, 'table'>, isShown: boolean) => Promise<void>

/** Writes to the named file, or to stdout. */
async function writeOut(cli: Cli, { output }: { output?: string }, fill: Fill): Promise<void> {
  const format = cli.givenFormat() ?? FORMATS_BY_EXTENSION[extname(output ?? '').toLowerCase()] ?? 'json'
  if (output === undefined) await fill(writeToStdout(cli), format, cli.stdout.isTTY === true)
  else await writeWholeFile(output, (write) => fill(write, format, false))
}

/** Walks all pages, and can then check whether the audience may have changed during the walk. */
class Walk {
  isCapped = false
  readonly columns: (keyof VipUser)[]
  readonly #query: VipUserListQuery
  readonly #api: Greenroom
  readonly #totals = new Set<number>()
  #etag: string | null = null
  #firstEtag: string | null = null
  #pages = 0

  constructor(cli: Cli, query: VipUserListQuery) {
    this.columns = query.compact ? COMPACT_COLUMNS : FULL_COLUMNS
    const limit = query.compact ? PAGE_ROWS.compact : PAGE_ROWS.full
    this.#query = { ...query, limit, offset: 0 }
    this.#api = byKey(cli, (headers) => {
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
   * Returns true if something may have changed between the pages. The ETag of a page changes with its channel, so all pages
   * have the same state if the ETag of the first page is still the same. Without ETags only the totals are compared.
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

const PLACE = '--workspace ws_2Hc7Yd --channel FB_PAGE_104512883716042'

export const VIP_USERS = group('vip-users', 'the VIPs of a channel or its whole audience', [
  row('list', 'listAudience', {
    key: 'listVipUsers',
    description: 'show a page of users, highest lifetime value first; with --organization, also the values',
    sample: `${PLACE} --limit 10`,
    run: listUsers,
  }),
  row('export', 'exportAudience', {
    key: 'listVipUsers',
    description: 'write all users, page by page, as JSON, NDJSON or CSV',
    sample: `${PLACE} --birthday-month 12 --output birthdays.csv`,
    fields: 'workspaceId mediumId scope hasBirthday birthdayMonth compact',
    extend: addOutput,
    run: exportUsers,
  }),
])

export const AUDIENCE_GROUP = group('audience', 'the people of a channel with their value, rank and VIP mark', [
  row('list', 'listAudience', { sample: `${PLACE} --scope all --value-above 500`, run: listAudience }),
  row('export', 'exportAudience', {
    sample: `${PLACE} --segment seg_4Rt8Qs --output best.csv`,
    extend: addOutput,
    run: exportAudience,
  }),
])
