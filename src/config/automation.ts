import { trimEnd } from '../interface/trim.js'
import { QUICKNET } from '../lib/beacon.js'
import { integer, url } from './parsers.js'
import { group, setting } from './setting.js'

/** The settings of superpowers that act (docs/automation.md, docs/raffles.md). */
export const automation = group(
  {
    pollMs: setting('AUTOMATION_POLL_MS', integer(1_000, 3_600_000), { default: '60000' }).about(
      'How often the comments of a new post are read at most, 1000 to 3600000, in milliseconds; those of older posts seldomer.',
    ),
    beaconUrl: setting('RAFFLE_BEACON_URL', (given) => trimEnd(url('https:', 'http:')(given), '/')).about(
      'Where the public randomness of drand is fetched, such as `https://api.drand.sh`. Raffles of posts that are approved from then on are [drawn with it](docs/raffles.md); without it the seed alone decides.',
    ),
  },
  {
    make: ({ pollMs, beaconUrl }) => ({
      pollMs,
      beacon: beaconUrl === undefined ? null : { url: beaconUrl, chain: QUICKNET },
    }),
  },
)
