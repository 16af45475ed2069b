import { type Config, toMisspeltSentence } from '../config/index.js'
import { isLoopback } from '../lib/addresses.js'
import { type Finding, findingsOf } from './finding.js'

const { problem, warning } = findingsOf('configuration')

/** Variables that are probably misspelt, and an address that people cannot sign in at. */
export function checkVariables({ misspelt, http: { publicUrl } }: Pick<Config, 'misspelt' | 'http'>): Finding[] {
  const findings = misspelt.map((one) => warning(toMisspeltSentence(one), `Set ${one.meant}, and unset ${one.given}.`))
  if (publicUrl?.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname)) {
    findings.push(
      problem(
        `PUBLIC_URL ${publicUrl} has no TLS: browsers keep no session over http, so that no one can sign in, and keys can be read on the way.`,
        'Put a proxy with TLS before the service (deploy/), and set PUBLIC_URL to its https address.',
      ),
    )
  }
  return findings
}
