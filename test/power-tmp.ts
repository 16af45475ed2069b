import { rmSync, statfsSync } from 'node:fs'
import { openPglite } from '../src/database/pglite.js'

const [dir, filler] = process.argv.slice(2) as [string, string]
const free = () => {
  const s = statfsSync(dir)
  return ((s.bavail * s.bsize) / 1e6).toFixed(1)
}
const show = (e: unknown): string =>
  e instanceof Error ? `${e.name}: ${e.message}${e.cause ? ` <- ${show(e.cause)}` : ''}` : String(e)
let now = 0
const d = await openPglite({
  dataDir: dir,
  clock: { now: () => now },
  log: {
    info: console.log,
    warn: (...a: unknown[]) => console.log('WARN', show((a[0] as { err: unknown }).err)),
    error: (...a: unknown[]) => console.log('ERROR', show((a[0] as { err: unknown }).err)),
  } as never,
})
console.log('open, free MB', free())
await d.execute('create table if not exists t(id serial primary key, v text)')
let acknowledged = 0
const batch = async () => {
  const r = await d.query("insert into t(v) select 'x' from generate_series(1,100)")
  acknowledged += r.rowCount
}
for (let round = 0; round < 3; round++) {
  try {
    for (;;) await batch()
  } catch (e) {
    console.log(round, acknowledged, show(e), 'free', free())
  }
  try {
    console.log('select at once', (await d.query('select count(*) c from t')).rows)
  } catch (e) {
    console.log('select at once', show(e))
  }
  now += 6000
  try {
    console.log('select later', (await d.query('select count(*) c from t')).rows)
  } catch (e) {
    console.log('select later', show(e))
  }
  now += 6000
}
rmSync(filler)
console.log('freed', free())
for (let i = 0; i < 3; i++) {
  now += 6000
  try {
    await batch()
    break
  } catch (e) {
    console.log('still', show(e))
  }
}
console.log(
  acknowledged,
  (await d.query('select count(*) c from t')).rows,
  (await import('node:fs')).readdirSync('/proc/self/fd').length,
  'fds',
)
await d.close()
const again = await openPglite({ dataDir: dir })
console.log('reopened', (await again.query('select count(*) c from t')).rows)
await again.close()
