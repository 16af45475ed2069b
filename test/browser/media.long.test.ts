import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { OPERATOR_TOKEN } from '../harness.js'
import { segment } from '../media.js'
import { insertPost } from '../posts.js'
import { announced, CHROMIUM, Desk, enter, expectAccessible, expectNarrow, PHONE, SOON, tabTo } from './console-page.js'
import { startNamedServer } from './console-server.js'

const DUE = new Date('2026-12-01T10:00:00Z')
const SECRET = 'GPS 48.8584 N 2.2945 E'

/** Draws a picture with a red left half and a blue right half. */
async function drawn(page: Page, type: string, width: number, height: number): Promise<Buffer> {
  const base64 = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas')
    canvas.width = ${width}
    canvas.height = ${height}
    const context = canvas.getContext('2d')
    context.fillStyle = 'red'
    context.fillRect(0, 0, ${width / 2}, ${height})
    context.fillStyle = 'blue'
    context.fillRect(${width / 2}, 0, ${width / 2}, ${height})
    return canvas.toDataURL('${type}').split(',')[1]
  })()`)
  return Buffer.from(base64 as string, 'base64')
}

/** Returns the JPEG as a phone writes it: on its side, with a location. */
function fromPhone(jpeg: Buffer): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 0, 'latin1')
  for (const [value, at] of [
    [8, 4],
    [1, 14],
  ] as const) {
    tiff.writeUInt32BE(value, at)
  }
  for (const [value, at] of [
    [1, 8],
    [0x0112, 10],
    [3, 12],
    [6, 18],
  ] as const) {
    tiff.writeUInt16BE(value, at)
  }
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(SECRET, 'latin1')])
  return Buffer.concat([jpeg.subarray(0, 2), segment(0xe1, exif), jpeg.subarray(2)])
}

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload a file…' }).click(SOON),
  ])
  await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer })
}

/** The properties of a picture or player that a page reports; these tests have no DOM types. */
interface Shown {
  currentSrc: string
  complete: boolean
  naturalWidth: number
  poster: string
  preload: string
  readyState: number
  play(): Promise<void>
}

const addressOf = (page: Page): Promise<string> => page.getByLabel('Web address').inputValue()

describe.skipIf(CHROMIUM === undefined)('pictures and videos in the console (needs chromium)', () => {
  const mediaDir = mkdtempSync(join(tmpdir(), 'greenroom-media-'))
  const desk = new Desk(() => ({ media: { dir: mediaDir } }), startNamedServer)
  afterAll(() => rmSync(mediaDir, { recursive: true, force: true }))

  const draft = (channelId: string): Promise<string> =>
    insertPost(desk.tenant, { scheduledFor: DUE, channels: [{ channelId, caption: 'Lanterns' }] })
  const read = async (id: string) => (await desk.tenant.get(200, `/scheduled-posts/${id}`)).body
  const stored = async (page: Page): Promise<Buffer> =>
    (await desk.server.test.app.inject({ url: new URL(await addressOf(page)).pathname })).rawPayload
  const uploads = async () => (await desk.operator(200, 'GET', '/media')).body.items

  test('a PNG becomes a JPEG for Instagram, and the person is informed', async () => {
    const id = await draft(desk.instagram)
    const page = await desk.open(`/posts/${id}`, await desk.member('EDITOR'))
    await choose(page, 'lanterns.png', await drawn(page, 'image/png', 1080, 1350))
    await announced(page, 'lanterns.png is uploaded.')
    await page.getByText('It was converted to JPEG, which every channel accepts.').waitFor(SOON)
    await page.getByText('JPEG picture, 1,080 × 1,350 pixels').waitFor(SOON)
    expect(await page.getByRole('img', { name: 'The picture of the post' }).isVisible()).toBe(true)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Ask for approval' }).click()
    await announced(page, 'Saved and submitted for approval.')
    expect(await read(id)).toMatchObject({ status: 'WAITING_FOR_APPROVAL', mediaType: 'IMAGE' })
    expect(await uploads()).toMatchObject([{ contentType: 'image/jpeg', width: 1080, height: 1350 }])
  })

  test('a PNG stays one for Facebook, a WebP becomes a JPEG, and one click fixes it when Instagram is added later', async () => {
    const page = await desk.open(`/posts/${await draft(desk.pageChannel)}`, await desk.member('EDITOR'))
    await choose(page, 'lanterns.png', await drawn(page, 'image/png', 600, 600))
    await page.getByText('PNG picture, 600 × 600 pixels').waitFor(SOON)
    await page.getByLabel('Description of the picture').fill('Lanterns at night')
    await page.getByLabel('mercado.aurora').check()
    await page.getByText('mercado.aurora accepts only JPEG.').waitFor(SOON)
    await page.getByRole('button', { name: 'Convert to a fitting JPEG' }).click()
    await page.getByText('JPEG picture, 600 × 600 pixels').waitFor(SOON)
    await page.getByText('mercado.aurora accepts only JPEG.').waitFor({ state: 'detached', ...SOON })
    expect(await page.getByLabel('Description of the picture').inputValue()).toBe('Lanterns at night')
    await choose(page, 'lanterns.webp', await drawn(page, 'image/webp', 640, 640))
    await page.getByText('JPEG picture, 640 × 640 pixels').waitFor(SOON)
    // It belonged to the previous picture.
    expect(await page.getByLabel('Description of the picture').inputValue()).toBe('')
  })

  test("a phone's JPEG loses its location, and stays upright", async () => {
    const page = await desk.open(`/posts/${await draft(desk.instagram)}`, await desk.member('EDITOR'))
    await choose(page, 'phone.jpg', fromPhone(await drawn(page, 'image/jpeg', 1000, 800)))
    await page.getByText('JPEG picture, 800 × 1,000 pixels').waitFor(SOON)
    const bytes = await stored(page)
    expect(bytes.length).toBeGreaterThan(1000)
    expect(bytes.includes('GPS')).toBe(false)
  })

  test('the library: a file is found, chosen, and deleted once no post needs it', async () => {
    const editor = await desk.member('EDITOR')
    const id = await draft(desk.pageChannel)
    const page = await desk.open(`/posts/${id}`, editor)
    await choose(page, 'street.jpg', await drawn(page, 'image/jpeg', 640, 640))
    await announced(page, 'street.jpg is uploaded.')
    await choose(page, 'lanterns.jpg', await drawn(page, 'image/jpeg', 800, 640))
    await announced(page, 'lanterns.jpg is uploaded.')
    await page.getByRole('button', { name: 'Choose from the library…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Choose a picture or video' })
    await dialog.getByRole('button', { name: /^lanterns\.jpg/ }).waitFor(SOON)
    await expectAccessible(page)
    await dialog.getByLabel('Name contains').fill('STREET')
    await dialog.getByRole('button', { name: /^lanterns\.jpg/ }).waitFor({ state: 'detached', ...SOON })
    await dialog.getByRole('button', { name: /^street\.jpg/ }).click()
    await page.getByText('JPEG picture, 640 × 640 pixels').waitFor(SOON)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await announced(page, 'Saved.')

    const library = await desk.open('/media?search=.jpg', editor, { viewport: PHONE })
    const street = library.getByRole('article').filter({ hasText: 'street.jpg' })
    await street.getByRole('link', { name: 'Lanterns' }).waitFor(SOON)
    await expectAccessible(library)
    await expectNarrow(library)
    await library.getByRole('button', { name: 'Delete lanterns.jpg' }).click()
    await library.getByRole('dialog').getByText('This cannot be undone.').waitFor(SOON)
    await library.keyboard.press('Enter')
    await announced(library, 'lanterns.jpg was deleted.')
    expect(await uploads()).toMatchObject([{ name: 'street.jpg' }])
    await street.getByText('(draft)').waitFor(SOON)
    await library.getByLabel('Show').selectOption('Videos')
    await library.getByText('No files here').waitFor(SOON)
    expect(library.url()).toContain('kind=VIDEO')
  })

  const FILM = readFileSync(new URL('../../assets/demo/roasting.mp4', import.meta.url))
  /** Returns the address of an upload's small picture, once it exists, and its size. */
  const smallOf = async (page: Page, name: string) => {
    const url: string = await vi.waitFor(async () => {
      const { smallUrl } = (await uploads()).find((one: { name: string }) => one.name === name)
      expect(smallUrl).toBeDefined()
      return smallUrl
    }, SOON)
    const size = await page.evaluate(`(async () => {
      const picture = await createImageBitmap(await (await fetch('${url}')).blob())
      const canvas = document.createElement('canvas')
      const context = canvas.getContext('2d')
      context.drawImage(picture, 0, 0, 1, 1)
      const light = Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3))
      return { width: picture.width, height: picture.height, isDark: light < 16 }
    })()`)
    return { url, size }
  }
  const sourcesOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) => (all as unknown as Shown[]).map((one) => [one.currentSrc, one.complete, one.naturalWidth]))

  test('a photo and a video have small pictures from their upload on, which the library and the calendar show', async () => {
    const editor = await desk.member('EDITOR')
    const id = await draft(desk.pageChannel)
    const page = await desk.open(`/posts/${id}`, editor)
    await choose(page, 'street.jpg', await drawn(page, 'image/jpeg', 3000, 2000))
    await announced(page, 'street.jpg is uploaded.')
    const photo = await smallOf(page, 'street.jpg')
    expect(photo.size).toEqual({ width: 640, height: 427, isDark: false })
    await choose(page, 'roasting.mp4', FILM)
    await announced(page, 'roasting.mp4 is uploaded.')
    const film = await smallOf(page, 'roasting.mp4')
    expect(film.size).toMatchObject({ isDark: false })
    expect(film.url).toBe(`${await addressOf(page)}.small.jpg`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await announced(page, 'Saved.')

    const asked: string[] = []
    const library = await desk.open('/media', editor)
    library.on('request', (request) => asked.push(request.url()))
    await library.reload()
    await vi.waitFor(async () => {
      const shown = await sourcesOf(library, 'img.thumbnail, .thumbnail img')
      expect(shown).toHaveLength(2)
      expect(shown).toContainEqual([film.url, true, (film.size as { width: number }).width])
      expect(shown).toContainEqual([photo.url, true, 640])
    }, SOON)
    // The files themselves are not read.
    expect(asked.filter((url) => /\/media\/org_/.test(new URL(url).pathname)).toSorted()).toEqual(
      [film.url, photo.url].toSorted(),
    )
    await expectAccessible(library)

    const calendar = await desk.open('/calendar?view=list&day=2026-12-01', editor)
    await vi.waitFor(
      async () => expect(await sourcesOf(calendar, '.thumb img')).toMatchObject([[film.url, true, 360]]),
      SOON,
    )
    await calendar.getByRole('img', { name: 'Video' }).waitFor(SOON)

    // People who decide play the video itself. Until then its poster is shown, and none of the video is read.
    const post = await desk.open(`/posts/${id}`, editor, { viewport: PHONE })
    const player = post.locator('video.media').first()
    await player.and(post.locator('[poster]')).waitFor({ ...SOON, state: 'attached' })
    const shown = () =>
      player.evaluate((video) => {
        const { poster, preload, readyState } = video as unknown as Shown
        return [poster, preload, readyState]
      })
    expect(await shown()).toEqual([film.url, 'none', 0])
    await player.evaluate((video) => (video as unknown as Shown).play())
    expect(await player.evaluate((video) => (video as unknown as Shown).currentSrc)).toBe(
      `${await addressOf(page)}#t=0.001`,
    )
    await expectNarrow(post)
  })

  test('a file uploaded by a program has no small picture until a person who may write opens the library', async () => {
    const page = await desk.open('/calendar', await desk.member('VIEWER', false))
    for (const payload of [await drawn(page, 'image/jpeg', 2000, 1000), FILM]) {
      await desk.server.test.app.inject({
        method: 'POST',
        url: `/api/organizations/${desk.tenant.organizationId}/media`,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/octet-stream' },
        payload,
      })
    }
    const withSmall = async () => (await uploads()).filter(({ smallUrl }: { smallUrl?: string }) => smallUrl).length
    const photo = (await uploads()).find(({ mediaType }: { mediaType: string }) => mediaType === 'IMAGE')
    const viewer = await desk.open('/media', await desk.member('VIEWER', false))
    // The service sends an image itself as its small picture, and nothing for a video.
    await vi.waitFor(
      async () => expect(await sourcesOf(viewer, 'img.thumbnail')).toEqual([[`${photo.url}.small.jpg`, true, 2000]]),
      SOON,
    )
    await viewer.locator('.thumbnail .icon').waitFor(SOON)
    await vi.waitFor(async () => expect(await viewer.locator('.thumbnail img').count()).toBe(0), SOON)
    expect(await withSmall()).toBe(0)

    const library = await desk.open('/media', await desk.member('EDITOR'))
    await vi.waitFor(async () => expect(await withSmall()).toBe(2), { timeout: 60_000 })
    await library.locator('.thumbnail img').waitFor(SOON)
    await expectAccessible(library)
  })

  test('a draft with a deleted file says so', async () => {
    const editor = await desk.member('EDITOR')
    const page = await desk.open(`/posts/${await draft(desk.pageChannel)}`, editor)
    await choose(page, 'street.jpg', await drawn(page, 'image/jpeg', 640, 640))
    await announced(page, 'street.jpg is uploaded.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await announced(page, 'Saved.')
    const library = await desk.open('/media', editor)
    await library.getByRole('button', { name: 'Delete street.jpg' }).click()
    await library.getByText('A draft that uses the file needs another one').waitFor(SOON)
    await library.keyboard.press('Enter')
    await announced(library, 'street.jpg was deleted.')
    const again = await desk.open(page.url().slice(page.url().indexOf('/posts/')), editor, { viewport: PHONE })
    const gone = again.getByText('This file was deleted from the library. Choose another for this post.')
    await gone.first().waitFor(SOON)
    expect(await again.getByRole('alert').filter({ has: gone }).count()).toBe(1)
    await expectAccessible(again)
    await expectNarrow(again)
  })

  test('a picture that is too wide is cropped with the keyboard, on a phone', async () => {
    const page = await desk.open(`/posts/${await draft(desk.instagram)}`, await desk.member('EDITOR'), {
      viewport: PHONE,
    })
    await choose(page, 'wide.jpg', await drawn(page, 'image/jpeg', 3000, 1000))
    await page.getByText(/mercado\.aurora accepts only a width from 0\.8 to 1\.91 times the height/).waitFor(SOON)
    const before = await addressOf(page)
    await page.getByLabel('Description of the picture').fill('A wide street')
    await page.getByLabel('Web address').focus()
    await enter(page, 'Crop…')
    const dialog = page.getByRole('dialog', { name: 'Crop the picture' })
    await dialog.getByRole('img', { name: 'The part that is left' }).waitFor(SOON)
    await expectAccessible(page)
    await expectNarrow(page)
    await tabTo(page, 'Shape')
    await dialog.getByLabel('Shape').selectOption('Square, 1:1')
    await tabTo(page, 'Horizontal')
    await page.keyboard.press('Home')
    await enter(page, 'Use this part')
    await dialog.waitFor({ state: 'detached', ...SOON })
    await page.getByText('JPEG picture, 1,000 × 1,000 pixels').waitFor(SOON)
    expect(await page.getByText(/accepts only/).count()).toBe(0)
    expect(await page.getByLabel('Description of the picture').inputValue()).toBe('A wide street')
    expect(await addressOf(page)).not.toBe(before)
    // The left part is all red.
    const color = await page.evaluate(`(async () => {
      const picture = await createImageBitmap(await (await fetch('${await addressOf(page)}')).blob())
      const canvas = document.createElement('canvas')
      canvas.getContext('2d').drawImage(picture, 990, 500, 1, 1, 0, 0, 1, 1)
      return [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data]
    })()`)
    expect((color as number[])[0]).toBeGreaterThan(200)
    expect((color as number[])[2]).toBeLessThan(60)
    await expectAccessible(page)
  })
})
