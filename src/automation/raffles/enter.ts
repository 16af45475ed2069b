import type { Queryable } from '../../database/database.js'
import type { BeaconChain } from '../../lib/beacon.js'
import { hmac } from '../../lib/raffle-proof.js'
import type { RaffleRule } from '../../superpowers/rule.js'
import type { LedgerComment } from '../ledger.store.js'
import type { AutomationPostKey } from '../posts.store.js'
import { insertEntrants, insertRaffle } from './entrants.store.js'
import { entrantKeyOf } from './secrets.js'

interface Entering {
  raffle: RaffleRule
  comments: readonly LedgerComment[]
  chanceKey: Buffer
  chain: BeaconChain
}

/** Enters the people who wrote these comments, each once. The post is locked; a raffle that was drawn takes nobody. */
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
