import { extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { ImportReport } from '../client/index.js'
import { operator } from './client.js'
import { toId } from './input.js'
import { type Cli, CliError, example } from './io.js'
import { printLine, printObject, type Write, writeToStdout } from './output.js'
import { startCounting, toCount } from './progress.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'
import { sendFile } from './send-file.js'
import { onOneLine } from './text.js'
import { writeWholeFile } from './whole-file.js'

const CONTENT_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const
type Format = keyof typeof CONTENT_TYPES
const FORMATS_BY_EXTENSION: Record<string, Format> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

interface ExportOptions {
  organization: string
  channel: string
  workspace?: string
}

interface ImportOptions extends ExportOptions {
  format?: Format
}

export function addConversations(program: Command, cli: Cli): void {
  const conversations = program.command('conversations').description("a channel's conversations")

  addSureOption(conversations.command('delete <organization> <channel> <conversation>'))
    .description('delete one conversation with its VIP marks; an import may bring it back')
    .addHelpText('after', example('greenroom conversations delete org_5V3kPq FB_PAGE_104512883716042 t_1001 --yes'))
    .action(async (organization: string, channel: string, conversation: string, options: SureOption) => {
      await confirmRemoval(cli, [`The conversation ${conversation} goes from ${channel}, with its VIP marks.`], options)
      printObject(cli, await operator(cli).conversations.delete(organization, channel, conversation))
    })

  conversations
    .command('export <file>')
    .description('export every conversation of a channel as NDJSON, or to stdout with -; an import takes it back')
    .requiredOption('--organization <id>', 'the organization', toId)
    .requiredOption('--channel <id>', 'the channel', toId)
    .option('--workspace <id>', 'the VIP workspace of the field vip', toId)
    .addHelpText(
      'after',
      example(
        'greenroom conversations export fans.ndjson --organization org_5V3kPq --channel FB_PAGE_104512883716042 --workspace ws_2Hc7Yd',
      ),
    )
    .action((file: string, options: ExportOptions) => exportConversations(cli, file, options))

  conversations
    .command('import <file>')
    .description('import conversations from NDJSON or CSV, or from stdin with -; running it again is safe')
    .requiredOption('--organization <id>', 'the organization', toId)
    .requiredOption('--channel <id>', 'the channel', toId)
    .option('--workspace <id>', 'the VIP workspace of the field vip', toId)
    .addOption(
      new Option('--format <format>', 'the format of the file; by default that of its extension').choices(
        Object.keys(CONTENT_TYPES),
      ),
    )
    .addHelpText(
      'after',
      example(
        'greenroom conversations import fans.csv --organization org_5V3kPq --channel FB_PAGE_104512883716042 --workspace ws_2Hc7Yd',
      ),
    )
    .action((file: string, options: ImportOptions) => importConversations(cli, file, options))
}

async function importConversations(cli: Cli, file: string, options: ImportOptions): Promise<void> {
  const { organization, channel, workspace } = options
  const format = options.format ?? FORMATS_BY_EXTENSION[extname(file).toLowerCase()]
  if (format === undefined)
    throw new CliError(2, 'The format cannot be told from the name: add --format ndjson or csv.')
  const { conversations } = operator(cli)

  const result = await sendFile(
    cli,
    file,
    (content) =>
      conversations.import(organization, channel, content, {
        contentType: CONTENT_TYPES[format],
        workspaceId: workspace,
      }),
    'What was imported stays: send the same file again, that is safe.',
  )

  if (cli.format() === 'table') printResult(cli, result)
  else printObject(cli, result)
  if (result.rejectedCount > 0) {
    throw new CliError(
      1,
      result.rejectedCount === 1 ? '1 line was rejected.' : `${toCount(result.rejectedCount)} lines were rejected.`,
    )
  }
}

function printResult(cli: Cli, { received, imported, erased, rejected, rejectedCount }: ImportReport): void {
  printLine(cli, `received  ${toCount(received)}`)
  printLine(cli, `imported  ${toCount(imported)}`)
  if (erased > 0) printLine(cli, `erased    ${toCount(erased)} (lines of erased people are left out)`)
  printLine(cli, `rejected  ${toCount(rejectedCount)}`)
  for (const { line, reason } of rejected) printLine(cli, `line ${line}: ${onOneLine(reason)}`)
  if (rejectedCount > rejected.length) printLine(cli, `and ${toCount(rejectedCount - rejected.length)} more`)
}

async function exportConversations(cli: Cli, file: string, options: ExportOptions): Promise<void> {
  const { organization, channel, workspace: workspaceId } = options
  const lines = await operator(cli).conversations.export(organization, channel, { workspaceId })
  const counting = await startCounting(cli, 'conversations', file === '-')
  let count = 0
  const copy = async (write: Write): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const bytes of lines) {
      const text = decoder.decode(bytes, { stream: true })
      count += text.split('\n').length - 1
      counting.count(count)
      await write(text)
    }
  }
  try {
    if (file === '-') await copy(writeToStdout(cli))
    else await writeWholeFile(file, copy)
  } finally {
    counting.stop()
  }
  if (file !== '-') printObject(cli, { file, conversations: count })
}
