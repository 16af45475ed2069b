import type { Media } from '../../interface/generated/types.ts'
import { list, number } from '../wording.ts'
import { textOf, posts as words } from '../words.ts'

/** Returns a file's type in words, such as `JPEG picture`. */
export const fileKind = (contentType: string): string => textOf(words.fileKinds, contentType)

/** Returns a size, in kilobytes below a million bytes. */
const fileSize = (bytes: number): string =>
  bytes < 100_000 ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.ceil(bytes / 100_000) / 10)} MB`

export const pictureFacts = ({ contentType, width, height, bytes }: Media): string =>
  `${fileKind(contentType)}, ${number(width)} × ${number(height)}, ${fileSize(bytes)}`

export const mediaFacts = ({ contentType, bytes, width, height, durationMs }: Media): string =>
  list([
    fileKind(contentType),
    words.editor.pixels({ width, height }),
    ...(durationMs === undefined ? [] : [words.editor.seconds({ many: Math.round(durationMs / 1000) })]),
    fileSize(bytes),
  ])
