/**
 * Writes to an embedded database until it is killed. Prints `found <rows> <highest id>` after opening it, and then the id
 * of each acknowledged row. Ids are consecutive, so a lost row shows as a gap.
 */
import { openPglite } from '../../src/database/pglite/pglite.js'

const database = await openPglite({ dataDir: process.argv[2]! })
await database.execute(`
  create table if not exists written (id int primary key, body text not null);
  create table if not exists churn (id int primary key, n int not null);
  insert into churn select i, 0 from generate_series(1, 50) i on conflict do nothing;
`)
const { rows } = await database.query<{ found: number; highest: number }>(
  'select count(*) filter (where body = md5(id::text)) found, coalesce(max(id), 0) highest from written',
)
const { found, highest } = rows[0]!
process.stdout.write(`found ${found} ${highest}\n`)
for (let id = highest + 1; ; id++) {
  if (id % 2 === 0) {
    await database.query('insert into written values ($1, md5($2))', [id, String(id)])
  } else {
    await database.transaction(async (tx) => {
      await tx.query('insert into written values ($1, md5($2))', [id, String(id)])
      // This makes dead rows, so that maintenance soon runs beside the writes.
      await tx.query('update churn set n = n + 1')
    })
  }
  process.stdout.write(`${id}\n`)
}
