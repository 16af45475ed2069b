import { hashKey, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import { POLL_MS } from './clock.ts'

export type Read<T> = Pick<
  UseQueryResult<T>,
  'data' | 'error' | 'isPending' | 'isFetching' | 'isPlaceholderData' | 'dataUpdatedAt' | 'refetch'
>

/**
 * `useQuery`, but errors persist until the next answer. The library clears the error of a query without data when it
 * refetches, so a polling page would alternate between error and placeholder.
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

/** The part that a query follows, by the first element of its key. All other queries are polled or read on demand. */
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

/** Returns the revision part that a query follows; undefined if it is polled. */
export const followedOf = ([name]: QueryKey): Followed | undefined => FOLLOWED[String(name)]

/** Queries that follow a revision are still refetched this often. */
export const FALLBACK_MS = 300_000

/** Returns a refetch interval that is shorter after an error, since the service may soon be back. */
export const orSoonAfterError =
  (ms: number) =>
  ({ state }: { state: { error: unknown } }): number =>
    state.error === null ? ms : POLL_MS

/**
 * The polling interval of queries without a revision, and of those that also show what no revision covers, such as
 * deliveries or last uses.
 */
export const byClock = orSoonAfterError(20_000)

/** Refetches while shown: when the revision changes, on a timer, or both. */
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
