import { describe, expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { QUICKNET } from '../lib/beacon.js'
import { drawKeyOf, hashEntrants, hmac, orderByLot, sha256 } from '../lib/raffle-proof.js'

const stage = new CliStage()
const { run, json, file } = stage

/** Returns the export of a raffle with 20 entrants and three winners. */
async function makeExport() {
  const seed = sha256('seed')
  const entrants = Array.from({ length: 20 }, (_, person) => hmac('key', String(person))).sort()
  const winners = (await orderByLot(seed, entrants)).slice(0, 3).map((entrant, index) => ({ rank: index + 1, entrant }))
  return {
    ...{
      version: 1,
      scheduledPostId: 'post_1',
      channelId: 'FB_PAGE_1',
      winnersLimit: 3,
      seed,
      seedSha256: sha256(seed),
    },
    ...{ endsAt: '2026-11-20T00:00:00.000Z', drawnAt: '2026-11-20T00:00:02.000Z' },
    ...{ entrants, entrantsSha256: hashEntrants(entrants), winners, redraws: [] },
  }
}

describe('greenroom raffle verify', () => {
  test('repeats the draw of an export, without a server', async () => {
    const proof = await makeExport()
    const path = file('raffle.json', JSON.stringify(proof))
    expect(await json(['raffle', 'verify', path])).toEqual({
      ...{ holds: true, entrants: 20, winners: 3, redraws: 0, seedSha256: proof.seedSha256 },
      ...{ beaconRound: null, leftOut: 0 },
    })
    const { stderr } = await run(0, ['raffle', 'verify', path])
    expect(stderr).toContain('Compare seedSha256 with the hash')
    expect(stderr).toContain('The draw used no public beacon')
  })

  test('checks the value of the beacon, and reports if the list was frozen after it was public', async () => {
    const proof = await makeExport()
    // This is the published round 1000 of quicknet, so the raffle ended a quarter of an hour before it.
    const publishedAtMs = 1_692_803_367_000 + 999 * 3_000
    const beacon = {
      ...{ chain: QUICKNET.hash, round: 1000, at: new Date(publishedAtMs).toISOString() },
      signature: 'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39',
      randomness: 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd',
    }
    const order = await orderByLot(drawKeyOf(proof.seed, beacon), proof.entrants)
    const drawn = {
      ...proof,
      ...{ version: 2, beacon, leftOut: [{ reason: 'chance', people: 4 }] },
      ...{
        endsAt: new Date(publishedAtMs - 900_000).toISOString(),
        frozenAt: new Date(publishedAtMs - 1).toISOString(),
      },
      winners: order.slice(0, 3).map((entrant, index) => ({ rank: index + 1, entrant })),
    }
    const verify = (given: object) => ['raffle', 'verify', file('beacon.json', JSON.stringify({ ...drawn, ...given }))]
    expect(await json(verify({}))).toMatchObject({ holds: true, beaconRound: 1000, leftOut: 4 })
    expect((await run(0, verify({}))).stderr).not.toContain('was frozen after')
    expect((await run(0, verify({ frozenAt: beacon.at }))).stderr).toContain('was frozen after the value of the beacon')
    const signature = `a${beacon.signature.slice(1)}`
    expect((await run(1, verify({ beacon: { ...beacon, signature } }))).stderr).toContain('has not signed this value')
    expect((await run(1, verify({ endsAt: proof.endsAt }))).stderr).toContain('The round of the beacon is 1000')
    expect((await run(2, verify({ beacon: {} }))).stderr).toContain('is not an exported raffle')
  })

  test('refuses an export whose list was changed in one line', async () => {
    const proof = await makeExport()
    const entrants = proof.entrants.with(7, hmac('key', 'someone else'))
    const { stderr } = await run(1, ['raffle', 'verify', file('changed.json', JSON.stringify({ ...proof, entrants }))])
    expect(stderr).toContain('The list of entrants does not match its hash.')
    expect(stderr).toContain('The raffle was not drawn as the file describes.')
  })

  test.each([
    ['nothing.json', '{}'],
    ['number.json', '{"version": 1, "entrants": [1]}'],
    ['version.json', '{"version": 2}'],
  ])('reports that %s contains no raffle', async (name, content) => {
    expect((await run(2, ['raffle', 'verify', file(name, content)])).stderr).toContain('is not an exported raffle')
  })
})
