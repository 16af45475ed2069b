import { describe, expect, test, vi } from 'vitest'
import { ChannelPreview, SmallMedia } from '../../../src/console/posts/preview.tsx'
import { smallAddressOf } from '../../../src/console/small-picture.tsx'
import { show, textOf, untilShown } from './page.tsx'
import { FakeService } from './service.ts'

const upload = (end: string): string => `${location.origin}/media/org_1/media_7Tq2Wd.${end}`
const channel = { mediumType: 'FB_PAGE', mediumName: 'Mercado Aurora', caption: 'Bread' }
const sources = (): string[] => [...document.querySelectorAll('img')].map(({ src }) => src)
const fail = (selector: string): boolean => document.querySelector(selector)!.dispatchEvent(new Event('error'))

/** Loads or refuses, at once, every picture that the page requests. */
function pictures(event: 'load' | 'error'): void {
  class Looked {
    onload: () => void = () => {}
    onerror: () => void = () => {}
    set src(_: string) {
      queueMicrotask(() => (event === 'load' ? this.onload() : this.onerror()))
    }
  }
  vi.stubGlobal('Image', Looked)
}

test('an upload of this server has a small picture, and no other file', () => {
  expect(smallAddressOf(upload('jpg'))).toBe(`${upload('jpg')}.small.jpg`)
  expect(smallAddressOf(`${location.origin}/desk/media/org_1/media_a.mp4`)).toBeDefined()
  for (const url of [
    'https://media.example/media/org_1/media_7Tq2Wd.jpg',
    `${location.origin}/assets/a.jpg`,
    `${upload('jpg')}?x=1`,
    `${upload('jpg')}.small.jpg`,
    'media/org_1/media_a.jpg',
    '',
  ]) {
    expect(smallAddressOf(url), url).toBeUndefined()
  }
})

describe('a list', () => {
  test('shows the small picture of an upload, and a file elsewhere itself, each at a fixed size', () => {
    show(<SmallMedia url={upload('jpg')} type="IMAGE" />)
    expect(sources()).toEqual([`${upload('jpg')}.small.jpg`])
    const { loading, width, height, alt } = document.querySelector('img')!
    expect([loading, width, height, alt]).toEqual(['lazy', 52, 52, ''])
    show(<SmallMedia url="https://media.example/a.jpg" type="IMAGE" />)
    expect(sources()).toEqual(['https://media.example/a.jpg'])
  })

  test('shows a symbol if there is no picture or it does not load', async () => {
    show(<SmallMedia url={upload('jpg')} type="IMAGE" />)
    fail('img')
    await vi.waitFor(() => expect(sources()).toEqual([]))
    expect(document.querySelectorAll('.media-small .icon')).toHaveLength(1)
    show(<SmallMedia url={undefined} type={undefined} />)
    expect(document.querySelectorAll('.media-small .icon')).toHaveLength(1)
  })

  test('shows the poster of a video with a symbol over it, and only the symbol without a poster', async () => {
    show(<SmallMedia url={upload('mp4')} type="VIDEO" />)
    expect(sources()).toEqual([`${upload('mp4')}.small.jpg`])
    expect(document.querySelectorAll('.poster .icon')).toHaveLength(1)
    fail('img')
    await vi.waitFor(() => expect(sources()).toEqual([]))
    expect(document.querySelectorAll('.poster .icon')).toHaveLength(1)
    show(<SmallMedia url="https://media.example/a.mp4" type="VIDEO" />)
    expect([sources(), document.querySelectorAll('.poster .icon').length]).toEqual([[], 1])
  })
})

describe('the preview in which people decide', () => {
  const given = { channel, timeZone: 'UTC', isWhole: true }

  test('shows the published picture itself, not its small version', () => {
    show(<ChannelPreview {...given} media={upload('jpg')} mediaType="IMAGE" />)
    expect(sources()).toEqual([upload('jpg')])
  })

  test('shows the poster of a video until it is played, and plays the video itself', async () => {
    pictures('load')
    show(<ChannelPreview {...given} media={upload('mp4')} mediaType="VIDEO" />)
    const video = document.querySelector('video')!
    expect(video.preload).toBe('none')
    await vi.waitFor(() => expect(video.getAttribute('poster')).toBe(`${upload('mp4')}.small.jpg`))
    expect([video.preload, video.getAttribute('src')]).toEqual(['none', `${upload('mp4')}#t=0.001`])
  })

  test('shows a frame of a video beside its poster, but not if the player shows one', async () => {
    pictures('load')
    show(<ChannelPreview {...given} media={upload('mp4')} mediaType="VIDEO" />)
    await vi.waitFor(() => expect(document.querySelector('.video-frame video')).not.toBeNull())
    const frame = document.querySelector<HTMLVideoElement>('.video-frame video')!
    expect([frame.preload, frame.getAttribute('src'), frame.hasAttribute('poster'), frame.controls]).toEqual([
      'metadata',
      `${upload('mp4')}#t=0.001`,
      false,
      false,
    ])
    expect(textOf()).toContain('A frame of the video')
    pictures('error')
    show(<ChannelPreview {...given} media={upload('mov')} mediaType="VIDEO" />)
    await vi.waitFor(() => expect(document.querySelector('video')!.preload).toBe('metadata'))
    expect(document.querySelector('.video-frame')).toBeNull()
  })

  test('shows the first frame of a video without a poster', async () => {
    pictures('error')
    show(<ChannelPreview {...given} media={upload('mp4')} mediaType="VIDEO" />)
    const video = document.querySelector('video')!
    await vi.waitFor(() => expect(video.preload).toBe('metadata'))
    expect(video.hasAttribute('poster')).toBe(false)
  })

  test.each([
    ['jpg', 'IMAGE', 'img', 'The picture cannot be shown here'],
    ['mp4', 'VIDEO', 'video', 'The video cannot be played here'],
  ])('says that an upload was deleted (%s)', async (end, mediaType, selector, otherwise) => {
    pictures('error')
    const service = new FakeService()
    const path = new URL(upload(end)).pathname
    service.on('HEAD', path, { status: 404 })
    show(<ChannelPreview {...given} media={upload(end)} mediaType={mediaType} />)
    fail(selector)
    await untilShown('This file was deleted from the library. Choose another for this post.')

    service.on('HEAD', path, { status: 200 })
    show(<ChannelPreview {...given} media={upload(end)} mediaType={mediaType} />)
    fail(selector)
    await untilShown(otherwise)
    await vi.waitFor(() => expect(service.made('HEAD', path)).toHaveLength(2))
    expect(textOf()).not.toContain('deleted')
  })
})
