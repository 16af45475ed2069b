import type { Queryable } from '../database/database.js'
import type { Role } from '../interface/people.js'

/** Reads what the person is on the server; a change of that waits until the transaction ends. */
export async function holdPerson(
  tx: Queryable,
  personId: string,
): Promise<{ owner: boolean; active: boolean } | undefined> {
  const { rows } = await tx.query<{ owner: boolean; active: boolean }>(
    'select owner, active from people where person_id = $1 for share',
    [personId],
  )
  return rows[0]
}

/** Reads what the person is in the organization; a change of that waits until the transaction ends. */
export async function holdMembership(
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<{ role: Role; may_approve: boolean } | undefined> {
  const { rows } = await tx.query<{ role: Role; may_approve: boolean }>(
    'select role, may_approve from memberships where organization_id = $1 and person_id = $2 for share',
    [organizationId, personId],
  )
  return rows[0]
}

/** Tells whether the operator token is live; its revocation waits until the transaction ends. */
export async function holdOperatorToken(tx: Queryable, name: string): Promise<boolean> {
  const { rows } = await tx.query('select from operator_tokens where name = $1 and revoked_at is null for share', [
    name,
  ])
  return rows.length > 0
}
