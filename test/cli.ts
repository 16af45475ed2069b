import { PassThrough, Readable } from 'node:stream'
import type { Command } from 'commander'
import { runCli } from '../src/cli/cli.js'
import type { Io } from '../src/cli/io.js'
import type { Clock } from '../src/lib/clock.js'
import { addLocalCommands } from '../src/local-commands/local-commands.js'

export interface CliRun {
  code: number
  stdout: string
  stderr: string
}

export interface CliSurroundings {
  env?: Record<string, string | undefined>
  stdin?: string | Readable
  /** The outputs that are a terminal. */
  terminal?: 'both' | 'stderr' | 'none'
  clock?: Clock
  /** The width of both outputs. */
  columns?: number
}

const STOPPED_CLOCK: Clock = { now: () => 0 }

/** Runs one command line in this process. Without `env` it has no settings except that colours are off. */
export async function greenroom(argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const io = makeIo(surroundings)
  const code = await runCli(argv, io, addLocalCommands)
  return { code, stdout: io.stdout.text, stderr: io.stderr.text }
}

/** Returns the tree of commands, without those that start a server (src/main.ts). */
export async function readCommands(): Promise<Command> {
  let tree: Command | undefined
  await runCli(['--version'], makeIo({}), (program, cli) => {
    addLocalCommands(program, cli)
    tree = program
  })
  return tree!
}

/** Makes the surroundings of one run. Its output can be read while it runs. */
export function makeIo({
  env = {},
  stdin = '',
  terminal = 'none',
  clock = STOPPED_CLOCK,
  columns = 120,
}: CliSurroundings): Io & { stdout: Output; stderr: Output } {
  return {
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)], { objectMode: false }) : stdin,
    stdout: new Output(terminal === 'both', columns),
    stderr: new Output(terminal !== 'none', columns),
    clock,
    wait: async () => {},
    env: { DATA_DIR: '/nowhere', NO_COLOR: '1', ...env },
  }
}

class Output extends PassThrough {
  text = ''
  constructor(
    readonly isTTY: boolean,
    readonly columns: number,
  ) {
    super()
    this.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
    })
  }
}
