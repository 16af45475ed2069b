import { expect, test } from 'vitest'
import { firstRoundFrom, isSigned, publishedAtMs, QUICKNET, randomnessOf } from './beacon.js'

// Round 1000 of quicknet as the beacon published it.
const ROUND = 1000
const SIGNATURE = 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39'
const RANDOMNESS = 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd'

test('the value of a round is the hash of its signature, which the chain has made', async () => {
  expect(randomnessOf(SIGNATURE)).toBe(RANDOMNESS)
  expect(await isSigned(QUICKNET, ROUND, SIGNATURE)).toBe(true)
})

test.each([
  ['of another round', ROUND + 1, SIGNATURE],
  [
    'that is another point',
    ROUND,
    '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  ],
  ['that is not a point', ROUND, SIGNATURE.replace('b446', 'b447')],
  ['that is too short', ROUND, SIGNATURE.slice(2)],
  ['that is empty', ROUND, ''],
])("a signature %s is not the chain's", async (_, round, signature) => {
  expect(await isSigned(QUICKNET, round, signature)).toBe(false)
})

test('the round of a time is the first one published then or later', () => {
  const { genesisMs } = QUICKNET
  const rounds = [0, 1, 2_999, 3_000, 3_001, 6_000].map((ms) => firstRoundFrom(QUICKNET, genesisMs + ms))
  expect(rounds).toEqual([1, 2, 2, 2, 3, 3])
  for (const ms of [0, 1, 3_000, 123_456_789]) {
    const round = firstRoundFrom(QUICKNET, genesisMs + ms)
    expect(publishedAtMs(QUICKNET, round)).toBeGreaterThanOrEqual(genesisMs + ms)
    expect(publishedAtMs(QUICKNET, round - 1)).toBeLessThan(genesisMs + ms)
  }
  // No round is earlier than the genesis.
  expect(firstRoundFrom(QUICKNET, 0)).toBe(1)
})
