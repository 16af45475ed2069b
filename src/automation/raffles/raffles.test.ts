import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AutomationTest, answering, effectsOf, type PublishedPost } from '../../../test/automation-harness.js'
import type { Reply } from '../../../test/harness.js'
import type { PostRaffle, RaffleExport, Superpower } from '../../interface/generated/types.js'
import { findFaults, sha256 } from '../../lib/raffle-proof.js'
import { drawRaffles } from './draw.js'
import { planMessages } from './plan-messages.js'

let it: AutomationTest
beforeEach(async () => {
  it = await AutomationTest.start()
})

const HOUR_MS = 3_600_000

interface Given {
  minutes?: number
  startsInMinutes?: number
  winners?: number
  group?: Parameters<typeof answering>[0]
  raffle?: Superpower['raffle']
}

/** A published post whose comments all enter a raffle that ends after some minutes. */
function publish(
  { minutes = 60, startsInMinutes, winners = 1, group, raffle }: Given = {},
  more = {},
): Promise<PublishedPost> {
  const at = (after: number) => new Date(it.clock.now() + after * 60_000).toISOString()
  const superpower = answering(
    { takesPartInRaffle: true, privateReplies: [], publicReplies: [], ...group },
    {
      raffle: {
        winnersLimit: winners,
        endDate: at(minutes),
        ...(startsInMinutes !== undefined && { startDate: at(startsInMinutes) }),
        winnersPrivateReply: { text: 'You won!' },
        ...raffle,
      },
    },
  )
  return it.publish(superpower, more)
}

const raffleOf = async ({ postId, channelId }: PublishedPost): Promise<PostRaffle> => {
  const { body } = await it.publisher.tenant.get(200, `/scheduled-posts/${postId}/raffles`)
  return (body.items as PostRaffle[]).find((item) => item.channelId === channelId)!
}

const exportOf = async ({ postId, channelId }: PublishedPost): Promise<RaffleExport> =>
  (await it.publisher.tenant.get(200, `/scheduled-posts/${postId}/raffles/${channelId}/export`)).body as RaffleExport

const redraw = (status: number, post: PublishedPost, rank: number): Promise<Reply> =>
  it.operator(status, 'POST', `/scheduled-posts/${post.postId}/raffles/${post.channelId}/redraw`, {
    ...{ rank, reason: 'Nobody answers' },
  })

/** Moves past the end, until everything is read, drawn and announced. */
async function end(minutes = 61): Promise<void> {
  await it.pass(minutes, async () => {
    await it.work()
    await draw()
  })
}

async function draw(): Promise<void> {
  while ((await drawRaffles(it.context)) + (await planMessages(it.context)) > 0);
  await it.work()
}

const NAMES = ['Ana', 'Bo', 'Chen', 'Dina', 'Emre', 'Fatou']
const everybody = async (post: PublishedPost): Promise<void> => {
  for (const name of NAMES) await it.comment(post, name, 'me')
}

describe.each(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const)('a raffle on %s', (type) => {
  test('is drawn at its end among all entrants, and shows who has won and who has not', async () => {
    const post = await publish({ winners: 2, raffle: { looseresPrivateReply: { text: 'Not this time.' } } }, { type })
    await everybody(post)
    await it.comment(post, 'Ana', 'me again')
    await end(5)
    const open = await raffleOf(post)
    expect(open).toMatchObject({ state: 'open', entrants: 6, winnersLimit: 2, seed: null, entrantsSha256: null })
    expect(open).toMatchObject({ winners: [], losers: [], redraws: [], drawnAt: null })
    await end()
    const drawn = await raffleOf(post)
    expect(drawn).toMatchObject({ state: 'drawn', entrants: 6, seedSha256: open.seedSha256, redraws: [] })
    expect(sha256(drawn.seed!)).toBe(open.seedSha256)
    expect(drawn.winners).toMatchObject([
      { rank: 1, notification: 'sent', way: 'private_reply', reason: null },
      { rank: 2, notification: 'sent', way: 'private_reply', reason: null },
    ])
    expect(drawn.losers).toEqual([{ notification: 'sent', reason: null, count: 4 }])
    const texts = it.sandbox.messages.map(({ text }) => text)
    expect(texts.filter((text) => text === 'You won!')).toHaveLength(2)
    expect(texts.filter((text) => text === 'Not this time.')).toHaveLength(4)
    const winners = it.sandbox.messages.filter(({ text }) => text === 'You won!')
    expect(new Set(drawn.winners.map(({ conversationId }) => conversationId))).toEqual(
      new Set(winners.map(({ recipientId }) => recipientId)),
    )
    // Further rounds change nothing and send nothing.
    await end(5)
    expect(await raffleOf(post)).toEqual(drawn)
    expect(it.sandbox.messages).toHaveLength(6)
  })
})

describe('entering', () => {
  test('counts from the start to the end, by the time of the comment', async () => {
    const post = await publish({ startsInMinutes: 30, minutes: 60 })
    await it.comment(post, 'Ana', 'too early')
    await end(31)
    await it.comment(post, 'Bo', 'in time')
    await end(5)
    const endsAt = Date.parse((await raffleOf(post)).endsAt)
    // It was written before the end and is found by the reading that follows.
    it.clock.advance(endsAt - it.clock.now())
    await it.comment(post, 'Chen', 'in the last second', { at: endsAt - 1_000 })
    await it.comment(post, 'Dina', 'too late', { at: endsAt })
    await it.work()
    await draw()
    const drawn = await raffleOf(post)
    expect(drawn).toMatchObject({ state: 'drawn', entrants: 2 })
    expect(['Bo', 'Chen'].map((name) => name.toLowerCase())).toContain(drawn.winners[0]!.name!.toLowerCase())
  })

  test('is only for groups that take part, and for nobody in a dry run', async () => {
    const conditions = [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', values: ['win'] }]
    const post = await publish({ group: { conditions } })
    await it.comment(post, 'Ana', 'I win')
    await it.comment(post, 'Bo', 'I look')
    await end(2)
    await it.switch(post.channelId, 'shadow')
    await it.comment(post, 'Chen', 'win')
    await end(2)
    expect(await raffleOf(post)).toMatchObject({ entrants: 1 })
  })

  test('waits for comments from before the end, at most ten minutes', async () => {
    const post = await publish({ minutes: 30 })
    await it.comment(post, 'Ana', 'me')
    await end(25)
    it.sandbox.faults.add({ match: /\/comments$/, times: 100, fault: { kind: 'reset' } })
    await end(14)
    expect(await raffleOf(post)).toMatchObject({ state: 'ended', entrants: 1, seed: null })
    await end(2)
    expect(await raffleOf(post)).toMatchObject({ state: 'drawn', entrants: 1 })
  })

  test('without entrants: it is still drawn', async () => {
    const post = await publish()
    await end()
    expect(await raffleOf(post)).toMatchObject({ state: 'drawn', entrants: 0, winners: [], entrantsSha256: sha256('') })
    expect(await findFaults(await exportOf(post))).toEqual([])
    await redraw(404, post, 1)
  })

  test('a superpower that is stopped before the end has no draw, and one stopped afterwards keeps its draw', async () => {
    const [early, late] = [await publish(), await publish()]
    for (const post of [early, late]) await it.comment(post, 'Ana', 'me')
    await end(30)
    const stop = (post: PublishedPost) =>
      it.operator(200, 'POST', `/scheduled-posts/${post.postId}/superpowers/${post.channelId}/stop`, { reason: 'Over' })
    await stop(early)
    expect(await raffleOf(early)).toMatchObject({ state: 'cancelled' })
    await end(45)
    await stop(late)
    expect(await raffleOf(early)).toMatchObject({ state: 'cancelled', seed: null, winners: [] })
    expect(await raffleOf(late)).toMatchObject({ state: 'drawn', winners: [{ rank: 1, notification: 'sent' }] })
    const path = `/scheduled-posts/${early.postId}/raffles/${early.channelId}`
    expect((await it.operator(409, 'GET', `${path}/export`)).headers['x-error-code']).toBe('raffle_not_drawn')
    await redraw(409, early, 1)
  })
})

describe('the seed', () => {
  test('has its hash shown from the approval on', async () => {
    const { tenant } = it.publisher
    const channelId = await it.publisher.channel('FB_PAGE')
    const endDate = new Date(it.clock.now() + 48 * HOUR_MS).toISOString()
    const superpower = answering({ takesPartInRaffle: true }, { raffle: { endDate } })
    const status = async (status: 'DRAFT' | 'SCHEDULED') => {
      const postId = await it.publisher.post({
        status,
        channels: [{ channelId, caption: 'Soon', superpower }],
      } as never)
      return ((await tenant.get(200, `/scheduled-posts/${postId}/raffles`)).body.items as PostRaffle[])[0]
    }
    expect(await status('DRAFT')).toMatchObject({ state: 'planned', seedSha256: null, seed: null })
    expect(await status('SCHEDULED')).toMatchObject({
      state: 'planned',
      seedSha256: expect.stringMatching(/^[\da-f]{64}$/),
    })
  })
})

describe('the draw', () => {
  test('with fewer entrants than winners lets all win', async () => {
    const post = await publish({ winners: 5 })
    await it.comment(post, 'Ana', 'me')
    await it.comment(post, 'Bo', 'me')
    await end()
    const { winners } = await raffleOf(post)
    expect(winners.map(({ rank }) => rank)).toEqual([1, 2])
    expect((await redraw(409, post, 1)).headers['x-error-code']).toBe('nobody_left')
  })

  test('is made once by two simultaneous processes', async () => {
    const post = await publish({ winners: 3 })
    await everybody(post)
    await end(30)
    it.clock.advance(45 * 60_000)
    await it.work()
    const other = { ...it.context, database: await it.publisher.openAnother() }
    const drawn = await Promise.all([drawRaffles(it.context), drawRaffles(other), drawRaffles(it.context)])
    expect(drawn.reduce((sum, count) => sum + count)).toBe(1)
    await Promise.all([planMessages(it.context), planMessages(other)])
    await draw()
    expect((await raffleOf(post)).winners).toMatchObject([
      { notification: 'sent' },
      { notification: 'sent' },
      { notification: 'sent' },
    ])
    expect(it.sandbox.messages).toHaveLength(3)
  })

  test('continues where a dead process left it: winners are stored before anything is sent', async () => {
    const post = await publish({ winners: 2 })
    await everybody(post)
    await end(30)
    it.clock.advance(45 * 60_000)
    await it.work()
    await drawRaffles(it.context)
    // It died here, before anything was planned.
    expect((await raffleOf(post)).winners).toMatchObject([
      { rank: 1, notification: 'waiting', way: null },
      { rank: 2, notification: 'waiting', way: null },
    ])
    expect(it.sandbox.messages).toEqual([])
    await planMessages(it.context)
    expect((await raffleOf(post)).winners).toMatchObject([
      { notification: 'waiting', way: 'private_reply' },
      { notification: 'waiting' },
    ])
    await draw()
    expect((await raffleOf(post)).winners).toMatchObject([{ notification: 'sent' }, { notification: 'sent' }])
  })

  test('reports the number to a webhook, and no names', async () => {
    const post = await publish({ winners: 2 })
    await everybody(post)
    await end()
    const { rows } = await it.context.database.query<{ type: string; data: object }>(
      `select type, data from events where organization_id = $1 and type = 'raffle.drawn'`,
      [it.publisher.tenant.organizationId],
    )
    const { postId: scheduledPostId, channelId } = post
    expect(rows).toEqual([{ type: 'raffle.drawn', data: { scheduledPostId, channelId, entrants: 6, winners: 2 } }])
  })
})

describe('a redraw', () => {
  test('takes the next rank, with its reason, and informs the new winner', async () => {
    const post = await publish({ winners: 2 })
    await everybody(post)
    await end()
    expect((await redraw(200, post, 1)).body).toMatchObject({ rank: 1, newRank: 3, reason: 'Nobody answers' })
    expect((await redraw(404, post, 1)).headers['x-error-code']).toBe('winner_not_found')
    await redraw(404, post, 4)
    await end(2)
    const drawn = await raffleOf(post)
    expect(drawn.winners).toMatchObject([
      { rank: 2, notification: 'sent' },
      { rank: 3, notification: 'sent' },
    ])
    expect(drawn.redraws).toMatchObject([{ rank: 1, newRank: 3, reason: 'Nobody answers' }])
    expect(it.sandbox.messages).toHaveLength(3)
    await redraw(200, post, 3)
    const proof = await exportOf(post)
    expect(proof.redraws).toMatchObject([
      { rank: 1, newRank: 3 },
      { rank: 3, newRank: 4 },
    ])
    expect(JSON.stringify(proof)).not.toContain('Nobody answers')
    expect(await findFaults(proof)).toEqual([])
    expect(await runScript(proof)).toContain('The draw holds: 2 of 6.')
    await expect(runScript({ ...proof, winnersLimit: 3 })).rejects.toThrow('This does not hold')
    const { body } = await it.operator(200, 'GET', '/audit?limit=5')
    expect(JSON.stringify(body)).toContain('redrawRaffle')
  })
})

describe('an erased person', () => {
  /** Erases the author of a comment. */
  async function erase(post: PublishedPost, commentId: string): Promise<void> {
    const { from } = (await it.ledger(post)).find((row) => row.commentId === commentId)!
    await wrote(post, from.id!, it.clock.now())
    await it.operator(200, 'DELETE', `/people/person_${from.id}`)
  }

  test('before the draw has not entered, and cannot enter again', async () => {
    const post = await publish({ winners: 6 })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.comment(post, 'Bo', 'me')
    await end(5)
    await erase(post, commentId)
    expect(await raffleOf(post)).toMatchObject({ entrants: 1 })
    await it.comment(post, 'Ana', 'me again')
    await end()
    expect(await raffleOf(post)).toMatchObject({
      state: 'drawn',
      entrants: 1,
      winners: [{ rank: 1, notification: 'sent' }],
    })
  })

  test('after the draw stays in the list without a name, and the proof still holds', async () => {
    const post = await publish({ winners: 6 })
    const commentIds = [await it.comment(post, 'Ana', 'me'), await it.comment(post, 'Bo', 'me')]
    await end()
    const before = await exportOf(post)
    await erase(post, commentIds[0]!)
    expect(await exportOf(post)).toEqual(before)
    expect(await findFaults(await exportOf(post))).toEqual([])
    const { winners } = await raffleOf(post)
    expect(winners.filter(({ conversationId }) => conversationId === null)).toMatchObject([
      { name: null, notification: 'sent' },
    ])
    const { rows } = await it.context.database.query<{ count: number }>(
      `select count(*) as count from raffle_entrants where organization_id = $1 and person_id is not null`,
      [it.publisher.tenant.organizationId],
    )
    expect(rows[0]!.count).toBe(1)
  })

  test('is recognized as the commenter by the conversation that only the answer to a private reply reveals', async () => {
    const post = await publish({ group: { privateReplies: [{ text: 'Good luck' }] } })
    await it.comment(post, 'Ana', 'me')
    await end(5)
    const { recipientId } = it.sandbox.messages[0]!
    await wrote(post, recipientId, it.clock.now())
    await it.operator(200, 'DELETE', `/people/person_${recipientId}`)
    expect(await raffleOf(post)).toMatchObject({ entrants: 0 })
    expect(await it.ledger(post)).toMatchObject([{ from: { id: null, name: null }, text: null }])
  })

  test('no longer gets a message', async () => {
    const post = await publish()
    const commentId = await it.comment(post, 'Ana', 'me')
    await end(30)
    it.clock.advance(45 * 60_000)
    await it.work()
    await drawRaffles(it.context)
    await erase(post, commentId)
    await draw()
    expect((await raffleOf(post)).winners).toMatchObject([
      { conversationId: null, name: null, notification: 'not_sent', reason: 'person_forgotten' },
    ])
    expect(it.sandbox.messages).toEqual([])
  })
})

test('a channel and an organization delete their raffles', async () => {
  const post = await publish()
  await it.comment(post, 'Ana', 'me')
  await end()
  await it.operator(200, 'DELETE', `/channels/${post.channelId}?force=true`)
  for (const table of ['raffles', 'raffle_entrants', 'raffle_winners']) {
    const { rows } = await it.context.database.query(`select from ${table} where organization_id = $1`, [
      it.publisher.tenant.organizationId,
    ])
    expect(rows).toHaveLength(0)
  }
})

test('people whom a human answered first enter without a message, and excluded people are counted by reason', async () => {
  const conditions = [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', values: ['win'] }]
  const post = await publish({ winners: 9, startsInMinutes: 10, group: { conditions } })
  await it.comment(post, 'Early', 'win')
  await end(12)
  const answered = await it.comment(post, 'Ana', 'win')
  await it.sandbox.comments.answerAsHuman(answered, 'publicly')
  await it.comment(post, 'Bo', 'win')
  for (const name of ['Chen', 'Chen', 'Dina']) await it.comment(post, name, 'hello')
  await it.comment(post, 'Emre', 'STOP')
  await it.comment(post, 'Nobody', 'win', { isAnonymous: true })
  await end()
  expect((await it.ledger(post)).find(({ commentId }) => commentId === answered)).toMatchObject({
    ...{ reason: 'human_first', effects: [] },
  })
  const drawn = await raffleOf(post)
  const leftOut = [
    { reason: 'no_match', people: 2 },
    { reason: 'no_part', people: 1 },
    { reason: 'no_person', people: 1 },
    { reason: 'opted_out', people: 1 },
  ]
  expect(drawn).toMatchObject({ state: 'drawn', entrants: 2, leftOut, beacon: null })
  const outcomes = drawn.winners.map(({ name, notification, reason }) => [name, notification, reason]).toSorted()
  expect(outcomes).toEqual([
    ['Ana', 'not_sent', 'human_first'],
    ['Bo', 'sent', null],
  ])
  expect(it.sandbox.messages).toHaveLength(1)
  const proof = await exportOf(post)
  expect(proof).toMatchObject({ version: 2, beacon: null, leftOut })
  expect(JSON.stringify(proof)).not.toContain('Ana')
  expect(await findFaults(proof)).toEqual([])
})

describe('informing winners', () => {
  const outcomesOf = async (post: PublishedPost) =>
    (await raffleOf(post)).winners.map(({ notification, way, reason }) => [notification, way, reason])
  const answers = { privateReplies: [{ text: 'Good luck' }] }

  test('a winner who already got the private reply of the comment and did not write is left to a human', async () => {
    const post = await publish({ group: answers })
    await it.comment(post, 'Ana', 'me')
    await end()
    expect(await outcomesOf(post)).toEqual([['not_sent', null, 'private_reply_used']])
    expect((await raffleOf(post)).winners[0]!.conversationId).toBe(it.sandbox.messages[0]!.recipientId)
    expect(it.sandbox.messages).toHaveLength(1)
  })

  test('a winner who wrote within 24 hours gets a message', async () => {
    const post = await publish({ group: answers })
    const commentId = await it.comment(post, 'Ana', 'me')
    await end(30)
    await it.sandbox.comments.write({ pageId: post.pageId, from: 'Ana', text: 'thanks' })
    const { recipientId } = it.sandbox.messages[0]!
    await wrote(post, recipientId, it.clock.now())
    await end(35)
    expect(await outcomesOf(post)).toEqual([['sent', 'message', null]])
    expect(it.sandbox.messages).toMatchObject([
      { commentId, text: 'Good luck' },
      { commentId: undefined, recipientId, text: 'You won!' },
    ])
    const [row] = await it.ledger(post)
    expect(effectsOf(row!)).toEqual(['private_reply done', 'message done'])
  })

  test('a winner who wrote earlier is left to a human', async () => {
    const post = await publish({ group: answers, minutes: 26 * 60 })
    await it.comment(post, 'Ana', 'me')
    await end(5)
    await wrote(post, it.sandbox.messages[0]!.recipientId, it.clock.now())
    it.clock.advance(26 * HOUR_MS)
    await end(2)
    expect(await outcomesOf(post)).toEqual([['not_sent', null, 'private_reply_used']])
  })

  test('another comment of the same person also works, but not an old one', async () => {
    const conditions = [{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', values: ['win'] }]
    const post = await publish({ group: { ...answers, conditions } })
    await it.comment(post, 'Ana', 'win')
    const second = await it.comment(post, 'Ana', 'hello')
    await end()
    expect(await outcomesOf(post)).toEqual([['sent', 'private_reply', null]])
    expect(it.sandbox.messages[1]).toMatchObject({ commentId: second, text: 'You won!' })
    const old = await publish({ minutes: 8 * 24 * 60 })
    await it.comment(old, 'Ana', 'me')
    await end(2)
    it.clock.advance(8 * 24 * HOUR_MS)
    await end(12)
    expect(await outcomesOf(old)).toEqual([['not_sent', null, 'window']])
  })

  test('a superpower without a message, an opt-out, a lost answer and a refusal have their reasons', async () => {
    const silent = await publish({ raffle: { winnersPrivateReply: undefined } })
    const stopping = await publish()
    const lost = await publish()
    for (const post of [silent, stopping, lost]) await it.comment(post, 'Ana', 'me')
    await end(5)
    await it.comment(stopping, 'Ana', 'STOP')
    await end(50)
    it.sandbox.faults.add({ match: new RegExp(`${lost.pageId}/messages$`), fault: { kind: 'accepted-then-reset' } })
    await end(10)
    expect(await outcomesOf(silent)).toEqual([['not_sent', null, 'no_message']])
    expect(await outcomesOf(stopping)).toEqual([['not_sent', null, 'opted_out']])
    expect(await outcomesOf(lost)).toEqual([['unknown', 'private_reply', 'answer_lost']])
    expect(it.sandbox.messages).toHaveLength(1)
  })

  test('a winner gets a turn before planned replies', async () => {
    const post = await publish({ minutes: 30 })
    await it.comment(post, 'Ana', 'me')
    const busy = await it.publish(answering({ publicReplies: [] }), { channelId: post.channelId })
    await end(29)
    for (let person = 0; person < 60; person++) await it.comment(busy, `Person ${person}`, 'me')
    await end(3)
    const texts = it.sandbox.messages.map(({ text }) => text)
    expect(await outcomesOf(post)).toEqual([['sent', 'private_reply', null]])
    expect(texts.length).toBeLessThan(40)
  })

  test('a channel that is off at the end has its draw, and sends nothing', async () => {
    const post = await publish()
    await it.comment(post, 'Ana', 'me')
    await end(5)
    await it.switch(post.channelId, 'off')
    await end(70)
    expect(await outcomesOf(post)).toEqual([['not_sent', 'private_reply', 'switched_off']])
  })
})

/** Runs the script of docs/raffles.md to verify an export, in its own process. */
async function runScript(proof: RaffleExport): Promise<string> {
  const [, script] = /```js\n([\s\S]+?)```/.exec(readFileSync('docs/raffles.md', 'utf8'))!
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-raffle-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const [program, file] = [join(directory, 'verify.mjs'), join(directory, 'raffle.json')]
  writeFileSync(program, script!)
  writeFileSync(file, JSON.stringify(proof))
  return (await promisify(execFile)(process.execPath, [program, file])).stdout
}

/** Simulates the platform's report that a person wrote: the time of the conversation. */
async function wrote(post: PublishedPost, conversationId: string, atMs: number): Promise<void> {
  const { organizationId } = it.publisher.tenant
  await it.context.database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, last_user_message_at_ms)
     values ($1, $2, $3, $4, $5)
         on conflict (organization_id, channel_id, conversation_id) do update set last_user_message_at_ms = $5`,
    [organizationId, post.channelId, conversationId, `person_${conversationId}`, atMs],
  )
}
