import type { PostChange } from '../../interface/posts.ts'
import {
  getScheduledPost,
  listChannels,
  listScheduledPostHistory,
  listScheduledPosts,
  listSuperpowers,
} from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../session.tsx'
import { useRead } from '../use-read.ts'

// These hooks read posts, again and again while they are shown.

/** The posts that wait for approval, soonest first. */
export function useWaiting() {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['posts', organizationId, 'waiting'],
    queryFn: ({ signal }) =>
      listScheduledPosts(organizationId, { status: 'WAITING_FOR_APPROVAL', limit: 200 }, { signal }),
    refetchInterval: POLL_MS,
  })
}

export function usePost(id: string | undefined) {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['post', organizationId, id],
    queryFn: ({ signal }) => getScheduledPost(organizationId, id!, { signal }),
    enabled: id !== undefined,
    refetchInterval: POLL_MS,
  })
}

/** Every change of a post, oldest first. They are read again when the post has another `etag`. */
export function useHistory(id: string | undefined, etag: string | undefined) {
  const { id: organizationId } = useOrganization()
  return useList(
    ['history', organizationId, id, etag],
    (query, options) => listScheduledPostHistory(organizationId, id!, query, options),
    {
      enabled: id !== undefined && etag !== undefined,
      placeholderData: (previous: PostChange[] | undefined) => previous,
      refetchInterval: false,
    },
  )
}

export function useChannels() {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['channels', organizationId],
    queryFn: ({ signal }) => listChannels(organizationId, {}, { signal }),
    refetchInterval: POLL_MS,
  })
}

/** Every saved superpower of the organization. */
export function useSuperpowers() {
  const { id: organizationId } = useOrganization()
  return useList(['superpowers', organizationId], (query, options) => listSuperpowers(organizationId, query, options), {
    staleTime: 15_000,
    refetchInterval: false,
  })
}
