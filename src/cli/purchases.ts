import { extname } from 'node:path'
import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { toId } from './input.js'
import type { Cli } from './io.js'
import { printObject } from './output.js'
import { sendFile } from './send-file.js'

interface ImportOptions {
  organization: string
  source: string
}

export function addPurchases(program: Command, cli: Cli): void {
  const { add } = groupOf(program, cli, 'purchases', 'what people bought before a source was set up')

  add(
    'import <file>',
    "import purchases from NDJSON or the CSV of a shop's admin, or from stdin with -; running it again is safe",
    'orders.csv --organization org_5V3kPq --source src_7Hc2Rt',
    async (file: string, { organization, source }: ImportOptions) => {
      const isJson = ['.ndjson', '.jsonl'].includes(extname(file).toLowerCase())
      const contentType = isJson ? 'application/x-ndjson' : 'text/csv'
      const report = await sendFile(
        cli,
        file,
        (content) => operator(cli).sources.importPurchases(organization, source, content, { contentType }),
        'What has landed stays: run it again.',
      )
      printObject(cli, report)
    },
  )
    .requiredOption('--organization <id>', 'the organization', toId)
    .requiredOption('--source <id>', 'the source whose shop the orders are of', toId)
}
