import type { ReviewedContent } from '../../interface/generated/types.ts'

/** A piece of text: in both versions, only in the old one, or only in the new one. */
export interface Piece {
  kind: 'same' | 'gone' | 'new'
  text: string
}

/** Longer texts are compared as a whole: comparing words takes time quadratic in their number. */
const WORDS_MAX = 2_000

/** Compares two texts word by word. */
export function compareTexts(before: string, now: string): Piece[] {
  const [a, b] = [split(before), split(now)]
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) {
    return join([
      { kind: 'gone', text: before },
      { kind: 'new', text: now },
    ])
  }
  const isSame = (i: number, j: number): boolean => a[i]!.trimEnd() === b[j]!.trimEnd()
  // The number of words that both texts have in common from these positions on.
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = isSame(i, j)
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && isSame(i, j)) {
      const word = a[i]!.trimEnd()
      const [spaceBefore, spaceNow] = [a[i]!.slice(word.length), b[j]!.slice(word.length)]
      pieces.push({ kind: 'same', text: word })
      if (spaceBefore === spaceNow) pieces.push({ kind: 'same', text: spaceNow })
      else pieces.push({ kind: 'gone', text: spaceBefore }, { kind: 'new', text: spaceNow })
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      pieces.push({ kind: 'gone', text: a[i]! })
      i += 1
    } else {
      pieces.push({ kind: 'new', text: b[j]! })
      j += 1
    }
  }
  return join(pieces)
}

/** Splits a text into words, each with the space after it. */
const split = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

/** Joins adjacent pieces of one kind; deletions come before the insertions that replace them. */
function join(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    if (piece.text === '') continue
    const last = joined.at(-1)
    const before = joined.at(-2)
    if (last?.kind === piece.kind) last.text += piece.text
    else if (piece.kind === 'gone' && last?.kind === 'new') {
      if (before?.kind === 'gone') before.text += piece.text
      else joined.splice(-1, 0, { ...piece })
    } else joined.push({ ...piece })
  }
  return joined
}

/** A value that has changed. */
interface Change<Value> {
  before: Value
  now: Value
}

const changed = <Value>(before: Value, now: Value): Change<Value> | undefined =>
  before === now ? undefined : { before, now }

/** The media of a post's version. */
export type Shown = Pick<ReviewedContent, 'media' | 'mediaType' | 'altText'>

/** The fields in which a post differs from the version that was decided about. */
interface Difference {
  media: Change<Shown> | undefined
  altText: Change<string> | undefined
  aiGenerated: Change<boolean> | undefined
  time: Change<string | undefined> | undefined
  channels: ChannelDifference[]
}

interface ChannelDifference {
  id: string
  name: string
  kind: 'added' | 'removed' | 'changed'
  caption?: Change<string> | undefined
  superpower?: true | undefined
}

const shownOf = ({ media, mediaType, altText }: ReviewedContent): Shown => ({ media, mediaType, altText })

export function compareContents(before: ReviewedContent, now: ReviewedContent): Difference {
  const ids = new Set([...Object.keys(before.mediumsData), ...Object.keys(now.mediumsData)])
  const isOtherMedia = before.media !== now.media || (before.mediaType ?? 'IMAGE') !== (now.mediaType ?? 'IMAGE')
  return {
    media: isOtherMedia ? { before: shownOf(before), now: shownOf(now) } : undefined,
    altText: changed(before.altText ?? '', now.altText ?? ''),
    aiGenerated: changed(!!before.aiGenerated, !!now.aiGenerated),
    time: changed(before.scheduledFor, now.scheduledFor),
    channels: [...ids].flatMap((id): ChannelDifference[] => {
      const [was, is] = [before.mediumsData[id], now.mediumsData[id]]
      const name = (is ?? was)!.mediumName
      if (was === undefined) return [{ id, name, kind: 'added' }]
      if (is === undefined) return [{ id, name, kind: 'removed' }]
      const caption = changed(was.caption ?? '', is.caption ?? '')
      const isOtherPower = JSON.stringify(was.superpower ?? null) !== JSON.stringify(is.superpower ?? null)
      if (caption === undefined && !isOtherPower) return []
      return [{ id, name, kind: 'changed', caption, superpower: isOtherPower || undefined }]
    }),
  }
}

export const isNothing = ({ channels, ...fields }: Difference): boolean =>
  channels.length === 0 && !Object.values(fields).some(Boolean)
