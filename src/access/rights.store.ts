import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows } from '../database/queries.js'
import type { ChannelRole, Role } from '../interface/generated/types.js'
import type { KeySettings } from './keys/keys.store.js'

/** Reads the person's state on the server and blocks changes to it until the transaction ends. */
export const holdPerson = (tx: Queryable, personId: string): Promise<{ owner: boolean; active: boolean } | undefined> =>
  findRow(tx, 'select owner, active from people where person_id = $1 for share', [personId])

/** Reads the person's role in the organization and blocks changes to it until the transaction ends. */
export async function holdMembership(
  tx: Queryable,
  organizationId: string,
  personId: string,
): Promise<{ role: Role; may_approve: boolean; channels: ChannelRole[] } | undefined> {
  // A single statement would still see the old channels after waiting for the lock, so there are two. They are sent
  // together and run in this order.
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

/** Returns whether the operator token is live, and blocks its revocation until the transaction ends. */
export const holdOperatorToken = (tx: Queryable, name: string): Promise<boolean> =>
  hitsRow(tx, 'select from operator_tokens where name = $1 and revoked_at is null for share', [name])

/** The permissions and restrictions of a key. */
export type OwnKey = Omit<KeySettings, 'name'>

/**
 * Reads what a live key may do and blocks changes to it until the transaction ends. Takes the same lock as a change:
 * otherwise two requests by one key that both change that key would deadlock.
 */
export const holdKey = (tx: Queryable, organizationId: string, keyId: string): Promise<OwnKey | undefined> =>
  findRow(
    tx,
    `select permissions, allowed_addresses, expires_at, requests_per_second from api_keys
      where organization_id = $1 and key_id = $2 and revoked_at is null for no key update`,
    [organizationId, keyId],
  )
