import { beforeEach, describe, expect, test } from 'vitest'
import Inbox from '../../../src/console/inbox/inbox.tsx'
import type { InboxEntry, WaitingForMe } from '../../../src/interface/generated/types.ts'
import { button, press, show, textOf, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const ORG = '/organizations/org_1'
const ENTRY: InboxEntry = {
  id: 'entry_1',
  kind: 'returned',
  at: '2026-11-20T09:00:00.000Z',
  actor: 'user:usr_2',
  actorName: 'Bruno',
  post: { id: 'post_1', text: 'Bread at eight', status: 'REJECTED' },
  detail: { notes: 'The price is wrong' },
  isRead: false,
}
const reads = { permissions: ['posts:read'] }

let service: FakeService
beforeEach(() => {
  service = new FakeService()
  service.on('GET', `${ORG}/revision`, { body: { posts: '1', audience: '1', inbox: '1', other: '1', unread: 1 } })
  service.on('GET', `${ORG}/channels`, { body: [{ id: 'FB_PAGE_1', name: 'Mercado', type: 'FB_PAGE' }] })
  answer(ENTRY)
})

const answer = (...items: InboxEntry[]): void =>
  service.on('GET', `${ORG}/inbox`, { body: { items, nextCursor: null } })
const row = (): string => textOf(document.querySelector('.inbox-row')!)

describe('a piece of news', () => {
  test.each<[Partial<InboxEntry>, string, string]>([
    [{}, 'Bruno returned your post', 'The price is wrong'],
    [{ kind: 'approved', detail: {} }, 'Bruno approved your post', ''],
    [{ detail: { notes: 'No', outsider: 'Anna of the agency' } }, 'Anna of the agency returned your post', 'No'],
    [{ kind: 'published', actor: 'publisher', detail: {} }, 'Your post was published', ''],
    [
      { kind: 'failed', actor: 'publisher', detail: { failures: [{ channelId: 'FB_PAGE_1', reason: 'Refused' }] } },
      'Your post was not published on every channel',
      'Mercado: Refused',
    ],
    [{ kind: 'mentioned', detail: { text: 'Look 👀' } }, 'Bruno mentioned you in the discussion of a post', 'Look 👀'],
    [{ kind: 'replied', detail: { text: 'Done' } }, 'Bruno wrote in the discussion of a post', 'Done'],
    [{ post: { ...ENTRY.post, text: '' } }, 'Bruno returned your post', '(no text)'],
  ])('%j says what happened, who did it, and why', async (entry, sentence, why) => {
    answer({ ...ENTRY, ...entry })
    show(<Inbox />, reads)
    await untilShown(sentence)
    await until(() => expect(row()).toContain(why))
    const link = document.querySelector('.inbox-row a')!
    expect(link.getAttribute('href')).toMatch(/\/o\/org_1\/posts\/post_1$/)
  })

  test('that cannot be marked stays unread, and the refusal is shown', async () => {
    service.on('POST', `${ORG}/inbox/read`, refusal(500, 'internal'))
    show(<Inbox />, reads)
    const name = 'Mark as read Bruno returned your post: Bread at eight'
    await until(() => button(name))
    await press(name)
    await untilShown('Something went wrong on our side.')
    expect(row()).toContain('(Unread)')
    service.on('POST', `${ORG}/inbox/read`, { body: { ids: ['entry_1'], unread: 0 } })
    await press(name)
    await until(() => expect(row()).not.toContain('(Unread)'))
    expect(service.made('POST', `${ORG}/inbox/read`).at(-1)?.body).toEqual({ ids: ['entry_1'], read: true })
  })
})

test('an empty inbox says what it will contain', async () => {
  answer()
  show(<Inbox />, reads)
  await untilShown('No news yet')
  expect(textOf()).not.toContain('Waiting for you')
})

test('waiting posts are counted, and it says so if there are more than were read', async () => {
  const post = { id: 'post_2', text: '', status: 'WAITING_FOR_APPROVAL' } as const
  const body: WaitingForMe = { items: [post], count: 60, mayHaveMore: true }
  service.on('GET', `${ORG}/waiting-for-me`, { body })
  show(<Inbox />, { permissions: ['posts:read', 'posts:approve'] })
  await untilShown('60 or more posts wait for your decision.')
  const hrefs = [...document.querySelectorAll('.inbox section a')].map((link) => link.getAttribute('href'))
  expect(hrefs).toContainEqual(expect.stringMatching(/\/approvals\?post=post_2$/))
  expect(hrefs).toContainEqual(expect.stringMatching(/\/approvals$/))
})
