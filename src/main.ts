#!/usr/bin/env node
import { type Command, Option } from 'commander'
import { runCli } from './cli/cli.js'
import { type Cli, CliError, example, unwritableFile } from './cli/io.js'
import { printJson } from './cli/output.js'
import { DEMO_DATA_DIR, showsStacks } from './config/client.js'
import { type Config, readConfig, readEnvironment } from './config/index.js'
import type { ApiDocumentName } from './http/docs.js'
import { systemClock } from './lib/clock.js'
import { describeFault } from './lib/fault.js'
import { addLocalCommands } from './local-commands/local-commands.js'
import type { Role, RunningServer } from './serve.js'

const AGAIN = [
  '--again',
  'start on a database that was moved or replaced by a restored one; stop the other service permanently first, or posts are published twice',
] as const

// Commands that start a server import it on demand, so that the other commands answer at once.

/** Time to close the database after the requests and the publisher's step. The process exits when it has passed. */
const CLOSE_TIMEOUT_MS = 10_000

function addServerCommands(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('run the service (API, publisher and workers), configured by the environment')
    .addOption(new Option('--role <role>', 'run only this part').choices(['api', 'publisher', 'worker']))
    .option(...AGAIN)
    .addHelpText('after', example('PORT=8080 OPERATOR_TOKEN=$(openssl rand -hex 32) greenroom serve'))
    .action(async ({ role, again }: { role?: Role; again?: boolean }) => {
      const { serve } = await import('./serve.js')
      await run((config) => serve(config, role && [role], undefined, undefined, again))
    })

  program
    .command('demo')
    .description('run the service with made-up data and a stand-in for the ad platform')
    .option(...AGAIN)
    .addHelpText('after', example('PORT=8081 greenroom demo'))
    .action(async ({ again = false }: { again?: boolean }) => {
      stdout.write('Greenroom demo: the service with made-up data.\n')
      const { runDemo } = await import('./demo/demo.js')
      await run((config) => runDemo(config, { again }), { DATA_DIR: DEMO_DATA_DIR, DRAIN_MS: '0' })
    })

  program
    .command('openapi')
    .description('print the OpenAPI document of all operations that programs may call')
    .option('--v1', 'only /v1')
    .addHelpText('after', example('greenroom openapi > openapi.json'))
    .action(async ({ v1 }: { v1?: true }) => {
      const { readApiDocument } = await import('./http/docs.js')
      const make = async (name: ApiDocumentName) => (await import('./api-document.js')).apiDocument(name)
      printJson(cli, await readApiDocument(v1 ? 'v1' : 'all', make))
    })
}

/** Starts a server and stops it on a signal with exit code 0. A second signal or an uncaught error makes it 1. */
async function run(
  start: (config: Readonly<Config>) => Promise<RunningServer>,
  defaults?: Parameters<typeof readConfig>[1],
): Promise<void> {
  // Ctrl+C skips the drain delay: a person at a terminal has no proxy in front of the service.
  const environment = readEnvironment(undefined, defaults?.DATA_DIR)
  const config = readConfig(environment, { ...(stdout.isTTY ? { DRAIN_MS: '0' } : {}), ...defaults })
  const { default: closeWithGrace } = await import('close-with-grace')
  const { startProblem } = await import('./serve.js')
  const server = await start(config).catch((error) => {
    printStack(error)
    throw new CliError(1, startProblem(error, config) ?? `The service cannot start: ${describeFault(error)}.`)
  })
  // From here on closeWithGrace handles uncaught errors and closes the database first.
  process.off('uncaughtException', fail)
  const { log } = server
  const delay = config.http.drainMs + Math.max(config.http.stopTimeoutMs, config.graph.timeoutMs) + CLOSE_TIMEOUT_MS
  closeWithGrace({ delay, logger: log }, async ({ signal, err }) => {
    if (err === undefined) log.info({ signal }, 'stopping')
    else log.fatal({ err }, 'uncaught error')
    await server.close()
    log.info('stopped')
  })
}

function printStack(error: unknown): void {
  if (showsStacks()) process.stderr.write(`${(error as Error | undefined)?.stack ?? error}\n`)
}

/** Replaces node's own report, which prints the source line that threw: in a bundled library, 20 KB of it. */
function fail(error: unknown): never {
  printStack(error)
  process.stderr.write(`greenroom failed: ${describeFault(error)}.\n`)
  process.exit(1)
}
process.on('uncaughtException', fail)

/** The exit code a shell reports for a program ended by SIGPIPE. Node ignores that signal. */
const READER_GONE = 141

// A reader such as `head` may stop reading, and a disk that the output is redirected to may be full.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(READER_GONE)
    if (output === process.stdout) process.stderr.write(`${unwritableFile('The output', error).message}\n`)
    process.exit(1)
  })
}

const { stdin, stdout, stderr } = process
process.exitCode = await runCli(
  process.argv.slice(2),
  { stdin, stdout, stderr, clock: systemClock },
  (program, cli) => {
    addServerCommands(program, cli)
    addLocalCommands(program, cli)
  },
).catch(fail)
