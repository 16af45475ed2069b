import { parameters } from '../database/columns.js'
import type { Queryable } from '../database/database.js'
import { findValue, hitsRow, readValue } from '../database/queries.js'
import { type Actor, idOfActor, type Principal, tokenOfActor } from '../http/principal.js'
import { AHEAD_MS_MAX, notBefore } from '../lib/dates.js'
import { type AuditState, addState, mayRepeat, REPEATS_MS, sameFields } from './audit-repeats.js'

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
  'personalToken',
  /** `<channelId>/<conversationId>` */
  'conversation',
  /** The id of the erasure, which reveals nothing about the person. */
  'person',
  /** A person's account or membership. */
  'user',
  'invitation',
  'session',
  'scheduledPost',
  'reviewLink',
  /** The id of the post. */
  'discussion',
  'savedText',
  'postSeries',
  'webhook',
  'source',
  /** `<sourceId>/<problemId>` */
  'sourceProblem',
  /** `<kind>`, without the id itself. */
  'personLink',
  /** A saved segment of the audience. */
  'segment',
] as const
export type AuditTarget = (typeof AUDIT_TARGETS)[number]

/** Stands for the organization in changes to the server as a whole. */
export const SERVER = 'server'

/** One change: its actor, operation and target. */
export interface AuditEntry {
  principal: Pick<Principal, 'organizationId' | 'actor' | 'address'>
  at: Date
  /** The operationId; `publishScheduledPost` for the publisher, `restoreBackup` for a restored database. */
  operation: string
  target: { type: AuditTarget; id: string }
  /** The version of a scheduled post after the change. */
  version?: number
  /** The changed values, without secrets. */
  changes?: Record<string, unknown>
}

export interface AuditRow {
  audit_id: number
  at: Date
  actor_type: Exclude<Actor['type'], 'visitor'>
  actor_id: string | null
  /** The personal token that made the change. */
  actor_token: string | null
  operation: string
  target_type: AuditTarget
  target_id: string
  changes: Record<string, unknown> | null
  /** Null if the entry was not repeated. */
  times: number | null
  until: Date | null
  states: AuditState[] | null
  address: string | null
}

/**
 * SQL for the time of an entry, no earlier than the last one of the same target (notBefore): a change that waited for
 * another one has an earlier time. Targets with versions get ordered times from their own room.
 */
const AFTER_LAST = `greatest($2::timestamptz,
  (select last.at
     from (select at from audit_trail
            where organization_id = $1 and target_type = $6 and target_id = $7 and version is null
            order by audit_id desc limit 1) last
    where last.at <= $2::timestamptz + interval '${AHEAD_MS_MAX} ms'))`

/**
 * Writes a change to the audit trail, in the transaction that makes it. A repeat within an hour continues the entry
 * that it repeats (audit-repeats.ts).
 */
export async function recordAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  if (mayRepeat(entry) && (await continueEntry(tx, entry))) return
  const { principal, at, operation, target, version, changes } = entry
  const { organizationId, actor, address } = principal
  // A restore of an older backup writes before its schema has these columns.
  const given = Object.entries({ address, actor_token: tokenOfActor(actor) }).filter(([, value]) => value != null)
  const added = given.map(([column]) => column).join()
  const places = parameters(Object.keys(given), 10)
  await tx.query(
    `insert into audit_trail (organization_id, at, actor_type, actor_id, operation, target_type, target_id, version, changes
                              ${added && ', '}${added})
     values ($1, ${version === undefined ? AFTER_LAST : '$2'}, $3, $4, $5, $6, $7, $8, $9 ${added && ', '}${places})`,
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
      ...given.map(([, value]) => value),
    ],
  )
}

/** Writes a change outside any organization to the server's trail. */
export const recordServerAudit = (tx: Queryable, actor: Actor, entry: Omit<AuditEntry, 'principal'>): Promise<void> =>
  recordAudit(tx, { principal: { organizationId: SERVER, actor }, ...entry })

type Change = Pick<AuditEntry, 'at' | 'operation' | 'changes'>

/** Writes a change to a member to the organization's trail. */
export const recordMemberAudit = (
  tx: Queryable,
  principal: AuditEntry['principal'],
  personId: string,
  change: Change,
): Promise<void> => recordAudit(tx, { principal, ...change, target: { type: 'user', id: personId } })

/** Writes a change to a person's account to the server's trail. */
export const recordAccountAudit = (tx: Queryable, actor: Actor, personId: string, change: Change): Promise<void> =>
  recordMemberAudit(tx, { organizationId: SERVER, actor }, personId, change)

/** Writes what a person did with one of their sessions to the server's trail. */
export const recordSessionAudit = (
  tx: Queryable,
  { personId, sessionId }: { personId: string; sessionId: string },
  change: Change,
): Promise<void> =>
  recordServerAudit(tx, { type: 'user', id: personId }, { ...change, target: { type: 'session', id: sessionId } })

/** The most entries that are checked for a repeat: more than any target has fields to change within an hour. */
const LOOKED_AT_MAX = 50

/** Continues the entry that this change repeats. Returns false if there is none. */
async function continueEntry(tx: Queryable, entry: AuditEntry): Promise<boolean> {
  const { principal, at, operation, target, changes } = entry
  const { organizationId, actor } = principal
  const { rows } = await tx.query<Pick<AuditRow, 'audit_id' | 'at' | 'changes' | 'until' | 'states'>>(
    `select a.audit_id, at, changes, until, states
       from audit_trail a left join audit_repeats r on r.organization_id = a.organization_id and r.audit_id = a.audit_id
      where a.organization_id = $1 and target_type = $2 and target_id = $3 and version is null and at > $4
        and actor_type = $5 and actor_id is not distinct from $6 and operation = $7
        and actor_token is not distinct from $8
      order by a.audit_id desc
      limit $9`,
    [
      organizationId,
      target.type,
      target.id,
      new Date(at.getTime() - REPEATS_MS),
      actor.type,
      idOfActor(actor),
      operation,
      tokenOfActor(actor),
      LOOKED_AT_MAX,
    ],
  )
  const repeated = rows.find((row) => sameFields(row.changes, changes))
  if (repeated === undefined) return false
  const until = notBefore(repeated.until ?? repeated.at, at)
  await tx.query(
    `insert into audit_repeats (organization_id, audit_id, times, until, states) values ($1, $2, 1, $3, $4)
         on conflict (organization_id, audit_id) do update
        set times = audit_repeats.times + 1, until = excluded.until, states = excluded.states`,
    [
      organizationId,
      repeated.audit_id,
      until,
      JSON.stringify(addState(repeated.states ?? [], { ...entry, at: until })),
    ],
  )
  return true
}

/** Returns whether an organization exists, or is deleted and only its trail remains. */
export const isKnownOrganization = (database: Queryable, organizationId: string): Promise<boolean> =>
  hitsRow(
    database,
    `select from organizations where organization_id = $1
      union all (select from audit_trail where organization_id = $1 limit 1)`,
    [organizationId],
  )

/**
 * Returns how many entries were started, including rolled-back ones. Reads the sequence, so the cost does not depend
 * on their number.
 */
export const countAuditEntries = (database: Queryable): Promise<number> =>
  readValue(database, 'select case when is_called then last_value else 0 end as count from audit_trail_audit_id_seq')

export interface AuditFilter {
  before: number | undefined
  targetType: string | undefined
  /** `<type>` or `<type>:<id>`. */
  actor: string | undefined
  operation: string | undefined
  scheduledPostId: string | undefined
  /** The range of instants; `to` is exclusive. */
  from: Date | undefined
  to: Date | undefined
  /** The most rows on the page. */
  rows: number
  bytes: number
}

/**
 * How many entries one page of a filtered trail examines, so that a rare match does not search the whole trail at
 * once.
 */
const FILTERED_MAX = 2_000

/** Entries are numbered when they are written but dated by a clock; the two orders may differ by this much. */
const SKEW = "interval '1 hour'"

/**
 * Lists entries newest first, starting before a given entry. `next` is the entry before which the next page starts,
 * if there may be more; a page of a filtered trail may then be empty.
 */
export async function listAuditRows(
  database: Queryable,
  organizationId: string,
  filter: AuditFilter,
): Promise<{ entries: AuditRow[]; next: number | undefined }> {
  const { targetType, actor, operation, scheduledPostId, from, to, rows, bytes } = filter
  const { before, first } = await findRange(database, organizationId, filter)
  const isSearched = [targetType, actor, operation].some((value) => value !== undefined)
  // The entries of a post have their own index.
  const horizon =
    isSearched && scheduledPostId === undefined ? await findHorizon(database, organizationId, before) : undefined
  const { rows: found } = await database.query<AuditRow & { total: number }>(
    `with trail as ${scheduledPostId === undefined ? 'not materialized' : 'materialized'} (
       select * from audit_trail
        where organization_id = $1 and ($10::text is null or (target_type = 'scheduledPost' and target_id = $10)))
     select audit_id, at, actor_type, actor_id, actor_token, operation, target_type, target_id, changes, address, times, until, states,
            sum(coalesce(octet_length(changes::text), 0) + coalesce(octet_length(states::text), 0))
              over (order by audit_id desc) as total
       from (select * from trail
              where organization_id = $1 and ($2::bigint is null or audit_id < $2) and audit_id >= $3
                and ($4::text is null or target_type = $4)
                and ($5::text is null or actor_type || coalesce(':' || actor_id, '') = $5)
                and ($7::text is null or operation = $7)
                and ($8::timestamptz is null or at >= $8) and ($9::timestamptz is null or at < $9)
              order by audit_id desc
              limit $6) candidates left join audit_repeats using (organization_id, audit_id)
      order by audit_id desc`,
    [
      ...[organizationId, before ?? null, Math.max(horizon ?? 0, first), targetType ?? null, actor ?? null, rows + 1],
      ...[operation ?? null, from ?? null, to ?? null, scheduledPostId ?? null],
    ],
  )
  const entries = found.filter(({ total }, index) => index === 0 || (index < rows && total <= bytes))
  const isLast = horizon === undefined || horizon <= first
  return { entries, next: found.length > entries.length ? entries.at(-1)!.audit_id : isLast ? undefined : horizon }
}

/**
 * Returns the entry numbers that bound a time range, so that no entry outside it is read, however long the trail is.
 */
async function findRange(
  database: Queryable,
  organizationId: string,
  { before, from, to }: AuditFilter,
): Promise<{ before: number | undefined; first: number }> {
  const nearest = (bound: Date | undefined, condition: string): Promise<number | undefined> =>
    bound === undefined
      ? Promise.resolve(undefined)
      : findValue(database, `select audit_id from audit_trail where organization_id = $1 and ${condition} limit 1`, [
          organizationId,
          bound,
        ])
  const end = await nearest(to, `at > $2::timestamptz + ${SKEW} order by at, audit_id`)
  const first = await nearest(from, `at < $2::timestamptz - ${SKEW} order by at desc, audit_id desc`)
  const bounds = [before, end].filter((number) => number !== undefined)
  return { before: bounds.length === 0 ? undefined : Math.min(...bounds), first: first ?? 0 }
}

/** Returns the last entry that a filtered page examines; undefined if the trail ends before. */
const findHorizon = (
  database: Queryable,
  organizationId: string,
  before: number | undefined,
): Promise<number | undefined> =>
  findValue(
    database,
    `select audit_id from audit_trail
      where organization_id = $1 and ($2::bigint is null or audit_id < $2)
      order by audit_id desc
      limit 1 offset $3`,
    [organizationId, before ?? null, FILTERED_MAX - 1],
  )
