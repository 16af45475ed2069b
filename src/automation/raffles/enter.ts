import type { Queryable } from '../../database/database.js'
import type { BeaconChain } from '../../lib/beacon.js'
import { hmac } from '../../lib/raffle-proof.js'
import type { RaffleRule } from '../../superpowers/rule.js'
import type { LedgerComment } from '../ledger.store.js'
import type { AutomationPostKey } from '../posts.store.js'
import { insertEntrants, insertRaffle } from './draw.store.js'

// Both are derived from the installation's secret, so they are the same in every process, after a rotation of the master
// key, and in a restored backup. The hash of a seed can therefore be published before there is a row, and no row reveals a
// seed.

/** Returns the seed of the draw, in hex. Only this installation knows it until the draw. */
export const seedOf = (chanceKey: Buffer, post: AutomationPostKey): string => derive(chanceKey, 'raffle seed', post)

/** Returns the key with which the entrants of one raffle are pseudonymized, so that an export names nobody. */
export const entrantKeyOf = (chanceKey: Buffer, post: AutomationPostKey): string =>
  derive(chanceKey, 'raffle entrants', post)

const derive = (
  chanceKey: Buffer,
  purpose: string,
  { organization_id, scheduled_post_id, channel_id }: AutomationPostKey,
): string => hmac(chanceKey, [purpose, organization_id, scheduled_post_id, channel_id].join('\0'))

interface Entering {
  raffle: RaffleRule
  comments: readonly LedgerComment[]
  chanceKey: Buffer
  chain: BeaconChain
}

/** Enters the people who wrote these comments, each once. The post is locked; a drawn raffle accepts nobody. */
export async function enterRaffle(
  tx: Queryable,
  post: AutomationPostKey,
  { raffle, comments, chanceKey, chain }: Entering,
): Promise<void> {
  if (comments.length === 0) return
  const key = entrantKeyOf(chanceKey, post)
  await insertRaffle(tx, post, raffle, chain)
  await insertEntrants(
    tx,
    post,
    comments.flatMap(({ personId, commentId, commentedAtMs }) =>
      personId === null ? [] : [{ entrant: hmac(key, personId), personId, commentId, enteredAtMs: commentedAtMs }],
    ),
  )
}
