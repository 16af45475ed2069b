import type { ChannelRow } from '../channels/channels.store.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { MediaProblem, Superpower } from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'

/** The version that was approved, by whom and when; null for a post without approval. */
interface Approval {
  approved_version: number | null
  approved_at: Date | null
  approved_actor_type: Actor['type'] | null
  /** Also null for an actor without an id. */
  approved_actor_id: string | null
  /** The chain of the public beacon that decides raffles of this version; null if there is none. */
  approved_beacon: string | null
}

/**
 * The media at an external address, as they were at the time of approval (outside-media.ts). All null if they were not
 * fetched.
 */
export interface MediaProof {
  media_sha256: string | null
  media_problem: MediaProblem | null
  media_checked_at: Date | null
}

/** A post with its channels, ordered by channel id. */
export interface ScheduledPostRow extends Approval, MediaProof {
  organization_id: string
  scheduled_post_id: string
  status: PostStatus
  media: string | null
  media_type: string | null
  /** Describes the picture. Only answers for people include it, because interface 2.4 has no field for it. */
  alt_text: string | null
  /** Declared by the writer; Instagram then labels the post. Only answers for people include it, like the alt text. */
  ai_generated: boolean
  scheduled_for: Date | null
  task_id: string | null
  /** The writer's notes. */
  notes: string | null
  /** Why the post was last returned; null once its writer has changed the notes. */
  review_notes: string | null
  /** Incremented by each change. */
  version: number
  created_at: Date
  updated_at: Date
  channels: PostChannelRow[]
}

export const NO_PROOF: MediaProof = { media_sha256: null, media_problem: null, media_checked_at: null }

export const NO_APPROVAL: Approval = {
  approved_version: null,
  approved_at: null,
  approved_actor_type: null,
  approved_actor_id: null,
  approved_beacon: null,
}

/** Returns the actor's approval of the version they have seen, including the beacon that it names. */
export const approvalBy = (
  actor: Actor,
  { version, at, beacon }: { version: number; at: Date; beacon: string | null },
): Approval => ({
  approved_version: version,
  approved_at: at,
  approved_beacon: beacon,
  approved_actor_type: actor.type,
  approved_actor_id: idOfActor(actor),
})

export type PostKey = Pick<ScheduledPostRow, 'organization_id' | 'scheduled_post_id'>

export interface PostChannelRow extends ChannelRow {
  caption: string | null
  superpower: Superpower | null
  failed_to_publish: boolean
  /** The post is already published on this channel, where it no longer changes. */
  published: boolean
  /** The channel was deleted. */
  deleted: boolean
}
