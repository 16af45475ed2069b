/**
 * Logs to a standard output that nobody reads until told to go on, with 32 MB more than a pipe holds. Says on standard
 * error that it is still alive: `flooded`. Then, by its argument: `drain` waits until all is read, logs one more line
 * and a fatal one, and ends; `fatal` logs a fatal line and ends at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { openLog } from '../../src/observability/log.js'

const LINES = 40_000

const log = openLog('info')
for (let number = 0; number < LINES; number++) log.info({ number, padding: 'x'.repeat(800) }, 'line')
// The event loop turns, too.
await wait(1)
process.stderr.write('flooded\n')
if (process.argv[2] === 'drain') {
  for await (const _ of process.stdin) break
  log.info('read again')
}
log.fatal('the last one')
process.exit(1)
