/**
 * Opens an embedded database, takes every descriptor that the process may still have, and writes new tables and new rows.
 */
import { openSync } from 'node:fs'
import { devNull } from 'node:os'
import { openPglite } from '../../src/database/pglite/pglite.js'

const database = await openPglite({ dataDir: process.argv[2]! })
// The standard output opens at its first use.
process.stdout.write('open\n')
let taken = 0
try {
  for (;;) {
    openSync(devNull, 'r')
    taken += 1
  }
} catch (error) {
  process.stdout.write(`${taken > 0 && (error as NodeJS.ErrnoException).code}\n`)
}
for (let table = 1; table <= 150; table++) {
  await database.execute(`create table crowded_${table} (id int primary key)`)
  await database.query(`insert into crowded_${table} values ($1)`, [table])
}
const counts = Array.from({ length: 150 }, (_, index) => `select count(*) as n from crowded_${index + 1}`)
const { rows } = await database.query(`select sum(n)::int as n from (${counts.join(' union all ')}) all_of_them`)
process.stdout.write(`${JSON.stringify(rows)}\n`)
await database.close()
