import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow } from '../../database/queries.js'
import type { TokenScope } from '../../interface/generated/types.js'

/** The rights that a person granted to a program. */
export interface Granted {
  scopes: TokenScope[]
  boundTo: string | null
  expiresAt: string
  secondFactor: boolean
}

export interface DeviceLoginRow {
  name: string
  scopes: TokenScope[] | null
  address: string
  created_at: Date
  expires_at: Date
}

interface AnswerRow {
  expires_at: Date
  /** Null until the person answers. */
  allowed: boolean | null
  person_id: string | null
}

interface NewDeviceLoginRow extends DeviceLoginRow {
  device_code_hash: string
  user_code_hash: string
  network: string
  interval_seconds: number
}

/**
 * Inserts a login. Deletes expired logins and the oldest of its network beyond `ofNetwork`. Returns false if there
 * are `max` logins in all, or one with this user code.
 */
export async function insertDeviceLogin(
  database: Queryable,
  login: NewDeviceLoginRow,
  { ofNetwork, max }: { ofNetwork: number; max: number },
): Promise<boolean> {
  await database.query(
    `delete from device_logins
      where expires_at <= $1
         or device_code_hash in (select device_code_hash from device_logins where network = $2
                                  order by created_at desc, device_code_hash offset $3)`,
    [login.created_at, login.network, ofNetwork - 1],
  )
  return await hitsRow(
    database,
    `insert into device_logins (device_code_hash, user_code_hash, name, scopes, address, network, created_at, expires_at,
                                next_poll_at, interval_seconds)
     select $1, $2, $3, $4::text[], $5, $6, $7::timestamptz, $8, $7, $9
      where (select count(*) from (select from device_logins limit $10) present) < $10
     on conflict do nothing`,
    [
      ...[login.device_code_hash, login.user_code_hash, login.name, login.scopes, login.address, login.network],
      ...[login.created_at, login.expires_at, login.interval_seconds, max],
    ],
  )
}

/** Finds a program's login with the person's answer. */
export const findDeviceLogin = (database: Queryable, deviceCodeHash: string): Promise<AnswerRow | undefined> =>
  findRow(database, 'select expires_at, allowed, person_id from device_logins where device_code_hash = $1', [
    deviceCodeHash,
  ])

/**
 * Records a poll. Returns true if it came before the interval had passed, which then grows by `more` seconds. One
 * second of tolerance allows for clocks and networks.
 */
export const notePoll = async (
  database: Queryable,
  deviceCodeHash: string,
  { now, more }: { now: Date; more: number },
): Promise<boolean> =>
  (await findValue(
    database,
    `update device_logins
        set interval_seconds = seconds, next_poll_at = $2::timestamptz + (seconds - 1) * interval '1 second'
       from (select $2 < next_poll_at as is_early,
                    case when $2 < next_poll_at then least(60, interval_seconds + $3::int) else interval_seconds end as seconds
               from device_logins where device_code_hash = $1 for no key update) before
      where device_code_hash = $1 returning is_early`,
    [deviceCodeHash, now, more],
  )) ?? false

/** Uses up an allowed login and returns its name and grant: undefined for the second caller. */
export const takeDeviceLogin = (
  tx: Queryable,
  deviceCodeHash: string,
): Promise<{ name: string; granted: Granted } | undefined> =>
  findRow(tx, 'delete from device_logins where device_code_hash = $1 and allowed returning name, granted', [
    deviceCodeHash,
  ])

/** Finds a waiting login by its user code. */
export const findWaitingLogin = (
  database: Queryable,
  userCodeHash: string,
  now: Date,
): Promise<DeviceLoginRow | undefined> =>
  findRow(
    database,
    `select name, scopes, address, created_at, expires_at from device_logins
      where user_code_hash = $1 and expires_at > $2 and allowed is null`,
    [userCodeHash, now],
  )

/** Stores the person's answer; `granted` is null for a refusal. Undefined if no login waits. */
export const answerDeviceLogin = (
  tx: Queryable,
  userCodeHash: string,
  { personId, granted, now }: { personId: string; granted: Granted | null; now: Date },
): Promise<DeviceLoginRow | undefined> =>
  findRow(
    tx,
    `update device_logins set allowed = $3::jsonb is not null, person_id = $2, granted = $3::jsonb
      where user_code_hash = $1 and expires_at > $4 and allowed is null
      returning name, scopes, address, created_at, expires_at`,
    [userCodeHash, personId, granted === null ? null : JSON.stringify(granted), now],
  )
