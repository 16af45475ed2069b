import Joi from 'joi'
import { ApiError } from '../errors.js'
import { named, namedObject } from '../http/named.js'
import { created, serverOperation } from '../http/operation.js'
import { utcInstant } from '../http/params.js'
import type { IssuedOperatorToken } from '../interface/generated/types.js'
import { newSecret } from '../lib/ids.js'
import { hashToken } from '../lib/tokens.js'
import { recordServerAudit } from './audit.store.js'
import { parseExpiry } from './greatest-age.js'
import { holdRights } from './hold-rights.js'
import { OPERATOR_TOKEN_PREFIX, operatorTokenBody, operatorTokenName, toOperatorTokenBody } from './operator-token.js'
import { insertOperatorToken } from './operator-tokens.store.js'

/** Issue an operator token. It is in this answer and in no other. */
export const issueOperatorToken = serverOperation({
  operationId: 'issueOperatorToken',
  summary: 'Issue a named operator token. It is shown in this answer and never again.',
  description:
    'One for each person and program that operates the server, so that the audit trail tells them apart and each can be revoked by itself. The token of the environment stays beside them. A name is given once, also when its token is revoked. Not idempotent. Costs one small transaction.',
  route: 'POST /server/operator-tokens',
  permission: 'operator',
  needsConfirmation: true,
  answers: [201, 400, 409],
  body: namedObject('NewOperatorToken', {
    name: operatorTokenName.required(),
    expiresAt: utcInstant.description(
      'From then on it is refused: an ISO 8601 datetime in UTC (Z), in the future, and within the greatest age of a token where the server sets one.',
    ),
  }),
  success: named(
    'IssuedOperatorToken',
    (operatorTokenBody as Joi.ObjectSchema).keys({ token: Joi.string().required() }),
  ),
  async handle({ body, principal: { actor } }, { config, database, clock }) {
    const { name } = body
    const createdAt = new Date(clock.now())
    const maxAgeMs = config.access.operatorTokenMaxAgeMs
    const expiresAt = parseExpiry(body.expiresAt, { now: createdAt, maxAgeMs })
    const token = `${OPERATOR_TOKEN_PREFIX}${newSecret()}`
    const row = await database.transaction(async (tx) => {
      await holdRights(tx, { actor }, 'operator')
      const tokenHash = hashToken(token)
      const inserted = await insertOperatorToken(tx, { name, tokenHash, createdAt, createdBy: actor, expiresAt })
      if (inserted === undefined) {
        throw new ApiError('already_exists', {
          message:
            'There is or was an operator token with this name: choose another, so that the audit trail stays clear.',
        })
      }
      await recordServerAudit(tx, actor, {
        at: createdAt,
        operation: 'issueOperatorToken',
        target: { type: 'operatorToken', id: name },
        ...(body.expiresAt === undefined ? {} : { changes: { expiresAt: body.expiresAt } }),
      })
      return inserted
    })
    const { name: shownName, ...shown } = toOperatorTokenBody(row, maxAgeMs)
    return created({ name: shownName, token, ...shown } satisfies IssuedOperatorToken)
  },
})
