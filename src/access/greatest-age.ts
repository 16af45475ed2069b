import Joi from 'joi'
import type { Config } from '../config/index.js'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import type { EndsByAge, GreatestAges } from '../interface/status.js'
import { ENDING_MS } from '../news/reminders.store.js'
import { type EndingByAge, findEnding } from './greatest-age.store.js'

const DAY_MS = 86_400_000

interface Aged {
  created_at: Date
  expires_at: Date | null
}

/**
 * The end of a key or token: its own expiry or its greatest age, whichever comes first; `at` is null without
 * either.
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
    .description('Its own expiry, or its greatest age where that comes first. Absent: never.'),
  expiresByAge: Joi.boolean()
    .valid(true)
    .description('Set where the expiry follows from the greatest age that the server sets.'),
}

/** The end as the answers of keys and tokens show it. */
export function toEndBody(row: Aged, maxAgeMs: number | undefined): { expiresAt?: string; expiresByAge?: true } {
  const { at, byAge } = endOf(row, maxAgeMs)
  return { ...(at === null ? {} : { expiresAt: at.toISOString() }), ...(byAge ? { expiresByAge: true } : {}) }
}

/** The expiry of what is issued now; null for none. Throws expiry_past or expiry_too_late. */
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

/** The live keys and tokens that a greatest age ends soon or has ended, for each greatest age that is set. */
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

/** For /status; undefined where no greatest age is set. */
export async function countEndingByAge(needs: Needs): Promise<GreatestAges | undefined> {
  const found = await findEndingByAge(needs)
  if (found.length === 0) return undefined
  const counts = found.map(({ what, ending, ended }): [string, EndsByAge] => [what, { ending, ended }])
  return Object.fromEntries(counts)
}

/** Warns at the start of what a greatest age ends: one who has just set it learns it here and not from callers. */
export async function warnOfGreatestAges(needs: Needs & Pick<Context, 'log'>): Promise<void> {
  const { log } = needs
  try {
    for (const { setting, what, ending, ended, examples } of await findEndingByAge(needs)) {
      if (ending + ended === 0) continue
      log.warn(
        { setting, what, ending, ended, examples },
        'a greatest age ends these within 14 days, or has ended them: issue others, then revoke them',
      )
    }
  } catch (error) {
    log.warn({ err: error }, 'what the greatest ages end could not be read')
  }
}
