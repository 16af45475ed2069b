import { assignments } from '../database/columns.js'
import type { Queryable } from '../database/database.js'
import type { WaitReason } from '../interface/post-waits.js'
import type { PostKey } from '../posts/scheduled-post-row.js'
import { type Lease, LeaseLostError } from '../work/claim.js'

/** The progress of a post on one of its channels. */
export interface PublicationRow {
  channel_id: string
  state: 'PENDING' | 'PUBLISHED' | 'FAILED'
  /** The id of an object made before publishing: an Instagram container, or an unpublished photo. */
  container_id: string | null
  /** Set before the one call that publishes. While external_id is null, that call may have gone through. */
  attempted_at: Date | null
  /** The same instant by the platform's clock; null if that was unknown. */
  platform_attempted_at: Date | null
  /** A digest of the text, by which the post is searched for after that call; set together with attempted_at. */
  text_digest: string | null
  external_id: string | null
  permalink: string | null
  /** How often it was postponed; once attempted_at is set, how many searches found nothing. */
  attempts: number
  /** No step is taken before this. */
  next_attempt_at: Date | null
  /** The reason why it failed or is waiting. */
  error: string | null
  /** Why it is waiting, if `error` has the words for that; null if it is not waiting. */
  wait_reason: WaitReason | null
  /** How often the platform failed to process the media before anything was published. */
  media_failures: number
  /** When the prepared object was last replaced because the platform no longer showed it. */
  renewed_at: Date | null
}

/** The part of a publication that a step changes. */
export type PublicationChange = Partial<Omit<PublicationRow, 'channel_id'>>

/** One claim's hold on one post. Every write names it and extends it. */
export interface PostLease extends Lease {
  organizationId: string
  scheduledPostId: string
}

export const leaseLost = ({ scheduledPostId, leasedBy }: PostLease): LeaseLostError =>
  new LeaseLostError(`${scheduledPostId} by ${leasedBy}`)

/** A change is not stored because another post on the channel has the same `external_id` or an open call. */
export class PublicationConflictError extends Error {
  constructor(cause: Error) {
    super(`another post on the channel is in the way: ${cause.message}`, { cause })
    this.name = 'PublicationConflictError'
  }
}

/** The longest wait of a publication. */
export const WAIT_MS_MAX = 86_400_000

const STEP_COLUMNS = [
  ...['state', 'container_id', 'attempted_at', 'platform_attempted_at', 'text_digest', 'external_id', 'permalink'],
  ...['attempts', 'next_attempt_at', 'error', 'wait_reason', 'media_failures', 'renewed_at'],
] as (keyof PublicationChange)[]
const COLUMNS = `channel_id, ${STEP_COLUMNS.join(', ')}`

export const keysOf = (posts: readonly PostKey[]): [string[], string[]] => [
  posts.map(({ organization_id }) => organization_id),
  posts.map(({ scheduled_post_id }) => scheduled_post_id),
]

export const keyText = ({ organization_id, scheduled_post_id }: PostKey): string =>
  `${organization_id} ${scheduled_post_id}`

/** Inserts the missing publications of posts that are claimed for the first time, or have gained a channel since. */
export async function insertMissingPublications(tx: Queryable, posts: readonly PostKey[]): Promise<void> {
  await tx.query(
    `insert into publications (organization_id, scheduled_post_id, channel_id, state)
     select organization_id, scheduled_post_id, channel_id, 'PENDING'
       from scheduled_post_channels
      where (organization_id, scheduled_post_id) in (select * from unnest($1::text[], $2::text[]))
         on conflict do nothing`,
    keysOf(posts),
  )
}

/** Lists the publications of posts on their current channels, by keyText and in channel order. */
export async function listPublicationsByKey(
  database: Queryable,
  posts: readonly PostKey[],
): Promise<Map<string, PublicationRow[]>> {
  const { rows } = await database.query<PublicationRow & PostKey>(
    `select organization_id, scheduled_post_id, ${COLUMNS}
       from publications join scheduled_post_channels using (organization_id, scheduled_post_id, channel_id)
      where (organization_id, scheduled_post_id) in (select * from unnest($1::text[], $2::text[]))
      order by channel_id collate "C"`,
    keysOf(posts),
  )
  const lists = new Map<string, PublicationRow[]>()
  for (const { organization_id, scheduled_post_id, ...row } of rows) {
    const key = keyText({ organization_id, scheduled_post_id })
    lists.set(key, [...(lists.get(key) ?? []), row])
  }
  return lists
}

/**
 * Stores a step's change, renews the lease, and returns the row as stored. Throws LeaseLostError or
 * PublicationConflictError.
 *
 * The post's row is locked before its publication is written. A publisher that takes the post over locks it first too:
 * either it comes later and sees this write, or it comes first and this write fails.
 */
export async function savePublication(
  database: Queryable,
  lease: PostLease,
  row: PublicationRow,
  change: PublicationChange,
  now: Date,
): Promise<PublicationRow> {
  const saved = { ...row, ...change }
  const until = new Date(now.getTime() + lease.durationMs)
  const { rowCount } = await database
    .query(
      `with held as (
       update scheduled_posts set leased_until = $4
        where organization_id = $1 and scheduled_post_id = $2 and leased_by = $3
       returning organization_id, scheduled_post_id)
     update publications p
        set ${assignments(STEP_COLUMNS, 6)}
       from held
      where p.organization_id = held.organization_id and p.scheduled_post_id = held.scheduled_post_id
        and p.channel_id = $5
     returning p.channel_id`,
      [
        ...[lease.organizationId, lease.scheduledPostId, lease.leasedBy, until, row.channel_id],
        ...STEP_COLUMNS.map((column) => saved[column]),
      ],
    )
    .catch((error) => {
      throw toConflict(error)
    })
  if (rowCount !== 1) throw leaseLost(lease)
  lease.until = until
  return saved
}

const CONFLICTS: unknown[] = ['publications_external_id', 'publications_open_call']

const toConflict = (error: Error & { constraint?: string }): Error =>
  CONFLICTS.includes(error.constraint) ? new PublicationConflictError(error) : error

/** The claims of other posts to the items that a search found on a channel. */
export interface FoundItems {
  /** Ids that belong to another post. */
  takenIds: Set<string>
  /** True if another call for the same text was made since then and its id is unknown, so the items may be its own. */
  isContested: boolean
}

/** Checks whether items on the row's channel, by their ids there, belong to other posts. */
export async function checkFoundItems(
  database: Queryable,
  { organizationId, scheduledPostId }: PostLease,
  { channel_id, text_digest }: PublicationRow,
  { ids, since }: { ids: readonly string[]; since: Date },
): Promise<FoundItems> {
  const { rows } = await database.query<{ external_id: string | null }>(
    `select external_id from publications
      where organization_id = $1 and channel_id = $2 and scheduled_post_id <> $3 and external_id = any($4::text[])
      union all
     select external_id from publications
      where organization_id = $1 and channel_id = $2 and scheduled_post_id <> $3 and external_id is null
        and text_digest = $5 and attempted_at >= $6`,
    [organizationId, channel_id, scheduledPostId, ids, text_digest, since],
  )
  const takenIds = new Set(rows.flatMap(({ external_id }) => external_id ?? []))
  return { takenIds, isContested: rows.some(({ external_id }) => external_id === null) }
}
