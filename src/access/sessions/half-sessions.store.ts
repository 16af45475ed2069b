import { insertion } from '../../database/columns.js'
import type { Queryable } from '../../database/database.js'
import { findRow } from '../../database/queries.js'
import type { SignInMethod } from '../../interface/generated/types.js'

/** A session whose person has proven the first factor and not the second. */
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

/** The one with this token, of an active person; expired ones too. */
export const findHalfSession = (database: Queryable, tokenHash: string): Promise<HalfSessionRow | undefined> =>
  findRow(
    database,
    `select ${COLUMNS} from half_sessions h join people p on p.person_id = h.person_id
      where token_hash = $1 and active`,
    [tokenHash],
  )

/** Locks it until the transaction ends. */
export const lockHalfSession = (tx: Queryable, sessionId: string): Promise<HalfSessionRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from half_sessions h where session_id = $1 for update`, [sessionId])

/** Begins one, and deletes those of the person that are over, and the oldest beyond `max`. */
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

/** Null: the challenge was used. */
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

export async function deleteHalfSessions(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from half_sessions where person_id = $1', [personId])
}
