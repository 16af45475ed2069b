import { ApiError } from '../errors.js'
import { MediaFormatError } from './byte-source.js'
import type { OtherFormat } from './other-formats.js'

const REMEDIES = {
  picture: 'export it as JPEG',
  video: 'export it as MP4',
  sound: 'it contains no pictures: export it as an MP4 video',
  document: 'export its pictures as JPEG',
}
/** Phones write HEIC unless they are set not to. */
const HEIC_REMEDY =
  'export it as JPEG (an iPhone takes JPEG pictures when Settings, Camera, Formats is Most Compatible)'

/** Returns the refusal of a file in another format, which it names. */
export function refuseFormat({ name, holds }: OtherFormat): ApiError {
  const remedy = name === 'HEIC' ? HEIC_REMEDY : REMEDIES[holds]
  return new ApiError('media_refused', { message: `The format of the file is ${name}: ${remedy}.` })
}

export const refuseWithoutPictures = (hasSound: boolean): Error =>
  hasSound
    ? new ApiError('media_refused', { message: 'The file has sound but no pictures: export it as an MP4 video.' })
    : new MediaFormatError('it has no video track')

/** Codecs of cameras and editing suites, which the platforms do not accept and browsers do not play. */
const FOR_EDITING: readonly (readonly [codec: RegExp, name: string])[] = [
  [/^ap(?:c[hnso]|4[hx]|r[nh])$/, 'Apple ProRes'],
  [/^AVd[nhj1]$/, 'Avid DNxHD'],
  [/^CFHD$/, 'CineForm'],
]

/** Throws media_refused for a video in one of these. */
export function refuseForEditing(codecs: readonly string[]): void {
  const name = FOR_EDITING.find(([pattern]) => codecs.some((codec) => pattern.test(codec)))?.[1]
  if (name === undefined) return
  throw new ApiError('media_refused', {
    message: `The codec of the video is ${name}, which is meant for editing: export it as MP4 with H.264.`,
  })
}

/** Returns the refusal of a file that is truncated or not what it claims to be; any other error unchanged. */
export function toRefusal(error: unknown): unknown {
  if (!(error instanceof MediaFormatError)) return error
  return new ApiError('media_refused', {
    message: 'The file is incomplete, or is not a readable image or video: export it again and send all of it.',
    cause: error,
  })
}
