import type { Queryable } from '../../database/database.js'
import type { SignInMethod } from '../../interface/people.js'

export interface SessionRow {
  session_id: string
  method: SignInMethod
  user_agent: string | null
  created_at: Date
  /** To the minute. */
  last_seen_at: Date
  expires_at: Date
}

export interface OwnSessionRow extends Pick<SessionRow, 'method' | 'expires_at'> {
  /** Until then it may set a password without the present one; null says that it may not. */
  password_until: Date | null
}

export interface LiveSessionRow extends SessionRow {
  person_id: string
  owner: boolean
}

/** The session with this token, of an active person; expired ones too. */
export async function findSession(database: Queryable, tokenHash: string): Promise<LiveSessionRow | undefined> {
  const { rows } = await database.query<LiveSessionRow>(
    `select session_id, method, user_agent, s.created_at, last_seen_at, expires_at, person_id, owner
       from sessions s join people using (person_id)
      where token_hash = $1 and active`,
    [tokenHash],
  )
  return rows[0]
}

/** Of all people, on all nodes. */
export async function countLiveSessions(
  database: Queryable,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*) from sessions where expires_at > $1 and last_seen_at > $2',
    [now, idleSince],
  )
  return rows[0]!.count
}

export async function findSessionById(database: Queryable, sessionId: string): Promise<OwnSessionRow | undefined> {
  const { rows } = await database.query<OwnSessionRow>(
    'select method, expires_at, password_until from sessions where session_id = $1',
    [sessionId],
  )
  return rows[0]
}

/**
 * Notes that the session was seen. False when it is over: it was last seen before `idleSince` on every node, or after
 * `notAfter`, when the clock was another one.
 */
export async function touchSession(
  database: Queryable,
  tokenHash: string,
  { now, idleSince, notAfter }: { now: Date; idleSince: Date; notAfter: Date },
): Promise<boolean> {
  const { rowCount } = await database.query(
    `update sessions set last_seen_at = greatest(last_seen_at, $2)
      where token_hash = $1 and last_seen_at > $3 and last_seen_at <= $4 and expires_at > $2`,
    [tokenHash, now, idleSince, notAfter],
  )
  return rowCount === 1
}

/** Begins a session, and deletes those of the person that are over, and the oldest beyond `max`. */
export async function insertSession(
  tx: Queryable,
  session: {
    tokenHash: string
    sessionId: string
    personId: string
    method: SignInMethod
    userAgent: string | null
    at: Date
    expiresAt: Date
    passwordUntil: Date | null
    idleSince: Date
    max: number
  },
): Promise<void> {
  await tx.query(
    `delete from sessions
      where person_id = $1
        and (expires_at <= $2 or last_seen_at <= $3
             or token_hash in (select token_hash from sessions where person_id = $1
                                order by created_at desc, token_hash offset $4))`,
    [session.personId, session.at, session.idleSince, session.max - 1],
  )
  await tx.query(
    `insert into sessions (token_hash, session_id, person_id, method, user_agent, created_at, last_seen_at, expires_at,
                           password_until)
     values ($1, $2, $3, $4, $5, $6, $6, $7, $8)`,
    [
      session.tokenHash,
      session.sessionId,
      session.personId,
      session.method,
      session.userAgent,
      session.at,
      session.expiresAt,
      session.passwordUntil,
    ],
  )
}

/** Counts a try of the present password before it is made, so that many at once are not more: undefined past `max`. */
export async function takePasswordTry(tx: Queryable, sessionId: string, max: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ password_failures: number }>(
    `update sessions set password_failures = password_failures + 1
      where session_id = $1 and password_failures < $2 returning password_failures`,
    [sessionId, max],
  )
  return rows[0]?.password_failures
}

/** After a right one; with `one` only the last try is taken back, because it was not made. */
export async function returnPasswordTries(database: Queryable, sessionId: string, one: boolean): Promise<void> {
  await database.query(
    `update sessions set password_failures = case when $2 then greatest(password_failures - 1, 0) else 0 end
      where session_id = $1`,
    [sessionId, one],
  )
}

/** Those that are not over, the most recently seen first. */
export async function listSessionRows(
  database: Queryable,
  personId: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<SessionRow[]> {
  const { rows } = await database.query<SessionRow>(
    `select session_id, method, user_agent, created_at, last_seen_at, expires_at from sessions
      where person_id = $1 and expires_at > $2 and last_seen_at > $3
      order by last_seen_at desc, session_id`,
    [personId, now, idleSince],
  )
  return rows
}

export async function deleteSessionByToken(tx: Queryable, tokenHash: string): Promise<void> {
  await tx.query('delete from sessions where token_hash = $1', [tokenHash])
}

/** False for one that is not the person's. */
export async function deleteSession(tx: Queryable, personId: string, sessionId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from sessions where person_id = $1 and session_id = $2', [
    personId,
    sessionId,
  ])
  return rowCount === 1
}

/** All of a person: how many. */
export async function deleteSessions(tx: Queryable, personId: string): Promise<number> {
  const { rowCount } = await tx.query('delete from sessions where person_id = $1', [personId])
  return rowCount
}
