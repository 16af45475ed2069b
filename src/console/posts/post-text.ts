import type { QueryClient } from '@tanstack/preact-query'
import type { ListedPost, ScheduledPost } from '../../interface/generated/types.ts'
import { toName } from '../to-name.ts'
import { describeError } from '../ui.tsx'
import { posts as words } from '../words.ts'

/** The first text that a post has. */
export const textOf = (post: ScheduledPost): string =>
  Object.values(post.mediumsData).find(({ caption }) => (caption ?? '').trim() !== '')?.caption ?? words.preview.noText

/** The names of a post's channels. */
export const channelNames = ({ mediumsData }: ScheduledPost): string =>
  Object.values(mediumsData)
    .map(({ mediumName }) => mediumName)
    .join(', ')

/** The same of the posts of a calendar. */
export const channelNamesOf = (channels: readonly { name: string }[]): string =>
  channels.map(({ name }) => name).join(', ')

/** The posts of a calendar have the beginning of their text alone. */
export const nameOfText = (text: string): string => toName(text.trim() === '' ? words.preview.noText : text)

/** A short name of a post, for places without room for its whole text. */
export const nameOf = (post: ScheduledPost): string => toName(textOf(post))

/**
 * True where both say the same. The service gives fields in one order, but not the keys of free objects. The count of a
 * list is no part of the post.
 */
export const isSamePost = (a: ScheduledPost, b: ScheduledPost): boolean =>
  stable(withoutCount(a)) === stable(withoutCount(b))

const withoutCount = ({ openMessages: _, ...post }: ScheduledPost & Partial<ListedPost>): ScheduledPost => post

const stable = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** Why something was not done, in one line. */
export function failureOf(error: unknown): string {
  const { text, more } = describeError(error)
  return [text, more].filter(Boolean).join(' ')
}

/** Reads every list of posts again, after a change of one. */
export const refreshPosts = async (client: QueryClient): Promise<void> => {
  await client.invalidateQueries({ queryKey: ['posts'] })
}

/** The ids of the channels of a post. */
export const channelsOf = ({ mediumsData }: Pick<ScheduledPost, 'mediumsData'>): string[] => Object.keys(mediumsData)
