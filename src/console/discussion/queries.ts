import type { DiscussionActor } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { useList } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { outside as outsideWords, discussion as words } from '../words.ts'

/** Reads the messages about a post, oldest first. */
export function useDiscussion(scheduledPostId: string) {
  const { id: organizationId } = useOrganization()
  return useList(['discussion', organizationId, scheduledPostId], (query, options) =>
    call('listDiscussionMessages', { organizationId, scheduledPostId, query }, options),
  )
}

/** Reads the changes of a post's discussion, oldest first. */
export function useDiscussionHistory(scheduledPostId: string) {
  const { id: organizationId } = useOrganization()
  return useList(['discussion-history', organizationId, scheduledPostId], (query, options) =>
    call('listDiscussionHistory', { organizationId, scheduledPostId, query }, options),
  )
}

/** Returns the name of a message's author, and who made the link if the author used one. */
export function nameOfActor({ type, name, linkOf }: DiscussionActor): string {
  if (name === undefined) return words.actor({ type })
  return linkOf === undefined ? name : outsideWords.byLinkOf({ name, maker: linkOf })
}
