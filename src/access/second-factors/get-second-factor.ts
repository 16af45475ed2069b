import Joi from 'joi'
import { ok } from '../../http/operation.js'
import type { SecondFactorChoice } from '../../interface/second-factors.js'
import { secondFactorMethodsSchema } from '../sessions/me.js'
import { ownOperation } from '../sessions/own-session.js'
import { methodsOf } from '../sessions/session.js'
import { findFactors } from './second-factors.store.js'

/** How the person of a half session can finish the sign-in. Idempotent. */
export const getSecondFactor = ownOperation({
  operationId: 'getSecondFactor',
  summary: 'Tell by which second factors the sign-in can be finished.',
  description: 'For the page that asks for it, after a sign-in that has answered with secondFactor. Costs one read.',
  method: 'GET',
  path: '/second-factor',
  permission: 'second-factor',
  answers: [200],
  success: Joi.object<SecondFactorChoice, true>({ methods: secondFactorMethodsSchema }),
  async handle(_call, { database }, { personId }) {
    const factors = await findFactors(database, personId)
    return ok({ methods: methodsOf(factors) } satisfies SecondFactorChoice)
  },
})
