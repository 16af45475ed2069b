#!/usr/bin/env node
import { type Command, Option } from 'commander'
import { runCli } from './cli/cli.js'
import { type Cli, CliError, example, unwritableFile } from './cli/io.js'
import { printJson } from './cli/output.js'
import { type Config, DEMO_DATA_DIR, readConfig } from './config.js'
import { systemClock } from './lib/clock.js'
import { addLocalCommands } from './local-commands.js'
import type { Role, RunningServer } from './serve.js'

// What only a server needs is loaded by the commands that start one: the others answer at once.

/** After the requests and the publisher's step: closing the database. Longer than that and the process ends regardless. */
const CLOSE_TIMEOUT_MS = 10_000

function addServerCommands(program: Command, cli: Cli): void {
  program
    .command('serve')
    .description('run the service: the API and the publisher of scheduled posts; the environment configures it')
    .addOption(new Option('--role <role>', 'run one of the two alone').choices(['api', 'publisher']))
    .addHelpText('after', example('PORT=8080 OPERATOR_TOKEN=$(openssl rand -hex 32) greenroom serve'))
    .action(async ({ role }: { role?: Role }) => {
      const { serve } = await import('./serve.js')
      await run((config) => serve(config, role && [role]))
    })

  program
    .command('demo')
    .description('run the service with made-up data and a stand-in for the ad platform')
    .addHelpText('after', example('PORT=8081 greenroom demo'))
    .action(async () => run((await import('./demo/demo.js')).runDemo, { DATA_DIR: DEMO_DATA_DIR, DRAIN_MS: '0' }))

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .addHelpText('after', example('greenroom openapi > openapi.json'))
    .action(async () => printJson(cli, (await import('./api-document.js')).apiDocument()))
}

/** Starts a server and stops it at a signal: exit code 0. A second signal, or an uncaught error, makes it 1. */
async function run(
  start: (config: Readonly<Config>) => Promise<RunningServer>,
  defaults?: Parameters<typeof readConfig>[1],
): Promise<void> {
  // Who stops it by hand has no proxy in front of it.
  const config = readConfig(undefined, { ...(stdout.isTTY ? { DRAIN_MS: '0' } : {}), ...defaults })
  const { default: closeWithGrace } = await import('close-with-grace')
  const { startProblem } = await import('./serve.js')
  const server = await start(config).catch((error) => {
    const problem = startProblem(error, config)
    throw problem === undefined ? error : new CliError(1, problem)
  })
  const { log } = server
  const delay = config.drainMs + Math.max(config.stopTimeoutMs, config.graphTimeoutMs) + CLOSE_TIMEOUT_MS
  closeWithGrace({ delay, logger: log }, async ({ signal, err }) => {
    if (err === undefined) log.info({ signal }, 'stopping')
    else log.fatal({ err }, 'uncaught error')
    await server.close()
    log.info('stopped')
  })
}

/** What a shell gives for a program that SIGPIPE ended: Node turns that signal off. */
const READER_GONE = 141

// The reader of the output may stop reading, such as `head`; and the disk that it is redirected to may be full.
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
)
