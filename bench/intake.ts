/**
 * `npm run bench:intake` measures intake, each part in its own file of bench/intake/. `--only memory,reads` measures
 * these parts; without it, all parts that take at most a few minutes run. `--postgres` and `--embedded` measure one
 * engine, `--quick` measures briefly, `--minutes` sets how long `memory` takes, and `--conversations` sets the size of
 * the audience of `million`.
 */
import { measureAcknowledged, measureAcknowledgedOfFleet, measureAcknowledgedOnly } from './intake/acknowledged.js'
import { measureApplied } from './intake/applied.js'
import { measureImport } from './intake/import.js'
import { measureMemory } from './intake/memory.js'
import { measureMillion } from './intake/million.js'
import { ENGINES, ONLY } from './intake/options.js'
import { measureReads, measureReadsOfFleet } from './intake/reads.js'
import { measureSnapshot } from './intake/snapshot.js'
import { measureVisible } from './intake/visible.js'
import { bench, describeMachine, type Engine, nameDatabase, newDatabase, print, withContext } from './shared.js'

const PARTS: Record<string, (engine: Engine) => Promise<void>> = {
  acknowledged: measureAcknowledged,
  'acknowledged-only': measureAcknowledgedOnly,
  applied: measureApplied,
  visible: measureVisible,
  reads: measureReads,
  import: measureImport,
  snapshot: measureSnapshot,
  memory: measureMemory,
  million: measureMillion,
  'fleet-acknowledged': measureAcknowledgedOfFleet,
  'fleet-reads': measureReadsOfFleet,
}
/** These parts run only by name: they take many minutes each, or need PostgreSQL. */
const NAMED = ['snapshot', 'memory', 'million', 'fleet-acknowledged', 'fleet-reads']

const parts = ONLY ?? Object.keys(PARTS).filter((part) => !NAMED.includes(part))
const unknown = parts.filter((part) => PARTS[part] === undefined)
if (unknown.length > 0)
  throw new Error(`--only takes parts of ${Object.keys(PARTS).join(',')}, not ${unknown.join(',')}.`)

await bench(async () => {
  const versions: string[] = []
  for (const engine of ENGINES) versions.push(await withContext(await newDatabase(engine, 'version'), nameDatabase))
  print(`\n${describeMachine(versions)}\nLoad, service and PostgreSQL share this machine.\n`)
  for (const engine of ENGINES) {
    print(`\n${engine}\n`)
    for (const part of parts) await PARTS[part]!(engine)
  }
})
