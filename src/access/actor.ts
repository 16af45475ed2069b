import Joi from 'joi'
import type { Actor } from '../http/principal.js'
import type { AuditEntry } from '../interface/access.js'

/** An actor as it goes out: `{type, id?}`. */
export const actorBody = Joi.object<AuditEntry['actor'], true>({
  type: Joi.string().valid('key', 'operator', 'publisher').required(),
  id: Joi.string().description('The id of the key, or the name of the operator token.'),
})

/** Of the columns of an actor. */
export const toActorBody = (type: Actor['type'], id: string | null): AuditEntry['actor'] => ({
  type,
  ...(id === null ? {} : { id }),
})
