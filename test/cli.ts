import { PassThrough, Readable } from 'node:stream'
import { runCli } from '../src/cli/cli.js'
import type { Clock } from '../src/lib/clock.js'
import { addLocalCommands } from '../src/local-commands.js'

export interface CliRun {
  code: number
  stdout: string
  stderr: string
}

export interface CliSurroundings {
  env?: Record<string, string | undefined>
  stdin?: string | Readable
  /** Which of the two outputs are a terminal. */
  terminal?: 'both' | 'stderr' | 'none'
  clock?: Clock
  /** Of both outputs. */
  columns?: number
}

const STANDING_CLOCK: Clock = { now: () => 0 }

/** Runs one command line in this process. Without `env` it knows no setting at all, but that there are no colours. */
export async function greenroom(argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { env = {}, stdin = '', terminal = 'none', clock = STANDING_CLOCK, columns = 120 } = surroundings
  const stdout = new Output(terminal === 'both', columns)
  const stderr = new Output(terminal !== 'none', columns)
  const input = typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)], { objectMode: false }) : stdin
  const io = {
    stdin: input,
    stdout,
    stderr,
    clock,
    wait: async () => {},
    env: { DATA_DIR: '/nowhere', NO_COLOR: '1', ...env },
  }
  const code = await runCli(argv, io, addLocalCommands)
  return { code, stdout: stdout.text, stderr: stderr.text }
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
