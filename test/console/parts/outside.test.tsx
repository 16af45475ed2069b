import { beforeEach, describe, expect, test, vi } from 'vitest'
import Outside from '../../../src/console/outside/outside.tsx'
import { OutsideLinks } from '../../../src/console/outside/outside-links.tsx'
import type { LinkToOpen, ListedReviewLink, ReviewedPost } from '../../../src/interface/generated/types.ts'
import { button, comeBack, field, press, pressByHand, show, textOf, type, until, untilShown } from './page.tsx'
import { page, postOf } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const HEAD: Omit<LinkToOpen, 'posts'> = {
  name: 'Anna of the agency',
  madeBy: 'Bea',
  organizationName: 'Mercado',
  timeZone: 'Europe/Berlin',
  expiresAt: '2099-12-05T10:00:00.000Z',
}
const POST = {
  scheduledFor: '2099-12-01T10:00:00.000Z',
  media: 'https://media.example/bread.jpg',
  mediaType: 'IMAGE',
  channels: [{ caption: 'Bread at eight', mediumName: 'Mercado Aurora', mediumType: 'FB_PAGE' }],
} as ReviewedPost
const OPEN = { state: 'open', mayUndo: false, openMessages: 0 } as const
const over = refusal(401, 'link_token_wrong')
let service: FakeService

beforeEach(() => {
  service = new FakeService()
  service.on('GET', '/link', { body: { ...HEAD, posts: 1 } })
  service.on('POST', '/open', { status: 204 })
  service.on('POST', '/posts/1/check-media', { body: { fixed: true } })
  service.on('GET', '/posts/1/discussion', { body: { items: [], nextCursor: null } })
  is(POST, 1)
})

/** Gives the link only this post from now on. */
const is = (content: ReviewedPost, version: number): void =>
  service.on('GET', '/posts', { body: { ...HEAD, posts: [{ ...OPEN, number: 1, etag: `"${version}"`, content }] } })

/** Loads the page at the link. */
function load(hash: string): void {
  history.replaceState(null, '', `/review${hash}`)
  show(<Outside />)
}

/** Opens the post as a person who follows the link. */
async function follow(hash: string): Promise<void> {
  load(hash)
  await pressByHand('Open the post')
}

const alerts = (): string[] => [...document.querySelectorAll('[role=alert]')].map((one) => textOf(one))

describe('the review of a post by a person with a link', () => {
  test('removes the link from the address, keeps it for a reload, and sends it with each call', async () => {
    load('#link=secret')
    expect(location.pathname + location.hash).toBe('/review')
    await untilShown('For Anna of the agency, from Bea.')
    button('Open the post').click()
    await untilShown('Press Enter')
    expect(service.made('POST', '/open')).toEqual([])
    await pressByHand('Open the post')
    await untilShown('Mercado asks for your approval')
    await untilShown('Tue, 1 Dec 2099, 11:00')
    await untilShown('Bread at eight')
    load('')
    await untilShown('Bread at eight')
    expect(new Set(service.made('GET', '/posts').map(({ headers }) => headers.get('authorization')))).toEqual(
      new Set(['Bearer secret']),
    )
  })

  test('asks before it approves the displayed version, and thanks', async () => {
    service.on('POST', '/posts/1/approve', { status: 204 })
    await follow('#link=secret')
    await untilShown('Bread at eight')
    await press('Approve')
    await untilShown('It will be published Tue, 1 Dec 2099, 11:00.')
    expect(service.made('POST', '/posts/1/approve')).toEqual([])
    await press('Approve')
    await untilShown('Thank you, Anna of the agency')
    await untilShown('The post is approved.')
    const [call] = service.made('POST', '/posts/1/approve')
    expect([call!.headers.get('if-match'), call!.headers.get('authorization')]).toEqual(['"1"', 'Bearer secret'])
  })

  test('warns that a picture at an outside address can change', async () => {
    service.on('POST', '/posts/1/check-media', { body: { fixed: false, problem: 'PRIVATE' } })
    await follow('#link=secret')
    await untilShown('is not protected from changes: its address is a private one')
  })

  test('returns with notes', async () => {
    service.on('POST', '/posts/1/return', { status: 204 })
    await follow('#link=secret')
    await press('Return…')
    type(await until(() => field<HTMLTextAreaElement>('What should change?')), 'At ten, please.')
    document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()
    await untilShown('The post went back to its author with your notes.')
    expect(service.made('POST', '/posts/1/return')[0]!.body).toEqual({ notes: 'At ten, please.' })
  })

  test('applies to what was seen: a newer version is announced, and shown on demand', async () => {
    await follow('#link=secret')
    await untilShown('Bread at eight')
    is({ ...POST, channels: [{ ...POST.channels[0]!, caption: 'Bread at nine' }] }, 2)
    comeBack()
    await untilShown('This post changed while you were reading it.')
    expect([button('Approve').disabled, button('Return…').disabled]).toEqual([true, true])
    expect(textOf()).not.toContain('Bread at nine')
    await press('Show the new version')
    await untilShown('Bread at nine')
    expect(button('Approve').disabled).toBe(false)
  })

  test('that arrives a moment too late approves nothing, and says that the post changed', async () => {
    await follow('#link=secret')
    await untilShown('Bread at eight')
    is({ ...POST, channels: [{ ...POST.channels[0]!, caption: 'Bread at nine' }] }, 2)
    service.on('POST', '/posts/1/approve', refusal(412, 'post_changed'))
    await press('Approve')
    await untilShown('Approve this post?')
    await press('Approve')
    await untilShown('This post changed while you were reading it.')
    expect(alerts()).toHaveLength(1)
    expect(textOf()).not.toContain('Thank you')
  })

  test('of a post that no longer waits says that the link does not work', async () => {
    await follow('#link=secret')
    await untilShown('Bread at eight')
    service.on('POST', '/posts/1/approve', over)
    service.on('GET', '/posts', over)
    await press('Approve')
    await untilShown('Approve this post?')
    await press('Approve')
    await untilShown('This link does not work')
  })

  test('of a post without a time or with one that has passed can only return it', async () => {
    is({ ...POST, scheduledFor: '2020-01-01T10:00:00.000Z' }, 1)
    await follow('#link=secret')
    await untilShown('You can still return it.')
    expect([button('Approve').disabled, button('Return…').disabled]).toEqual([true, false])
    const { scheduledFor: _, ...timeless } = POST
    is(timeless, 1)
    await follow('#link=secret')
    await untilShown('No time yet')
    expect(button('Approve').disabled).toBe(true)
  })

  test('is one card of several if the link has more posts, and asks nothing before a decision that can be undone', async () => {
    const post = (number: number, more: object = OPEN) => ({ ...more, number, etag: `"${number}"`, content: POST })
    const decided = { state: 'approved', mayUndo: true }
    let first = post(1)
    service.on('GET', '/link', { body: { ...HEAD, posts: 2 } })
    service.on('GET', '/posts', () => ({ body: { ...HEAD, posts: [first, post(2)] } }))
    service.on('POST', '/posts/1/approve', () => {
      first = post(1, decided)
      return { status: 204 }
    })
    load('#link=secret')
    await pressByHand('Open the posts')
    await untilShown('1 of 2')
    await press('Approve')
    await untilShown('Post 1 is approved.')
    await untilShown('2 of 2')
    expect(textOf()).not.toContain('Thank you')
  })

  test('without a link, or with an invalid one, shows nothing of a post', async () => {
    load('')
    await untilShown('This link does not work')
    expect(service.calls).toEqual([])
    service.on('GET', '/link', over)
    load('#link=secret')
    await untilShown('This link does not work')
  })
})

describe('the links of a post to people outside', () => {
  const LINKS = '/organizations/org_1/review-links'
  const LINK: ListedReviewLink = {
    ...{ id: 'link_1', name: 'Anna', madeBy: 'Bea', createdAt: HEAD.expiresAt, expiresAt: HEAD.expiresAt },
    ...{ scheduledPostId: 'post_1', posts: 1, decided: 0, mayRevoke: true },
  }
  /** This happens when another person has just revoked it. */
  const refuse = () => {
    service.on('GET', LINKS, { body: page([]) })
    return refusal(404, 'review_link_not_found', { message: 'There is no such link.' })
  }

  beforeEach(() => service.on('GET', LINKS, { body: page([LINK]) }))

  test('are read again if one cannot be revoked', async () => {
    service.on('DELETE', `${LINKS}/link_1`, refuse)
    show(<OutsideLinks post={postOf({ id: 'post_1' })} />)
    await press('Revoke the link for Anna')
    await untilShown('There is no such link.')
    // This is sooner than the page polls.
    await vi.waitFor(() => expect(textOf()).not.toContain('by Bea'), { timeout: 1_000 })
    expect(alerts()).toEqual(['There is no such link.'])
  })

  test('leave a dialog open that was opened while a link is being revoked', async () => {
    let answer = (): void => {}
    service.on('DELETE', `${LINKS}/link_1`, () => new Promise((resolve) => (answer = () => resolve({ body: {} }))))
    show(<OutsideLinks post={postOf({ id: 'post_1' })} />)
    await press('Revoke the link for Anna')
    await press('Send for external approval…')
    type(await until(() => field('Recipient')), 'Carl')
    answer()
    await untilShown('The link for Anna no longer works.')
    expect(field('Recipient').value).toBe('Carl')
  })
})
