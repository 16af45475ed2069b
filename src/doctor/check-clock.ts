import { readServerTime } from '../database/suitability.js'
import { type Reached, reach } from '../graph/reachability.js'
import { certificateFaultOf } from '../lib/certificate-fault.js'
import { type Examined, type ExaminedDatabase, type Finding, type Findings, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('clock')

/** Signatures are refused at this difference; the platform and the database are compared with it too. */
const PROBLEM_MS = 5_000
const WARNING_MS = 2_000
const KEEP = 'Keep it in sync with NTP (timedatectl set-ntp true).'
const SET = 'Set it, and keep it in sync with NTP (timedatectl set-ntp true).'

export async function* checkClock({ config, clock }: Examined): Findings {
  const { baseUrl } = config.graph
  const askedAt = clock.now()
  let answer: Reached
  try {
    answer = await reach(baseUrl)
  } catch (error) {
    return yield unreached(baseUrl, error)
  }
  if (answer.date === undefined) {
    return yield warning(`${baseUrl} does not report its time.`, 'Compare the clock with another clock.')
  }
  // The Date has whole seconds, at some time between the two.
  const offMs = Math.max(0, askedAt - answer.date.getTime() - 1_000, answer.date.getTime() - clock.now())
  yield compared(offMs, new URL(baseUrl).host)
}

/** Leases and times of posts are compared by the clocks of several machines. */
export async function* checkDatabaseClock({ database, clock }: ExaminedDatabase): Findings {
  const askedAt = clock.now()
  const time = (await readServerTime(database)).getTime()
  yield compared(Math.max(0, askedAt - time, time - clock.now()), 'the database')
}

function compared(offMs: number, other: string): Finding {
  const found = `It ${offMs === 0 ? 'agrees with' : `is ${(offMs / 1000).toFixed(1)} s off`} the clock of ${other}.`
  if (offMs > PROBLEM_MS) return problem(found, SET)
  return offMs > WARNING_MS ? warning(found, KEEP) : ok(found)
}

function unreached(url: string, error: unknown): Finding {
  const fault = certificateFaultOf(error)
  if (fault?.isOfTime) {
    return problem(`By the clock of this machine the certificate of ${url} ${fault.is}.`, SET)
  }
  return warning(
    fault === undefined
      ? `${url} does not answer: posts and insights need it.`
      : `The certificate of ${url} ${fault.is}: posts and insights need it.`,
    fault?.remedy ?? 'Let this machine reach it, or set GRAPH_BASE_URL.',
  )
}
