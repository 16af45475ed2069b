import { judgeGraphVersion } from '../config/graph-versions.js'
import { PLATFORM_ADVICE } from '../interface/server.js'
import { type Examined, type Findings, findingsOf } from './finding.js'

const { judged } = findingsOf('platform')

/** Checks that Meta is not about to end the version of its API in use. */
export async function* checkPlatform({ config, clock }: Examined): Findings {
  const health = judgeGraphVersion(config.graph.version, clock.now())
  yield judged(health.state, PLATFORM_ADVICE[health.found](health))
}
