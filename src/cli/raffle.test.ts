import { describe, expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { hashEntrants, hmac, orderByLot, sha256 } from '../lib/raffle-proof.js'

const stage = new CliStage()
const { run, json, file } = stage

/** The export of a raffle of 20 with three winners. */
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
  test('draws an export again, without a server', async () => {
    const proof = await makeExport()
    const path = file('raffle.json', JSON.stringify(proof))
    expect(await json(['raffle', 'verify', path])).toEqual({
      ...{ holds: true, entrants: 20, winners: 3, redraws: 0, seedSha256: proof.seedSha256 },
    })
    expect((await run(0, ['raffle', 'verify', path])).stderr).toContain('Hold seedSha256 against the hash')
  })

  test('refuses one whose list was changed in one line', async () => {
    const proof = await makeExport()
    const entrants = proof.entrants.with(7, hmac('key', 'someone else'))
    const { stderr } = await run(1, ['raffle', 'verify', file('changed.json', JSON.stringify({ ...proof, entrants }))])
    expect(stderr).toContain('The list of the entrants does not have its hash.')
    expect(stderr).toContain('The raffle was not drawn as the file says.')
  })

  test.each([
    ['nothing.json', '{}'],
    ['number.json', '{"version": 1, "entrants": [1]}'],
    ['version.json', '{"version": 2}'],
  ])('says that %s holds no raffle', async (name, content) => {
    expect((await run(2, ['raffle', 'verify', file(name, content)])).stderr).toContain('holds no exported raffle')
  })
})
