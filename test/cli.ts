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
}

const STANDING_CLOCK: Clock = { now: () => 0 }

/** Runs one command line in this process. Without `env` it knows no setting at all. */
export async function greenroom(argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const { env = {}, stdin = '', terminal = 'none', clock = STANDING_CLOCK } = surroundings
  const stdout = new Output(terminal === 'both')
  const stderr = new Output(terminal !== 'none')
  const input = typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)], { objectMode: false }) : stdin
  const io = { stdin: input, stdout, stderr, clock, wait: async () => {}, env: { DATA_DIR: '/nowhere', ...env } }
  const code = await runCli(argv, io, addLocalCommands)
  return { code, stdout: stdout.text, stderr: stderr.text }
}

class Output extends PassThrough {
  text = ''
  columns = 120
  constructor(readonly isTTY: boolean) {
    super()
    this.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
    })
  }
}
