import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.js'
import { addAdAccounts } from './ad-accounts.js'
import { addCall } from './call.js'
import { addChannels } from './channels.js'
import { addConversations } from './conversations.js'
import { type Cli, CliError, type ExitCode, type Io } from './io.js'
import { addKeys } from './keys.js'
import { addOrganizations } from './organizations.js'
import { note } from './output.js'
import { addPosts } from './posts.js'
import { addStatus } from './status.js'
import { addSuperpowers } from './superpowers.js'
import { addVips } from './vips.js'
import { addWorkspaces } from './workspaces.js'

const HELP = `
The commands of a client read GREENROOM_URL, GREENROOM_OPERATOR_TOKEN, GREENROOM_KEY and GREENROOM_SECRET.
When none is set, they call the demo whose data is in DATA_DIR.
Exit codes: 0 done, 1 refused, 2 called or set up wrongly, 3 server out of reach.`

/**
 * Runs one command line (without the program's own name) and returns its exit code; everything a person can cause is
 * one of them, anything else is thrown. `addMore` adds the commands that are not a client's.
 */
export async function runCli(
  argv: string[],
  io: Io,
  addMore: (program: Command, cli: Cli) => void = () => {},
): Promise<ExitCode> {
  const program = new Command('greenroom')
  const cli: Cli = { ...io, asJson: () => program.opts().json === true || !io.stdout.isTTY }
  program
    .description('VIP audiences, daily campaign insights and scheduled posts over HTTP.')
    .version(readVersion())
    .option('--json', 'print JSON on a terminal too')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .exitOverride()
    .addHelpText('after', HELP)
  addMore(program, cli)
  for (const add of [
    addOrganizations,
    addKeys,
    addWorkspaces,
    addChannels,
    addAdAccounts,
    addVips,
    addConversations,
    addPosts,
    addSuperpowers,
    addStatus,
    addCall,
  ]) {
    add(program, cli)
  }
  try {
    await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof CliError) && !(error instanceof ConfigError)) throw error
    note(io, error.message)
    return error instanceof CliError ? error.exitCode : 2
  }
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
