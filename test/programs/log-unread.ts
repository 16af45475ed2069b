/**
 * Logs to a standard output that nobody reads until the signal to continue, with 32 MB more than a pipe holds. Prints
 * `flooded` on standard error to show that it is alive. Then the argument decides: `drain` waits until everything is
 * read, logs one more line and a fatal one, and ends; `fatal` logs a fatal line and ends at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { openLog } from '../../src/observability/log.js'

const LINES = 40_000

const log = openLog('info')
for (let number = 0; number < LINES; number++) log.info({ number, padding: 'x'.repeat(800) }, 'line')
// The event loop must also run.
await wait(1)
process.stderr.write('flooded\n')
if (process.argv[2] === 'drain') {
  for await (const _ of process.stdin) break
  log.info('read again')
}
log.fatal('the last one')
process.exit(1)
