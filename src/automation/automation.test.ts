import { beforeEach, describe, expect, test } from 'vitest'
import { REFUSALS } from '../../packages/sandbox/src/comments/refusals.js'
import { commentedThenFailsFault } from '../../packages/sandbox/src/make-faults.js'
import { AutomationTest, answering, effectsOf, type PublishedPost } from '../../test/automation-harness.js'
import type { OrganizationChannel } from '../interface/generated/types.js'

let it: AutomationTest
beforeEach(async () => {
  it = await AutomationTest.start()
})

const HOUR = 60

/** The row of a comment. */
const rowOf = async (post: PublishedPost, commentId: string) =>
  (await it.ledger(post)).find((row) => row.commentId === commentId)!

describe.each(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const)('a comment on %s', (type) => {
  test('gets the private reply, then the public one, and the like, each once', async () => {
    const post = await it.publish(answering({ autoLike: true }), { type })
    const commentId = await it.comment(post, 'Ana', 'I want it')
    await it.minute(3)
    const [row, ...rest] = await it.ledger(post)
    expect(row).toMatchObject({ commentId, channelId: post.channelId, text: 'I want it', group: 0, reason: 'matched' })
    expect(effectsOf(row!)).toEqual(['private_reply done', 'public_reply done', 'like done'])
    expect(it.sandbox.messages).toMatchObject([{ commentId, text: 'Here is your link' }])
    expect(it.sandbox.replies).toMatchObject([{ commentId, text: expect.stringMatching(/^Sent, @?\w/) }])
    expect(it.sandbox.likes).toMatchObject([{ commentId, isRepeat: false }])
    // Reading finds our own reply too.
    expect(rest).toMatchObject([{ reason: 'own_comment', effects: [] }])
  })

  test('is decided by the first group that matches, in order', async () => {
    const words = (values: string[]) => [
      { conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE', values },
    ]
    const post = await it.publish(
      {
        conditionGroups: [
          { conditions: words(['price', 'quanto custa']), privateReplies: [{ text: 'It is 10.' }] },
          { conditions: words(['#verão']), privateReplies: [{ text: 'Summer!' }] },
        ],
      },
      { type },
    )
    const asked = await it.comment(post, 'Ana', 'QUANTO  custa??')
    const summer = await it.comment(post, 'Bo', 'que verão')
    const none = await it.comment(post, 'Chen', 'priceless')
    await it.minute()
    expect(await rowOf(post, asked)).toMatchObject({ group: 0, reason: 'matched' })
    expect(await rowOf(post, summer)).toMatchObject({ group: 1, reason: 'matched' })
    expect(await rowOf(post, none)).toMatchObject({ group: null, reason: 'no_match', effects: [] })
    expect(it.sandbox.messages.map(({ text }) => text).sort()).toEqual(['It is 10.', 'Summer!'])
  })

  test.each([
    ['is lost', { kind: 'accepted-then-reset' } as const],
    ['is an error that hides a message', commentedThenFailsFault()],
  ])('an answer that %s is unknown, is never sent again, and is not announced', async (_what, fault) => {
    const post = await it.publish(answering(), { type })
    it.sandbox.faults.add({ match: /\/messages$/, fault })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute(HOUR)
    expect(effectsOf(await rowOf(post, commentId))).toEqual([
      'private_reply unknown answer_lost',
      'public_reply skipped no_private_reply',
    ])
    expect(it.sandbox.messages).toHaveLength(1)
    expect(it.sandbox.replies).toEqual([])
  })

  test('waits while the platform throttles, and is answered then', async () => {
    const post = await it.publish(answering(), { type })
    it.sandbox.faults.add({ match: /\/messages$/, fault: { kind: 'answer', answer: REFUSALS.tooManyCalls } })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute()
    expect(effectsOf(await rowOf(post, commentId))[0]).toBe('private_reply planned throttled')
    await it.minute(30)
    expect(effectsOf(await rowOf(post, commentId))).toEqual(['private_reply done', 'public_reply done'])
  })
})

describe('switches', () => {
  test('off decides and does nothing, and comments older than the switch are ignored', async () => {
    const post = await it.publish(answering(), { automation: 'off' })
    const early = await it.comment(post, 'Ana', 'first')
    await it.minute()
    expect(await it.ledger(post)).toEqual([])
    await it.switch(post.channelId, 'on')
    const late = await it.comment(post, 'Bo', 'second')
    await it.minute(2)
    expect(await rowOf(post, early)).toMatchObject({ reason: 'before_switch', effects: [] })
    expect(await rowOf(post, late)).toMatchObject({ reason: 'matched' })
    expect(it.sandbox.messages).toMatchObject([{ commentId: late }])
  })

  test('a dry run records what it would do, and sends nothing', async () => {
    const post = await it.publish(answering({ autoLike: true }), { automation: 'shadow' })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute(2)
    expect(effectsOf(await rowOf(post, commentId))).toEqual([
      'private_reply skipped dry_run',
      'public_reply skipped dry_run',
      'like skipped dry_run',
    ])
    expect([it.sandbox.messages, it.sandbox.replies, it.sandbox.likes]).toEqual([[], [], []])
  })

  test('a dry run uses up no limit: people answered only in it are answered once it is on', async () => {
    const post = await it.publish(answering({ usersLimit: 1, timeLimit: 100 }), { automation: 'shadow' })
    const dry = await it.comment(post, 'Ana', 'me')
    const over = await it.comment(post, 'Bo', 'me')
    await it.minute(2)
    expect(await rowOf(post, dry)).toMatchObject({ reason: 'matched' })
    expect(await rowOf(post, over)).toMatchObject({ reason: 'users_limit' })
    await it.switch(post.channelId, 'on')
    it.clock.advance(60_000)
    const first = await it.comment(post, 'Ana', 'me again')
    await it.minute(2)
    const again = await it.comment(post, 'Ana', 'and again')
    const other = await it.comment(post, 'Bo', 'me too')
    await it.minute(2)
    expect(await rowOf(post, first)).toMatchObject({ reason: 'matched' })
    expect(await rowOf(post, again)).toMatchObject({ reason: 'time_limit' })
    expect(await rowOf(post, other)).toMatchObject({ reason: 'users_limit' })
    expect(it.sandbox.messages).toMatchObject([{ commentId: first }])
    // A dry run knows who was answered.
    await it.switch(post.channelId, 'shadow')
    it.clock.advance(60_000)
    const later = await it.comment(post, 'Ana', 'once more')
    await it.minute(2)
    expect(await rowOf(post, later)).toMatchObject({ reason: 'time_limit' })
  })

  test.each([
    'channel',
    'organization',
    'post',
  ] as const)('%s: planned effects are skipped once it is off', async (at) => {
    const post = await it.publish(answering({ delayDMReplyInHours: 1 }))
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute()
    expect(effectsOf(await rowOf(post, commentId))).toEqual(['private_reply planned', 'public_reply planned'])
    if (at === 'channel') await it.switch(post.channelId, 'off')
    if (at === 'organization') await it.operator(200, 'PATCH', '', { automation: 'off' })
    if (at === 'post') {
      const path = `/scheduled-posts/${post.postId}/superpowers/${post.channelId}/stop`
      await it.operator(200, 'POST', path, { reason: 'Sold out' })
    }
    await it.minute(HOUR + 5)
    const reason = at === 'post' ? 'stopped' : 'switched_off'
    expect(effectsOf(await rowOf(post, commentId))).toEqual([
      `private_reply skipped ${reason}`,
      'public_reply skipped no_private_reply',
    ])
    expect(it.sandbox.messages).toEqual([])
    const after = await it.comment(post, 'Bo', 'me too')
    await it.minute(HOUR)
    if (at === 'post') expect(await it.report(post)).toMatchObject({ stopped: { reason: 'Sold out' } })
    else expect(await rowOf(post, after)).toBeUndefined()
    expect(it.sandbox.messages).toEqual([])
  })

  test.each([
    'channel',
    'organization',
  ] as const)('%s: effects planned earlier are not made when it is on again', async (at) => {
    const post = await it.publish(answering({ delayDMReplyInHours: 1, autoLike: true }))
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute()
    const path = at === 'channel' ? `/channels/${post.channelId}` : ''
    await it.operator(200, 'PATCH', path, { automation: 'off' })
    await it.minute()
    await it.operator(200, 'PATCH', path, { automation: 'on' })
    await it.minute(HOUR)
    expect(effectsOf(await rowOf(post, commentId))).toEqual([
      'private_reply skipped switched_off',
      'public_reply skipped no_private_reply',
      'like done',
    ])
    expect(it.sandbox.messages).toEqual([])
  })

  test('a stop skips everything planned for its post, and nothing of another post on the channel', async () => {
    const stopped = await it.publish(answering({ autoLike: true }))
    const other = await it.publish(answering(), { channelId: stopped.channelId })
    // More than one statement skips effects.
    const names = Array.from({ length: 110 }, (_, index) => `Person ${index}`)
    for (const name of names) await it.comment(stopped, name, 'me')
    const kept = await it.comment(other, 'Ana', 'me')
    await it.work()
    const path = `/scheduled-posts/${stopped.postId}/superpowers/${stopped.channelId}/stop`
    await it.operator(200, 'POST', path, { reason: 'Sold out' })
    await it.minute()
    const rows = (await it.ledger(stopped)).filter(({ reason }) => reason === 'matched')
    expect(rows).toHaveLength(names.length)
    const ended = rows.flatMap((row) => effectsOf(row))
    const isDone = (effect: string): boolean => effect.endsWith(' done')
    expect(ended).toHaveLength(3 * names.length)
    expect(ended.filter(isDone).length).toBeLessThan(100)
    expect([...new Set(ended.filter((effect) => !isDone(effect)))].sort()).toEqual([
      'like skipped stopped',
      'private_reply skipped stopped',
      'public_reply skipped no_private_reply',
      'public_reply skipped stopped',
    ])
    expect(effectsOf(await rowOf(other, kept))).toEqual(['private_reply done', 'public_reply done'])
  })

  test('after a pause of the process effects are not made in a burst: those an hour late are skipped', async () => {
    const post = await it.publish(answering({ delayDMReplyInHours: 0.5 }))
    const planned = await it.comment(post, 'Ana', 'me')
    await it.minute()
    const missed = await it.comment(post, 'Bo', 'me')
    it.clock.advance(2 * 3_600_000)
    const fresh = await it.comment(post, 'Chen', 'me')
    await it.minute(40)
    expect(effectsOf(await rowOf(post, planned))).toEqual([
      'private_reply skipped late',
      'public_reply skipped no_private_reply',
    ])
    expect(effectsOf(await rowOf(post, missed))).toEqual([
      'private_reply skipped late',
      'public_reply skipped no_private_reply',
    ])
    expect(effectsOf(await rowOf(post, fresh))).toEqual(['private_reply done', 'public_reply done'])
  })

  test('a queue behind a limit is not a pause: people who wait for hours are answered', async () => {
    const post = await it.publish(answering())
    await it.operator(200, 'PATCH', `/channels/${post.channelId}`, { privateRepliesPerHour: 1 })
    for (const name of ['Ana', 'Bo', 'Chen', 'Davi']) await it.comment(post, name, 'me')
    await it.minute(4 * HOUR + 10, 25)
    const sent = it.sandbox.messages.map(({ at }) => at)
    expect(sent).toHaveLength(4)
    for (const [index, at] of sent.entries())
      if (index > 0) expect(at - sent[index - 1]!).toBeGreaterThanOrEqual(3_600_000)
  })
})

describe('people', () => {
  test('who ask to stop get nothing from then on', async () => {
    const post = await it.publish(answering())
    const comment = await it.comment(post, 'Ana', ' Stop! ')
    await it.minute()
    const later = await it.comment(post, 'Ana', 'I want it')
    const other = await it.comment(post, 'Bo', 'do not stop')
    await it.minute()
    expect(await rowOf(post, comment)).toMatchObject({ reason: 'opted_out' })
    expect(await rowOf(post, later)).toMatchObject({ reason: 'opted_out' })
    expect(await rowOf(post, other)).toMatchObject({ reason: 'matched' })
    const { body } = await it.operator(200, 'GET', `/channels/${post.channelId}/opt-outs`)
    expect(body.items).toMatchObject([{ source: 'comment' }])
  })

  test('answered first by a human at the page are left to the human', async () => {
    const post = await it.publish(answering({ delayDMReplyInHours: 0.5, delayPublicReplyInHours: 0.5 }))
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute(2)
    await it.sandbox.comments.answerAsHuman(commentId, 'publicly')
    await it.minute(HOUR)
    expect(effectsOf(await rowOf(post, commentId))).toEqual([
      'private_reply skipped human_first',
      'public_reply skipped human_first',
    ])
    const second = await it.comment(post, 'Bo', 'me')
    await it.sandbox.comments.answerAsHuman(second, 'inbox')
    await it.minute(HOUR)
    expect(effectsOf(await rowOf(post, second))[0]).toMatch(/^private_reply refused/)
    expect(it.sandbox.messages).toEqual([])
  })

  test('limits for people and times apply, for a group and overall', async () => {
    const post = await it.publish(
      answering({ usersLimit: 2, timeLimit: 1, timeLimitUnit: 'HOUR' }, { globalTimeLimit: 2 }),
    )
    const first = await it.comment(post, 'Ana', '1')
    const again = await it.comment(post, 'Ana', '2')
    const second = await it.comment(post, 'Bo', '3')
    const third = await it.comment(post, 'Chen', '4')
    await it.minute()
    for (const [id, reason] of [
      [first, 'matched'],
      [again, 'time_limit'],
      [second, 'matched'],
      [third, 'users_limit'],
    ] as const) {
      expect(await rowOf(post, id)).toMatchObject({ reason })
    }
    await it.minute(90)
    const early = await it.comment(post, 'Ana', '5')
    await it.minute(35)
    const late = await it.comment(post, 'Ana', '6')
    await it.minute(35)
    expect(await rowOf(post, early)).toMatchObject({ reason: 'time_limit' })
    expect(await rowOf(post, late)).toMatchObject({ reason: 'matched' })
  })
})

test.each([
  'FB_PAGE',
  'INSTAGRAM_ACCOUNT',
] as const)('%s: comments beneath our reply are not answered', async (type) => {
  const post = await it.publish(answering(), { type })
  const commentId = await it.comment(post, 'Ana', 'me')
  const other = await it.comment(post, 'Bo', 'hm')
  await it.minute()
  const thanks = await it.comment(post, 'Ana', 'thanks!', { parentId: commentId })
  await it.minute(2)
  expect(await rowOf(post, thanks)).toMatchObject({ reason: 'reply_to_us', effects: [] })
  expect(await rowOf(post, other)).toMatchObject({ reason: 'matched' })
  expect(it.sandbox.messages).toHaveLength(2)
})

describe('the platform', () => {
  test('a block stops the channel until it is switched on again', async () => {
    const post = await it.publish(answering())
    it.sandbox.faults.add({ match: /\/messages$/, fault: { kind: 'answer', answer: REFUSALS.blocked } })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute(5)
    expect(effectsOf(await rowOf(post, commentId))[0]).toBe('private_reply planned channel_stopped')
    expect(await it.report(post)).toMatchObject({ problem: expect.stringContaining('abusive') })
    await it.switch(post.channelId, 'on')
    await it.minute(5)
    expect(effectsOf(await rowOf(post, commentId))).toEqual(['private_reply done', 'public_reply done'])
    expect(await it.report(post)).toMatchObject({ problem: null })
  })

  test("comments on a page's video use another id", async () => {
    const post = await it.publish(answering(), { mediaType: 'VIDEO' })
    const commentId = await it.comment(post, 'Ana', 'me')
    await it.minute(2)
    expect(effectsOf(await rowOf(post, commentId))).toEqual(['private_reply done', 'public_reply done'])
  })

  test('the last reading of a post is repeated if it fails, and is eventually abandoned', async () => {
    const post = await it.publish(answering({}, { expirationDate: it.clock.now() + 1_800_000 }))
    await it.minute()
    const commentId = await it.comment(post, 'Ana', 'me')
    it.clock.advance(2 * 3_600_000)
    it.sandbox.faults.add({ match: /\/comments$/, times: 4, fault: { kind: 'answer', answer: REFUSALS.failedService } })
    await it.minute(10)
    expect(await rowOf(post, commentId)).toMatchObject({ reason: 'matched' })
    const other = await it.publish(answering({}, { expirationDate: it.clock.now() + 60_000 }))
    it.sandbox.faults.add({
      match: /\/comments$/,
      times: 999,
      fault: { kind: 'answer', answer: REFUSALS.failedService },
    })
    for (let hour = 0; hour < 30; hour++) {
      it.clock.advance(3_600_000)
      await it.work()
    }
    const { rows } = await it.context.database.query(
      'select next_attempt_at, attempts from automation_posts where scheduled_post_id = $1',
      [other.postId],
    )
    expect(rows).toEqual([{ next_attempt_at: null, attempts: 26 }])
  })

  test('the list of channels shows the newest comment and the last reading, across all posts', async () => {
    const first = await it.publish(answering())
    const second = await it.publish(answering(), { channelId: first.channelId })
    const { channelId: otherId } = await it.publish(answering())
    const seen = async (channelId: string): Promise<OrganizationChannel> =>
      (await it.operator(200, 'GET', '/channels')).body.find(({ id }: OrganizationChannel) => id === channelId)
    expect(await seen(first.channelId)).toMatchObject({ newestCommentAt: null, commentsReadAt: null })
    await it.comment(second, 'Ana', 'me')
    await it.minute()
    await it.comment(first, 'Bo', 'me')
    await it.minute()
    const { newestCommentAt, lastReadAt } = await it.report(first)
    expect(newestCommentAt).not.toBeNull()
    expect(await seen(first.channelId)).toMatchObject({ newestCommentAt, commentsReadAt: lastReadAt })
    expect(await seen(otherId)).toMatchObject({ newestCommentAt: null, commentsReadAt: expect.any(String) })
  })

  test('a post is read every minute in its first hour, then less often, and for at most 7 days', async () => {
    const post = await it.publish(answering())
    const reads = () => it.sandbox.requests.filter(({ path }) => path.includes(`/${post.externalId}/comments`)).length
    await it.minute(20, 20)
    const first = reads()
    expect(first).toBeGreaterThan(17)
    it.clock.advance(40 * 60_000)
    await it.work()
    const second = reads()
    await it.minute(20, 20)
    expect(reads() - second).toBeLessThanOrEqual(5)
    it.clock.advance(8 * 86_400_000)
    await it.minute()
    const last = reads()
    await it.minute(20, 20)
    expect(reads()).toBe(last)
  })
})
