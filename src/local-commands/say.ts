import type { Cli } from '../cli/io.js'
import { note } from '../cli/output.js'
import { toCount } from '../cli/progress.js'

/** The pause between two lines of progress. */
const SAY_EVERY_MS = 2_000

export const NOT_AUTHENTICATED =
  'The backup is not authenticated: its checksums detect damage, but anyone who could write to the file could have changed it.'

export function noteMissingMedia(cli: Cli, files: number): void {
  if (files === 0) return
  note(
    cli,
    `WARNING: ${toCount(files)} uploaded media ${files === 1 ? 'file is' : 'files are'} not in the backup. The server that made it has no MEDIA_DIR, or the files are not in it: see its log.`,
  )
}

export function sayEvery(cli: Cli): (line: string) => void {
  let saidAt = cli.clock.now()
  return (line) => {
    if (cli.clock.now() - saidAt < SAY_EVERY_MS) return
    saidAt = cli.clock.now()
    note(cli, line)
  }
}

export function sayProgress(cli: Cli, did: string): (what: string, rows: number) => void {
  const say = sayEvery(cli)
  return (what, rows) => say(`${did} ${toCount(rows)} of ${what}`)
}
