import { beforeEach, describe, expect, test } from 'vitest'
import { AutomationTest, answering, effectsOf } from '../../test/automation-harness.js'

let it: AutomationTest
beforeEach(async () => {
  it = await AutomationTest.start()
})

describe.each(['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const)('a comment on %s', (type) => {
  test('gets the private reply, then the public one, and the like, each once', async () => {
    const post = await it.out(answering({ autoLike: true }), { type })
    const commentId = await it.comment(post, 'Ana', 'I want it')
    await it.minute(3)
    const [row, ...rest] = await it.ledger(post)
    expect(row).toMatchObject({ commentId, channelId: post.channelId, text: 'I want it', group: 0, reason: 'matched' })
    expect(effectsOf(row!)).toEqual(['private_reply done', 'public_reply done', 'like done'])
    expect(it.sandbox.messages).toMatchObject([{ commentId, text: 'Here is your link' }])
    expect(it.sandbox.replies).toMatchObject([{ commentId, text: expect.stringMatching(/^Sent, @?\w/) }])
    expect(it.sandbox.likes).toMatchObject([{ commentId, isRepeat: false }])
    // Our own reply is found by reading as well.
    expect(rest).toMatchObject([{ reason: 'own_comment', effects: [] }])
  })
})
