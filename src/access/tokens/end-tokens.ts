import type { Queryable } from '../../database/database.js'
import type { Actor, ServerPrincipal } from '../../http/principal.js'
import { type AuditEntry, recordAudit, SERVER } from '../audit.store.js'
import { deleteTokens } from './personal-tokens.store.js'

/** Ends all tokens of a person, who is locked, with an entry in the trail for each. Gives how many there were. */
export async function endTokens(tx: Queryable, personId: string, actor: Actor, at: Date): Promise<number> {
  const ended = await deleteTokens(tx, personId)
  for (const id of ended) {
    await recordTokenAudit(tx, { actor }, id, { at, operation: 'revokeOwnToken' })
  }
  return ended.length
}

/** Writes what happens to a token into the trail of the server. */
export const recordTokenAudit = (
  tx: Queryable,
  { actor, address }: Pick<ServerPrincipal, 'actor' | 'address'>,
  id: string,
  change: Pick<AuditEntry, 'at' | 'operation' | 'changes'>,
): Promise<void> =>
  recordAudit(tx, {
    principal: { organizationId: SERVER, actor, ...(address === undefined ? {} : { address }) },
    ...change,
    target: { type: 'personalToken', id },
  })
