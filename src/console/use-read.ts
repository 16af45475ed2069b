import { hashKey, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import { POLL_MS } from './clock.ts'

export type Read<T> = Pick<
  UseQueryResult<T>,
  'data' | 'error' | 'isPending' | 'isFetching' | 'isPlaceholderData' | 'dataUpdatedAt' | 'refetch'
>

/**
 * `useQuery`, whose error stays until the next answer. The library drops the error of a query without data as soon as it
 * fetches again, so a polling page would show the error and the placeholder in turn.
 */
export function useRead<T, K extends QueryKey>(options: UseQueryOptions<T, Error, T, K>): Read<T> {
  const query: Read<T> = useQuery(options)
  const failed = useRef<{ key: string; error: Error }>()
  const key = hashKey(options.queryKey)
  if (query.error !== null) failed.current = { key, error: query.error }
  else if (!query.isPending || failed.current?.key !== key) failed.current = undefined
  return failed.current === undefined ? query : { ...query, error: failed.current.error, isPending: false }
}

export type ReadOptions<T> = Omit<UseQueryOptions<T, Error, T, QueryKey>, 'queryKey' | 'queryFn'>

/** The parts of a revision (use-revision.ts). */
export type Followed = 'posts' | 'audience' | 'inbox' | 'other'

/**
 * The part that queries follow, by the first word of their keys. Another one is read again by the clock, or when asked
 * for.
 */
const FOLLOWED: Record<string, Followed> = {
  ...{ posts: 'posts', post: 'posts', history: 'posts', 'last-review': 'posts', 'post-names': 'posts' },
  ...{ 'waiting-for-me': 'posts', 'media-uses': 'posts', inbox: 'inbox' },
  ...{ people: 'audience', person: 'audience', 'people-found': 'audience', 'vip-marks': 'audience' },
  ...{ me: 'other', channels: 'other', workspaces: 'other', members: 'other', invitations: 'other', keys: 'other' },
  ...{ 'ad-accounts': 'other', audit: 'other', media: 'other', superpowers: 'other', webhook: 'other' },
  ...{ 'posting-slots': 'other', 'calendar-feed': 'other', series: 'other', 'saved-texts': 'other', segments: 'other' },
  ...{ 'review-links': 'other', 'opt-outs': 'other', sources: 'other', 'superpowers-of': 'other' },
  ...{ discussion: 'other', 'discussion-history': 'other' },
}

/** The part of the organization's revision that a query follows; undefined where it is read by the clock. */
export const followedOf = ([name]: QueryKey): Followed | undefined => FOLLOWED[String(name)]

/** A query that follows a revision is read again after this time all the same. */
export const FALLBACK_MS = 300_000

/** A read that failed is tried again soon: the service may be there again. */
export const orSoonAfterError =
  (ms: number) =>
  ({ state }: { state: { error: unknown } }): number =>
    state.error === null ? ms : POLL_MS

/**
 * How often a query is read again that follows no revision; and one that does, where it also shows what no revision tells
 * of, such as what was delivered, received, answered or used since.
 */
export const byClock = orSoonAfterError(20_000)

/** Reads something again while it is shown: when the revision says that it has changed, by the clock, or both. */
export const usePolled = <T>(
  queryKey: QueryKey,
  read: (options: { signal: AbortSignal }) => Promise<T>,
  options?: ReadOptions<T>,
): Read<T> =>
  useRead<T, QueryKey>({
    queryKey,
    queryFn: ({ signal }) => read({ signal }),
    refetchInterval: followedOf(queryKey) === undefined ? byClock : orSoonAfterError(FALLBACK_MS),
    ...options,
  })
