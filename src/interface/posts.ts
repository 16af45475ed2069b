import type { Actor } from './/access.js'
import type { ChannelType, Superpower } from './generated/types.js'
import type { PageQuery } from './pages.js'
import type { PostStatus } from './post-status.js'
import type { WaitReason } from './post-waits.js'
import type { Free } from './/superpowers.js'

export type { PostStatus }

/** interface 2.4 */
export interface ScheduledPost {
  id: string
  orgId: string
  type: 'POST'
  /** The URL of the image or video. */
  media?: string
  mediaType?: string
  /** ISO 8601 in UTC. */
  scheduledFor?: string
  /** The publishing task, while the post is SCHEDULED or PUBLISHING. */
  taskId?: string
  /** By channel id. */
  mediumsData: Record<string, ScheduledPostChannel>
  status: PostStatus
  notes?: string
}

/** A post in the list of its organization. */
export interface ListedPost extends PostForPeople {
  /** The threads of its discussion that are not resolved. */
  openMessages: number
}

/** The channel entry of interface 2.4. */
export interface ScheduledPostChannel {
  caption?: string
  superpower?: Superpower
  mediumType: string
  mediumName: string
  failedToPublish: boolean
}

/** The variant of interface 2.4 with document-metadata fields: how the earlier variant answers an update. */
export interface ScheduledPostDocument extends ScheduledPost {
  _fsDocScope: string
  selfPath: string
  docName: string
  docVer: number
  created: DocumentInstant
  updated: DocumentInstant
}

export interface DocumentInstant {
  _seconds: number
  _nanoseconds: number
}

/**
 * The reasons for which media at an address outside are not fixed. CHANGED: they were, and were others at the time of the
 * post.
 */
export const MEDIA_PROBLEMS = [
  'UNREACHABLE',
  'REFUSED',
  'REDIRECTS',
  'PRIVATE',
  'TOO_LARGE',
  'TOO_SLOW',
  'OFF',
  'CHANGED',
] as const
export type MediaProblem = (typeof MEDIA_PROBLEMS)[number]

/** The result of fetching media at an address outside. */
export interface MediaCheck {
  /** Only these bytes are published, or the post comes back to approval. */
  fixed: boolean
  /** The hash of the bytes, in hexadecimal. */
  sha256?: string
  /** Why they are not fixed. */
  problem?: MediaProblem
}

export interface CheckedMedia {
  /** Absent where nothing was fetched: for an upload, and before an approval. */
  mediaCheck?: MediaCheck
}

/** A post as people read it in the console. */
export interface PostForPeople extends ScheduledPost, CheckedMedia {
  /** Says what the picture shows to those who do not see it; goes out with it. */
  altText?: string
  /** True if the content was made or edited with AI, which Instagram says on the post; absent otherwise. */
  aiGenerated?: boolean
}

export interface ScheduledPostQuery {
  /** Only posts in this status. */
  status?: PostStatus
  /** Only posts on this channel. */
  mediumId?: string
  /** Only posts at this time or later: ISO 8601 in UTC. */
  scheduledFrom?: string
  /** Only posts before this time, which leaves out those without one: ISO 8601 in UTC. */
  scheduledBefore?: string
  /** Posts per page: 50 by default, at most 200. */
  limit?: number
  /** Posts to skip. */
  offset?: number
  /** In place of offset: the x-next-cursor of the page before, which was asked for with the same filters. */
  after?: string
}

/** The same for people, who search in texts. */
export interface SearchedPostQuery extends ScheduledPostQuery {
  /** Only posts with this in a text or in the notes, in any case. */
  text?: string
}

/** The most per page is 1,000, which is the default; `after` is the nextCursor of the page before. */
export type CalendarPostQuery = Omit<SearchedPostQuery, 'offset'>

/** A post as a calendar shows it. */
export interface CalendarPost extends Pick<ScheduledPost, 'id' | 'status' | 'scheduledFor' | 'media' | 'mediaType'> {
  /** Its version, for If-Match. */
  etag: string
  /** The beginning of the first text that it has; empty where it has none. */
  text: string
  channels: CalendarPostChannel[]
  /** The threads of its discussion that are not resolved; absent where there is none. */
  openMessages?: number
  /** Why it is late; absent while it is not. */
  waitsFor?: WaitReason
}

export interface CalendarPostChannel {
  id: string
  type: ChannelType
  name: string
}

/** A weekly time at which posts of a channel go out. */
export interface PostingSlot {
  /** 1 for Monday to 7. */
  weekday: number
  /** On the organization's wall clock: `09:30`. */
  time: string
}

export interface ChannelPostingSlot extends PostingSlot {
  channelId: string
}

export interface PostingSlots {
  slots: PostingSlot[]
}

/** The address at which a calendar program of the person who calls reads the posts. */
export interface OwnCalendarFeed {
  /** Null where there is none. */
  createdAt: string | null
}

/** The only answer that ever holds the token. */
export interface IssuedCalendarFeed {
  createdAt: string
  token: string
  /** To be put behind the address of the server. */
  path: string
}

export interface DeletedCalendarFeed {
  deleted: true
}

/** The beginning of a post's text. */
export interface ScheduledPostName {
  id: string
  /** The beginning of the first text that it has; empty where it has none. */
  text: string
}

export interface ScheduledPostNamesQuery {
  /** Ids of posts with commas between them. */
  ids: string
}

/** The fields of a post that a caller may set, on creation and on update (interface 4.3). */
export interface ScheduledPostFields {
  /** ISO 8601 in UTC, in the future. */
  scheduledFor?: string
  /** By channel id: the given fields replace, null removes the channel, an unnamed channel stays. */
  channels?: Record<string, ScheduledPostChannelFields | null>
  /** The URL of the image or video. */
  media?: string
  mediaType?: 'IMAGE' | 'VIDEO'
  notes?: string
}

/** Names the sources of a post, or of a change of one: under four eyes their writers are writers of the post. */
export interface CopiedFrom {
  /** Ids of posts, also of deleted ones, and of the post itself. */
  posts?: string[]
  /** Ids of saved texts and groups of hashtags, also of deleted ones. */
  savedTexts?: string[]
}

/** The same as people may set them: null clears the time, the picture or video, or the alt text. */
export interface EditedPostFields extends Omit<ScheduledPostFields, 'scheduledFor' | 'media'> {
  scheduledFor?: string | null
  media?: string | null
  /** Ends with the picture, unless it is given with another one. */
  altText?: string | null
  /** Stays with another picture or video; null is false. */
  aiGenerated?: boolean | null
}

export interface ScheduledPostChannelFields {
  /** The channel's own type. */
  mediumType?: string
  caption?: string
  /** Replaces the whole superpower; with only a creativeTemplateId, by a copy of that saved one. Null removes it. */
  superpower?: Superpower | null
}

export interface NewScheduledPost extends ScheduledPostFields {
  /** DRAFT by default. */
  status?: 'DRAFT' | 'WAITING_FOR_APPROVAL'
}

/** A post that a person makes. */
export interface NewPostByPerson extends NewScheduledPost {
  altText?: string | null
  aiGenerated?: boolean | null
  copiedFrom?: CopiedFrom
}

/** interface 4.3 */
export interface ScheduledPostPatch extends ScheduledPostFields {
  /** Takes a rejected post back to DRAFT (interface 3). */
  status?: 'DRAFT'
}

/** A change by a person. */
export interface ScheduledPostEdit extends EditedPostFields {
  copiedFrom?: CopiedFrom
  /** Takes a rejected post back to DRAFT (interface 3). */
  status?: 'DRAFT'
}

export interface Rejection {
  /** The reason, not blank; becomes the post's notes. */
  notes: string
}

export interface Retry {
  /** The new time: ISO 8601 in UTC, in the future. At once where there is none. */
  scheduledFor?: string | undefined
}

export type PostAction =
  | 'created'
  | 'updated'
  | 'submitted'
  | 'approved'
  | 'rejected'
  | 'reverted'
  | 'retried'
  | 'claimed'
  | 'waits'
  | 'published'
  | 'failed'
  | 'deleted'

/** The default is 200 changes per page, which is the most. */
export type PostHistoryQuery = PageQuery

/** One change of a post, in its history. */
export interface PostChange {
  /** The post's version after the change: its ETag. */
  version: number
  at: string
  actor: Actor
  /** The present name of the person or key. */
  actorName?: string
  action: PostAction
  /** Absent for a creation. */
  fromStatus?: PostStatus
  /** Absent for a deletion. */
  toStatus?: PostStatus
  /** The changes, or the reason. */
  detail?: Free
}

/** The part of a post that goes out, and its time. */
export type ReviewedContent = Pick<
  PostForPeople,
  'media' | 'mediaType' | 'altText' | 'aiGenerated' | 'scheduledFor' | 'mediumsData'
>

/** A decision about a post, and what the post said then. */
export interface Review {
  decision: 'approved' | 'rejected'
  /** The version that was decided about. */
  version: number
  at: string
  content: ReviewedContent
}

/** The last decision; null where there is none. */
export interface LastReview {
  review: Review | null
}
