import type { QueryClient } from '@tanstack/preact-query'
import type { ScheduledPost } from '../../interface/posts.ts'
import { getScheduledPost, updateScheduledPost } from '../api.ts'
import { isSamePost, refreshPosts } from '../posts/post-text.ts'
import { words } from './words.ts'

/** A move that can be undone. */
export interface Move {
  post: ScheduledPost
  from: string | undefined
  /** The version of the post after the move. */
  etag: string
}

/** Gives the post another time, if it is still the one that is shown; describeError tells what it throws. */
export async function movePost(
  client: QueryClient,
  organizationId: string,
  shown: ScheduledPost,
  scheduledFor: string,
): Promise<Move> {
  const read = await getScheduledPost(organizationId, shown.id)
  if (!isSamePost(read.post, shown)) {
    await refreshPosts(client)
    throw new Error(words.changedMeanwhile)
  }
  const moved = await updateScheduledPost(organizationId, shown.id, read.etag, { scheduledFor })
  await refreshPosts(client)
  return { post: moved.post, from: shown.scheduledFor, etag: moved.etag }
}

/** Moves it back, unless it was changed since. */
export async function moveBack(client: QueryClient, organizationId: string, { post, from, etag }: Move): Promise<void> {
  if (from === undefined) return
  await updateScheduledPost(organizationId, post.id, etag, { scheduledFor: from })
  await refreshPosts(client)
}
