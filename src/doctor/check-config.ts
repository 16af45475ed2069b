import { toMisspeltSentence } from '../config/index.js'
import { isLoopback } from '../lib/addresses.js'
import { type Examined, type Findings, findingsOf, orFine } from './finding.js'

const backups = findingsOf('backups')
const { ok, problem, warning } = findingsOf('configuration')

/** Checks for variables that are probably misspelled, and for settings that make a service less safe than it could be. */
export const checkConfig = (examined: Examined): Findings =>
  orFine(findFaults(examined), ok('Every variable is well-formed.'))

async function* findFaults({ config }: Examined): Findings {
  const { access, backup, metrics, misspelt } = config
  const { host, publicUrl } = config.http
  const isLocal = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  for (const one of misspelt) yield warning(toMisspeltSentence(one), `Set ${one.meant}, and unset ${one.given}.`)
  if (publicUrl?.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname)) {
    yield problem(
      `PUBLIC_URL ${publicUrl} has no TLS: browsers keep no session over http, so no one can sign in, and keys can be read in transit.`,
      'Put a proxy with TLS in front of the service (deploy/), and set PUBLIC_URL to its https address.',
    )
  }
  if (access.operatorToken === undefined) {
    yield warning('The operator API is off.', 'Set OPERATOR_TOKEN: openssl rand -hex 32')
  }
  if (!isLocal && metrics.token === undefined) {
    yield warning('/metrics and /status answer only this machine.', 'Set METRICS_TOKEN, and give it to the scraper.')
  }
  if (!isLocal && publicUrl?.startsWith('https:') !== true) {
    yield warning(
      `${host} is open to other machines, and no setting indicates TLS in front of it.`,
      'Put a proxy with TLS in front of it, and set PUBLIC_URL to its https address.',
    )
  }
  if (backup === null) {
    yield backups.warning('No backups are scheduled.', 'Set BACKUP_DIR, or run `greenroom backup` from a timer.')
  } else if (backup.passphrase === undefined) {
    yield backups.warning(
      'The backups are not encrypted or authenticated, and lack the master key.',
      'Set BACKUP_PASSPHRASE_FILE, or protect them, and keep the key elsewhere.',
    )
  }
}
