import { type Config, readConfig, readEnvironment } from '../config/index.js'
import { ConfigError } from '../config/read.js'
import { systemClock } from '../lib/clock.js'
import { checkStorage } from './check-backups.js'
import { checkClock } from './check-clock.js'
import { checkConfig } from './check-config.js'
import { checkDatabase } from './check-database.js'
import { checkDisks } from './check-disks.js'
import { checkListening } from './check-listening.js'
import { checkMail } from './check-mail.js'
import { checkPlatform } from './check-platform.js'
import { checkProvider } from './check-provider.js'
import { checkProxy } from './check-proxy.js'
import { type Examined, type Finding, type Findings, findingsOf, gather } from './finding.js'

export type { Finding }

const configuration = findingsOf('configuration')
const node = findingsOf('node')

interface Options extends Partial<Pick<Examined, 'clock' | 'statfs'>> {
  env?: Record<string, string | undefined> | undefined
}

const NODE_NEEDED = [20, 19] as const

const CHECKS: readonly ((examined: Examined) => Findings)[] = [
  checkConfig,
  checkDisks,
  checkStorage,
  checkListening,
  checkDatabase,
  checkClock,
  checkProxy,
  checkProvider,
  checkMail,
  checkPlatform,
]

/** Checks everything that a service needs, and changes nothing. */
export const examine = (options: Options = {}): Promise<Finding[]> => gather(checkAll(options))

async function* checkAll({ env, clock = systemClock, statfs }: Options): Findings {
  yield checkNode()
  let config: Config
  try {
    config = readConfig(readEnvironment(env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const mistake of error.mistakes) yield configuration.problem(mistake, 'Correct it, and run this again.')
    return
  }
  for (const check of CHECKS) yield* check({ config, clock, statfs })
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])
  const found = `Node ${process.versions.node}`
  return isNew ? node.ok(found) : node.problem(found, `Install Node ${NODE_NEEDED.join('.')} or later.`)
}
