import { notifyManager } from '@tanstack/preact-query'
import { Route, Router } from 'preact-iso'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import PostPage from '../../../src/console/posts/post.tsx'
import { Session } from '../../../src/console/session.tsx'
import { button, comeBack, field, helpOf, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakePosts, page, postOf, withCaption } from './posts.ts'
import { FakeService, refusal } from './service.ts'

const ROOT = '/organizations/org_1'
const POSTS = `${ROOT}/scheduled-posts`
const POST = `${POSTS}/post_1`
let service: FakeService
let posts: FakePosts

beforeEach(() => {
  service = new FakeService()
  posts = new FakePosts(service)
  posts.set(postOf({ status: 'DRAFT' }))
  service.on('GET', '/me', {
    body: { person: { id: 'p1', name: 'Anna', mail: 'anna@example.com' }, organizations: [], session: {} },
  })
  service.on('GET', `${ROOT}/channels`, {
    body: [
      { id: 'FB_1', name: 'Mercado Aurora', type: 'FB_PAGE', status: 'connected' },
      { id: 'IG_1', name: 'mercado.aurora', type: 'INSTAGRAM_ACCOUNT', status: 'needs-reconnect' },
    ],
  })
  service.on('GET', `${ROOT}/superpowers`, { body: page([]) })
  service.on('GET', `${ROOT}/media`, refusal(404, 'media_disabled'))
})

function open(path: string): void {
  history.replaceState(null, '', `/o/org_1/posts/${path}`)
  show(
    <Session>
      <Router>
        <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
        <Route default component={() => <p>elsewhere</p>} />
      </Router>
    </Session>,
  )
}

const caption = (): HTMLTextAreaElement => field<HTMLTextAreaElement>('Text on Mercado Aurora')
const patches = () => service.made('PATCH', POST).map(({ headers, body }) => [headers.get('if-match'), body])

describe('the editor of a post', () => {
  test('sends what was typed, with the version on which it is based', async () => {
    open('post_1')
    await until(() => expect(caption().value).toBe('Bread at eight #bread'))
    expect(button('Save').disabled).toBe(true)
    type(caption(), 'Bread at nine')
    await press('Save')
    await untilShown('Saved.')
    expect(patches()).toEqual([['"1"', { channels: { FB_1: { caption: 'Bread at nine' } } }]])
    await until(() => expect(button('Save').disabled).toBe(true))
    type(caption(), 'Bread at ten')
    await press('Save')
    await until(() => expect(patches().at(-1)).toEqual(['"2"', { channels: { FB_1: { caption: 'Bread at ten' } } }]))
  })

  test('declares that the post was made with AI, and says where this is shown', async () => {
    const box = (): HTMLInputElement =>
      [...document.querySelectorAll('label')]
        .find((label) => textOf(label).startsWith('Made or edited with AI'))!
        .querySelector('input')!
    open('post_1')
    await until(() => expect(box().checked).toBe(false))
    expect(textOf(box().closest('label')!)).toContain('Instagram shows “AI info” with the post')
    box().click()
    await press('Save')
    await untilShown('Saved.')
    expect(patches()).toEqual([['"1"', { aiGenerated: true }]])
    await until(() => expect([box().checked, button('Save').disabled]).toEqual([true, true]))
    box().click()
    await press('Save')
    await until(() => expect(patches().at(-1)).toEqual(['"2"', { aiGenerated: false }]))
  })

  test('recognizes its own change, even if the page hears of it only after more typing', async () => {
    const held: (() => void)[] = []
    onTestFinished(() => notifyManager.setScheduler((notify) => setTimeout(notify, 0)))
    open('post_1')
    await until(() => caption())
    type(caption(), 'Bread at nine')
    await until(() => expect(button('Save').disabled).toBe(false))
    notifyManager.setScheduler((notify) => held.push(notify))
    await press('Save')
    await untilShown('Saved.')
    await until(() => expect(button('Save').disabled).toBe(true))
    expect(caption().value).toBe('Bread at nine')
    type(caption(), 'Bread at ten')
    for (const notify of held.splice(0)) notify()
    notifyManager.setScheduler((notify) => setTimeout(notify, 0))
    await press('Save')
    await until(() => expect(patches().at(-1)).toEqual(['"2"', { channels: { FB_1: { caption: 'Bread at ten' } } }]))
  })

  test("follows other people's changes as long as nothing is typed", async () => {
    open('post_1')
    await until(() => caption())
    posts.set(withCaption(posts.get('post_1')!, 'Rolls at ten'))
    comeBack()
    await until(() => expect(caption().value).toBe('Rolls at ten'))
  })

  test('keeps typed text if another person changes the post, until the person chooses a version', async () => {
    open('post_1')
    await until(() => caption())
    type(caption(), 'Mine')
    posts.set(withCaption(posts.get('post_1')!, 'Theirs'), 'Clara')
    comeBack()
    await untilShown('Clara changed this post while you were writing: text or superpower on Mercado Aurora.')
    expect(caption().value).toBe('Mine')
    expect(button('Save').disabled).toBe(true)
    await press('Keep my changes')
    await press('Save')
    await untilShown('Saved.')
    expect(patches()).toEqual([['"2"', { channels: { FB_1: { caption: 'Mine' } } }]])
    expect(posts.get('post_1')!.mediumsData.FB_1!.caption).toBe('Mine')
  })

  test('discards typed text if the person chooses the other version', async () => {
    open('post_1')
    await until(() => caption())
    type(caption(), 'Mine')
    posts.set(withCaption(posts.get('post_1')!, 'Theirs'))
    comeBack()
    await press('Discard my changes')
    await until(() => expect(caption().value).toBe('Theirs'))
    expect(patches()).toEqual([])
  })

  test('that saves a moment too late overwrites nothing, and reports the conflict instead of an error', async () => {
    open('post_1')
    await until(() => caption())
    type(caption(), 'Mine')
    await until(() => expect(button('Save').disabled).toBe(false))
    posts.set(withCaption(posts.get('post_1')!, 'Theirs'), 'Clara')
    await press('Save')
    await untilShown('Clara changed this post while you were writing')
    expect(document.querySelectorAll('[role=alert]')).toHaveLength(1)
    expect(caption().value).toBe('Mine')
    expect(posts.get('post_1')!.mediumsData.FB_1!.caption).toBe('Theirs')
  })

  test('restores typed text after a reload, and drops it on demand', async () => {
    open('post_1')
    await until(() => caption())
    type(caption(), 'Not saved yet')
    await until(() => expect(sessionStorage.length).toBe(1))
    const kept = { ...sessionStorage }
    open('post_1')
    Object.assign(sessionStorage, kept)
    await untilShown('Your unsaved changes were restored')
    expect(caption().value).toBe('Not saved yet')
    await press('Discard them')
    await until(() => expect(caption().value).toBe('Bread at eight #bread'))
    expect(sessionStorage.length).toBe(0)
  })

  test('creates a new post once, however often it is tried', async () => {
    service.on('POST', POSTS, refusal(503, 'database_unavailable'))
    open('new')
    await until(() => field('Mercado AuroraFacebook page')).then((box) => box.click())
    type(await until(caption), 'New bread')
    await until(() => expect(textOf(document.querySelector('.preview')!)).toContain('New bread'))
    await press('Save as draft')
    await untilShown('cannot reach its database right now')
    await press('Save as draft')
    await until(() => expect(service.made('POST', POSTS)).toHaveLength(2))
    const [first, second] = service.made('POST', POSTS)
    expect(first!.body).toEqual({ channels: { FB_1: { caption: 'New bread' } } })
    expect(first!.headers.get('idempotency-key')).toMatch(/^\w{32}$/)
    expect(second!.headers.get('idempotency-key')).toBe(first!.headers.get('idempotency-key'))
  })

  test('saves before it asks for approval, and asks only for a complete post', async () => {
    const { scheduledFor: _, ...timeless } = postOf({ status: 'DRAFT' })
    posts.set(timeless as never)
    open('post_1')
    await untilShown('Before it can be approved it needs a time in the future.')
    expect(button('Ask for approval').disabled).toBe(true)
    type(field('Date and time'), '2099-12-01T10:00')
    await press('Ask for approval')
    await untilShown('Saved and submitted for approval.')
    expect(patches().map(([, body]) => body)).toEqual([{ scheduledFor: '2099-12-01T10:00:00.000Z' }])
    expect(service.made('POST', `${POST}/submit-for-approval`)[0]!.headers.get('if-match')).toBe('"3"')
  })

  test('counts a text, and rejects one that is too long for its channel', async () => {
    open('post_1')
    await until(() => field('mercado.auroraInstagram account · not connected')).then((box) => box.click())
    const text = await until(() => field<HTMLTextAreaElement>('Text on mercado.aurora'))
    type(text, 'x'.repeat(2201))
    await untilShown('2,201 of 2,200 characters')
    expect(helpOf(text)).toMatch(/^Too much for this channel: at most 2,200 characters\./)
    expect(text.getAttribute('aria-invalid')).toBe('true')
    expect(button('Ask for approval').disabled).toBe(true)
    expect(button('Save').disabled).toBe(false)
  })

  test('shows the refusal of a superpower beside its field', async () => {
    service.on(
      'PATCH',
      POST,
      refusal(422, 'invalid', {
        error: [{ path: ['channels', 'FB_1', 'superpower', 'hashtag'], message: 'is taken' }],
      }),
    )
    open('post_1')
    await until(() => caption())
    type(caption(), 'Other')
    await press('Save')
    await until(() => expect(helpOf(field('Superpower on Mercado Aurora'))).toBe('hashtag: is taken'))
  })

  test('of a failed post shows the reason for each channel, and schedules it again', async () => {
    service.on('GET', `${POST}/history`, {
      body: page([
        {
          ...{ version: 1, action: 'failed', actor: 'publisher', at: '2026-11-20T09:00:00.000Z' },
          detail: { channels: { FB_1: { state: 'FAILED', error: 'The picture is gone.' } } },
        },
      ]),
    })
    service.on('POST', `${POST}/retry`, { body: postOf({ status: 'SCHEDULED' }), headers: { etag: '"9"' } })
    posts.set(postOf({ status: 'FAILED' }))
    open('post_1')
    await untilShown('Mercado Aurora: The picture is gone.')
    expect(() => caption()).toThrow()
    expect(button('Schedule again').disabled).toBe(true)
    type(field('New date and time'), '2020-01-01T10:00')
    await untilShown('This time has passed.')
    expect(button('Schedule again').disabled).toBe(true)
    type(field('New date and time'), '2099-12-01T10:00')
    await press('Schedule again')
    await until(() => expect(service.made('POST', `${POST}/retry`)).toHaveLength(1))
    const [call] = service.made('POST', `${POST}/retry`)
    expect([call!.headers.get('if-match'), call!.body]).toEqual(['"2"', { scheduledFor: '2099-12-01T10:00:00.000Z' }])
  })

  test('of a returned post shows who returned it and why, not an earlier approval', async () => {
    const decision = { version: 1, actor: 'user:2', actorName: 'Bea', at: '2026-11-20T09:00:00.000Z' }
    const decided = (action: string) => ({
      body: page([{ ...decision, action, detail: { notes: 'At nine, please.' } }]),
    })
    const notice = (): string => textOf(document.querySelector('.notice-warn p')!)
    service.on('GET', `${POST}/history`, decided('approved'))
    posts.set(postOf({ status: 'REJECTED' }))
    open('post_1')
    await untilShown('approved it')
    expect(notice()).toBe('Returned')
    service.on('GET', `${POST}/history`, decided('rejected'))
    posts.set(postOf({ status: 'REJECTED' }))
    comeBack()
    await until(() => expect(notice()).toBe('Returned by Bea 20 Nov, 09:00'))
    expect(textOf(document.querySelector('.notice-warn .quote')!)).toBe('At nine, please.')
  })

  test('deletes after a confirmation, and returns to the calendar', async () => {
    service.on('DELETE', POST, { status: 204 })
    open('post_1')
    await press('Delete')
    await untilShown('This cannot be undone.')
    expect(service.made('DELETE', POST)).toEqual([])
    await press('Delete')
    await untilShown('Deleted.')
    await until(() => expect(location.pathname).toBe('/o/org_1/calendar'))
    expect(service.made('DELETE', POST)[0]!.headers.get('if-match')).toBe('"1"')
  })

  test('is read-only if the person may not write', async () => {
    history.replaceState(null, '', '/o/org_1/posts/new')
    show(
      <Router>
        <Route path="/o/:organizationId/:page/:rest*" component={PostPage} />
        <Route default component={() => null} />
      </Router>,
      { permissions: ['posts:read'] },
    )
    await untilShown('Ask an administrator for permission.')
    expect(textOf()).not.toContain('Save as draft')
  })
})
