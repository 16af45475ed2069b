import type { Media } from '../../interface/generated/types.ts'
import { SMALL_BYTES_MAX, SMALL_SIDE_MAX } from '../../interface/small-picture.ts'
import { uploadSmallPicture } from '../api.ts'
import { smallAddressOf } from '../small-picture.tsx'

// Makes small pictures of uploads from the files that the service serves: the page has loaded most of them already, and the
// content security policy needs no other media source.

/** How long to wait for a video's data. */
const PATIENCE_MS = 20_000
/** Many videos start black: use the first of these positions that is not dark, or else the last. */
const PLACES = [0.1, 0.3, 0.5, 0.8]
const QUALITIES = [0.8, 0.6, 0.4, 0.2]
/** On a scale where white is 255. */
const DARK = 24

/** Not tried again while the page is open. */
const tried = new Set<string>()

/** Makes the files' small pictures one by one. Resolves to true if any was made. */
export async function makeMissing(
  organizationId: string,
  items: readonly Media[],
  signal: AbortSignal,
): Promise<boolean> {
  let isNew = false
  for (const media of items) {
    if (signal.aborted) break
    if (tried.has(media.id)) continue
    isNew = (await makeSmall(organizationId, media)) || isNew
  }
  return isNew
}

/**
 * Makes and uploads a file's small picture. Returns false if this browser cannot; the file itself is then shown. If media is
 * served from another address, the page may neither draw nor show it.
 */
export async function makeSmall(organizationId: string, { id, url, mediaType }: Media): Promise<boolean> {
  tried.add(id)
  if (smallAddressOf(url) === undefined) return false
  try {
    const blob = await (mediaType === 'VIDEO' ? drawVideo(url) : drawImage(url))
    await uploadSmallPicture(organizationId, id, blob)
    return true
  } catch {
    return false
  }
}

async function drawImage(url: string): Promise<Blob> {
  const image = new Image()
  image.src = url
  await image.decode()
  return toBlob(draw(image, image.naturalWidth, image.naturalHeight))
}

async function drawVideo(url: string): Promise<Blob> {
  const video = document.createElement('video')
  const patience = AbortSignal.timeout(PATIENCE_MS)
  const next = (name: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      patience.throwIfAborted()
      patience.addEventListener('abort', reject)
      video.addEventListener('error', reject)
      video.addEventListener(name, resolve, { once: true })
    })
  try {
    video.muted = true
    video.preload = 'auto'
    const ready = next('loadeddata')
    video.src = url
    await ready
    for (const place of PLACES) {
      const sought = next('seeked')
      video.currentTime = video.duration * place
      await sought
      const canvas = draw(video, video.videoWidth, video.videoHeight)
      if (!isDark(canvas) || place === PLACES.at(-1)) return await toBlob(canvas)
    }
    throw new Error()
  } finally {
    // Stops the download.
    video.removeAttribute('src')
    video.load()
  }
}

function draw(source: CanvasImageSource, width: number, height: number): HTMLCanvasElement {
  const scale = Math.min(1, SMALL_SIDE_MAX / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')!
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  return canvas
}

function isDark(canvas: HTMLCanvasElement): boolean {
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
  const sum = data.reduce((total, value, index) => (index % 4 === 3 ? total : total + value), 0)
  return sum / (data.length * 0.75) < DARK
}

async function toBlob(canvas: HTMLCanvasElement): Promise<Blob> {
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
    if (blob !== null && blob.size <= SMALL_BYTES_MAX) return blob
  }
  throw new Error()
}
