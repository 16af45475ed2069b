import { type Command, Option } from 'commander'
import type { AuditEntry, AuditEntryPage, ListAuditTrailQuery } from '../client/index.js'
import { operator } from './client.js'
import { definedOnly, toId, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { collect, type ListView, note, printList, type Row, writeRows, writeToStdout } from './output.js'

interface AuditOptions {
  organization?: string
  server?: true
  limit?: number
  all?: true
  actor?: string
  targetType?: string
  operation?: string
  post?: string
  from?: string
  to?: string
}

const SHOWN = { fallback: 50, max: 200 }

const COLUMNS = ['at', 'actor', 'operation', 'target', 'changes']

/** `key key_5V3kPq`, or only the type when there is no id. */
const nameOf = ({ type, id }: { type: string; id?: string }): string => (id === undefined ? type : `${type} ${id}`)

const toRow = ({ at, actor, operation, target, changes, repeated }: AuditEntry): Row => ({
  at,
  actor: nameOf(actor),
  operation,
  target: nameOf(target),
  // How it ended stands with how it began.
  changes: repeated === undefined ? changes : { ...changes, repeated },
})

const VIEW: ListView<AuditEntry> = { columns: COLUMNS, noun: 'changes', toRow }

export function addAudit(program: Command, cli: Cli): void {
  program
    .command('audit')
    .description('as the operator: who changed what in an organization, newest first')
    .addOption(new Option('--organization <id>', 'the organization').argParser(toId))
    .addOption(
      new Option('--server', 'of the server as a whole: accounts, links, sessions').conflicts(['organization', 'all']),
    )
    .option('--limit <number>', 'entries to show: 50 by default, at most 200', toWholeNumber)
    .addOption(new Option('--all', 'the whole trail').conflicts('limit'))
    .option('--actor <actor>', 'only changes by this actor, such as key:key_8Zr2Lm, user:usr_4Tb9Wn or operator')
    .option('--target-type <type>', 'only changes of what is of this type, such as scheduledPost')
    .option('--operation <operation>', 'only changes by this operation, such as updateKey')
    .option('--post <id>', 'only changes of this post')
    .option('--from <time>', 'only changes from then on: ISO 8601 in UTC')
    .option('--to <time>', 'only changes before then: ISO 8601 in UTC')
    .addHelpText('after', example('greenroom audit --organization org_5V3kPq --target-type scheduledPost --limit 20'))
    .action(async ({ organization, server, limit, all, post, ...others }: AuditOptions) => {
      const filters = definedOnly({ ...others, scheduledPostId: post }) as ListAuditTrailQuery
      if (!server && organization === undefined) throw new CliError(2, 'Say --organization ID, or --server.')
      if (all) {
        await printAll(cli, organization!, filters)
        return
      }
      const { audit } = operator(cli)
      const read = (query: ListAuditTrailQuery): Promise<AuditEntryPage> =>
        server ? audit.listServer(query) : audit.list(organization!, query)
      const { entries, mayHaveMore } = await readNewest(read, { ...filters, limit })
      printList(cli, entries, VIEW)
      if (!mayHaveMore) return
      const how = server ? `--limit shows up to ${SHOWN.max}` : '--all shows the older ones too'
      note(cli, `These are the newest ${entries.length}: ${how}.`)
    })
}

/** The newest entries up to the limit. Pages that a filter leaves short are read on from. */
async function readNewest(
  read: (query: ListAuditTrailQuery) => Promise<AuditEntryPage>,
  query: ListAuditTrailQuery,
): Promise<{ entries: AuditEntry[]; mayHaveMore: boolean }> {
  const wanted = Math.min(query.limit ?? SHOWN.fallback, SHOWN.max)
  const entries: AuditEntry[] = []
  for (let after: string | undefined; ; ) {
    const page = await read({ ...query, after })
    entries.push(...page.items)
    const mayHaveMore = page.mayHaveMore || entries.length > wanted
    if (entries.length >= wanted || page.nextCursor === null) return { entries: entries.slice(0, wanted), mayHaveMore }
    after = page.nextCursor
  }
}

/** A table needs every row before it is aligned; the other formats are written page by page. */
async function printAll(cli: Cli, organization: string, filters: ListAuditTrailQuery): Promise<void> {
  const entries = operator(cli).audit.listAll(organization, filters)
  const format = cli.format()
  if (format === 'table') printList(cli, await collect(entries), VIEW)
  else await writeRows(writeToStdout(cli), format, rowsOf(entries, format === 'csv'), COLUMNS)
}

async function* rowsOf(entries: AsyncIterable<AuditEntry>, isTable: boolean): AsyncGenerator<Row> {
  for await (const entry of entries) yield isTable ? toRow(entry) : { ...entry }
}
