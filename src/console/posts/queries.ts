import type { Channel, OrganizationChannel, PostChange, ScheduledPost } from '../../interface/generated/types.ts'
import {
  ApiError,
  getScheduledPost,
  listChannels,
  listMedia,
  listScheduledPostHistory,
  listScheduledPosts,
  listSuperpowers,
} from '../api.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { type ReadOptions, usePolled, useRead } from '../use-read.ts'

// Hooks that read posts and poll while they are shown.

/** Reads all posts that wait for approval, soonest first. */
export function useWaiting() {
  const { id: organizationId } = useOrganization()
  return useList(['posts', organizationId, 'waiting'], (cursor, options) =>
    listScheduledPosts(organizationId, { status: 'WAITING_FOR_APPROVAL', limit: 200, ...cursor }, options),
  )
}

export function usePost(id: string) {
  const { id: organizationId } = useOrganization()
  return usePolled(['post', organizationId, id], (options) => getScheduledPost(organizationId, id, options))
}

/** Reads every change of a post, oldest first, again for each new `etag`. */
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

export function useChannels(options?: ReadOptions<OrganizationChannel[]>) {
  const { id: organizationId } = useOrganization()
  return usePolled(['channels', organizationId], (given) => listChannels(organizationId, {}, given), options)
}

/** Reads the organization's channels. Names and types also cover the post's channels that have been deleted. */
export function useChannelFacts(post?: ScheduledPost) {
  const read = useChannels()
  const all = read.data
  const find = (id: string): Channel | undefined => all?.find((channel) => channel.id === id)
  return {
    read,
    nameOf: (id: string): string => find(id)?.name ?? post?.mediumsData[id]?.mediumName ?? id,
    typeOf: (id: string): string => find(id)?.type ?? post?.mediumsData[id]?.mediumType ?? '',
  }
}

/** Reads the latest uploads; none if the server does not accept uploads. */
export function useUploads() {
  const { id: organizationId } = useOrganization()
  const uploads = useRead({
    queryKey: ['media', organizationId],
    queryFn: ({ signal }) => listMedia(organizationId, { signal }),
    staleTime: 60_000,
    retry: false,
  })
  const isOff = uploads.error instanceof ApiError && uploads.error.code === 'media_disabled'
  return { items: uploads.data?.items, isOff }
}

/** Reads every saved superpower of the organization. */
export function useSuperpowers() {
  const { id: organizationId } = useOrganization()
  return useList(['superpowers', organizationId], (query, options) => listSuperpowers(organizationId, query, options), {
    staleTime: 15_000,
    refetchInterval: false,
  })
}
