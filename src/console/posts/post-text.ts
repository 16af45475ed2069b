import type { QueryClient } from '@tanstack/preact-query'
import type { ListedPost, ScheduledPost } from '../../interface/generated/types.ts'
import { toName } from '../to-name.ts'
import { describeError } from '../ui.tsx'
import { posts as words } from '../words.ts'

/** Returns the first text that a post has. */
export const textOf = (post: ScheduledPost): string =>
  Object.values(post.mediumsData).find(({ caption }) => (caption ?? '').trim() !== '')?.caption ?? words.preview.noText

/** Returns the names of a post's channels. */
export const channelNames = ({ mediumsData }: ScheduledPost): string =>
  Object.values(mediumsData)
    .map(({ mediumName }) => mediumName)
    .join(', ')

/** Returns the names of the channels of a calendar post. */
export const channelNamesOf = (channels: readonly { name: string }[]): string =>
  channels.map(({ name }) => name).join(', ')

/** Calendar posts contain only the beginning of their text. */
export const nameOfText = (text: string): string => toName(text.trim() === '' ? words.preview.noText : text)

/** Returns a short name for a post, where its whole text does not fit. */
export const nameOf = (post: ScheduledPost): string => toName(textOf(post))

/**
 * Returns true if both posts have the same content. The service orders fields, but not the keys of free-form objects. A
 * list's counts are not part of the post.
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

/** Describes a failure in one line. */
export function failureOf(error: unknown): string {
  const { text, more } = describeError(error)
  return [text, more].filter(Boolean).join(' ')
}

/** Reloads every list of posts after one has changed. */
export const refreshPosts = async (client: QueryClient): Promise<void> => {
  await client.invalidateQueries({ queryKey: ['posts'] })
}

/** Returns the ids of a post's channels. */
export const channelsOf = ({ mediumsData }: Pick<ScheduledPost, 'mediumsData'>): string[] => Object.keys(mediumsData)
