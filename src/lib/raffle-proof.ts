import { createHash, createHmac } from 'node:crypto'
import { createTurns } from './turns.js'

// The arithmetic of raffles (docs/raffles.md), for the service and for those who verify it. All of it is over texts: seeds,
// entrants and hashes are lower-case hex as it is written.

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const hmac = (key: string | Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')

/** SHA-256 of the list, one entrant a line. */
export function hashEntrants(entrants: readonly string[]): string {
  const hash = createHash('sha256')
  for (const entrant of entrants) hash.update(`${entrant}\n`)
  return hash.digest('hex')
}

/** All entrants in the order of the draw: by HMAC(seed, entrant), ascending. Others have their turn meanwhile. */
export async function orderByLot(seed: string, entrants: readonly string[]): Promise<string[]> {
  const turn = createTurns()
  const lots: { lot: string; entrant: string }[] = []
  for (const entrant of entrants) {
    lots.push({ lot: hmac(seed, entrant), entrant })
    const next = turn()
    if (next !== undefined) await next
  }
  return lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ entrant }) => entrant)
}

/** An exported raffle, as far as it can be verified. */
export interface RaffleProof {
  seed: string
  seedSha256: string
  winnersLimit: number
  entrants: readonly string[]
  entrantsSha256: string
  winners: readonly { rank: number; entrant: string }[]
  redraws: readonly { rank: number; newRank: number; entrant: string }[]
}

/** Sentences about what in an exported raffle is not as it must be; none for one that was drawn as it says. */
export async function findFaults(proof: RaffleProof): Promise<string[]> {
  const { seed, entrants, winnersLimit } = proof
  const faults: string[] = []
  if (sha256(seed) !== proof.seedSha256) faults.push('The seed is another one than the hash that was published says.')
  if (hashEntrants(entrants) !== proof.entrantsSha256) faults.push('The list of the entrants does not have its hash.')
  if (entrants.some((entrant, index) => index > 0 && entrants[index - 1]! >= entrant)) {
    faults.push('The entrants are not in order, or someone is among them twice.')
  }
  const order = await orderByLot(seed, entrants)
  const standing = new Map(order.slice(0, winnersLimit).map((entrant, index) => [index + 1, entrant]))
  let last = standing.size
  for (const { rank, newRank, entrant } of proof.redraws) {
    last += 1
    if (!standing.delete(rank)) faults.push(`The redraw of rank ${rank} replaces nobody who had won.`)
    if (newRank !== last || order[last - 1] !== entrant) {
      faults.push(`The redraw of rank ${rank} did not go to the next one, of rank ${last}.`)
    }
    standing.set(last, order[last - 1] ?? '')
  }
  const given = proof.winners.map(({ rank, entrant }) => `${rank} ${entrant}`)
  const wanted = [...standing].map(([rank, entrant]) => `${rank} ${entrant}`)
  const isSame = given.length === wanted.length && new Set([...given, ...wanted]).size === wanted.length
  if (!isSame) faults.push('The winners are not those of the seed.')
  return faults
}
