import { type Command, Option } from 'commander'
import type { AuditEntry } from '../client/index.js'
import { operator } from './client.js'
import { toId, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { collect, type ListView, note, printList, type Row, writeRows, writeToStdout } from './output.js'

interface AuditOptions {
  organization?: string
  server?: true
  limit?: number
  all?: true
}

const COLUMNS = ['at', 'actor', 'operation', 'target', 'changes']

/** `key key_5V3kPq`, or only the type when there is no id. */
const nameOf = ({ type, id }: { type: string; id?: string }): string => (id === undefined ? type : `${type} ${id}`)

const toRow = ({ at, actor, operation, target, changes }: AuditEntry): Row => ({
  at,
  actor: nameOf(actor),
  operation,
  target: nameOf(target),
  changes,
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
    .addHelpText('after', example('greenroom audit --organization org_5V3kPq --limit 20'))
    .action(async ({ organization, server, limit, all }: AuditOptions) => {
      if (server) {
        printList(cli, (await operator(cli).audit.listServer({ limit })).items, VIEW)
        return
      }
      if (organization === undefined) throw new CliError(2, 'Say --organization ID, or --server.')
      if (all) {
        await printAll(cli, organization)
        return
      }
      const page = await operator(cli).audit.list(organization, { limit })
      printList(cli, page.items, VIEW)
      if (page.mayHaveMore) note(cli, `These are the newest ${page.returned}: --all shows the older ones too.`)
    })
}

/** A table needs every row before it is aligned; the other formats are written page by page. */
async function printAll(cli: Cli, organization: string): Promise<void> {
  const entries = operator(cli).audit.listAll(organization)
  const format = cli.format()
  if (format === 'table') printList(cli, await collect(entries), VIEW)
  else if (format === 'csv') await writeRows(writeToStdout(cli), format, rowsOf(entries), COLUMNS)
  else await writeRows(writeToStdout(cli), format, entries, [])
}

async function* rowsOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<Row> {
  for await (const entry of entries) yield toRow(entry)
}
