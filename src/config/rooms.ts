import { QUICKNET } from '../lib/beacon.js'
import { isBareDate } from '../lib/dates.js'
import { limit } from '../lib/limits.js'
import { baseUrl, choice, days, integer, mebibytes } from './parsers.js'
import { group, Mistake, type Parser, setting } from './setting.js'

// The settings of rooms that have only a few.

export const audience = group({
  memoryBytes: setting('AUDIENCE_MEMORY_MB', mebibytes(16, 65_536), { default: '256' }).about(
    'Memory for VIP lists in MiB, 16 to 65536. A channel of 25000 conversations or more takes about 15, and its VIPs as much again.',
  ),
})

/** The settings of superpowers that act (docs/automation.md, docs/raffles.md). */
export const automation = group(
  {
    pollMs: setting('AUTOMATION_POLL_MS', integer(1_000, 3_600_000), { default: '60000' }).about(
      'Milliseconds between two reads of the comments of a new post, 1000 to 3600000. Older posts are read less often.',
    ),
    beaconUrl: setting('RAFFLE_BEACON_URL', baseUrl).about(
      "Address of drand's public randomness, such as `https://api.drand.sh`. Raffles of posts that are approved from then on use it, as docs/raffles.md explains. Without it only the seed decides.",
    ),
  },
  {
    make: ({ pollMs, beaconUrl }) => ({
      pollMs,
      beacon: beaconUrl === undefined ? null : { url: beaconUrl, chain: QUICKNET },
    }),
  },
)

const date: Parser<string> = (given) => {
  if (isBareDate(given)) return given
  throw new Mistake(`must be a date YYYY-MM-DD, not "${given}".`)
}

export const insights = group({
  cutoffDate: setting('INSIGHTS_CUTOFF_DATE', date, { default: '2026-03-01' }).about(
    'Campaigns that were created before this date have no daily insights.',
  ),
})

/** The settings of sources (docs/intake.md). */
export const intake = group({
  keepMs: setting('INTAKE_KEEP_DAYS', days(0), { default: '7' }).about(
    'Days to keep applied deliveries, 0 to 3650, so that repeats are recognized.',
  ),
  deliveriesPerSecond: setting('INTAKE_PER_SECOND', integer(0, 1_000_000), {
    default: String(limit('deliveriesPerSecond')),
  }).about('Deliveries per second for each source that has no rate of its own; `0` disables the limit.'),
})

export const outsideMedia = group({
  reach: setting('OUTSIDE_MEDIA', choice('public', 'any', 'off'), { default: 'public' }).about(
    'What an approval does with media on other servers. `public` fetches a copy from public addresses, so that what is published is what was approved; `any` also fetches from private addresses, for installations that trust every organization; `off` fetches nothing.',
  ),
})

export const publisher = group({
  latePostHours: setting('LATE_POST_HOURS', integer(1, 8_760), { default: '24' }).about(
    'Hours after its time for which a post can still be published, 1 to 8760. After that it fails, and `retry` gives it a new time.',
  ),
  intervalMs: setting('PUBLISHER_INTERVAL_MS', integer(100, 60_000), { default: '1000' }).about(
    'Milliseconds between two looks for due posts, 100 to 60000.',
  ),
})
