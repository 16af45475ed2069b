import type { Queryable } from '../database/database.js'
import { findRow, hitsRow } from '../database/queries.js'
import type { Role } from '../interface/people.js'

/** Reads what the person is on the server; a change of that waits until the transaction ends. */
export const holdPerson = (tx: Queryable, personId: string): Promise<{ owner: boolean; active: boolean } | undefined> =>
  findRow(tx, 'select owner, active from people where person_id = $1 for share', [personId])

/** Reads what the person is in the organization; a change of that waits until the transaction ends. */
export const holdMembership = (
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<{ role: Role; may_approve: boolean } | undefined> =>
  findRow(tx, 'select role, may_approve from memberships where organization_id = $1 and person_id = $2 for share', [
    organizationId,
    personId,
  ])

/** Tells whether the operator token is live; its revocation waits until the transaction ends. */
export const holdOperatorToken = (tx: Queryable, name: string): Promise<boolean> =>
  hitsRow(tx, 'select from operator_tokens where name = $1 and revoked_at is null for share', [name])
