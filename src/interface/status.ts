import type { WaitReason } from './post-waits.js'

/** The response of `GET /status`: the state of one process and, with `?tables=true`, of its storage. */
export interface ServerStatus extends Partial<StorageStatus> {
  ready: boolean
  /** Why it is not ready, and what to do. */
  problem?: string
  database: 'pglite' | 'postgres'
  /** Absent if the publisher runs in another process. */
  publisher?: PublisherStatus
  /** Posts that are more than two minutes late; absent if there are none. */
  latePosts?: LatePosts
  /** Absent if no maximum age is set. */
  maximumAges?: MaximumAges
  /** Absent if no organization has a source. */
  inbox?: InboxStatus
  /** Absent if superpowers act on no channel. */
  automation?: AutomationStatus
}

/** The late posts of all organizations. */
export interface LatePosts {
  /** Counted up to 10,000. */
  count: number
  /** The scheduled time of the post that waits longest; absent if none waits. */
  oldestDueAt?: string
  /** How many wait for each reason; reasons without posts are left out. */
  reasons: Partial<Record<WaitReason, number>>
}

/** The work of superpowers in all organizations. */
export interface AutomationStatus {
  /** Channels where superpowers act or make a dry run. */
  channels: number
  /** Channels that the platform blocked; they resume when their switch is set again. */
  stopped: number
  /** Posts whose comments are read. */
  posts: number
  /** Undecided comments, counted up to 100,000. */
  waiting: number
  /** When the one came that waits longest; absent when none does. */
  oldestAt?: string
  /** Effects of the last day whose response was lost; they are never sent again. */
  unknown: number
  /** When the newest known comment was written; absent before the first one. */
  newestCommentAt?: string
}

/** The sources and deliveries of all organizations. */
export interface InboxStatus {
  sources: number
  /** Deliveries that are stored but not applied, counted up to 100,000. */
  waiting: number
  /** When the one came that waits longest; absent when none does. */
  oldestAt?: string
  /** Problems that no one has retried or dismissed, counted up to 100,000. */
  problems: number
  /**
   * Deliveries that this process has refused since its start because no source has their write key. Their senders
   * drop them, and no source shows them. Absent if there are none.
   */
  unknownKeys?: { refused: number; lastAt: string }
}

export interface StorageStatus {
  /** Largest first. */
  tables: TableFigures[]
  /** The configured tasks. */
  retention: Partial<Record<'audit' | 'posts' | 'keys' | 'media', RetentionStatus>>
}

export interface TableFigures {
  name: string
  rows: number
  /** True if `rows` comes from the database's last statistics. */
  isEstimate: boolean
  /** The size including indexes. */
  bytes: number
}

/** The state of one retention setting. */
export interface RetentionStatus {
  keepDays: number
  /** When everything older than `keepDays` was last gone; absent before the first time. */
  lastDoneAt?: string
  /** The rows or files removed since the database was created. */
  removed: number
  /** Audit entries before this instant are in files; absent for other tasks. */
  exportedBefore?: string
}

/** Keys and operator tokens that expire by their maximum age, not by their own expiry. */
export interface MaximumAges {
  keys?: EndsByAge
  operatorTokens?: EndsByAge
}

export interface EndsByAge {
  /** How many expire within 14 days. */
  ending: number
  /** How many have expired and are not revoked. */
  ended: number
}

export interface PublisherStatus {
  /** When it last looked for due posts; absent before the first time. */
  lastTickAt?: string
  /** The time of the post that waits longest for publication; absent if none waits. */
  oldestDueAt?: string
  /** The number of posts in each status, over all organizations. */
  postsByStatus: Record<string, number>
  published: PublishDelays
}

/** How late posts were published since the process started. */
export interface PublishDelays {
  count: number
  /** Upper bounds. Absent without a publication or if it took more than a day. */
  p50Seconds?: number
  p95Seconds?: number
}
