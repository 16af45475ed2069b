import Joi from 'joi'
import { ok, serverOperation } from '../../http/operation.js'
import type { SecondFactorChoice } from '../../interface/second-factors.js'
import { secondFactorMethodsSchema } from '../sessions/me.js'
import { requireSessionOf } from '../sessions/own-session.js'
import { methodsOf } from '../sessions/session.js'
import { findFactors } from './second-factors.store.js'

/** How the person of a half session can finish the sign-in. Idempotent. */
export const getSecondFactor = serverOperation({
  operationId: 'getSecondFactor',
  summary: 'Tell by which second factors the sign-in can be finished.',
  description: 'For the page that asks for it, after a sign-in that has answered with secondFactor. Costs one read.',
  method: 'GET',
  path: '/second-factor',
  surfaces: ['console'],
  permission: 'second-factor',
  answers: [200],
  success: Joi.object<SecondFactorChoice, true>({ methods: secondFactorMethodsSchema }),
  async handle({ principal }, { database }) {
    const factors = await findFactors(database, requireSessionOf(principal).personId)
    return ok({ methods: methodsOf(factors) } satisfies SecondFactorChoice)
  },
})
