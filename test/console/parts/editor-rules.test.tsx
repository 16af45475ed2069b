import { describe, expect, test } from 'vitest'
import { type Draft, EMPTY_DRAFT, toDraft, toNewPost, toPatch } from '../../../src/console/posts/draft.ts'
import {
  hasExcess,
  isSubmittable,
  listMissing,
  problemOfMediaUrl,
  problemsOfUpload,
  superpowerOf,
} from '../../../src/console/posts/editor-rules.ts'
import { POST_STATUSES } from '../../../src/interface/post-status.ts'
import { postOf } from './posts.ts'

const NOW = Date.parse('2026-11-20T09:00:00.000Z')
const LATER = '2026-11-20T09:00:01.000Z'
const whole: Draft = {
  ...EMPTY_DRAFT,
  channels: { a: { caption: 'Bread', superpower: 'none' } },
  media: 'https://media.example/a.jpg',
}

describe('what a post lacks before it can be approved', () => {
  test('is nothing for a complete post', () => expect(listMissing(whole, LATER, NOW)).toEqual([]))

  test.each<[string, Partial<Draft>, string | undefined]>([
    ['a channel', { channels: {} }, LATER],
    ['a text on each channel', { channels: { ...whole.channels, b: { caption: ' \n', superpower: 'none' } } }, LATER],
    ['a picture or video', { media: '' }, LATER],
    ['a picture or video', { media: 'ftp://media.example/a.jpg' }, LATER],
    ['a time in the future', {}, undefined],
    ['a time in the future', {}, '2026-11-20T09:00:00.000Z'],
  ])('%s: %j at %s', (missing, changes, scheduledFor) =>
    expect(listMissing({ ...whole, ...changes }, scheduledFor, NOW)).toEqual([missing]))
})

test('only a new post, a draft or a returned post can be submitted', () => {
  expect(isSubmittable(undefined)).toBe(true)
  expect(POST_STATUSES.filter(isSubmittable)).toEqual(['DRAFT', 'REJECTED'])
})

test('a caption is too long if its own channel allows less', () => {
  const typeOf = (id: string): string => (id === 'a' ? 'FB_PAGE' : 'INSTAGRAM_ACCOUNT')
  const draft = (a: number, b: number): Draft => ({
    ...whole,
    channels: {
      a: { caption: 'x'.repeat(a), superpower: 'none' },
      b: { caption: 'x'.repeat(b), superpower: 'none' },
    },
  })
  expect([hasExcess(draft(2201, 2200), typeOf), hasExcess(draft(1, 2201), typeOf)]).toEqual([false, true])
})

test.each([
  ['', true],
  ['https://media.example/a.jpg', true],
  ['HTTP://media.example/a.jpg', true],
  ['media.example/a.jpg', false],
  ['javascript:alert(1)', false],
  ['https://', false],
])('a platform can fetch the address %j: %s', (url, isGood) =>
  expect(problemOfMediaUrl(url) === undefined).toBe(isGood))

test('an uploaded file is refused with the name of each channel that does not accept it; other addresses are unknown', () => {
  const png = {
    ...{ id: 'm', url: 'https://here/m', mediaType: 'IMAGE' as const, contentType: 'image/png' as const },
    ...{ bytes: 1000, width: 1000, height: 1000, createdAt: '' },
  }
  const channels = [
    { name: 'Mercado Aurora', type: 'FB_PAGE' },
    { name: 'mercado.aurora', type: 'INSTAGRAM_ACCOUNT' },
  ]
  expect(problemsOfUpload([png], png.url, channels)).toEqual(['mercado.aurora accepts only JPEG.'])
  expect(problemsOfUpload([png], 'https://elsewhere/m', channels)).toEqual([])
})

test('a superpower is the kept one, none, a saved one by id, or the post’s own', () => {
  const present = { superpower: { name: 'Present' } } as never
  const saved = [{ creativeTemplateId: 's1', name: 'Saved', active: true, superpower: { name: 'Saved' } }] as never
  const of = (superpower: unknown) => superpowerOf({ caption: '', superpower } as never, present, saved)
  expect(of('kept')).toEqual({ name: 'Present' })
  expect(of('none')).toBeUndefined()
  expect(of({ creativeTemplateId: 's1' })).toEqual({ name: 'Saved' })
  expect(of({ creativeTemplateId: 's2' })).toBeUndefined()
  expect(of({ creativeTemplateId: 's1', name: 'Own' })).toEqual({ creativeTemplateId: 's1', name: 'Own' })
})

describe('the content that is sent', () => {
  const start = toDraft(postOf({ notes: 'For Monday' }), 'UTC')

  test('for a new post leaves out empty fields', () => {
    expect(toNewPost(EMPTY_DRAFT, undefined)).toEqual({ channels: {} })
    expect(toNewPost({ ...whole, notes: 'N' }, LATER)).toEqual({
      channels: { a: { caption: 'Bread' } },
      ...{ media: whole.media, mediaType: 'IMAGE', scheduledFor: LATER, notes: 'N' },
    })
  })

  test('for a change has only the changed fields', () => {
    expect(toPatch(start, start, '2099-12-01T10:00:00.000Z')).toEqual({})
    expect(toPatch(start, { ...start, notes: '' }, LATER)).toEqual({ notes: '' })
    expect(toPatch(start, { ...start, mediaType: 'VIDEO' }, LATER)).toEqual({ mediaType: 'VIDEO' })
    expect(toPatch(start, { ...start, media: 'https://b' }, LATER)).toEqual({ media: 'https://b', mediaType: 'IMAGE' })
    expect(toPatch(start, { ...start, time: '2026-11-20T10:00' }, LATER)).toEqual({ scheduledFor: LATER })
    expect(toPatch(start, { ...start, occurrence: 'later' }, LATER)).toEqual({ scheduledFor: LATER })
  })

  test('for a channel is null if it was removed, its text, and its superpower if that changed', () => {
    const { FB_1 } = start.channels
    expect(toPatch(start, { ...start, channels: {} }, undefined)).toEqual({ channels: { FB_1: null } })
    const patchOf = (superpower: 'kept' | 'none' | object) =>
      toPatch(start, { ...start, channels: { FB_1: { ...FB_1!, caption: 'New', superpower } as never } }, undefined)
    expect(patchOf('kept')).toEqual({ channels: { FB_1: { caption: 'New' } } })
    expect(patchOf('none')).toEqual({ channels: { FB_1: { caption: 'New', superpower: null } } })
    expect(patchOf({ name: 'Own' })).toEqual({ channels: { FB_1: { caption: 'New', superpower: { name: 'Own' } } } })
  })
})
