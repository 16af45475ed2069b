import { Command, CommanderError, Help, Option } from 'commander'
import { GreenroomError } from '../client/index.js'
import { ConfigError } from '../config/read.js'
import { programVersion } from '../lib/version.js'
import { addAudit } from './audit.js'
import { addCall } from './call.js'
import { toCliError } from './client.js'
import { addCompletion, COMPLETE, printCompletions } from './completion.js'
import { addDemoLink } from './demo-link.js'
import { addInit } from './init.js'
import { toId } from './input.js'
import { addInsights } from './insights.js'
import { type Cli, CliError, type ExitCode, example, type Io } from './io.js'
import { addLogin } from './login.js'
import { note } from './output.js'
import { addProfiles } from './profiles.js'
import { addVerify } from './raffle.js'
import { addStatus } from './status.js'
import { TABLE } from './table.js'
import { addTable } from './table-command.js'
import { widthOf } from './terminal.js'
import { wrap } from './text.js'
import { addWhoami } from './whoami.js'

const HELP = `
The server and its credentials come from, in this order:
  1. GREENROOM_URL, GREENROOM_OPERATOR_TOKEN, GREENROOM_TOKEN, GREENROOM_KEY and
     GREENROOM_SECRET, each if it is set
  2. the profile named by --profile or GREENROOM_PROFILE, otherwise the current
     one (greenroom profiles --help)
  3. the service that greenroom init has set up in DATA_DIR (.greenroom)
  4. if there is none of these, the demo in DATA_DIR (.greenroom-demo)
Results are tables on a terminal and JSON elsewhere, unless --json, --ndjson or
--csv is given. If a table is too wide for the terminal, it omits seconds, then
columns (and names them), then shortens texts (…). If it is still too wide, each
row becomes a block of lines. JSON, NDJSON and CSV are always complete.
Colours: NO_COLOR or TERM=dumb turns them off, FORCE_COLOR turns them on.
Exit codes: 0 success, 1 refused, 2 wrong usage or settings, 3 server
unreachable, 130 ended by Ctrl-C, 141 the reader of the output has gone.
Completion: source <(greenroom completion bash), or zsh`

/** Commands written by hand. They come after those of the table. */
const BY_HAND = [addVerify, addInsights, addAudit, addStatus, addLogin, addWhoami, addCall, addProfiles, addCompletion]

const addAll = (program: Command, cli: Cli): void => {
  for (const add of [addInit, addDemoLink]) add(program, cli)
  addTable(program, cli, TABLE)
  for (const add of BY_HAND) add(program, cli)
}

/**
 * Runs one command line (without the program's own name) and returns its exit code. Errors that a user can cause become exit
 * codes; others are thrown. `addMore` adds the commands that call no server.
 */
export async function runCli(
  argv: string[],
  io: Io,
  addMore: (program: Command, cli: Cli) => void = () => {},
): Promise<ExitCode> {
  const program = makeProgram(io)
  const givenFormat = (): ReturnType<Cli['givenFormat']> =>
    (['json', 'ndjson', 'csv'] as const).find((format) => program.opts()[format] === true)
  const cli: Cli = {
    ...io,
    givenFormat,
    format: () => givenFormat() ?? (io.stdout.isTTY ? 'table' : 'json'),
    profile: () => program.opts().profile,
  }
  for (const add of [addMore, addAll]) add(program, cli)
  program
    .command('help [command...]')
    .description('display help for a command, for example: help posts approve')
    .addHelpText('after', example('greenroom help posts approve'))
    .action((words: string[]) => findCommand(program, words).help())
  try {
    if (argv[0] === COMPLETE) await printCompletions(program, cli, argv.slice(1))
    else await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (caught) {
    if (caught instanceof CommanderError) return caught.exitCode === 0 ? 0 : 2
    const error = caught instanceof GreenroomError ? toCliError(cli, caught) : caught
    if (!(error instanceof CliError) && !(error instanceof ConfigError)) throw error
    note(io, error.message)
    return error instanceof CliError ? error.exitCode : 2
  }
}

/** Returns the program without its commands: the global options and the format of the help. */
function makeProgram(io: Io): Command {
  return (
    new Command('greenroom')
      .description('VIP audiences, daily campaign insights and scheduled posts over HTTP.')
      .version(programVersion())
      .addOption(new Option('--json', 'print JSON on a terminal too').conflicts(['ndjson', 'csv']))
      .addOption(new Option('--ndjson', 'print one line of JSON per row').conflicts('csv'))
      .option('--csv', 'print CSV; a leading apostrophe stops spreadsheets from running formulas')
      .option('--profile <profile>', 'use this profile instead of the current one')
      // Wrap descriptions next to long terms too.
      .configureHelp({
        showGlobalOptions: true,
        minWidthToWrap: 12,
        optionDescription(option) {
          const text = Help.prototype.optionDescription.call(this, option)
          return option.mandatory ? `${text} (required)`.trimStart() : text
        },
        styleUsage: (usage) => wrap(usage, widthOf(io, 'stdout') - 'Usage: '.length).join('\n       '),
      })
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        writeErr: (text) => io.stderr.write(text),
        getOutHelpWidth: () => widthOf(io, 'stdout'),
        getErrHelpWidth: () => widthOf(io, 'stderr'),
      })
      .exitOverride()
      .hook('preAction', (_, command) => refuseEmptyIds(command))
      .addHelpText('after', HELP)
      .helpCommand(false)
  )
}

/** Arguments that are not ids. Each command validates its own. */
const OTHER_ARGUMENTS = ['name', 'mail', 'file', 'directory', 'method', 'path', 'shell', 'command']

function refuseEmptyIds(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value = command.args[index]
    if (value !== undefined && !OTHER_ARGUMENTS.includes(argument.name())) toId(value)
  }
}

/** Finds a command by its path of words. */
function findCommand(program: Command, words: readonly string[]): Command {
  let found = program
  for (const [index, word] of words.entries()) {
    const next = found.commands.find((command) => command.name() === word)
    if (next === undefined) {
      const before = words.slice(0, index).join(' ')
      throw new CliError(
        2,
        `There is no command ${words.slice(0, index + 1).join(' ')}: greenroom help${before && ` ${before}`} lists them.`,
      )
    }
    found = next
  }
  return found
}
