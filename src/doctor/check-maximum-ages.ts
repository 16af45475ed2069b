import { findEndingByAge } from '../access/maximum-age.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, warning } = findingsOf('maximum age')

/** Names the keys and tokens that KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS end, before refused callers notice. */
export async function* checkMaximumAges(examined: ExaminedDatabase): Findings {
  for (const { setting, what, ending, ended, examples } of await findEndingByAge(examined)) {
    const noun = what === 'keys' ? 'keys' : 'operator tokens'
    yield ending + ended === 0
      ? ok(`${setting} ends no ${noun} within 14 days.`)
      : warning(
          `Of the ${noun} ${setting} ends ${ending} within 14 days and has ended ${ended}, such as ${examples.join(', ')}.`,
          what === 'keys'
            ? 'Issue others, move the callers, revoke these: greenroom keys issue, greenroom keys revoke'
            : 'Issue others and revoke these: greenroom operator-tokens issue, greenroom operator-tokens revoke',
        )
  }
}
