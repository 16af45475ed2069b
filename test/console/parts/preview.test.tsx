import { describe, expect, test } from 'vitest'
import { DifferenceView } from '../../../src/console/approvals/difference-view.tsx'
import { ChannelPreview } from '../../../src/console/posts/preview.tsx'
import type { ReviewedContent } from '../../../src/interface/generated/types.ts'
import { button, press, show, textOf, untilShown } from './page.tsx'

const LONG = `${'bread '.repeat(30)}the end`
const channel = { mediumType: 'INSTAGRAM_ACCOUNT', mediumName: 'mercado.aurora', caption: LONG }
const given = { media: 'https://media.example/bread.jpg', mediaType: 'IMAGE', timeZone: 'UTC' }

describe('the preview of a post', () => {
  test('folds a long text as the feed does, and expands it', async () => {
    show(<ChannelPreview channel={channel} {...given} />)
    expect(textOf()).not.toContain('the end')
    expect(button('more').getAttribute('aria-expanded')).toBe('false')
    await press('more')
    await untilShown('the end')
    await press('Show less')
    await untilShown('…')
  })

  test('shows the whole text to people who decide about it', async () => {
    show(<ChannelPreview channel={{ ...channel, mediumType: 'FB_PAGE', caption: LONG.repeat(4) }} {...given} isWhole />)
    expect(textOf()).toContain(LONG.repeat(4).trim())
    await press('Show less')
    expect(button('See more').getAttribute('aria-expanded')).toBe('false')
  })

  test('describes what the picture shows', () => {
    show(<ChannelPreview channel={channel} {...given} altText="Two loaves" />)
    expect(document.querySelector('img')!.alt).toBe('Two loaves')
    expect(textOf()).toContain('Description of the picture: Two loaves')
    show(<ChannelPreview channel={channel} {...given} altText="" />)
    expect(document.querySelector('img')!.alt).toBe('The picture of the post')
    expect(textOf()).not.toContain('Description')
  })

  test('shows only on Instagram that it was made with AI', () => {
    show(<ChannelPreview channel={channel} {...given} aiGenerated />)
    expect(textOf()).toContain('Made or edited with AI')
    show(<ChannelPreview channel={{ ...channel, mediumType: 'FB_PAGE' }} {...given} aiGenerated />)
    expect(textOf()).not.toContain('AI')
    show(<ChannelPreview channel={channel} {...given} aiGenerated={false} />)
    expect(textOf()).not.toContain('AI')
  })

  test('plays a video, and links to one that cannot be played', async () => {
    show(<ChannelPreview channel={channel} {...given} media="https://media.example/bread.mp4" mediaType="VIDEO" />)
    const video = document.querySelector('video')!
    expect([video.controls, video.preload, video.getAttribute('src')]).toEqual([
      true,
      'metadata',
      'https://media.example/bread.mp4#t=0.001',
    ])
    video.dispatchEvent(new Event('error'))
    await untilShown('The video cannot be played here')
    expect(document.querySelector<HTMLAnchorElement>('a.lone-link')!.href).toBe('https://media.example/bread.mp4')
  })

  test('plays nothing that the content security policy forbids', () => {
    show(<ChannelPreview channel={channel} {...given} media="http://media.example/bread.mp4" mediaType="VIDEO" />)
    expect(document.querySelector('video')).toBeNull()
  })
})

describe('the difference of two pictures', () => {
  const content: ReviewedContent = { media: 'https://media.example/a.jpg', mediaType: 'IMAGE', mediumsData: {} }

  test('shows both side by side, each with its address', () => {
    show(<DifferenceView before={content} now={{ ...content, media: 'https://media.example/b.jpg' }} />)
    expect([...document.querySelectorAll('img')].map(({ src, alt }) => [src, alt])).toEqual([
      ['https://media.example/a.jpg', 'The picture before'],
      ['https://media.example/b.jpg', 'The picture now'],
    ])
    expect(textOf()).toBe(
      'Picture or videoBeforeRemoved: https://media.example/a.jpgNowAdded: https://media.example/b.jpg',
    )
  })

  test('says if there was none', () => {
    show(<DifferenceView before={{ mediumsData: {} }} now={content} />)
    expect(document.querySelectorAll('img')).toHaveLength(1)
    expect(textOf()).toContain('Beforenone')
  })

  test('says that it is declared as made with AI, or no longer is', () => {
    const declared = { ...content, aiGenerated: true }
    show(<DifferenceView before={content} now={declared} />)
    expect(textOf()).toBe('Picture or videoAdded: Made or edited with AI')
    show(<DifferenceView before={declared} now={content} />)
    expect(textOf()).toBe('Picture or videoRemoved: Made or edited with AI')
  })

  test('marks the changes of the alt text', () => {
    show(<DifferenceView before={{ ...content, altText: 'Two loaves' }} now={{ ...content, altText: 'Two buns' }} />)
    expect([...document.querySelectorAll('del, ins')].map((one) => textOf(one))).toEqual([
      'Removed: loaves',
      'Added: buns',
    ])
    expect(document.querySelectorAll('img')).toHaveLength(0)
  })
})
