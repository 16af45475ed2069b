import { Route, Router } from 'preact-iso'
import { beforeEach, describe, expect, test } from 'vitest'
import PostPage from '../../../src/console/posts/post.tsx'
import type { ScheduledPost } from '../../../src/interface/generated/types.ts'
import { field, press, show, textOf, until, untilShown } from './page.tsx'
import { FakePosts, page, postOf } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const ROOT = '/organizations/org_1'
const POSTS = `${ROOT}/scheduled-posts`
let service: FakeService
let posts: FakePosts

const FB = { caption: 'Bread at eight', mediumType: 'FB_PAGE', mediumName: 'Mercado Aurora', failedToPublish: false }
const whole = (changes: Partial<ScheduledPost> = {}): ScheduledPost =>
  postOf({
    status: 'PUBLISHED',
    notes: 'Bea knows the price.',
    mediumsData: { FB_1: { ...FB, superpower: { name: 'Raffle', hashtag: '#bread', lookupHashtag: 'bread' } } },
    ...changes,
  })

beforeEach(() => {
  service = new FakeService()
  posts = new FakePosts(service)
  service.on('GET', `${ROOT}/channels`, {
    body: [
      { id: 'FB_1', name: 'Mercado Aurora', type: 'FB_PAGE', status: 'connected' },
      { id: 'IG_1', name: 'mercado.aurora', type: 'INSTAGRAM_ACCOUNT', status: 'connected' },
    ],
  })
  service.on('GET', `${ROOT}/superpowers`, { body: page([]) })
  service.on('GET', `${ROOT}/media`, refusal(404, 'media_disabled'))
  service.on('POST', POSTS, ({ body }) => ({
    status: 201,
    body: { ...postOf({ id: 'post_9', status: 'DRAFT' }), ...(body as object), mediumsData: {} },
    headers: { etag: '"1"' },
  }))
})

function open(path: string): void {
  history.replaceState(null, '', `/o/org_1/posts/${path}`)
  show(
    <Router>
      <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
      <Route default component={() => <p>elsewhere</p>} />
    </Router>,
  )
}

const created = () => service.made('POST', POSTS).map(({ body }) => body as { channels: object })
const linkTo = (name: string): string =>
  [...document.querySelectorAll('a')].find((one) => textOf(one) === name)?.getAttribute('href') ?? ''

describe('a copy of a post', () => {
  test('has its texts, media, notes and superpower, but no time and no hashtag, and says so', async () => {
    posts.set(whole())
    open('post_1')
    await until(() => expect(linkTo('Duplicate')).toBe('/o/org_1/posts/new?copy=post_1'))
    open('new?copy=post_1')
    await untilShown('The hashtag #bread stays with the original')
    expect(field<HTMLTextAreaElement>('Text on Mercado Aurora').value).toBe('Bread at eight')
    expect(field('Date and time').value).toBe('')
    await press('Save as draft')
    await until(() => expect(created()).toHaveLength(1))
    const { media, mediaType } = whole()
    expect(created()[0]).toEqual({
      channels: { FB_1: { caption: 'Bread at eight', superpower: { name: 'Raffle' } } },
      ...{ media, mediaType, notes: 'Bea knows the price.' },
      copiedFrom: { posts: ['post_1'] },
    })
  })

  test('of a failed post keeps the hashtag, which is free again', async () => {
    posts.set(whole({ status: 'FAILED' }))
    open('new?copy=post_1')
    await until(() => field('Text on Mercado Aurora'))
    expect(textOf()).not.toContain('stays with the original')
    await press('Save as draft')
    await until(() => expect(created()).toHaveLength(1))
    expect(created()[0]).toMatchObject({ channels: { FB_1: { superpower: { hashtag: '#bread' } } } })
  })

  test('leaves out a deleted channel, and says so', async () => {
    const gone = { ...FB, mediumName: 'The old page' }
    posts.set(whole({ mediumsData: { FB_1: FB, FB_0: gone } }))
    open('new?copy=post_1')
    await untilShown('The old page was deleted and is left out of the copy.')
    await press('Save as draft')
    await until(() => expect(created()).toHaveLength(1))
    expect(Object.keys(created()[0]!.channels)).toEqual(['FB_1'])
  })

  test('for another channel has the content of the chosen channel, with its hashtag', async () => {
    posts.set(whole())
    open('post_1')
    await press('Copy to another channel…')
    await until(() => expect(linkTo('Start a new draft')).toBe('/o/org_1/posts/new?copy=post_1&from=FB_1&to=IG_1'))
    open('new?copy=post_1&from=FB_1&to=IG_1')
    await until(() => expect(field<HTMLTextAreaElement>('Text on mercado.aurora').value).toBe('Bread at eight'))
    await press('Save as draft')
    await until(() => expect(created()).toHaveLength(1))
    expect(created()[0]).toMatchObject({
      channels: { IG_1: { superpower: { hashtag: '#bread' } } },
      copiedFrom: { posts: ['post_1'] },
    })
  })

  test('can become another channel of the same post', async () => {
    posts.set(whole({ status: 'DRAFT' }))
    open('post_1')
    await press('Copy to another channel… Mercado Aurora')
    await press('Add to this post')
    await untilShown('mercado.aurora was added with this text. It is not saved yet.')
    await until(() => expect(field<HTMLTextAreaElement>('Text on mercado.aurora').value).toBe('Bread at eight'))
    await press('Save')
    const patches = () => service.made('PATCH', `${POSTS}/post_1`).map(({ body }) => body)
    await until(() => expect(patches()).toHaveLength(1))
    expect(patches()[0]).toMatchObject({ channels: { IG_1: {} }, copiedFrom: { posts: ['post_1'] } })
  })

  test('is offered only to people who may write', async () => {
    posts.set(whole())
    history.replaceState(null, '', '/o/org_1/posts/post_1')
    show(
      <Router>
        <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
        <Route default component={() => <p>elsewhere</p>} />
      </Router>,
      { permissions: ['posts:read'] },
    )
    await untilShown('It is published.')
    expect(linkTo('Duplicate')).toBe('')
  })
})
