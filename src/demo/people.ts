import type { ConversationLine } from '../interface/audience.js'
import { DAY_MS, toBareDate } from '../lib/dates.js'
import { MADE_UP } from './made-up.js'
import { type SeededRandom, seededRandom } from './sandbox.js'

const NICKNAMES = ['sunny', 'coffee', 'moon', 'pixel', 'vintage', 'ocean', 'noodle', 'tiny', 'lucky', 'maple', 'retro']
const ORNAMENTS = ['✨', '🌸', '👩🏽‍🎤', '🦄', '🏳️‍🌈', '☕️', '🎧']

export interface AudiencePlan {
  seed: number
  /** Distinguishes the conversation ids of one channel from those of another. */
  prefix: string
  count: number
  vipShare: number
  /** Milliseconds since the epoch. Nothing happened later. */
  now: number
}

/**
 * Generates the audience of one channel, always the same for a plan: many scripts, ties in lifetime value, missing fields.
 */
export function* demoAudience({ seed, prefix, count, vipShare, now }: AudiencePlan): Generator<ConversationLine> {
  const random = seededRandom(seed)
  const vips = Math.round(count * vipShare)
  for (let index = 0; index < count; index++) {
    // Exactly the planned number of VIPs, spread evenly over the ids.
    const vip = Math.floor(((index + 1) * vips) / count) > Math.floor((index * vips) / count)
    yield makeConversation(random, `${prefix}${String(index + 1).padStart(6, '0')}`, vip, now)
  }
}

function makeConversation(random: SeededRandom, conversationId: string, vip: boolean, now: number): ConversationLine {
  const [given, family] = random.pick(MADE_UP.names)
  const firstName = random.pick(given) + (random.chance(0.03) ? ` ${random.pick(ORNAMENTS)}` : '')
  const platformUserId = String(random.integer(1_000_000_000, 9_999_999_999)) + String(random.integer(100_000, 999_999))
  const instant = (daysBack: number): number => now - Math.floor(random.next() * daysBack * DAY_MS)
  return {
    conversationId,
    cuid: `cu_${platformUserId}`,
    ...(random.chance(0.9)
      ? { userName: `${random.pick(NICKNAMES)}.${random.pick(NICKNAMES)}${random.integer(1, 999)}` }
      : {}),
    ...(random.chance(0.97) ? { firstName } : {}),
    ...(random.chance(0.85) ? { lastName: random.pick(family) } : {}),
    ...(random.chance(0.8) ? { profilePic: `https://pictures.example/${platformUserId}.jpg` } : {}),
    ...(random.chance(0.55) ? { birthday: makeBirthday(random) } : {}),
    ...(random.chance(vip ? 0.95 : 0.4) ? { lastPurchaseTimestamp: instant(400) } : {}),
    ...(random.chance(0.98) ? { lastUserMessageTimestamp: instant(200) } : {}),
    ...(random.chance(0.3) ? { lastAppOpenTimestamp: instant(60) } : {}),
    ...(random.chance(0.9) ? { lifetimeValue: makeLifetimeValue(random, vip) } : {}),
    vip,
  }
}

/** Most people spent nothing or a round sum, so ties are common. A few VIPs spent a great deal. */
function makeLifetimeValue(random: SeededRandom, vip: boolean): number {
  if (!vip && random.chance(0.35)) return 0
  if (random.chance(0.4)) return random.integer(1, vip ? 60 : 12) * 25
  const most = vip ? 9_000 : 900
  return Math.round(random.next() ** 3 * most * 100) / 100
}

function makeBirthday(random: SeededRandom): string {
  if (random.chance(0.02)) return random.pick(['2000-02-29', '1996-02-29', '1984-02-29', '--02-29'])
  const year = random.integer(1948, 2008)
  // A day counted from New Year exists in every year. A day of a month might not.
  const date = toBareDate(Date.UTC(year, 0, random.integer(1, 365)))
  return random.chance(0.25) ? `--${date.slice(5)}` : date
}
