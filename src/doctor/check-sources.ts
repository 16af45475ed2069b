import { countSourcesWithoutCurrency, listRefusingSources, readInboxFigures } from '../intake/inbox/inbox.store.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, warning, problem } = findingsOf('sources')

/** Deliveries are applied within seconds if a worker is running. */
const WAIT_MS_MAX = 60_000
const REFUSAL_MS = 86_400_000
const REFUSING_MAX = 10

const REFUSED = {
  signature: {
    refused: 'the signature of a delivery',
    remedy: 'Compare the secret on both sides, and set the secret of the source to that of the other side.',
  },
  key: {
    refused: 'a delivery with a write key that was replaced',
    remedy: 'Give the current write key to the sender, or make another one with `greenroom sources rotate`.',
  },
}

/**
 * Checks for deliveries that no worker applies, problems that nobody has looked at, purchases that do not count, and sources
 * that refuse the other side's signatures.
 */
export async function* checkSources({ database, clock }: ExaminedDatabase): Findings {
  const { sources, waiting, oldest_at: oldestAt, problems } = await readInboxFigures(database)
  if (sources === 0) return
  const isLate = oldestAt !== null && clock.now() - oldestAt.getTime() > WAIT_MS_MAX
  if (isLate) {
    yield problem(
      `${waiting} deliveries of sources are waiting, the oldest since ${oldestAt.toISOString()}.`,
      'Start a process with the role worker or publisher, and check its log for failures.',
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
      `${without} sources belong to organizations without a currency: their purchases are stored but do not count.`,
      'Set the currency under Settings → Organization.',
    )
  }
  const refusing = await listRefusingSources(database, new Date(clock.now() - REFUSAL_MS), REFUSING_MAX)
  for (const { organization_id: organizationId, source_id: sourceId, at, reason } of refusing) {
    const { refused, remedy } = REFUSED[reason]
    yield warning(
      `The source ${sourceId} of ${organizationId} refused ${refused} at ${at.toISOString()}, and has accepted none since.`,
      remedy,
    )
  }
  if (!isLate && problems === 0 && without === 0 && refusing.length === 0)
    yield ok(`No delivery of ${sources} ${sources === 1 ? 'source' : 'sources'} is waiting.`)
}
