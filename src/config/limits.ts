import { limit } from '../lib/limits.js'
import { integer } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

/** A rate per process; docs/limits.md lists the defaults, and 0 means no limit. */
const rate = <const Name extends string>(name: Name, limitName: Parameters<typeof limit>[0]) => ({
  about: (about: string) =>
    setting(name, integer(0, 1_000_000), { default: String(limit(limitName)) }).about(`${about}; \`0\` for no limit.`),
})

export const limits = group({
  keyRequestsPerSecond: rate('KEY_REQUESTS_PER_SECOND', 'keyRequestsPerSecond').about(
    'Requests a second with one key, in bursts of twice as many, where the key has no rate of its own',
  ),
  personChangesPerMinute: rate('PERSON_CHANGES_PER_MINUTE', 'personChangesPerMinute').about(
    'Changes a minute by one person who has signed in',
  ),
  invitationsPerHour: rate('INVITATIONS_PER_HOUR', 'invitationsPerHour').about(
    'Invitations an hour by the people of one organization',
  ),
  invitationsPerAddress: rate('INVITATIONS_PER_ADDRESS', 'invitationsPerAddress').about(
    'Invitations an hour to one mail address, by the people of all organizations together',
  ),
  importsPerMinute: rate('IMPORTS_PER_MINUTE', 'importsPerMinute').about('Imports a minute of one organization'),
  insightsPerMinute: rate('INSIGHTS_PER_MINUTE', 'insightsPerMinute').about(
    'Requests for insights a minute of one organization',
  ),
  failedAttemptsPerMinute: rate('FAILED_ATTEMPTS_PER_MINUTE', 'failedAttemptsPerMinute').about(
    'Failed authentications a minute from one address, before it must wait',
  ),
})

export type LimitsConfig = ConfigOf<typeof limits>
