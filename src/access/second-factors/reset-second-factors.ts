import Joi from 'joi'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { SecondFactorReset } from '../../interface/generated/types.js'
import { recordAccountAudit } from '../audit.store.js'
import { notifyPerson } from '../people/notify-person.js'
import { lockPerson } from '../people/people.store.js'
import { deleteSessions } from '../sessions/sessions.store.js'
import { endTokens } from '../tokens/end-tokens.js'
import { deleteFactors } from './delete-factors.js'

/** Remove all second factors of a person. */
export const resetSecondFactors = serverOperation({
  operationId: 'resetSecondFactors',
  summary: 'Remove all second factors of a person, and end their sessions and personal tokens.',
  description:
    'For a person who has lost them and the recovery codes: the first factor alone lets the person in again. Make sure who asks for it. Idempotent. Costs one small transaction.',
  route: 'DELETE /server/people/{personId}/second-factors',
  permission: 'operator',
  needsConfirmation: true,
  answers: [200, 404],
  success: namedObject('SecondFactorReset', {
    removed: Joi.number().integer().required().description('Passkeys and authenticator apps.'),
  }),
  async handle({ params: { personId }, principal: { actor } }, { clock, database }) {
    const removed = await database.transaction(async (tx) => {
      if ((await lockPerson(tx, personId)) === undefined) throw new ApiError('account_not_found')
      const at = new Date(clock.now())
      const count = await deleteFactors(tx, personId)
      await deleteSessions(tx, personId)
      await endTokens(tx, personId, actor, at)
      await notifyPerson(tx, { kind: 'factors-reset', personId, at })
      const changes = { removed: count }
      await recordAccountAudit(tx, actor, personId, { at, operation: 'resetSecondFactors', changes })
      return count
    })
    return ok({ removed } satisfies SecondFactorReset)
  },
})
