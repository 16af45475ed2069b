import { limit } from '../lib/limits.js'
import { days, integer } from './parsers.js'
import { group, setting } from './setting.js'

/** The settings of sources (docs/intake.md). */
export const intake = group({
  keepMs: setting('INTAKE_KEEP_DAYS', days(0), { default: '7' }).about(
    'Days for which deliveries that were applied are kept, 0 to 3650, so that a repeat is known; `0` keeps none.',
  ),
  deliveriesPerSecond: setting('INTAKE_PER_SECOND', integer(0, 1_000_000), {
    default: String(limit('deliveriesPerSecond')),
  }).about('Deliveries a second to one source that has no rate of its own; `0` for no limit.'),
})
