import { hashKey, type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import { POLL_MS } from './clock.ts'

export type Read<T> = Pick<
  UseQueryResult<T>,
  'data' | 'error' | 'isPending' | 'isFetching' | 'dataUpdatedAt' | 'refetch'
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

/** Reads something again and again while it is shown. */
export const usePolled = <T>(
  queryKey: QueryKey,
  read: (options: { signal: AbortSignal }) => Promise<T>,
  options?: ReadOptions<T>,
): Read<T> =>
  useRead<T, QueryKey>({ queryKey, queryFn: ({ signal }) => read({ signal }), refetchInterval: POLL_MS, ...options })
