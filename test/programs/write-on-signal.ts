/** Opens an embedded database, and writes and reports a row for each line of its standard input. */
import { createInterface } from 'node:readline'
import { openPglite } from '../../src/database/pglite/pglite.js'

const database = await openPglite({ dataDir: process.argv[2]! })
await database.execute('create table if not exists written (id int generated always as identity)')
process.stdout.write('open\n')
for await (const _line of createInterface({ input: process.stdin })) {
  const outcome = await database.query('insert into written default values').then(
    () => 'written',
    (error: Error) => `refused: ${error.message}`,
  )
  process.stdout.write(`${outcome}\n`)
}
