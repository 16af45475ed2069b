import { extname } from 'node:path'
import type { Command } from 'commander'
import { api } from './client.js'
import { addCommand, groupNamed } from './command.js'
import { toId } from './input.js'
import type { Cli } from './io.js'
import { printObject } from './output.js'
import { sendFile } from './send-file.js'

interface ImportOptions {
  organization: string
  source: string
}

export function addPurchases(program: Command, cli: Cli): void {
  groupNamed(program, 'purchases').description('what people bought before a source was set up')
  addCommand(
    program,
    'purchases import <file>',
    "import purchases from NDJSON or the CSV of a shop's admin, or from stdin with -; running it again is safe",
    'orders.csv --organization org_5V3kPq --source src_7Hc2Rt',
    async (file: string, { organization: organizationId, source: sourceId }: ImportOptions) => {
      const isJson = ['.ndjson', '.jsonl'].includes(extname(file).toLowerCase())
      const to = { organizationId, sourceId, contentType: isJson ? 'application/x-ndjson' : 'text/csv' } as const
      const send = (body: AsyncIterable<Uint8Array>) => api(cli).call('importPurchases', { ...to, body })
      printObject(cli, await sendFile(cli, file, send, 'What has landed stays: run it again.'))
    },
  )
    .requiredOption('--organization <id>', 'the organization', toId)
    .requiredOption('--source <id>', 'the source whose shop the orders are of', toId)
}
