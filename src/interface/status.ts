import type { WaitReason } from './post-waits.js'

/** The answer of `GET /status`: the state of one process of the service; that of its storage only with `?tables=true`. */
export interface ServerStatus extends Partial<StorageStatus> {
  ready: boolean
  /** Why it is not ready, and what to do. */
  problem?: string
  database: 'pglite' | 'postgres'
  /** Absent where the publisher runs in another process. */
  publisher?: PublisherStatus
  /** Posts that are more than two minutes past their time; absent where none is. */
  latePosts?: LatePosts
  /** Absent where no greatest age is set. */
  greatestAges?: GreatestAges
  /** Absent where no organization has a source. */
  inbox?: InboxStatus
  /** Absent where superpowers act on no channel. */
  automation?: AutomationStatus
}

/** The late posts of all organizations. */
export interface LatePosts {
  /** Counted up to 10,000. */
  count: number
  /** The time of the one that waits longest; absent when none does. */
  oldestDueAt?: string
  /** How many wait for each reason; those without a post are left out. */
  reasons: Partial<Record<WaitReason, number>>
}

/** The work of superpowers in all organizations. */
export interface AutomationStatus {
  /** Channels where they act, or would in a dry run. */
  channels: number
  /** Those that the platform stopped: they start again when their switch is set. */
  stopped: number
  /** Posts whose comments are read. */
  posts: number
  /** Comments that are not decided yet; counted up to 100,000. */
  waiting: number
  /** When the one came that waits longest; absent when none does. */
  oldestAt?: string
  /** Effects of the last day whose answer was lost: they are never sent again. */
  unknown: number
  /** When the newest comment that was seen was written; absent before the first one. */
  newestCommentAt?: string
}

/** The sources and deliveries of all organizations. */
export interface InboxStatus {
  sources: number
  /** Deliveries that are stored and not applied yet; counted up to 100,000. */
  waiting: number
  /** When the one came that waits longest; absent when none does. */
  oldestAt?: string
  /** Problems that no one has retried or dismissed; counted up to 100,000. */
  problems: number
  /**
   * Deliveries that this process refused since its start because no source has their write key: their sender drops them,
   * and no source shows them. Absent while there is none.
   */
  unknownKeys?: { refused: number; lastAt: string }
}

export interface StorageStatus {
  /** The largest table comes first. */
  tables: TableFigures[]
  /** The tasks that are set. */
  retention: Partial<Record<'audit' | 'posts' | 'keys' | 'media', RetentionStatus>>
}

export interface TableFigures {
  name: string
  rows: number
  /** True where `rows` comes from the database's last statistics. */
  isEstimate: boolean
  /** The size of the table with its indexes. */
  bytes: number
}

/** The work of one setting of retention. */
export interface RetentionStatus {
  keepDays: number
  /** The last time that everything older than `keepDays` was gone; absent before the first one. */
  lastDoneAt?: string
  /** The number of rows, or files, removed since the database was made. */
  removed: number
  /** Entries of the audit trail of before this instant are in files; absent for other tasks. */
  exportedBefore?: string
}

/** Keys and operator tokens that end by their greatest age, and not by an expiry of their own. */
export interface GreatestAges {
  keys?: EndsByAge
  operatorTokens?: EndsByAge
}

export interface EndsByAge {
  /** How many end within 14 days. */
  ending: number
  /** How many have ended and are not revoked. */
  ended: number
}

export interface PublisherStatus {
  /** When it last looked for posts that are due; absent before the first time. */
  lastTickAt?: string
  /** The time of the post that waits longest for its publication; absent when none does. */
  oldestDueAt?: string
  /** How many posts of all organizations are in each status. */
  postsByStatus: Record<string, number>
  published: PublishDelays
}

/** How long after their time posts were published, since the process started. */
export interface PublishDelays {
  count: number
  /** Upper bounds. Absent without a publication, and where it took more than a day. */
  p50Seconds?: number
  p95Seconds?: number
}
