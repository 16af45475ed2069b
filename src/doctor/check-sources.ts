import { countSourcesWithoutCurrency, readInboxFigures } from '../intake/inbox/inbox.store.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, warning, problem } = findingsOf('sources')

/** A delivery is applied within seconds where a worker runs. */
const WAIT_MS_MAX = 60_000

/** Looks for deliveries that no worker applies, problems that no one looked at, and purchases that do not count. */
export async function* checkSources({ database, clock }: ExaminedDatabase): Findings {
  const { sources, waiting, oldest_at: oldestAt, problems } = await readInboxFigures(database)
  if (sources === 0) return
  const isLate = oldestAt !== null && clock.now() - oldestAt.getTime() > WAIT_MS_MAX
  if (isLate) {
    yield problem(
      `${waiting} deliveries of sources wait, the oldest since ${oldestAt.toISOString()}.`,
      'Start a process with the role worker or publisher; its log tells if it fails.',
    )
  }
  if (problems > 0) {
    yield warning(
      `${problems} items of deliveries could not be applied.`,
      '`greenroom sources problems` lists them with the reason.',
    )
  }
  const without = await countSourcesWithoutCurrency(database)
  if (without > 0) {
    yield warning(
      `${without} sources are of organizations without a currency: their purchases are kept and do not count.`,
      'Set the currency under Settings → Organization.',
    )
  }
  if (!isLate && problems === 0 && without === 0) yield ok(`Nothing of ${sources} sources waits.`)
}
