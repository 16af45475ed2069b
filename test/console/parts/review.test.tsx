import { beforeEach, describe, expect, test, vi } from 'vitest'
import Approvals from '../../../src/console/approvals/approvals.tsx'
import { Review } from '../../../src/console/approvals/review.tsx'
import type { MediaCheck, PostForPeople } from '../../../src/interface/generated/types.ts'
import { button, comeBack, field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakePosts, postOf, withCaption } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const POST = '/organizations/org_1/scheduled-posts/post_1'
let service: FakeService
let posts: FakePosts

beforeEach(() => {
  service = new FakeService()
  posts = new FakePosts(service)
  posts.set(postOf())
})

const nothing = { onBack: () => {}, onNext: undefined, isOpenedNext: false, onDecided: () => {} }
const alerts = (): string[] => [...document.querySelectorAll('[role=alert]')].map((one) => textOf(one))
/** Writes the notes in the dialog, and returns the post with them. */
const giveBack = async (notes: string): Promise<void> => {
  await press('Return…')
  type(await until(() => field<HTMLTextAreaElement>('What should change?')), notes)
  document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
}

describe('the review of a post by a member', () => {
  test('shows it as its channel will, and approves the displayed version', async () => {
    const decided = vi.fn()
    show(<Review {...nothing} postId="post_1" onDecided={decided} />)
    await untilShown('Bread at eight')
    expect(textOf(document.querySelector('h2')!)).toBe('Tue, 1 Dec 2099, 10:00')
    expect(document.activeElement).toBe(document.querySelector('h2'))
    await press('Approve')
    await until(() => expect(decided).toHaveBeenCalledOnce())
    expect(decided.mock.calls[0]).toEqual([
      'Approved. It is published 1 Dec, 10:00.',
      expect.objectContaining({ etag: '"2"' }),
    ])
    const [call] = service.made('POST', `${POST}/approve`)
    expect(call!.headers.get('if-match')).toBe('"1"')
    expect(posts.get('post_1')!.status).toBe('SCHEDULED')
  })

  test.each<[string, MediaCheck, string]>([
    ['will be fixed', { fixed: true, sha256: 'ab' }, 'Your approval covers the current file'],
    ['cannot be fixed', { fixed: false, problem: 'TOO_SLOW' }, 'is not protected from changes: it loaded too slowly'],
  ])('says of media at an outside address that they %s', async (_what, check, sentence) => {
    service.on('POST', `${POST}/check-media`, { body: check })
    show(<Review {...nothing} postId="post_1" />)
    await untilShown(sentence)
    expect(service.made('POST', `${POST}/check-media`)).toHaveLength(1)
    await until(() => expect(button('Approve').disabled).toBe(false))
  })

  test('says that the media had changed when the post was due, or could not be checked', async () => {
    posts.set({ ...postOf(), mediaCheck: { fixed: false, problem: 'CHANGED' } } as PostForPeople)
    service.on('POST', `${POST}/check-media`, refusal(500, 'internal'))
    show(<Review {...nothing} postId="post_1" />)
    await untilShown('had changed since the approval')
    await untilShown('could not be read just now')
  })

  test('says nothing about an upload', async () => {
    posts.set({ ...postOf(), media: `${location.origin}/media/org_1/media_1.jpg` })
    show(<Review {...nothing} postId="post_1" />)
    await untilShown('Bread at eight')
    expect(service.made('POST', `${POST}/check-media`)).toEqual([])
    expect(textOf()).not.toContain('address outside')
  })

  test('returns it with notes, which are kept if it is refused', async () => {
    service.on('POST', `${POST}/reject`, refusal(500, 'internal'))
    const decided = vi.fn()
    show(<Review {...nothing} postId="post_1" onDecided={decided} />)
    await untilShown('Bread at eight')
    await giveBack('   ')
    await untilShown('Say what should change.')
    expect(service.made('POST', `${POST}/reject`)).toEqual([])
    type(field<HTMLTextAreaElement>('What should change?'), 'At nine, please.')
    document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
    await untilShown('Something went wrong on our side.')
    await press('Return…')
    expect((await until(() => field<HTMLTextAreaElement>('What should change?'))).value).toBe('At nine, please.')
    service.on('POST', `${POST}/reject`, { body: postOf({ status: 'REJECTED' }) })
    document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
    await until(() => expect(decided).toHaveBeenCalledOnce())
    expect(decided.mock.calls[0]![0]).toBe('Returned to its author.')
    expect(localStorage.length).toBe(0)
    expect(service.made('POST', `${POST}/reject`).at(-1)!.body).toEqual({ notes: 'At nine, please.' })
  })

  test('applies to what was seen: a newer version is announced with its author, and shown on demand', async () => {
    show(<Review {...nothing} postId="post_1" />)
    await untilShown('Bread at eight')
    posts.set(withCaption(postOf(), 'Bread at nine'), 'Clara')
    comeBack()
    await untilShown('Clara changed it while you were reading: text or superpower on Mercado Aurora.')
    expect(textOf()).not.toContain('Bread at nine')
    expect([button('Approve').disabled, button('Return…').disabled]).toEqual([true, true])
    await press('Show the new version')
    await untilShown('Bread at nine')
    await until(() => expect(alerts()).toEqual([]))
    await press('Approve')
    await until(() => expect(posts.get('post_1')!.status).toBe('SCHEDULED'))
    expect(service.made('POST', `${POST}/approve`).map(({ headers }) => headers.get('if-match'))).toEqual(['"2"'])
  })

  test('that arrives a moment too late approves nothing, and reports the change instead of an error', async () => {
    const decided = vi.fn()
    show(<Review {...nothing} postId="post_1" onDecided={decided} />)
    await untilShown('Bread at eight')
    posts.set(withCaption(postOf(), 'Bread at nine'))
    await press('Approve')
    await untilShown('Bea changed it while you were reading')
    expect(alerts()).toHaveLength(1)
    expect(decided).not.toHaveBeenCalled()
    expect(posts.get('post_1')!.status).toBe('WAITING_FOR_APPROVAL')
    await press('Show the new version')
    await untilShown('Bread at nine')
    await until(() => expect(alerts()).toEqual([]))
  })

  test('of a post that another person has decided about offers no decision', async () => {
    show(<Review {...nothing} postId="post_1" />)
    await untilShown('Bread at eight')
    posts.set(postOf({ status: 'SCHEDULED' }))
    comeBack()
    await untilShown('This post is no longer waiting: it is now “scheduled”.')
    expect(alerts()).toEqual([])
    expect([button('Approve').disabled, button('Return…').disabled]).toEqual([true, true])
  })

  test('of a post whose time has passed can only return it', async () => {
    posts.set(postOf({ scheduledFor: '2020-01-01T10:00:00.000Z' }))
    show(<Review {...nothing} postId="post_1" />)
    await untilShown('choose a new time before you approve it')
    expect([button('Approve').disabled, button('Return…').disabled]).toEqual([true, false])
  })

  test('offers what the person may do', async () => {
    show(<Review {...nothing} postId="post_1" />, { permissions: ['posts:read'] })
    await untilShown('You can view this post but not approve or return it.')
    expect([...document.querySelectorAll('.decide button, .decide a')]).toEqual([])
    show(<Review {...nothing} postId="post_1" />, { permissions: ['posts:read', 'posts:write'] })
    await untilShown('Bread at eight')
    expect([...document.querySelectorAll('.decide button, .decide a')].map((one) => textOf(one))).toEqual([
      'Return…',
      'Edit',
    ])
  })

  test('that opened after a decision accepts none for a moment', async () => {
    show(<Review {...nothing} postId="post_1" isOpenedNext />)
    await untilShown('Bread at eight')
    expect(button('Approve').disabled).toBe(true)
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
    expect(service.made('POST', `${POST}/approve`)).toEqual([])
    await until(() => expect(button('Approve').disabled).toBe(false))
  })

  test('that cannot be read shows why, and links back', async () => {
    service.on('GET', POST, refusal(500, 'internal'))
    const back = vi.fn()
    show(<Review {...nothing} postId="post_1" onBack={back} />)
    await untilShown('Something went wrong on our side.')
    await press('All waiting posts')
    expect(back).toHaveBeenCalledOnce()
    service.on('GET', POST, { body: postOf(), headers: { etag: '"1"' } })
    await press('Try again')
    await untilShown('Bread at eight')
  })
})

describe('a decision on several posts', () => {
  test('skips a post that changed since it was listed, and says which and why', async () => {
    posts.set(withCaption(postOf({ id: 'post_2' }), 'Rolls at ten'))
    show(<Approvals />)
    await untilShown('2 posts wait for a decision')
    for (const box of document.querySelectorAll<HTMLInputElement>('.approval-check input')) box.click()
    await untilShown('2 posts selected')
    posts.set(withCaption(postOf({ id: 'post_2' }), 'Rolls at noon'))
    await press('Approve 2 posts')
    await untilShown('1 post approved.')
    await untilShown('1 post was skipped:')
    expect(alerts()).toEqual(['1 post was skipped:Rolls at ten: changed since you saw itClear'])
    expect([posts.get('post_1')!.status, posts.get('post_2')!.status]).toEqual(['SCHEDULED', 'WAITING_FOR_APPROVAL'])
    await untilShown('1 post selected')
  })

  test('returns all with the same notes', async () => {
    posts.set(withCaption(postOf({ id: 'post_2' }), 'Rolls at ten'))
    show(<Approvals />)
    await untilShown('2 posts wait for a decision')
    for (const box of document.querySelectorAll<HTMLInputElement>('.approval-check input')) box.click()
    await press('Return all…')
    type(await until(() => field<HTMLTextAreaElement>('What should change?')), 'Next week, please.')
    document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
    await untilShown('2 posts returned.')
    expect(['post_1', 'post_2'].map((id) => posts.get(id)!.notes)).toEqual(['Next week, please.', 'Next week, please.'])
    expect(document.querySelector('.selection')).toBeNull()
  })

  test('is not offered to a person who may not approve', async () => {
    show(<Approvals />, { permissions: ['posts:read', 'posts:write'] })
    await untilShown('1 post waits for a decision')
    expect(document.querySelector('.approval-check')).toBeNull()
  })
})
