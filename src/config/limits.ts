import { limit } from '../lib/limits.js'
import { integer } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** A rate per process; docs/limits.md lists the defaults, and 0 means no limit. */
const rate = <const Name extends string>(name: Name, limitName: Parameters<typeof limit>[0]) => ({
  about: (about: string) =>
    setting(name, integer(0, 1_000_000), { default: String(limit(limitName)) }).about(
      `${about}; \`0\` disables the limit.`,
    ),
})

export const limits = group({
  keyRequestsPerSecond: rate('KEY_REQUESTS_PER_SECOND', 'keyRequestsPerSecond').about(
    'Requests per second per key, with bursts of twice as many; a key can override it',
  ),
  personChangesPerMinute: rate('PERSON_CHANGES_PER_MINUTE', 'personChangesPerMinute').about(
    'Changes per minute per signed-in person',
  ),
  invitationsPerHour: rate('INVITATIONS_PER_HOUR', 'invitationsPerHour').about('Invitations per hour per organization'),
  invitationsPerAddress: rate('INVITATIONS_PER_ADDRESS', 'invitationsPerAddress').about(
    'Invitations per hour to one email address, across all organizations',
  ),
  importsPerMinute: rate('IMPORTS_PER_MINUTE', 'importsPerMinute').about('Imports per minute per organization'),
  insightsPerMinute: rate('INSIGHTS_PER_MINUTE', 'insightsPerMinute').about(
    'Requests for insights per minute per organization',
  ),
  failedAttemptsPerMinute: rate('FAILED_ATTEMPTS_PER_MINUTE', 'failedAttemptsPerMinute').about(
    'Failed authentications per minute per client address',
  ),
})

export type LimitsConfig = ConfigOf<typeof limits>
