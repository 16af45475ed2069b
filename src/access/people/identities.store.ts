import type { Queryable } from '../../database/database.js'
import { findValue, hitsRow } from '../../database/queries.js'

/** Returns the person who is linked to a provider's subject. */
export const findLinkedPerson = (
  database: Queryable,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | undefined> =>
  findValue(database, 'select person_id from identities where issuer = $1 and subject = $2', [issuer, subject])

/** Returns false if the subject is already linked, or the person is already linked at this provider. */
export const insertIdentity = (
  tx: Queryable,
  identity: { issuer: string; subject: string; personId: string; at: Date },
): Promise<boolean> =>
  hitsRow(
    tx,
    'insert into identities (issuer, subject, person_id, created_at) values ($1, $2, $3, $4) on conflict do nothing',
    [identity.issuer, identity.subject, identity.personId, identity.at],
  )

export async function deleteIdentities(tx: Queryable, personId: string): Promise<void> {
  await tx.query('delete from identities where person_id = $1', [personId])
}

/** Accepts a response from the provider once: false for the second caller. */
export async function takeVisit(
  database: Queryable,
  { stateHash, now, expiresAt }: { stateHash: string; now: Date; expiresAt: Date },
): Promise<boolean> {
  await database.query('delete from finished_visits where expires_at <= $1', [now])
  const insert = 'insert into finished_visits (state_hash, expires_at) values ($1, $2) on conflict do nothing'
  return await hitsRow(database, insert, [stateHash, expiresAt])
}
