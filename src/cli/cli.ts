import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import { GreenroomError } from '../client/index.js'
import { ConfigError } from '../config.js'
import { addAdAccounts } from './ad-accounts.js'
import { addAudit } from './audit.js'
import { addCall } from './call.js'
import { addChannels } from './channels.js'
import { toCliError } from './client.js'
import { addCompletion, COMPLETE, printCompletions } from './completion.js'
import { addConversations } from './conversations.js'
import { toId } from './input.js'
import { addInsights } from './insights.js'
import { type Cli, CliError, type ExitCode, type Io } from './io.js'
import { addKeys } from './keys.js'
import { addMasterKey } from './master-key.js'
import { addMedia } from './media.js'
import { addMembers } from './members.js'
import { addOperatorTokens } from './operator-tokens.js'
import { addOrganizations } from './organizations.js'
import { note } from './output.js'
import { addPeople } from './people.js'
import { addPosts } from './posts.js'
import { addProfiles } from './profiles.js'
import { addStatus } from './status.js'
import { addSuperpowers } from './superpowers.js'
import { addUsers } from './users.js'
import { addVipUsers } from './vip-users.js'
import { addVips } from './vips.js'
import { addWebhook } from './webhook.js'
import { addWhoami } from './whoami.js'
import { addWorkspaces } from './workspaces.js'

const HELP = `
Server and credentials come from, in this order:
  1. GREENROOM_URL, GREENROOM_OPERATOR_TOKEN, GREENROOM_KEY, GREENROOM_SECRET, each by itself
  2. the profile that --profile or GREENROOM_PROFILE names, else the current one (greenroom profiles --help)
  3. when none of these is set, the demo whose data is in DATA_DIR (.greenroom-demo)
Results are tables on a terminal and JSON elsewhere, unless --json, --ndjson or --csv is given.
Exit codes: 0 success, 1 refused, 2 wrong usage or settings, 3 server unreachable.
Completion: source <(greenroom completion bash), or zsh`

/**
 * Runs one command line (without the program's own name) and returns its exit code. What a user can cause becomes an
 * exit code, anything else is thrown. `addMore` adds the commands that call no server.
 */
export async function runCli(
  argv: string[],
  io: Io,
  addMore: (program: Command, cli: Cli) => void = () => {},
): Promise<ExitCode> {
  const program = new Command('greenroom')
  const givenFormat = (): ReturnType<Cli['givenFormat']> =>
    (['json', 'ndjson', 'csv'] as const).find((format) => program.opts()[format] === true)
  const cli: Cli = {
    ...io,
    givenFormat,
    format: () => givenFormat() ?? (io.stdout.isTTY ? 'table' : 'json'),
    profile: () => program.opts().profile,
  }
  program
    .description('VIP audiences, daily campaign insights and scheduled posts over HTTP.')
    .version(readVersion())
    .addOption(new Option('--json', 'print JSON on a terminal too').conflicts(['ndjson', 'csv']))
    .addOption(new Option('--ndjson', 'print a line of JSON for each row').conflicts('csv'))
    .option('--csv', 'print CSV; what a spreadsheet would run gets a leading apostrophe')
    .option('--profile <profile>', 'use this profile in place of the current one')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmptyIds(command))
    .addHelpText('after', HELP)
  addMore(program, cli)
  for (const add of [
    addOrganizations,
    addKeys,
    addOperatorTokens,
    addWorkspaces,
    addChannels,
    addAdAccounts,
    addVips,
    addVipUsers,
    addInsights,
    addConversations,
    addPeople,
    addMedia,
    addPosts,
    addSuperpowers,
    addUsers,
    addMembers,
    addAudit,
    addMasterKey,
    addStatus,
    addWebhook,
    addWhoami,
    addCall,
    addProfiles,
    addCompletion,
  ]) {
    add(program, cli)
  }
  try {
    if (argv[0] === COMPLETE) printCompletions(program, cli, argv.slice(1))
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

/** Arguments that are not ids; each command checks its own. */
const OTHER_ARGUMENTS = ['name', 'mail', 'file', 'method', 'path', 'shell']

function refuseEmptyIds(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const value = command.args[index]
    if (value !== undefined && !OTHER_ARGUMENTS.includes(argument.name())) toId(value)
  }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
