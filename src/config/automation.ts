import { integer } from './parsers.js'
import { group, setting } from './setting.js'

/** The settings of superpowers that act (docs/automation.md). */
export const automation = group({
  pollMs: setting('AUTOMATION_POLL_MS', integer(1_000, 3_600_000), { default: '60000' }).about(
    'How often the comments of a new post are read at most, 1000 to 3600000, in milliseconds; those of older posts seldomer.',
  ),
})
