import {
  getScheduledPost,
  listChannels,
  listScheduledPostHistory,
  listScheduledPosts,
  listSuperpowers,
} from '../api.ts'
import { POLL_MS } from '../clock.ts'
import { useOrganization } from '../session.tsx'
import { useRead } from '../use-read.ts'

// What the console reads of posts. Each is read again while it is shown.

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

/** Every change of a post, oldest first. `etag`: read again when the post is another version. */
export function useHistory(id: string | undefined, etag: string | undefined) {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['history', organizationId, id, etag],
    queryFn: async ({ signal }) => {
      const changes = []
      let after: string | undefined
      do {
        const page = await listScheduledPostHistory(organizationId, id!, after === undefined ? {} : { after }, {
          signal,
        })
        changes.push(...page.items)
        after = page.nextCursor
      } while (after !== undefined)
      return changes
    },
    enabled: id !== undefined && etag !== undefined,
    placeholderData: (previous) => previous,
  })
}

export function useChannels() {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['channels', organizationId],
    queryFn: ({ signal }) => listChannels(organizationId, {}, { signal }),
    refetchInterval: POLL_MS,
  })
}

export function useSuperpowers() {
  const { id: organizationId } = useOrganization()
  return useRead({
    queryKey: ['superpowers', organizationId],
    queryFn: async ({ signal }) => {
      const saved = []
      let after: string | undefined
      do {
        const page = await listSuperpowers(organizationId, after === undefined ? {} : { after }, { signal })
        saved.push(...page.items)
        after = page.nextCursor
      } while (after !== undefined)
      return saved
    },
    staleTime: 15_000,
  })
}
