import { beforeEach, expect, test } from 'vitest'
import { PostComments } from '../../../src/console/posts/comments.tsx'
import { PostRaffles, RaffleProofs } from '../../../src/console/posts/raffles.tsx'
import { SuperpowerDialog } from '../../../src/console/posts/superpower-dialog.tsx'
import { TryOut } from '../../../src/console/posts/try-out.tsx'
import { Channels } from '../../../src/console/settings/channels.tsx'
import { OrganizationSettings } from '../../../src/console/settings/organization.tsx'
import type {
  DecidedComment,
  Explanation,
  OptOut,
  OrganizationChannel,
  PostRaffle,
  RaffleWinner,
  Superpower,
  SuperpowerReport,
} from '../../../src/interface/generated/types.ts'
import { button, field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakeService } from './service.ts'

const ORG = '/organizations/org_1'
const POST = `${ORG}/scheduled-posts/post_1`
const CHANNEL: OrganizationChannel = {
  ...{ id: 'FB_PAGE_1', type: 'FB_PAGE', name: 'Our page', status: 'connected', subscription: null },
  ...{ automation: 'off', automatedNotice: null, privateRepliesPerHour: 200, automationProblem: null },
  ...{ newestCommentAt: '2026-11-20T09:20:00Z', commentsReadAt: null },
}
const REPORT: SuperpowerReport = {
  ...{ channelId: 'FB_PAGE_1', automation: 'on', stopped: null, problem: null, readProblem: null },
  ...{
    publishedAt: '2026-11-20T09:00:00Z',
    lastReadAt: '2026-11-20T09:30:00Z',
    newestCommentAt: '2026-11-20T09:20:00Z',
  },
  comments: { total: 3, byReason: { matched: 2, no_match: 1 } },
  groups: [{ group: 0, matched: 2 }],
  effects: [
    { group: 0, effect: 'private_reply', state: 'done', reason: null, count: 1 },
    { group: 0, effect: 'private_reply', state: 'unknown', reason: 'answer_lost', count: 1 },
  ],
  replies: [],
}
const commentOf = (commentId: string, changes: Partial<DecidedComment> = {}): DecidedComment => ({
  ...{ commentId, channelId: 'FB_PAGE_1', text: `Text ${commentId}`, at: '2026-11-20T09:10:00Z' },
  ...{ from: { id: '77', name: 'Ana' }, group: 0, reason: 'matched' },
  effects: [
    { effect: 'private_reply', state: 'done', reason: null, at: '2026-11-20T09:10:05Z', text: 'Your link' },
    { effect: 'public_reply', state: 'skipped', reason: 'no_private_reply', at: '2026-11-20T09:10:05Z', text: 'Sent!' },
  ],
  ...changes,
})
const manages = {
  permissions: ['channels:read', 'posts:read', 'settings:write', 'automation:manage', 'superpowers:read'],
}
const submit = (): void => [...document.querySelectorAll('dialog form')].at(-1)!.closest('form')!.requestSubmit()

let service: FakeService
let report: SuperpowerReport
beforeEach(() => {
  service = new FakeService()
  report = REPORT
  service.on('GET', `${ORG}/channels`, { body: [CHANNEL] })
  service.on('GET', `${POST}/superpowers`, () => ({ body: { items: [report] } }))
})

test('the comments of a post show the author, the text, the decision, and its effects', async () => {
  const comments = [
    commentOf('1'),
    commentOf('2', { reason: 'no_match', group: null, effects: [], from: { id: null, name: null } }),
  ]
  service.on('GET', `${POST}/comments`, { body: { items: comments, nextCursor: null } })
  show(<PostComments id="post_1" />, { permissions: ['posts:read', 'channels:read'] })
  await untilShown('Text 1')
  for (const text of ['Ana', 'Private reply: sent', 'Your link', 'Public reply: skipped', 'did not go out']) {
    expect(textOf()).toContain(text)
  }
  expect(textOf()).toContain('No condition matches')
  expect(textOf()).toContain('Unknown person')
  expect(textOf()).toContain('3 comments, 2 matched')
  expect(textOf()).toContain('1 unknown')
  // A reader cannot stop anything.
  expect(textOf()).not.toContain('Stop the superpower')
})

test('more comments are read on demand, and none is shown twice', async () => {
  const pages: Record<string, object> = {
    '': { items: Array.from({ length: 20 }, (_, n) => commentOf(`a${n}`)), nextCursor: 'next' },
    next: { items: [commentOf('b')], nextCursor: null },
  }
  service.on('GET', `${POST}/comments`, ({ path }) => ({
    body: pages[new URL(`http://x${path}`).searchParams.get('after') ?? '']!,
  }))
  show(<PostComments id="post_1" />, manages)
  await untilShown('Text a19')
  expect(textOf()).not.toContain('Text b')
  await press('Show more')
  await untilShown('Text b')
  expect(textOf().split('Text a19').length).toBe(2)
})

test('a superpower is stopped with a reason, and shows it', async () => {
  service.on('GET', `${POST}/comments`, { body: { items: [], nextCursor: null } })
  service.on('POST', `${POST}/superpowers/FB_PAGE_1/stop`, () => {
    report = { ...REPORT, stopped: { at: '2026-11-20T10:00:00Z', reason: 'Sold out' } }
    return { body: { scheduledPostId: 'post_1', channelId: 'FB_PAGE_1', stoppedAt: '', reason: 'Sold out' } }
  })
  show(<PostComments id="post_1" />, manages)
  await untilShown('No comments yet')
  await press('Stop the superpower Our page')
  await until(() => type(field<HTMLTextAreaElement>('Reason'), 'Sold out'))
  submit()
  await untilShown(': Sold out')
  expect(service.made('POST', `${POST}/superpowers/FB_PAGE_1/stop`)).toMatchObject([{ body: { reason: 'Sold out' } }])
  expect(textOf()).not.toContain('Stop the superpower')
})

test('the author of a comment can be opted out, but not if the page wrote it', async () => {
  const own = commentOf('own', { from: { id: '1', name: 'Our page' }, reason: 'own_comment', effects: [] })
  service.on('GET', `${POST}/comments`, { body: { items: [own, commentOf('c1')], nextCursor: null } })
  service.on('PUT', `${ORG}/channels/FB_PAGE_1/opt-outs/77`, { body: { channelId: 'FB_PAGE_1', fromId: '77' } })
  show(<PostComments id="post_1" />, manages)
  await press('Opt out Ana')
  await untilShown('Send Ana no automatic messages?')
  submit()
  await untilShown('Ana no longer gets automatic messages')
  expect(textOf()).not.toContain('Opt out Our page')
})

test('a published post without a superpower shows no comments', async () => {
  service.on('GET', `${POST}/superpowers`, { body: { items: [] } })
  service.on('GET', `${POST}/comments`, { body: { items: [], nextCursor: null } })
  show(<PostComments id="post_1" />, manages)
  await until(() => expect(textOf()).not.toContain('Comments'))
})

test('a channel is switched on, with its notice and limit; a stop by the platform is reported', async () => {
  let channel: OrganizationChannel = {
    ...CHANNEL,
    automationProblem: { reason: 'Deemed abusive', at: '2026-11-20T09:00:00Z' },
  }
  service.on('GET', `${ORG}/workspaces`, { body: [] })
  service.on('GET', `${ORG}/channels`, () => ({ body: [channel] }))
  service.on('PATCH', `${ORG}/channels/FB_PAGE_1`, ({ body }) => {
    channel = { ...channel, ...(body as object), automationProblem: null }
    return { body: channel }
  })
  show(<Channels />, manages)
  await untilShown('Superpowers are off')
  expect(textOf()).toContain('Deemed abusive')
  expect(textOf()).toContain('Newest comment 20 Nov')
  expect(textOf()).not.toContain('Comments last read')
  await press('Superpowers Our page')
  await until(() => type(field<HTMLTextAreaElement>('Notice'), 'Automatic'))
  const mode = field<HTMLSelectElement>('Superpowers')
  mode.value = 'on'
  submit()
  await untilShown('Superpowers are on')
  expect(service.made('PATCH', `${ORG}/channels/FB_PAGE_1`)).toMatchObject([
    { body: { automation: 'on', automatedNotice: 'Automatic', privateRepliesPerHour: 200 } },
  ])
  expect(textOf()).not.toContain('Deemed abusive')
})

test("the organization's switch is at the top, only for people who may use it", async () => {
  service.on('PATCH', ORG, ({ body }) => ({ body }))
  show(<OrganizationSettings />, { permissions: ['settings:write'] })
  await untilShown('Save')
  expect(() => button('Change')).toThrow('no button')
  show(<OrganizationSettings />, manages)
  await press('Change')
  await untilShown('The limit for all channels')
  const choice = document.querySelector<HTMLInputElement>('input[name=automation][value=off]')!
  choice.checked = true
  expect(service.made('PATCH', ORG)).toEqual([])
  document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
  await until(() => expect(service.made('PATCH', ORG)).toMatchObject([{ body: { automation: 'off' } }]))
})

test('a superpower is tried: it shows what would be sent, what is not executed, and what to check', async () => {
  const explanation: Explanation = {
    comments: [
      {
        ...{ commentId: 'c', text: 'price?', group: 1, reason: 'matched', entersRaffle: false },
        effects: [
          { effect: 'private_reply', state: 'planned', reason: null, at: '2026-11-20T09:00:00Z', text: 'It is 10' },
        ],
      },
    ],
    notExecuted: [{ path: 'conditionGroups[0].conditions[0].aiValues', reason: 'Values are compared by words.' }],
    warnings: ['Group 2 has no effect.'],
  }
  service.on('POST', `${ORG}/superpowers/explain`, { body: explanation })
  show(<TryOut superpower={{ name: 'Size guide' }} channelType="INSTAGRAM_ACCOUNT" />, manages)
  await until(() => type(field('A comment'), 'price?'))
  await press('What would happen?')
  await untilShown('It is 10')
  for (const text of ['Matched', 'Group 2', 'aiValues', 'Values are compared by words.', 'Group 2 has no effect.']) {
    expect(textOf()).toContain(text)
  }
  expect(service.made('POST', `${ORG}/superpowers/explain`)).toMatchObject([
    { body: { channelType: 'INSTAGRAM_ACCOUNT', comments: [{ text: 'price?', from: { name: 'Ana' } }] } },
  ])
})

test('people can be added to the list that blocks automatic messages, and removed', async () => {
  const path = `${ORG}/channels/FB_PAGE_1/opt-outs`
  let items: OptOut[] = [{ fromId: '77', at: '2026-11-20T09:00:00Z', source: 'comment' }]
  service.on('GET', path, () => ({ body: { items, nextCursor: null } }))
  service.on('DELETE', `${path}/77`, () => {
    items = []
    return { body: { channelId: 'FB_PAGE_1', fromId: '77' } }
  })
  service.on('PUT', `${path}/88`, () => {
    items = [...items, { fromId: '88', at: '2026-11-20T09:01:00Z', source: 'hand' }]
    return { body: { channelId: 'FB_PAGE_1', fromId: '88' } }
  })
  service.on('GET', `${ORG}/workspaces`, { body: [] })
  show(<Channels />, manages)
  await press('Opted out Our page')
  await untilShown('77')
  expect(textOf()).toContain('Said stop in a comment')
  await press('Allow again 77')
  await untilShown('No one has opted out')
  type(field('Person'), '88')
  submit()
  await untilShown('Added by hand')
  expect(textOf()).toContain('88')
})

test('the form has several replies that can be removed, and the end of the raffle as an instant', async () => {
  let used: Superpower | undefined
  const nothing = (): void => undefined
  const dialog = {
    saved: undefined,
    problems: [],
    channelType: 'FB_PAGE',
    draft: { get: () => undefined, set: nothing },
    onDeleted: nothing,
    onClose: nothing,
  } as const
  const start = { conditionGroups: [{ publicReplies: [{ id: 'r1', scope: 'PUBLIC', text: 'One' }] }] }
  const keep = (superpower: Superpower): void => {
    used = superpower
  }
  const json = (): string => field<HTMLTextAreaElement>('Edit as JSON').value
  show(<SuperpowerDialog {...dialog} start={start} onUse={keep} />, { ...manages, timeZone: 'America/Sao_Paulo' })
  await press('Add another text Reply in public')
  await until(() => type(field('Reply in public (2)'), 'Two'))
  await press('Add another text Reply in public')
  await until(() => type(field('Reply in public (3)'), 'Three'))
  await press('Remove Reply in public')
  await until(() => expect((field('Reply in public') as HTMLTextAreaElement).value).toBe('Two'))
  type(field('Message to the winners'), 'You won')
  await until(() => expect(json()).toContain('You won'))
  type(field('End of the raffle'), '2026-12-24T18:30')
  await until(() => expect(json()).toContain('endDate'))
  await press('Use in this post')
  expect(used?.conditionGroups).toMatchObject([{ publicReplies: [{ text: 'Two' }, { text: 'Three' }] }])
  expect(used?.raffle).toEqual({
    winnersPrivateReply: { scope: 'PRIVATE', text: 'You won' },
    endDate: '2026-12-24T21:30:00.000Z',
  })
})

test('a drawn raffle lists its winners, and the next rank replaces a winner', async () => {
  const winner: RaffleWinner = {
    ...{ rank: 1, conversationId: 'c1', name: 'Bo', notification: 'not_sent', way: null, reason: 'private_reply_used' },
  }
  const drawn: PostRaffle = {
    ...{ channelId: 'FB_PAGE_1', state: 'drawn', entrants: 2, winnersLimit: 1, endsAt: '2026-11-20T09:00:00Z' },
    ...{
      drawnAt: '2026-11-20T09:01:00Z',
      entrantsSha256: 'e'.repeat(64),
      seedSha256: 's'.repeat(64),
      seed: 'f'.repeat(64),
    },
    ...{ winners: [winner], losers: [], redraws: [], frozenAt: '2026-11-20T09:01:00Z', beacon: null },
    leftOut: [
      { reason: 'no_part', people: 2 },
      { reason: 'opted_out', people: 1 },
    ],
  }
  let raffle = drawn
  service.on('GET', `${POST}/raffles`, () => ({ body: { items: [raffle] } }))
  service.on('POST', `${POST}/raffles/FB_PAGE_1/redraw`, ({ body }) => {
    const { reason } = body as { reason: string }
    raffle = {
      ...drawn,
      winners: [{ ...winner, rank: 2, name: 'Chen', notification: 'sent', reason: null }],
      redraws: [{ rank: 1, newRank: 2, reason, at: '2026-11-20T10:00:00Z' }],
    }
    return { body: raffle }
  })
  show(<PostRaffles id="post_1" />, manages)
  await untilShown('Bo')
  expect(textOf()).toContain('2 entrants, 1 winner at most')
  expect(textOf()).toContain('Only the seed decides the draw. It is not proven')
  expect(textOf()).toContain('Not entered: 2 (their comment does not enter), 1 (The person asked')
  expect(textOf()).toContain('not notified: write to them yourself (the one private reply was used')
  await press('Draw another winner Bo')
  await until(() => type(field<HTMLTextAreaElement>('Reason'), 'Away'))
  submit()
  await untilShown('Rank 2 won instead of rank 1: Away')
  expect(textOf()).toContain('Chen')
  expect(service.made('POST', `${POST}/raffles/FB_PAGE_1/redraw`)).toMatchObject([
    { body: { rank: 1, reason: 'Away' } },
  ])
})

test('a raffle with a beacon shows the round, what is not proven, and why the draw waits', async () => {
  const raffle: PostRaffle = {
    ...{ channelId: 'FB_PAGE_1', state: 'frozen', entrants: 2, winnersLimit: 1, endsAt: '2026-11-20T09:00:00Z' },
    ...{ drawnAt: null, frozenAt: '2026-11-20T09:01:00Z', entrantsSha256: 'e'.repeat(64), seedSha256: 's'.repeat(64) },
    ...{ seed: null, winners: [], losers: [], redraws: [], leftOut: [] },
    beacon: {
      ...{ chain: 'c'.repeat(64), round: 123, at: '2026-11-20T09:15:00Z', signature: null, randomness: null },
      problem: 'The beacon cannot be reached.',
    },
  }
  service.on('GET', `${POST}/raffles`, { body: { items: [raffle] } })
  show(<PostRaffles id="post_1" />, manages)
  await untilShown('round 123 of the public beacon drand')
  expect(textOf()).toContain('the draw waits for the public beacon')
  expect(textOf()).toContain('It is not proven that everyone who commented is on the list')
  expect(textOf()).toContain('the beacon is asked again: The beacon cannot be reached.')
})

test('the approval page says what the draw will prove', async () => {
  const at = '2026-11-20T09:15:00Z'
  const planned = { channelId: 'FB_PAGE_1', beacon: { round: 123, at } }
  service.on('GET', `${POST}/raffles`, { body: { items: [planned, { channelId: 'FB_PAGE_2', beacon: null }] } })
  show(<RaffleProofs id="post_1" />, manages)
  await untilShown('round 123 of the public beacon drand')
  expect(textOf()).toContain('Only the seed decides the draw')
})

test('a post without a raffle shows none', async () => {
  service.on('GET', `${POST}/raffles`, { body: { items: [] } })
  show(<PostRaffles id="post_1" />, manages)
  await until(() => expect(service.made('GET', `${POST}/raffles`).length).toBe(1))
  expect(textOf()).not.toContain('Raffle')
})
