import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow, findValue, hitsRow, listRows, readValue } from '../../database/queries.js'
import type { SignInMethod } from '../../interface/generated/types.js'

/** A session ends after this time without use. */
export const SESSION_IDLE_MS = 12 * 3_600_000

const idleSince = (now: Date): Date => new Date(now.getTime() - SESSION_IDLE_MS)

export interface SessionRow {
  session_id: string
  method: SignInMethod
  user_agent: string | null
  /** The address at the sign-in. Null, as last_address, for a session from before it was recorded. */
  address: string | null
  last_address: string | null
  created_at: Date
  /** To the minute. */
  last_seen_at: Date
  expires_at: Date
}

/** A session in the person's own view. */
export interface OwnSessionRow extends Pick<SessionRow, 'method' | 'expires_at'> {
  /** Until then it may set a password without the current one; null if it may not. */
  password_until: Date | null
  /** True if the session has passed a second factor. */
  second_factor: boolean
  /** When the person last confirmed in this session who they are. */
  confirmed_at: Date
  id_token_encrypted: string | null
}

interface LiveSessionRow extends SessionRow, Omit<OwnSessionRow, 'id_token_encrypted'> {
  person_id: string
  owner: boolean
}

/** Finds a session by its token if the person is active; it may have expired. */
export const findSession = (database: Queryable, tokenHash: string): Promise<LiveSessionRow | undefined> =>
  findRow(
    database,
    `select session_id, method, user_agent, s.created_at, last_seen_at, expires_at, person_id, owner, second_factor,
            coalesce(confirmed_at, s.created_at) as confirmed_at
       from sessions s join people using (person_id)
      where token_hash = $1 and active`,
    [tokenHash],
  )

/** Counts the live sessions of all people on all nodes. */
export const countLiveSessions = (database: Queryable, now: Date): Promise<number> =>
  readValue(database, 'select count(*) from sessions where expires_at > $1 and last_seen_at > $2', [
    now,
    idleSince(now),
  ])

export const findSessionById = (database: Queryable, sessionId: string): Promise<OwnSessionRow | undefined> =>
  findRow(
    database,
    `select method, expires_at, password_until, second_factor, coalesce(confirmed_at, created_at) as confirmed_at,
            id_token_encrypted
       from sessions where session_id = $1`,
    [sessionId],
  )

/** Records a confirmation; `secondFactor` if it was by a second factor. */
export const confirmSession = (
  tx: Queryable,
  sessionId: string,
  { at, secondFactor }: { at: Date; secondFactor: boolean },
): Promise<boolean> =>
  hitsRow(tx, 'update sessions set confirmed_at = $2, second_factor = second_factor or $3 where session_id = $1', [
    sessionId,
    at,
    secondFactor,
  ])

/** Stores a challenge with the session and replaces an earlier one. */
export async function setChallenge(
  tx: Queryable,
  sessionId: string,
  { challenge, until }: { challenge: string; until: Date },
): Promise<void> {
  await tx.query('update sessions set challenge = $2, challenge_until = $3 where session_id = $1', [
    sessionId,
    challenge,
    until,
  ])
}

/** Uses up the challenge: undefined for the second caller or if it has expired. */
export async function takeChallenge(tx: Queryable, sessionId: string, now: Date): Promise<string | undefined> {
  const { rows } = await tx.query<{ challenge: string | null; challenge_until: Date | null }>(
    'select challenge, challenge_until from sessions where session_id = $1 for update',
    [sessionId],
  )
  await tx.query('update sessions set challenge = null, challenge_until = null where session_id = $1', [sessionId])
  const { challenge = null, challenge_until: until = null } = rows[0] ?? {}
  return challenge !== null && until !== null && now < until ? challenge : undefined
}

/**
 * Records the last use of a session and its address. Returns false if the session is over: its last use on any node
 * is too long ago, or too far in the future because the clock has changed.
 */
export const touchSession = (
  database: Queryable,
  tokenHash: string,
  { now, address }: { now: Date; address: string },
): Promise<boolean> =>
  hitsRow(
    database,
    `update sessions set last_seen_at = greatest(last_seen_at, $2), last_address = $5
      where token_hash = $1 and last_seen_at > $3 and last_seen_at <= $4 and expires_at > $2`,
    [tokenHash, now, idleSince(now), new Date(now.getTime() + SESSION_IDLE_MS), address],
  )

type NewSessionRow = SessionRow & OwnSessionRow & { token_hash: string; person_id: string }

/** Inserts a session. Deletes the person's expired sessions and the oldest ones beyond `max`. */
export async function insertSession(tx: Queryable, session: NewSessionRow, max: number): Promise<void> {
  await tx.query(
    `delete from sessions
      where person_id = $1
        and (expires_at <= $2 or last_seen_at <= $3
             or token_hash in (select token_hash from sessions where person_id = $1
                                order by created_at desc, token_hash offset $4))`,
    [session.person_id, session.created_at, idleSince(session.created_at), max - 1],
  )
  const { columns, parameters, values } = insertion({ ...session })
  await tx.query(`insert into sessions (${columns}) values (${parameters})`, values)
}

/**
 * Counts an attempt at the current password before it is made, so that simultaneous attempts do not exceed the limit.
 * Undefined beyond `max`.
 */
export const takePasswordTry = (tx: Queryable, sessionId: string, max: number): Promise<number | undefined> =>
  findValue(
    tx,
    `update sessions set password_failures = password_failures + 1
      where session_id = $1 and password_failures < $2 returning password_failures`,
    [sessionId, max],
  )

export async function clearPasswordTries(database: Queryable, sessionId: string): Promise<void> {
  await database.query('update sessions set password_failures = 0 where session_id = $1', [sessionId])
}

/** Lists the live sessions, the most recently used first. */
export const listSessionRows = (database: Queryable, personId: string, now: Date): Promise<SessionRow[]> =>
  listRows(
    database,
    `select session_id, method, user_agent, address, last_address, created_at, last_seen_at, expires_at from sessions
      where person_id = $1 and expires_at > $2 and last_seen_at > $3
      order by last_seen_at desc, session_id`,
    [personId, now, idleSince(now)],
  )

export async function deleteSessionByToken(tx: Queryable, tokenHash: string): Promise<void> {
  await tx.query('delete from sessions where token_hash = $1', [tokenHash])
}

/** Returns false if the person has no such session. Half sessions are not listed and are deleted separately. */
export const deleteSession = (tx: Queryable, personId: string, sessionId: string): Promise<boolean> =>
  hitsRow(tx, 'delete from sessions where person_id = $1 and session_id = $2', [personId, sessionId])

/** Deletes all sessions and half sessions of a person. Returns the number of sessions. */
export async function deleteSessions(tx: Queryable, personId: string): Promise<number> {
  await deleteHalfSessions(tx, personId)
  const { rowCount } = await tx.query('delete from sessions where person_id = $1', [personId])
  return rowCount
}

/** A session whose person has passed the first factor but not the second. */
export interface HalfSessionRow {
  token_hash: string
  session_id: string
  person_id: string
  method: SignInMethod
  expires_at: Date
  failures: number
  challenge: string | null
  id_token_encrypted: string | null
}

const COLUMNS = 'token_hash, session_id, h.person_id, method, expires_at, failures, challenge, id_token_encrypted'

/** Finds a half session by its token if the person is active; it may have expired. */
export const findHalfSession = (database: Queryable, tokenHash: string): Promise<HalfSessionRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS} from half_sessions h join people p on p.person_id = h.person_id
      where token_hash = $1 and active`,
    [tokenHash],
  )

/** Locks a half session until the transaction ends. */
export const lockHalfSession = (tx: Queryable, sessionId: string): Promise<HalfSessionRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from half_sessions h where session_id = $1 for update`, [sessionId])

/** Inserts a half session. Deletes the person's expired ones and the oldest ones beyond `max`. */
export async function insertHalfSession(
  tx: Queryable,
  session: Omit<HalfSessionRow, 'failures' | 'challenge'> & { created_at: Date },
  max: number,
): Promise<void> {
  await tx.query(
    `delete from half_sessions
      where person_id = $1
        and (expires_at <= $2
             or token_hash in (select token_hash from half_sessions where person_id = $1
                                order by created_at desc, token_hash offset $3))`,
    [session.person_id, session.created_at, max - 1],
  )
  const { columns, parameters, values } = insertion(session)
  await tx.query(`insert into half_sessions (${columns}) values (${parameters})`, values)
}

export async function setHalfSessionFailures(tx: Queryable, sessionId: string, failures: number): Promise<void> {
  await tx.query('update half_sessions set failures = $2 where session_id = $1', [sessionId, failures])
}

/** Stores a challenge; null removes a used one. */
export async function setHalfSessionChallenge(
  tx: Queryable,
  sessionId: string,
  challenge: string | null,
): Promise<void> {
  await tx.query('update half_sessions set challenge = $2 where session_id = $1', [sessionId, challenge])
}

export async function deleteHalfSession(tx: Queryable, sessionId: string): Promise<void> {
  await tx.query('delete from half_sessions where session_id = $1', [sessionId])
}

export async function deleteHalfSessionByToken(tx: Queryable, tokenHash: string): Promise<void> {
  await tx.query('delete from half_sessions where token_hash = $1', [tokenHash])
}

async function deleteHalfSessions(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from half_sessions where person_id = $1', [personId])
}

interface SignInPlace {
  browser: string
  network: string
}

/**
 * Records the place of a sign-in; the person must be locked. `known` means that it was recorded before, `first` that
 * none was. Beyond `max` places, the least recently used one is deleted.
 */
export async function notePlace(
  tx: Queryable,
  personId: string,
  { browser, network }: SignInPlace,
  { at, max }: { at: Date; max: number },
): Promise<'known' | 'first' | 'new'> {
  const isKnown = await hitsRow(
    tx,
    'update sign_in_places set last_at = $4 where person_id = $1 and browser = $2 and network = $3',
    [personId, browser, network, at],
  )
  if (isKnown) return 'known'
  const isFirst = !(await hitsRow(tx, 'select from sign_in_places where person_id = $1 limit 1', [personId]))
  await tx.query(
    `delete from sign_in_places
      where person_id = $1
        and (browser, network) in (select browser, network from sign_in_places where person_id = $1
                                    order by last_at desc, browser, network offset $2)`,
    [personId, max - 1],
  )
  await tx.query('insert into sign_in_places (person_id, browser, network, last_at) values ($1, $2, $3, $4)', [
    personId,
    browser,
    network,
    at,
  ])
  return isFirst ? 'first' : 'new'
}
