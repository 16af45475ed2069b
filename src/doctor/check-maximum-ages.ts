import { findEndingByAge } from '../access/maximum-age.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, warning } = findingsOf('maximum age')

/** Names the keys and tokens that KEY_MAX_AGE_DAYS and OPERATOR_TOKEN_MAX_AGE_DAYS end, before refused callers notice. */
export async function* checkMaximumAges(examined: ExaminedDatabase): Findings {
  for (const { setting, what, ending, ended, examples } of await findEndingByAge(examined)) {
    const noun = what === 'keys' ? 'keys' : 'operator tokens'
    yield ending + ended === 0
      ? ok(`No ${noun} expire within 14 days because of ${setting}.`)
      : warning(
          `Because of ${setting}, ${noun} expire within 14 days (${ending}) or have expired (${ended}), such as ${examples.join(', ')}.`,
          what === 'keys'
            ? 'Issue new ones, switch the callers to them, and revoke these: greenroom keys issue, greenroom keys revoke'
            : 'Issue new ones and revoke these: greenroom operator-tokens issue, greenroom operator-tokens revoke',
        )
  }
}
