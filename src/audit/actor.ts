import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { AuditEntry } from '../interface/generated/types.js'

/** A visitor changes nothing. */
export type StoredActorType = Exclude<Actor['type'], 'visitor'>

/** The columns of the actor who has made something. */
export const creatorColumns = (actor: Actor) => ({ created_by_type: actor.type, created_by_id: idOfActor(actor) })

/** An actor as it goes out: `{type, id?}`. */
export const actorBody = namedObject('AuditActor', {
  type: Joi.string().valid('key', 'user', 'operator', 'publisher', 'outsider').required(),
  id: Joi.string().description('The id of the key, person or link, or the name of the operator token.'),
  tokenId: Joi.string().description(
    'The personal token with which the person did it, in the audit trail only; absent for what they did themselves.',
  ),
  name: Joi.string().description(
    'What the person or key is called now, in the audit trail alone. Absent for a person whose account was deleted.',
  ),
})

/** Makes the body of an actor from its columns. */
export const toActorBody = (
  type: StoredActorType,
  id: string | null,
  tokenId: string | null = null,
): AuditEntry['actor'] => ({
  type,
  ...(id === null ? {} : { id }),
  ...(tokenId === null ? {} : { tokenId }),
})
