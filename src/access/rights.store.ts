import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows } from '../database/queries.js'
import type { ChannelRole, Role } from '../interface/generated/types.js'
import type { KeySettings } from './keys/keys.store.js'

/** Reads what the person is on the server; a change of that waits until the transaction ends. */
export const holdPerson = (tx: Queryable, personId: string): Promise<{ owner: boolean; active: boolean } | undefined> =>
  findRow(tx, 'select owner, active from people where person_id = $1 for share', [personId])

/** Reads what the person is in the organization; a change of that waits until the transaction ends. */
export async function holdMembership(
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<{ role: Role; may_approve: boolean; channels: ChannelRole[] } | undefined> {
  // Two statements: after waiting for the lock, the first would still see the channels of before the wait. Sent together,
  // they are carried out in this order.
  const [membership, channels] = await Promise.all([
    findRow<{ role: Role; may_approve: boolean }>(
      tx,
      'select role, may_approve from memberships where organization_id = $1 and person_id = $2 for share',
      [organizationId, personId],
    ),
    listRows<ChannelRole>(
      tx,
      `select channel_id as "channelId", role, may_approve as "mayApprove"
         from membership_channels where organization_id = $1 and person_id = $2`,
      [organizationId, personId],
    ),
  ])
  return membership && { ...membership, channels }
}

/** Tells whether the operator token is live; its revocation waits until the transaction ends. */
export const holdOperatorToken = (tx: Queryable, name: string): Promise<boolean> =>
  hitsRow(tx, 'select from operator_tokens where name = $1 and revoked_at is null for share', [name])

/** The permissions of a key, and its bounds. */
export type OwnKey = Omit<KeySettings, 'name'>

/**
 * Reads what a key that is not revoked may do; a change of that waits until the transaction ends. It takes the lock of a
 * change itself: two requests by one key that both change it would otherwise wait for each other.
 */
export const holdKey = (tx: Queryable, organizationId: string, keyId: string): Promise<OwnKey | undefined> =>
  findRow(
    tx,
    `select permissions, allowed_addresses, expires_at, requests_per_second from api_keys
      where organization_id = $1 and key_id = $2 and revoked_at is null for no key update`,
    [organizationId, keyId],
  )
