import Joi from 'joi'
import type { Config } from '../config/index.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import type { EndsByAge, MaximumAges } from '../interface/status.js'
import { ENDING_MS } from '../news/reminders.store.js'
import { type EndingByAge, findEnding } from './maximum-age.store.js'

const DAY_MS = 86_400_000

interface Aged {
  created_at: Date
  expires_at: Date | null
}

/**
 * Returns when a key or token expires: at its own expiry or its maximum age, whichever comes first; `at` is null if
 * it has neither.
 */
export function endOf(
  { created_at: createdAt, expires_at: expiresAt }: Aged,
  maxAgeMs: number | undefined,
): { at: Date | null; byAge: boolean } {
  const oldAt = maxAgeMs === undefined ? null : new Date(createdAt.getTime() + maxAgeMs)
  const byAge = oldAt !== null && (expiresAt === null || oldAt < expiresAt)
  return { at: byAge ? oldAt : expiresAt, byAge }
}

export const endFields = {
  expiresAt: Joi.string()
    .isoDate()
    .description('Its own expiry or its maximum age, whichever comes first. Absent if it never expires.'),
  expiresByAge: Joi.boolean()
    .valid(true)
    .description('Present if the expiry follows from the maximum age that the server sets.'),
}

/** Returns the expiry in the form of endFields. */
export function toEndBody(row: Aged, maxAgeMs: number | undefined): { expiresAt?: string; expiresByAge?: true } {
  const { at, byAge } = endOf(row, maxAgeMs)
  return { ...(at === null ? {} : { expiresAt: at.toISOString() }), ...(byAge ? { expiresByAge: true } : {}) }
}

/** Returns the expiry for a new key or token; null for none. Throws expiry_past or expiry_too_late. */
export function parseExpiry(
  given: string | undefined,
  { now, maxAgeMs }: { now: Date; maxAgeMs: number | undefined },
): Date | null {
  if (given === undefined) return null
  const expiresAt = new Date(given)
  if (expiresAt <= now) throw new ApiError('expiry_past')
  if (maxAgeMs === undefined || expiresAt.getTime() - now.getTime() <= maxAgeMs) return expiresAt
  const latest = new Date(now.getTime() + maxAgeMs).toISOString()
  throw new ApiError('expiry_too_late', {
    message: `expiresAt is too late: this server allows at most ${maxAgeMs / DAY_MS} days. Choose a time up to ${latest}, or leave expiresAt out.`,
  })
}

type Needs = Pick<Context, 'clock' | 'database'> & {
  config: Pick<Config, 'access'>
}

interface Finding extends EndingByAge {
  setting: string
  what: 'keys' | 'operatorTokens'
}

/** Finds, for each maximum age that is set, the keys and tokens that it ends soon or has ended. */
export async function findEndingByAge({ clock, config: { access }, database }: Needs): Promise<Finding[]> {
  const now = new Date(clock.now())
  const soon = new Date(clock.now() + ENDING_MS)
  const found: Finding[] = []
  for (const { setting, what, maxAgeMs } of [
    { setting: 'KEY_MAX_AGE_DAYS', what: 'keys', maxAgeMs: access.keyMaxAgeMs },
    { setting: 'OPERATOR_TOKEN_MAX_AGE_DAYS', what: 'operatorTokens', maxAgeMs: access.operatorTokenMaxAgeMs },
  ] as const) {
    if (maxAgeMs === undefined) continue
    found.push({ setting, what, ...(await findEnding(database, what, { now, soon, maxAgeMs })) })
  }
  return found
}

/** Returns the counts for /status; undefined if no maximum age is set. */
export async function countEndingByAge(needs: Needs): Promise<MaximumAges | undefined> {
  const found = await findEndingByAge(needs)
  if (found.length === 0) return undefined
  const counts = found.map(({ what, ending, ended }): [string, EndsByAge] => [what, { ending, ended }])
  return Object.fromEntries(counts)
}

/**
 * Warns at startup about keys and tokens that reach the maximum age, so that an operator who has just set it notices
 * before the callers do.
 */
export async function warnOfMaximumAges(needs: Needs & Pick<Context, 'log'>): Promise<void> {
  const { log } = needs
  try {
    for (const { setting, what, ending, ended, examples } of await findEndingByAge(needs)) {
      if (ending + ended === 0) continue
      log.warn(
        { setting, what, ending, ended, examples },
        'these expire by their maximum age within 14 days, or have expired: issue others, then revoke these',
      )
    }
  } catch (error) {
    log.warn({ err: error }, 'cannot read which keys and tokens expire by their maximum age')
  }
}
