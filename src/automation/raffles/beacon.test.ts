import { expect, test } from 'vitest'
import { AutomationTest, answering, type PublishedPost } from '../../../test/automation-harness.js'
import { type BeaconAnswer, startBeacon } from '../../../test/beacon.js'
import { operatorAny } from '../../../test/posts.js'
import type { PostRaffle, RaffleExport } from '../../interface/generated/types.js'
import { beaconRoundOf, drawKeyOf, findFaults, orderByLot, sha256 } from '../../lib/raffle-proof.js'
import { drawRaffles } from './draw.js'
import { planMessages } from './plan-messages.js'

const NAMES = ['Ana', 'Bo', 'Chen', 'Dina', 'Emre', 'Fatou']

/** Starts a raffle of ten minutes with a beacon, which everybody has entered. */
async function startRaffle() {
  const beacon = await startBeacon()
  const it = await AutomationTest.start({ automation: { beacon: { url: beacon.url, chain: beacon.chain } } })
  const endsAtMs = it.clock.now() + 10 * 60_000
  const endDate = new Date(endsAtMs).toISOString()
  const { publisher } = it
  const channelId = await publisher.channel('FB_PAGE')
  await it.switch(channelId, 'on')
  const raffle = { winnersLimit: 2, endDate, winnersPrivateReply: { text: 'You won!' } }
  const superpower = answering({ takesPartInRaffle: true, privateReplies: [], publicReplies: [] }, { raffle })
  const postId = await publisher.post({
    ...{ status: 'WAITING_FOR_APPROVAL', scheduledFor: new Date(it.clock.now() + 1000) },
    channels: [{ channelId, caption: 'Win', superpower }],
  })
  const path = `/scheduled-posts/${postId}`
  // The approver reads it first.
  const seen = (await publisher.tenant.get(200, `${path}/raffles`)).body.items[0]
  const { headers } = await publisher.tenant.get(200, path)
  await operatorAny(publisher.tenant, 'POST', `${path}/approve`, { headers: { 'if-match': String(headers.etag) } })
  it.clock.advance(1000)
  await publisher.runToEnd()
  const [publication] = await publisher.publications(postId)
  const pageId = channelId.slice('FB_PAGE_'.length)
  const post: PublishedPost = { postId, channelId, pageId, externalId: publication!.external_id! }
  for (const name of NAMES) await it.comment(post, name, 'me')
  const round = async (): Promise<void> => {
    await it.work()
    while ((await drawRaffles(it.context)) + (await planMessages(it.context)) > 0);
    await it.work()
  }
  const minutes = (count: number, rounds?: number): Promise<void> => it.pass(count, round, rounds)
  return { it, beacon, post, seen, endsAtMs, minutes, round: beaconRoundOf(beacon.chain, endsAtMs) }
}

const raffleOf = async (it: AutomationTest, { postId }: PublishedPost): Promise<PostRaffle> =>
  (await it.publisher.tenant.get(200, `/scheduled-posts/${postId}/raffles`)).body.items[0]

const exportOf = async (it: AutomationTest, { postId, channelId }: PublishedPost): Promise<RaffleExport> =>
  (await it.publisher.tenant.get(200, `/scheduled-posts/${postId}/raffles/${channelId}/export`)).body as RaffleExport

test('fixes the entrants, and is drawn with the value that the beacon publishes afterwards', async () => {
  const { it, beacon, post, seen, endsAtMs, minutes, round } = await startRaffle()
  await minutes(5)
  const publishedAtMs = beacon.chain.genesisMs + (round - 1) * 3_000
  expect(publishedAtMs - endsAtMs).toBeGreaterThanOrEqual(15 * 60_000)
  expect(publishedAtMs - endsAtMs).toBeLessThan(15 * 60_000 + 3_000)
  const at = new Date(publishedAtMs).toISOString()
  const open = await raffleOf(it, post)
  expect(open).toMatchObject({ state: 'open', frozenAt: null, leftOut: [] })
  expect(seen).toMatchObject({ state: 'planned', seedSha256: null, beacon: open.beacon })
  expect(open.beacon).toEqual({ chain: beacon.chain.hash, round, at, signature: null, randomness: null, problem: null })

  await minutes(8)
  const frozen = await raffleOf(it, post)
  expect(frozen).toMatchObject({ state: 'frozen', entrants: 6, winners: [], seed: null, drawnAt: null })
  expect(frozen.entrantsSha256).toMatch(/^[\da-f]{64}$/)
  expect(Date.parse(frozen.frozenAt!)).toBeLessThan(publishedAtMs)
  expect(beacon.asked).toEqual([])
  expect(it.sandbox.messages).toEqual([])

  await minutes(13)
  const drawn = await raffleOf(it, post)
  expect(beacon.asked).toEqual([`/${beacon.chain.hash}/public/${round}`])
  const { signature, randomness } = beacon.toValue(round, beacon.sign(round))
  expect(drawn).toMatchObject({ state: 'drawn', entrants: 6, entrantsSha256: frozen.entrantsSha256 })
  expect(drawn.beacon).toMatchObject({ round, signature, randomness, problem: null })
  expect(sha256(drawn.seed!)).toBe(open.seedSha256)

  const proof = await exportOf(it, post)
  expect(proof).toMatchObject({ version: 2, beacon: { chain: beacon.chain.hash, round, at, signature, randomness } })
  expect(await findFaults(proof, beacon.chain)).toEqual([])
  const order = await orderByLot(drawKeyOf(proof.seed, proof.beacon), proof.entrants)
  expect(proof.winners).toEqual(order.slice(0, 2).map((entrant, index) => ({ rank: index + 1, entrant })))

  // A redraw continues in the same order, with the stored value.
  const path = `/scheduled-posts/${post.postId}/raffles/${post.channelId}/redraw`
  await it.operator(200, 'POST', path, { rank: 1, reason: 'Nobody answers' })
  const redrawn = await exportOf(it, post)
  expect(redrawn.redraws).toEqual([{ rank: 1, newRank: 3, entrant: order[2] }])
  expect(await findFaults(redrawn, beacon.chain)).toEqual([])
  expect(beacon.asked).toHaveLength(1)

  const changes: [object, RegExp][] = [
    [{ endsAt: new Date(endsAtMs + 60_000).toISOString() }, /end of the raffle requires/],
    [{ beacon: { ...proof.beacon!, randomness: '00'.repeat(32) } }, /not the hash of the signature/],
    [{ beacon: { ...proof.beacon!, signature: beacon.sign(round + 1) } }, /has not signed/],
  ]
  for (const [change, fault] of changes) {
    expect((await findFaults({ ...proof, ...change }, beacon.chain)).join(' ')).toMatch(fault)
  }
  expect((await findFaults(proof)).join(' ')).toContain('not the chain quicknet')
})

const WRONG: [BeaconAnswer, RegExp][] = [
  ['of another round', /signed by its chain/],
  ['signed by another', /signed by its chain/],
  ['made up', /signed by its chain/],
  ['endless', /signed by its chain/],
  ['broken', /answered 502/],
]

test('waits and says so while the beacon sends no value signed by its chain, and is drawn later', async () => {
  const { it, beacon, post, minutes } = await startRaffle()
  await minutes(13)
  it.clock.advance(13 * 60_000)
  for (const [answer, problem] of WRONG) {
    beacon.answer = answer
    // The waits grow to five minutes.
    await minutes(6, 1)
    const waiting = await raffleOf(it, post)
    expect(waiting, answer).toMatchObject({ state: 'frozen', winners: [], seed: null })
    expect(waiting.beacon, answer).toMatchObject({ signature: null, problem: expect.stringMatching(problem) })
  }
  expect(beacon.asked).toHaveLength(WRONG.length)
  beacon.answer = 'right'
  await minutes(6, 1)
  const drawn = await raffleOf(it, post)
  expect(drawn).toMatchObject({ state: 'drawn', beacon: { problem: null } })
  expect(await findFaults(await exportOf(it, post), beacon.chain)).toEqual([])
})

test('nobody enters once the list is fixed, and nobody draws without the value: the database enforces both', async () => {
  const { it, post, minutes } = await startRaffle()
  await minutes(13)
  const { database } = it.context
  const key = [it.publisher.tenant.organizationId, post.postId, post.channelId]
  const where = 'organization_id = $1 and scheduled_post_id = $2 and channel_id = $3'
  await database.query(
    `insert into raffle_entrants (organization_id, scheduled_post_id, channel_id, entrant, person_id, entered_at)
     values ($1, $2, $3, $4, '1', now())`,
    [...key, 'f'.repeat(64)],
  )
  expect(await raffleOf(it, post)).toMatchObject({ state: 'frozen', entrants: 6 })
  const { rows } = await database.query(`select from raffle_entrants where ${where}`, key)
  expect(rows).toHaveLength(6)
  const draw = database.query(`update raffles set drawn_at = now(), seed = 'aa' where ${where}`, key)
  await expect(draw).rejects.toThrow('raffles_wait_for_their_beacon')
})

test('the beacon is that of the approved version, and later settings do not change it', async () => {
  const { it, beacon, post, minutes, round } = await startRaffle()
  const without = {
    ...it.context,
    config: { ...it.context.config, automation: { ...it.context.config.automation, beacon: null } },
  }
  await minutes(13)
  it.clock.advance(20 * 60_000)
  await drawRaffles(without)
  expect(await raffleOf(it, post)).toMatchObject({
    ...{ state: 'frozen', beacon: { round, problem: 'No beacon is configured: set RAFFLE_BEACON_URL.' } },
  })
  await minutes(5)
  expect(await raffleOf(it, post)).toMatchObject({ state: 'drawn', beacon: { chain: beacon.chain.hash } })
})

test('is drawn once by two processes, with one value', async () => {
  const { it, post, minutes } = await startRaffle()
  await minutes(13)
  it.clock.advance(20 * 60_000)
  const other = { ...it.context, database: await it.publisher.openAnother() }
  await Promise.all([drawRaffles(it.context), drawRaffles(other), drawRaffles(it.context)])
  await drawRaffles(it.context)
  expect((await raffleOf(it, post)).winners).toHaveLength(2)
})
