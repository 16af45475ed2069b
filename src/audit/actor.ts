import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { AuditEntry } from '../interface/generated/types.js'

/** The actors in the audit trail. A visitor changes nothing. */
export type StoredActorType = Exclude<Actor['type'], 'visitor'>

/** Returns the columns for the actor who created something. */
export const creatorColumns = (actor: Actor) => ({ created_by_type: actor.type, created_by_id: idOfActor(actor) })

/** An actor in a response: `{type, id?}`. */
export const actorBody = namedObject('AuditActor', {
  type: Joi.string().valid('key', 'user', 'operator', 'publisher', 'outsider').required(),
  id: Joi.string().description('The id of the key, person or link, or the name of the operator token.'),
  tokenId: Joi.string().description(
    'The personal token that made the change, only in the audit trail. Absent if the person made the change directly.',
  ),
  name: Joi.string().description(
    'The current name of the person or key, only in the audit trail. Absent for a person whose account was deleted.',
  ),
})

export const toActorBody = (
  type: StoredActorType,
  id: string | null,
  tokenId: string | null = null,
): AuditEntry['actor'] => ({
  type,
  ...(id === null ? {} : { id }),
  ...(tokenId === null ? {} : { tokenId }),
})
