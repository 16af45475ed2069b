import Joi from 'joi'
import { okList, serverOperation } from '../http/operation.js'
import { operatorTokenBody, toOperatorTokenBody } from './operator-token.js'
import { listOperatorTokenRows } from './operator-tokens.store.js'

/** List the operator tokens, oldest first, revoked ones included, without the tokens themselves. Idempotent. */
export const listOperatorTokens = serverOperation({
  operationId: 'listOperatorTokens',
  summary: 'List the operator tokens, oldest first, revoked ones included.',
  description:
    'For reviewing who operates the server, and for finding the token to revoke. The token of the environment is not among them. Costs one read.',
  route: 'GET /server/operator-tokens',
  permission: 'operator',
  answers: [200],
  success: Joi.array().items(operatorTokenBody),
  async handle({ meter }, { config, database }) {
    return okList(meter, await listOperatorTokenRows(database), (row) =>
      toOperatorTokenBody(row, config.access.operatorTokenMaxAgeMs),
    )
  },
})
