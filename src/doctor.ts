import { type Config, readConfig, readEnvironment } from './config/index.js'
import { ConfigError } from './config/read.js'
import { checkStorage } from './doctor/check-backups.js'
import { checkClock } from './doctor/check-clock.js'
import { checkDatabase } from './doctor/check-database.js'
import { checkDisks } from './doctor/check-disks.js'
import { checkListening } from './doctor/check-listening.js'
import { checkMail } from './doctor/check-mail.js'
import { checkProvider } from './doctor/check-provider.js'
import { checkProxy } from './doctor/check-proxy.js'
import { checkVariables } from './doctor/check-variables.js'
import { type Finding, findingsOf } from './doctor/finding.js'
import { type Clock, systemClock } from './lib/clock.js'
import type { Statfs } from './observability/disks.js'

export type { Finding }

const backups = findingsOf('backups')
const configuration = findingsOf('configuration')
const node = findingsOf('node')

interface Options {
  env?: Record<string, string | undefined> | undefined
  clock?: Clock
  /** Tests replace it. */
  statfs?: Statfs
}

const NODE_NEEDED = [20, 19] as const

/** Looks at everything that a service needs, and changes nothing. */
export async function examine({ env, clock = systemClock, statfs }: Options = {}): Promise<Finding[]> {
  const findings = [checkNode()]
  let config: Readonly<Config>
  try {
    config = readConfig(readEnvironment(env))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      ...findings,
      ...error.mistakes.map((mistake) => configuration.problem(mistake, 'Set it right, and run this again.')),
    ]
  }
  findings.push(...checkConfig(config), ...(await checkDisks(config, statfs)), ...(await checkStorage(config)))
  findings.push(...(await checkListening(config)))
  findings.push(...(await checkDatabase(config, clock)))
  findings.push(await checkClock(config.graph, clock), ...(await checkProxy(config.http)))
  findings.push(...(await checkProvider(config.oidc)), ...(await checkMail(config.mail)))
  return findings
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isNew = major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])
  const found = `Node ${process.versions.node}`
  return isNew ? node.ok(found) : node.problem(found, `Install Node ${NODE_NEEDED.join('.')} or later.`)
}

function checkConfig(config: Config): Finding[] {
  const { access, backup, metrics } = config
  const { host, publicUrl } = config.http
  const findings = checkVariables(config)
  const isLocal = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  if (access.operatorToken === undefined) {
    findings.push(configuration.warning('There is no operator side.', 'Set OPERATOR_TOKEN: openssl rand -hex 32'))
  }
  if (!isLocal && metrics.token === undefined) {
    findings.push(
      configuration.warning(
        '/metrics and /status answer this machine alone.',
        'Set METRICS_TOKEN, and give it to the scraper.',
      ),
    )
  }
  if (!isLocal && publicUrl?.startsWith('https:') !== true) {
    findings.push(
      configuration.warning(
        `${host} is open to other machines, and nothing says that TLS stands before it.`,
        'Put a proxy with TLS before it, and set PUBLIC_URL to its https address.',
      ),
    )
  }
  if (backup === null) {
    findings.push(
      backups.warning('No backups are made by themselves.', 'Set BACKUP_DIR, or run `greenroom backup` from a timer.'),
    )
  } else if (backup.passphrase === undefined) {
    findings.push(
      backups.warning(
        'The backups are neither encrypted nor authenticated, and hold no master key.',
        'Set BACKUP_PASSPHRASE_FILE, or guard them, and keep the key elsewhere.',
      ),
    )
  }
  return findings.length > 0 ? findings : [configuration.ok('Every variable is well-formed.')]
}
