import type { Queryable } from '../database/database.js'
import { type Actor, idOfActor, type Principal } from '../http/principal.js'

export const AUDIT_TARGETS = [
  'organization',
  'media',
  'key',
  'workspace',
  'channel',
  /** `<workspaceId>/<channelId>` */
  'connection',
  /** `<workspaceId>/<channelId>/<conversationId>` */
  'vipMark',
  'adAccount',
  'superpower',
  'masterKey',
  /** The server as a whole. */
  'server',
  'operatorToken',
  /** `<channelId>/<conversationId>` */
  'conversation',
  /** The id of the erasure: nothing of the person. */
  'person',
  /** A person's account, or its membership in the organization. */
  'user',
  'invitation',
  'session',
  'scheduledPost',
  'reviewLink',
  'webhook',
] as const
export type AuditTarget = (typeof AUDIT_TARGETS)[number]

/** In place of an organization, for what is changed of the server as a whole. */
export const SERVER = 'server'

/** One change: who made it, by which operation, of what. */
export interface AuditEntry {
  principal: Pick<Principal, 'organizationId' | 'actor'>
  at: Date
  /** The operationId; of the publisher's changes `publishScheduledPost`, of a restored database `restoreBackup`. */
  operation: string
  target: { type: AuditTarget; id: string }
  /** Of a scheduled post: its version after the change. */
  version?: number
  /** What changed; never a secret. */
  changes?: Record<string, unknown>
}

export interface AuditRow {
  audit_id: number
  at: Date
  actor_type: Exclude<Actor['type'], 'visitor'>
  actor_id: string | null
  operation: string
  target_type: AuditTarget
  target_id: string
  changes: Record<string, unknown> | null
}

/** Writes a change into the audit trail, in the transaction that makes it. */
export async function recordAudit(
  tx: Queryable,
  { principal: { organizationId, actor }, at, operation, target, version, changes }: AuditEntry,
): Promise<void> {
  await tx.query(
    `insert into audit_trail
            (organization_id, at, actor_type, actor_id, operation, target_type, target_id, version, changes)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      organizationId,
      at,
      actor.type,
      idOfActor(actor),
      operation,
      target.type,
      target.id,
      version ?? null,
      changes === undefined ? null : JSON.stringify(changes),
    ],
  )
}

/** How many entries were begun: those of transactions that were rolled back too. Read from the sequence, whatever their number. */
export async function countAuditEntries(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select case when is_called then last_value else 0 end as count from audit_trail_audit_id_seq',
  )
  return rows[0]!.count
}

export interface AuditFilter {
  before: number | undefined
  targetType: string | undefined
  /** `<type>` or `<type>:<id>`. */
  actor: string | undefined
  /** Of the page, at most. */
  rows: number
  bytes: number
}

/** Entries that one page of a filtered trail looks at: what is rare is not searched for in all of it at once. */
const FILTERED_MAX = 2_000

/**
 * Newest first, from before an entry on when one is given. `next`: before which entry the next page begins, when there may be
 * more; a page of a filtered trail may be empty then.
 */
export async function listAuditRows(
  database: Queryable,
  organizationId: string,
  { before, targetType, actor, rows, bytes }: AuditFilter,
): Promise<{ entries: AuditRow[]; next: number | undefined }> {
  const isFiltered = targetType !== undefined || actor !== undefined
  const horizon = isFiltered ? await findHorizon(database, organizationId, before) : undefined
  const { rows: found } = await database.query<AuditRow & { total: number }>(
    `select audit_id, at, actor_type, actor_id, operation, target_type, target_id, changes,
            sum(coalesce(octet_length(changes::text), 0)) over (order by audit_id desc) as total
       from (select * from audit_trail
              where organization_id = $1 and ($2::bigint is null or audit_id < $2) and audit_id >= $3
                and ($4::text is null or target_type = $4)
                and ($5::text is null or actor_type || coalesce(':' || actor_id, '') = $5)
              order by audit_id desc
              limit $6) candidates
      order by audit_id desc`,
    [organizationId, before ?? null, horizon ?? 0, targetType ?? null, actor ?? null, rows + 1],
  )
  const entries = found.filter(({ total }, index) => index === 0 || (index < rows && total <= bytes))
  return { entries, next: found.length > entries.length ? entries.at(-1)!.audit_id : horizon }
}

/** The last entry that one filtered page looks at; undefined when the trail ends before. */
async function findHorizon(
  database: Queryable,
  organizationId: string,
  before: number | undefined,
): Promise<number | undefined> {
  const { rows } = await database.query<{ audit_id: number }>(
    `select audit_id from audit_trail
      where organization_id = $1 and ($2::bigint is null or audit_id < $2)
      order by audit_id desc
      limit 1 offset $3`,
    [organizationId, before ?? null, FILTERED_MAX - 1],
  )
  return rows[0]?.audit_id
}
