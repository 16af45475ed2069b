import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { textOfForm } from '../http/params.js'
import type { OperatorToken } from '../interface/generated/types.js'
import { actorBody, toActorBody } from './actor.js'
import { endFields, toEndBody } from './greatest-age.js'
import type { OperatorTokenRow } from './operator-tokens.store.js'

/** Secret scanners find tokens by it (docs/security.md). */
export const OPERATOR_TOKEN_PREFIX = 'greenroom_operator_'

/** It stands in the audit trail, in logs and in paths. */
export const operatorTokenName = textOfForm(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
  'a letter or a digit, and then letters, digits, dots, hyphens and underscores, at most 64 in all',
).description('Letters, digits, dots, hyphens and underscores, at most 64: the audit trail names the token by it.')

/** An operator token as it goes out, never with the token itself. */
export const operatorTokenBody = namedObject('OperatorToken', {
  name: Joi.string().required(),
  createdAt: Joi.string().isoDate().required(),
  createdBy: actorBody.required(),
  ...endFields,
  revokedAt: Joi.string().isoDate().description('Absent while the token is live.'),
})

export const toOperatorTokenBody = (row: OperatorTokenRow, maxAgeMs: number | undefined): OperatorToken => ({
  name: row.name,
  createdAt: row.created_at.toISOString(),
  createdBy: toActorBody(row.created_by_type, row.created_by_id),
  ...toEndBody(row, maxAgeMs),
  ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at.toISOString() }),
})
