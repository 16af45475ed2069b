import type { DiscussionActor } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { outside as outsideWords, discussion as words } from '../words.ts'

/** The messages about a post, oldest first. */
export function useDiscussion(scheduledPostId: string) {
  const { id: organizationId } = useOrganization()
  return useList(['discussion', organizationId, scheduledPostId], (query, options) =>
    call('listDiscussionMessages', { organizationId, scheduledPostId, query }, options),
  )
}

/** The changes of the discussion of a post, oldest first. */
export function useDiscussionHistory(scheduledPostId: string) {
  const { id: organizationId } = useOrganization()
  return useList(['discussion-history', organizationId, scheduledPostId], (query, options) =>
    call('listDiscussionHistory', { organizationId, scheduledPostId, query }, options),
  )
}

/** Names the author of a message; of one outside also who made the link. */
export function nameOfActor({ type, name, linkOf }: DiscussionActor): string {
  if (name === undefined) return words.actor({ type })
  return linkOf === undefined ? name : outsideWords.byLinkOf({ name, maker: linkOf })
}
