import Joi from 'joi'
import { actorBody, toActorBody } from '../../audit/actor.js'
import { SERVER } from '../../audit/audit.store.js'
import { changeAudited } from '../../audit/audited-change.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { created, ok, okList, serverOperation } from '../../http/operation.js'
import { textOfForm, utcInstant } from '../../http/params.js'
import type { IssuedOperatorToken, OperatorToken } from '../../interface/generated/types.js'
import { newSecret } from '../../lib/ids.js'
import { hashToken } from '../../lib/tokens.js'
import { holdRights } from '../hold-rights.js'
import { endFields, parseExpiry, toEndBody } from '../maximum-age.js'
import {
  insertOperatorToken,
  listOperatorTokenRows,
  type OperatorTokenRow,
  revokeOperatorTokenRow,
} from './operator-tokens.store.js'

/** Secret scanners recognize this prefix (docs/security.md). */
export const OPERATOR_TOKEN_PREFIX = 'greenroom_operator_'

/** Appears in the audit trail, in logs and in paths. */
const operatorTokenName = textOfForm(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'a letter or a digit, and then letters, digits, dots, hyphens and underscores, at most 64 in all',
).description('Letters, digits, dots, hyphens and underscores, at most 64. The audit trail shows it.')

/** An operator token in a response, without the token itself. */
const operatorTokenBody = namedObject('OperatorToken', {
  name: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  createdBy: actorBody.required(),
  ...endFields,
  revokedAt: Joi.string().isoDate().description('Absent while the token is live.'),
})

const toOperatorTokenBody = (row: OperatorTokenRow, maxAgeMs: number | undefined): OperatorToken => ({
  name: row.name,
  createdAt: row.created_at.toISOString(),
  createdBy: toActorBody(row.created_by_type, row.created_by_id),
  ...toEndBody(row, maxAgeMs),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at.toISOString() }),
})

export const issueOperatorToken = serverOperation({
  operationId: 'issueOperatorToken',
  summary: 'Issue a named operator token. Only this response contains it.',
  description:
    'Issue one for each person and program that operates the server, so that the audit trail distinguishes them and each can be revoked separately. The token of the environment keeps working. A name cannot be used again, even after its token was revoked. Not idempotent. Costs one small transaction.',
  route: 'POST /server/operator-tokens',
  permission: 'operator',
  needsConfirmation: true,
  answers: [201, 400, 409],
  body: namedObject('NewOperatorToken', {
    name: operatorTokenName.required(),
    expiresAt: utcInstant.description(
      'When the token expires: an ISO 8601 datetime in UTC (Z), in the future, and within the maximum age of a token if the server sets one.',
    ),
  }),
  success: named(
    'IssuedOperatorToken',
    (operatorTokenBody as Joi.ObjectSchema).keys({ token: Joi.string().required() }),
  ),
  async handle({ body, principal: { actor } }, context) {
    const { name } = body
    const maxAgeMs = context.config.access.operatorTokenMaxAgeMs
    const expiresAt = parseExpiry(body.expiresAt, { now: new Date(context.clock.now()), maxAgeMs })
    const token = `${OPERATOR_TOKEN_PREFIX}${newSecret()}`
    const tokenHash = hashToken(token)
    const principal = { organizationId: SERVER, actor }
    const row = await changeAudited(context, principal, 'issueOperatorToken', async (tx, record, createdAt) => {
      await holdRights(tx, { actor }, 'operator')
      const inserted = await insertOperatorToken(tx, { name, tokenHash, createdAt, createdBy: actor, expiresAt })
      if (inserted === undefined) {
        throw new ApiError('already_exists', {
          message:
            'An operator token with this name exists or existed: choose another, so that the audit trail stays clear.',
        })
      }
      await record('operatorToken', name, body.expiresAt === undefined ? undefined : { expiresAt: body.expiresAt })
      return inserted
    })
    const { name: shownName, ...shown } = toOperatorTokenBody(row, maxAgeMs)
    return created({ name: shownName, token, ...shown } satisfies IssuedOperatorToken)
  },
})

export const listOperatorTokens = serverOperation({
  operationId: 'listOperatorTokens',
  summary: 'List the operator tokens, oldest first, including revoked ones.',
  description:
    'For reviewing who operates the server, and for finding the token to revoke. The tokens themselves and the token of the environment are not included. Idempotent. Costs one read.',
  route: 'GET /server/operator-tokens',
  permission: 'operator',
  success: Joi.array().items(operatorTokenBody),
  async handle({ meter }, { config, database }) {
    return okList(meter, await listOperatorTokenRows(database), (row) =>
      toOperatorTokenBody(row, config.access.operatorTokenMaxAgeMs),
    )
  },
})

export const revokeOperatorToken = serverOperation({
  operationId: 'revokeOperatorToken',
  summary: 'Revoke an operator token.',
  description:
    'For a token that leaked or is no longer needed, including the caller’s own. Every node refuses it from its next request on; this cannot be undone. The token of the environment can only be changed there. Idempotent: a second revocation keeps the first time. Costs one small transaction.',
  route: 'DELETE /server/operator-tokens/{name}',
  permission: 'operator',
  answers: [200, 404],
  success: operatorTokenBody,
  async handle({ params: { name }, principal: { actor } }, context) {
    const principal = { organizationId: SERVER, actor }
    const row = await changeAudited(context, principal, 'revokeOperatorToken', async (tx, record, at) => {
      const revoked = await revokeOperatorTokenRow(tx, name, at)
      if (revoked === undefined) throw new ApiError('operator_token_not_found')
      if (revoked.revoked_at?.getTime() === at.getTime()) await record('operatorToken', name)
      return revoked
    })
    return ok(toOperatorTokenBody(row, context.config.access.operatorTokenMaxAgeMs))
  },
})
