import type { Queryable } from '../../database/database.js'
import type { Actor } from '../../http/principal.js'
import { recordServerAudit } from '../audit.store.js'
import { deleteTokens } from './personal-tokens.store.js'

/** Ends all tokens of a person, who is locked, with an entry in the trail for each. Gives how many there were. */
export async function endTokens(tx: Queryable, personId: string, actor: Actor, at: Date): Promise<number> {
  const ended = await deleteTokens(tx, personId)
  for (const id of ended) {
    await recordServerAudit(tx, actor, { at, operation: 'revokeOwnToken', target: { type: 'personalToken', id } })
  }
  return ended.length
}
