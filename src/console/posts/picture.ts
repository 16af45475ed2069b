import type { Media, MediaRefusal } from '../../interface/generated/types.ts'
import { detectType, HEAD_BYTES } from '../../interface/media-format.ts'
import { findMediaProblems, type MediaFacts, UPLOAD_MIB_MAX } from '../../interface/media-rules.ts'
import { readUpload } from '../api.ts'
import { media as words } from '../words.ts'
import type { Rectangle } from './crop.ts'

// Converts files to what the chosen channels accept, before upload, with the browser's own decoders and encoder. Their
// output contains only the pixels, upright, without the location and device that cameras record.

const MIB = 1024 * 1024

export interface Prepared {
  file: File
  /** Describes what was done; undefined if the file is unchanged. */
  note: string | undefined
}

/**
 * Returns the file in a form that these channels accept: pictures are converted to JPEG and scaled down if a channel needs
 * it. Throws an Error with the text for problems that cannot be fixed here.
 */
export async function prepareFile(file: File, channelTypes: readonly string[]): Promise<Prepared> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const contentType = detectType(String.fromCharCode(...head))
  if (contentType?.startsWith('video/')) {
    checkVideo(file, contentType, channelTypes)
    return { file, note: undefined }
  }
  const problems = problemsOf({ contentType, bytes: file.size }, channelTypes)
  if (contentType !== undefined && problems.length === 0) return { file, note: undefined }
  const picture = await decode(file).catch(() => {
    // Let the service judge pictures that this browser cannot decode.
    if (contentType === undefined) throw new Error(words.unreadable({ name: file.name }))
  })
  if (picture === undefined) return { file, note: undefined }
  const whole = { x: 0, y: 0, width: picture.width, height: picture.height }
  const jpeg = await toJpeg(picture, whole, { name: file.name, channelTypes })
  picture.close()
  return { file: jpeg, note: contentType === 'image/jpeg' ? words.madeSmaller : words.madeJpeg }
}

/** Returns the type and size limits that the file violates, without decoding it. */
function problemsOf(
  { contentType = 'image/png', bytes }: { contentType: Media['contentType'] | undefined; bytes: number },
  channelTypes: readonly string[],
): MediaRefusal[] {
  const mediaType = contentType.startsWith('video/') ? 'VIDEO' : 'IMAGE'
  const facts: MediaFacts = { mediaType, contentType, bytes, width: 1, height: 1 }
  return channelTypes
    .flatMap((type) => findMediaProblems(facts, type))
    .filter(({ what }) => what === 'type' || what === 'size')
}

function checkVideo(file: File, contentType: Media['contentType'], channelTypes: readonly string[]): void {
  const sizes = problemsOf({ contentType, bytes: file.size }, channelTypes).flatMap((problem) =>
    problem.what === 'size' ? [problem.mibMax] : [],
  )
  const mibMax = Math.min(UPLOAD_MIB_MAX, ...sizes)
  if (file.size > mibMax * MIB)
    throw new Error(words.videoTooLarge({ is: Math.ceil(file.size / MIB), max: Math.ceil(mibMax) }))
}

/** Downloads an upload from this server. Throws an Error with a text if it is gone. */
export async function fetchFile(url: string, name: string): Promise<File> {
  const content = await readUpload(url)
  if (content === undefined) throw new Error(words.gone)
  return new File([content], name)
}

/** Throws an Error with a text if this browser cannot decode the file. */
export async function decode(file: Blob): Promise<ImageBitmap> {
  try {
    // Upright, following the EXIF orientation.
    return await createImageBitmap(file, { imageOrientation: 'from-image' })
  } catch {
    throw new Error(words.unreadable({ name: undefined }))
  }
}

/** The largest side that every browser can draw. */
const SIDE_MAX = 4_096
const QUALITY = 0.92
/** Scales to try, in order, until the picture is small enough. */
const SCALES = [1, 0.75, 0.5, 0.35, 0.25]

interface JpegOptions {
  name: string
  channelTypes: readonly string[]
}

/** Encodes a part of the picture as a JPEG that the channels accept. Transparency becomes white. */
export async function toJpeg(picture: ImageBitmap, part: Rectangle, options: JpegOptions): Promise<File> {
  const { name, channelTypes } = options
  const whole = Math.min(1, SIDE_MAX / Math.max(part.width, part.height))
  for (const scale of SCALES) {
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(part.width * whole * scale))
    canvas.height = Math.max(1, Math.round(part.height * whole * scale))
    draw(canvas, picture, part)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY))
    if (blob === null) break
    if (problemsOf({ contentType: 'image/jpeg', bytes: blob.size }, channelTypes).length > 0) continue
    return new File([blob], name.replace(/(\.\w+)?$/, '.jpg'), { type: 'image/jpeg' })
  }
  throw new Error(words.unreadable({ name: undefined }))
}

/** Draws the part over the whole canvas. */
export function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, { x, y, width, height }: Rectangle): void {
  const context = canvas.getContext('2d')
  if (context === null) throw new Error(words.unreadable({ name: undefined }))
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height)
}
