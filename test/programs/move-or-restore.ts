/**
 * Moves or restores in a process that is killed: `move <json of the Move>` or `restore <json of the Restoration>`. Prints
 * a line for each step of the progress, and `done`.
 */
import { moveDatabase } from '../../src/backup/move.js'
import { restoreBackup } from '../../src/backup/restore.js'
import { systemClock } from '../../src/lib/clock.js'

const [kind, given] = process.argv.slice(2)
const onProgress = (what: string, rows: number): void => void process.stdout.write(`${what} ${rows}\n`)
const options = { ...JSON.parse(given!), clock: systemClock, onProgress }
const result = kind === 'move' ? await moveDatabase(options) : await restoreBackup(options)
process.stdout.write(`done ${JSON.stringify(result)}\n`)
