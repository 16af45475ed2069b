import { describe, expect, test } from 'vitest'
import { QUICKNET } from './beacon.js'
import { findFaults, hashEntrants, hmac, orderByLot, type RaffleProof, sha256 } from './raffle-proof.js'

// Made with openssl. These values never change.
const SEED = sha256('a seed')
const PEOPLE = ['17841400000000001', '17841400000000002', '17841400000000003', '17841400000000004']

// The value of round 1000 of quicknet as published.
const BEACON = {
  ...{ chain: QUICKNET.hash, round: 1000, at: '2023-08-23T15:59:24.000Z' },
  signature: 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
  randomness: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
}

/** A raffle of four with two winners, the first of whom was replaced. */
async function draw(changes: Partial<RaffleProof> = {}): Promise<RaffleProof> {
  const entrants = PEOPLE.map((person) => hmac('a key', person)).sort()
  const order = await orderByLot(SEED, entrants)
  return {
    endsAt: '2026-11-20T12:00:00.000Z',
    seed: SEED,
    seedSha256: sha256(SEED),
    winnersLimit: 2,
    entrants,
    entrantsSha256: hashEntrants(entrants),
    winners: [
      { rank: 2, entrant: order[1]! },
      { rank: 3, entrant: order[2]! },
    ],
    redraws: [{ rank: 1, newRank: 3, entrant: order[2]! }],
    ...changes,
  }
}

test('never changes its results', async () => {
  const { entrants, entrantsSha256 } = await draw()
  expect(SEED).toBe('8f44d509e0492acec4fc109a030a5c751f063fb743cc388f0ed722bacc3bc66c')
  expect(entrants.map((entrant) => entrant.slice(0, 8))).toEqual(['218133d7', '572059d2', '7bf26d2b', 'cd8da73e'])
  expect(entrantsSha256).toBe('e78a5a37bdd6b37879555ebace53d90dc4c212a073509be4794d215e16811ad6')
  const order = await orderByLot(SEED, entrants)
  expect(order.map((entrant) => entrants.indexOf(entrant))).toEqual([1, 2, 0, 3])
})

describe('verifying', () => {
  test('accepts a draw without changes', async () => {
    expect(await findFaults(await draw())).toEqual([])
  })

  const other = sha256('someone')
  const changes: [string, (proof: RaffleProof) => Partial<RaffleProof>, RegExp][] = [
    ['another seed', () => ({ seed: other }), /seed does not match/],
    ['a changed line', ({ entrants }) => ({ entrants: [...entrants.slice(0, 3), other] }), /does not match its hash/],
    ['a line less', ({ entrants }) => ({ entrants: entrants.slice(1) }), /does not match its hash/],
    ['a line twice', ({ entrants }) => ({ entrants: [entrants[0]!, ...entrants] }), /listed twice/],
    ['other winners', ({ winners }) => ({ winners: [{ rank: 2, entrant: other }, winners[1]!] }), /winners are not/],
    ['a winner less', ({ winners }) => ({ winners: winners.slice(1) }), /winners are not/],
    ['a higher limit', () => ({ winnersLimit: 3 }), /./],
    ['a beacon that it was not drawn with', () => ({ beacon: BEACON }), /winners are not/],
    ['a redraw that skips one', ({ redraws }) => ({ redraws: [{ ...redraws[0]!, newRank: 4 }] }), /next rank/],
    [
      'a redraw of nobody',
      ({ redraws }) => ({ redraws: [{ ...redraws[0]!, rank: 4 }] }),
      /replaces someone who had not won/,
    ],
  ]
  test.each(changes)('finds %s', async (_, change, fault) => {
    const proof = await draw()
    expect((await findFaults({ ...proof, ...change(proof) })).join(' ')).toMatch(fault)
  })
})
