import { createHash, createHmac } from 'node:crypto'
import { type BeaconChain, firstRoundFrom, isSigned, publishedAtMs, QUICKNET, randomnessOf } from './beacon.js'
import { createTurns } from './turns.js'

// The arithmetic of raffles (docs/raffles.md), for the service and for those who verify it. It works on texts: seeds,
// entrants and hashes are lowercase hex as written.

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const hmac = (key: string | Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')

/** Returns the SHA-256 of the list, one entrant per line. */
export function hashEntrants(entrants: readonly string[]): string {
  const hash = createHash('sha256')
  for (const entrant of entrants) hash.update(`${entrant}\n`)
  return hash.digest('hex')
}

/**
 * How long after the end the beacon's value is published: by then the comments from before the end have been read, and the
 * list of entrants is frozen.
 */
const BEACON_AFTER_MS = 15 * 60_000

/** Returns the round that decides a raffle: the first one at least a quarter of an hour after its end. */
export const beaconRoundOf = (chain: BeaconChain, endsAtMs: number): number =>
  firstRoundFrom(chain, endsAtMs + BEACON_AFTER_MS)

/**
 * Returns the key of the draw: the seed, or with a beacon HMAC(seed, its chain, round and random value joined by spaces).
 */
export const drawKeyOf = (seed: string, beacon: { chain: string; round: number; randomness: string } | null): string =>
  beacon === null ? seed : hmac(seed, `${beacon.chain} ${beacon.round} ${beacon.randomness}`)

/** Returns all entrants in the order of the draw: by HMAC(key, entrant), ascending. Yields to other work. */
export async function orderByLot(key: string, entrants: readonly string[]): Promise<string[]> {
  const turn = createTurns()
  const lots: { lot: string; entrant: string }[] = []
  for (const entrant of entrants) {
    lots.push({ lot: hmac(key, entrant), entrant })
    const next = turn()
    if (next !== undefined) await next
  }
  return lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ entrant }) => entrant)
}

/** An exported raffle, as far as it can be verified. */
export interface RaffleProof {
  endsAt: string
  /** Null, or absent in a file of version 1, if only the seed decides. */
  beacon?: { chain: string; round: number; signature: string; randomness: string } | null
  seed: string
  seedSha256: string
  winnersLimit: number
  entrants: readonly string[]
  entrantsSha256: string
  winners: readonly { rank: number; entrant: string }[]
  redraws: readonly { rank: number; newRank: number; entrant: string }[]
}

/** Returns sentences about whatever is wrong in an exported raffle; none if it was drawn as it says. */
export async function findFaults(proof: RaffleProof, chain = QUICKNET): Promise<string[]> {
  const { seed, entrants, winnersLimit, beacon = null } = proof
  const faults: string[] = []
  if (sha256(seed) !== proof.seedSha256) faults.push('The seed does not match its published hash.')
  if (hashEntrants(entrants) !== proof.entrantsSha256) faults.push('The list of entrants does not match its hash.')
  if (entrants.some((entrant, index) => index > 0 && entrants[index - 1]! >= entrant)) {
    faults.push('The entrants are not in order, or someone is listed twice.')
  }
  if (beacon !== null) faults.push(...(await findBeaconFaults(beacon, Date.parse(proof.endsAt), chain)))
  const order = await orderByLot(drawKeyOf(seed, beacon), entrants)
  const standing = new Map(order.slice(0, winnersLimit).map((entrant, index) => [index + 1, entrant]))
  let last = standing.size
  for (const { rank, newRank, entrant } of proof.redraws) {
    last += 1
    if (!standing.delete(rank)) faults.push(`The redraw of rank ${rank} replaces someone who had not won.`)
    if (newRank !== last || order[last - 1] !== entrant) {
      faults.push(`The redraw of rank ${rank} did not go to the next rank, ${last}.`)
    }
    standing.set(last, order[last - 1] ?? '')
  }
  const given = proof.winners.map(({ rank, entrant }) => `${rank} ${entrant}`)
  const wanted = [...standing].map(([rank, entrant]) => `${rank} ${entrant}`)
  const isSame = given.length === wanted.length && new Set([...given, ...wanted]).size === wanted.length
  if (!isSame) faults.push('The winners are not the ones that the seed selects.')
  return faults
}

async function findBeaconFaults(
  { chain: hash, round, signature, randomness }: NonNullable<RaffleProof['beacon']>,
  endsAtMs: number,
  chain: BeaconChain,
): Promise<string[]> {
  if (hash !== chain.hash) return ['The beacon is not the chain quicknet of drand.']
  const wanted = beaconRoundOf(chain, endsAtMs)
  return [
    ...(round === wanted ? [] : [`The round of the beacon is ${round}, but the end of the raffle requires ${wanted}.`]),
    ...(randomnessOf(signature) === randomness ? [] : ['The random value is not the hash of the signature.']),
    ...((await isSigned(chain, round, signature)) ? [] : ['The beacon has not signed this value.']),
  ]
}

/** Returns when the value of the beacon was published. */
export const beaconTimeOf = (chain: BeaconChain, round: number): string =>
  new Date(publishedAtMs(chain, round)).toISOString()
