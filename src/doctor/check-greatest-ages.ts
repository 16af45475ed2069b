import { findEndingByAge } from '../access/greatest-age.js'
import type { Config } from '../config/index.js'
import type { Database } from '../database/database.js'
import type { Clock } from '../lib/clock.js'
import { type Finding, findingsOf } from './finding.js'

const { ok, warning } = findingsOf('greatest age')

/** Names the keys and tokens that KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS end, before refused callers notice. */
export async function checkGreatestAges(
  database: Database,
  config: Readonly<Config>,
  clock: Clock,
): Promise<Finding[]> {
  const found = await findEndingByAge({ database, config, clock })
  return found.map(({ setting, what, ending, ended, examples }) => {
    const noun = what === 'keys' ? 'keys' : 'operator tokens'
    if (ending + ended === 0) return ok(`${setting} ends no ${noun} within 14 days.`)
    return warning(
      `Of the ${noun} ${setting} ends ${ending} within 14 days and has ended ${ended}, such as ${examples.join(', ')}.`,
      what === 'keys'
        ? 'Issue others, move the callers, revoke these: greenroom keys issue, greenroom keys revoke'
        : 'Issue others and revoke these: greenroom operator-tokens issue, greenroom operator-tokens revoke',
    )
  })
}
