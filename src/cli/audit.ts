import { type Command, Option } from 'commander'
import type { AuditEntry } from '../client/index.js'
import { COMMANDS } from '../interface/generated/commands.js'
import { api } from './client.js'
import { optionsOf } from './fields.js'
import { definedOnly, toId, toWholeNumber } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { type ListView, printRows, type Row } from './output.js'

interface AuditOptions {
  organization?: string
  server?: true
  limit?: number
  all?: true
  post?: string
}

const SHOWN = 50

/** Returns `key key_5V3kPq`, or only the type if there is no id. */
const nameOf = ({ type, id }: { type: string; id?: string }): string => (id === undefined ? type : `${type} ${id}`)

const toRow = ({ at, actor, operation, target, changes, repeated }: AuditEntry): Row => ({
  at,
  actor: nameOf(actor),
  operation,
  target: nameOf(target),
  // Repeats of the change are merged into this entry.
  changes: repeated === undefined ? changes : { ...changes, repeated },
})

const VIEW: ListView<AuditEntry> = {
  columns: ['at', 'actor', 'operation', 'target', 'changes'],
  noun: 'changes',
  toRow,
}

export function addAudit(program: Command, cli: Cli): void {
  const command = program
    .command('audit')
    .description('who changed what in an organization, newest first')
    .addOption(new Option('--organization <id>', 'the organization').argParser(toId))
    .addOption(
      new Option('--server', 'changes to the server as a whole: accounts, links, sessions').conflicts('organization'),
    )
    .option('--limit <number>', `the number of changes to show (default: ${SHOWN})`, toWholeNumber)
    .addOption(new Option('--all', 'the whole trail').conflicts('limit'))
    .addHelpText('after', example('greenroom audit --organization org_5V3kPq --target-type scheduledPost --limit 20'))
    .action(async ({ organization, server, limit = SHOWN, all, post, ...filters }: AuditOptions) => {
      if (!server && organization === undefined) throw new CliError(2, 'Add --organization ID or --server.')
      const wanted = all ? undefined : limit
      // One extra row shows whether there are more.
      const first = wanted === undefined ? undefined : wanted && wanted + 1
      const query = definedOnly({ ...filters, scheduledPostId: post, limit: first })
      const rows = server
        ? api(cli).items('listServerAuditTrail', { query })
        : api(cli).items('listAuditTrail', { organizationId: organization!, query })
      await printRows(cli, rows, VIEW, wanted)
    })
  const fields = COMMANDS.listAuditTrail![1].filter(([name]) => name !== 'limit' && name !== 'after')
  for (const field of fields) for (const option of optionsOf(field, false)) command.addOption(option)
}
