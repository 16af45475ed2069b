import type { Queryable } from '../database/database.js'
import { listRows, readValue } from '../database/queries.js'

/** A key or token counts as expiring from its first reminder on, this long before its expiry. */
export const ENDING_MS = 14 * 86_400_000

/** The days before expiry on which a reminder is sent. */
const REMINDER_DAYS: readonly number[] = [14, 3, 1]

export interface When {
  now: Date
  /** The maximum age; null for none. */
  maxAgeMs: number | null
}

/**
 * SQL for the reminder that is due for each row: the last one whose day has come, if the key was issued before that
 * day. $1 is now, $2 the maximum age in milliseconds or null, $3 the days of the reminders.
 */
const DAYS = `(select min(days) from unnest($3::int[]) as reminder (days)
                where ends_at <= $1::timestamptz + days * interval '24 hours'
                  and ends_at - days * interval '24 hours' > aged.created_at)`
const ENDS_AT = `least(expires_at, k.created_at + $2::float8 * interval '1 millisecond')`

const DUE_KEYS = `
  select organization_id, key_id, ends_at, days
    from (select organization_id, key_id, ends_at, ${DAYS} as days
            from (select organization_id, key_id, k.created_at, ${ENDS_AT} as ends_at
                    from api_keys k join organizations using (organization_id)
                   where revoked_at is null and active and deleted_at is null) aged
           where ends_at > $1) due
   where days is not null
     and not exists (select organization_id from key_reminders sent
                      where sent.organization_id = due.organization_id and sent.key_id = due.key_id
                        and sent.ends_at = due.ends_at and sent.days <= due.days)`

const DUE_TOKENS = `
  select name, ends_at, days
    from (select name, ends_at, ${DAYS} as days
            from (select name, k.created_at, ${ENDS_AT} as ends_at
                    from operator_tokens k where revoked_at is null) aged
           where ends_at > $1) due
   where days is not null
     and not exists (select from operator_token_reminders sent
                      where sent.name = due.name and sent.ends_at = due.ends_at and sent.days <= due.days)`

/**
 * Returns whether reminders are due. Only reads, because on the embedded engine even an empty write invalidates the
 * caches.
 */
export async function hasDueReminders(
  database: Queryable,
  { now, keyMaxAgeMs, tokenMaxAgeMs }: { now: Date; keyMaxAgeMs: number | null; tokenMaxAgeMs: number | null },
): Promise<{ ofKeys: boolean; ofTokens: boolean }> {
  const ofKeys = await readValue<boolean>(database, `select exists (${DUE_KEYS})`, [now, keyMaxAgeMs, REMINDER_DAYS])
  const ofTokens = await readValue<boolean>(database, `select exists (${DUE_TOKENS})`, [
    now,
    tokenMaxAgeMs,
    REMINDER_DAYS,
  ])
  return { ofKeys, ofTokens }
}

export interface KeyReminder {
  organization_id: string
  key_id: string
  ends_at: Date
  days: number
}

/**
 * Takes and records the due reminders of keys, in the transaction that sends them: of two processes at the same time,
 * one waits for the other and finds them taken. Fewer than `limit` are the last.
 */
export const takeKeyReminders = (tx: Queryable, { now, maxAgeMs }: When, limit: number): Promise<KeyReminder[]> =>
  listRows(
    tx,
    `insert into key_reminders (organization_id, key_id, ends_at, days)
     ${DUE_KEYS} order by organization_id, key_id limit $4
         on conflict (organization_id, key_id) do update set ends_at = excluded.ends_at, days = excluded.days
      where key_reminders.ends_at <> excluded.ends_at or key_reminders.days > excluded.days
  returning organization_id, key_id, ends_at, days`,
    [now, maxAgeMs, REMINDER_DAYS, limit],
  )

export interface OperatorTokenReminder {
  name: string
  ends_at: Date
  days: number
}

/** Does the same for operator tokens. */
export const takeOperatorTokenReminders = (
  tx: Queryable,
  { now, maxAgeMs }: When,
  limit: number,
): Promise<OperatorTokenReminder[]> =>
  listRows(
    tx,
    `insert into operator_token_reminders (name, ends_at, days)
     ${DUE_TOKENS} order by name limit $4
         on conflict (name) do update set ends_at = excluded.ends_at, days = excluded.days
      where operator_token_reminders.ends_at <> excluded.ends_at or operator_token_reminders.days > excluded.days
  returning name, ends_at, days`,
    [now, maxAgeMs, REMINDER_DAYS, limit],
  )

export interface EndingKey {
  key_id: string
  name: string
  ends_at: Date
}

/** Lists the live keys of an organization that expire before `soon`, earliest first. */
export const listEndingKeys = (
  database: Queryable,
  organizationId: string,
  { now, soon, maxAgeMs, limit }: When & { soon: Date; limit: number },
): Promise<EndingKey[]> =>
  listRows(
    database,
    `select key_id, name, ends_at
       from (select key_id, name, least(expires_at, created_at + $4::float8 * interval '1 millisecond') as ends_at
               from api_keys where organization_id = $1 and revoked_at is null) ending
      where ends_at > $2 and ends_at <= $3
      order by ends_at, key_id limit $5`,
    [organizationId, now, soon, maxAgeMs, limit],
  )
