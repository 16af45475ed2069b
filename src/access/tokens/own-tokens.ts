import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { created, ok, okList, serverOperation } from '../../http/operation.js'
import { type ServerPrincipal, tokenOfActor } from '../../http/principal.js'
import { notifyPerson } from '../../news/notify-person.js'
import { findPerson } from '../people/people.store.js'
import { ownOperation, requirePerson } from '../sessions/own-session.js'
import {
  checkGrant,
  grantFields,
  issuedTokenBody,
  makeToken,
  personalTokenBody,
  tokenNameSchema,
  toTokenBody,
} from './personal-token.js'
import { deleteToken, listTokenRows, recordTokenAudit } from './personal-tokens.store.js'

export const listOwnTokens = ownOperation({
  operationId: 'listOwnTokens',
  summary: 'List your own personal tokens, newest first.',
  description:
    'For finding tokens that are no longer used. The tokens themselves are not included. Idempotent. Costs one read.',
  route: 'GET /me/tokens',
  success: Joi.array().items(personalTokenBody),
  async handle({ meter }, context, { personId }) {
    const rows = await listTokenRows(context.database, personId, new Date(context.clock.now()))
    return okList(meter, rows, (row) => toTokenBody(row, context))
  },
})

export const createOwnToken = ownOperation({
  operationId: 'createOwnToken',
  summary: 'Make a personal token for a program. Only this response contains it.',
  description:
    'The program then calls on your behalf and may do what both the scopes and your own rights at the time of the call allow. A program can also ask for a token itself: see beginDeviceLogin. Not idempotent. Costs one small transaction.',
  route: 'POST /me/tokens',
  needsConfirmation: true,
  answers: [201, 400, 403, 404, 409],
  body: namedObject('NewPersonalToken', { name: tokenNameSchema.required(), ...grantFields }),
  success: issuedTokenBody,
  async handle({ body, principal, caller, headers }, context, { personId }) {
    const { clock, database } = context
    const at = new Date(clock.now())
    const person = await requirePerson(database, personId)
    const granted = await checkGrant(context, person, body, at)
    const secondFactor = principal.secondFactor ?? false
    const issued = await database.transaction(async (tx) => {
      const made = await makeToken(tx, personId, { ...granted, secondFactor, name: body.name, at }, context)
      const { id, name, scopes, organizationId, expiresAt } = made
      const changes = { name, scopes, ...(organizationId === undefined ? {} : { organizationId }), expiresAt }
      await recordTokenAudit(tx, principal, id, { at, operation: 'createOwnToken', changes })
      await notifyPerson(tx, { kind: 'token-made', personId, at, caller, headers })
      return made
    })
    return created(issued)
  },
})

const revokedBody = Joi.object({ id: Joi.string().required() })

export const revokeOwnToken = ownOperation({
  operationId: 'revokeOwnToken',
  summary: 'Revoke one of your own personal tokens.',
  description: 'Every node refuses it from its next request on; this cannot be undone. Costs one small transaction.',
  route: 'DELETE /me/tokens/{tokenId}',
  isUnlimited: true,
  answers: [200, 404],
  success: revokedBody,
  async handle({ params: { tokenId }, principal }, { clock, database }, { personId }) {
    const at = new Date(clock.now())
    await database.transaction((tx) => revoke(tx, { personId, tokenId, principal, at, operation: 'revokeOwnToken' }))
    return ok({ id: tokenId })
  },
})

export const revokeCallingToken = serverOperation({
  operationId: 'revokeCallingToken',
  summary: 'Revoke the personal token that makes this call.',
  description: 'For a program that signs out: every node refuses the token from now on. Costs one small transaction.',
  route: 'DELETE /me/token',
  permission: 'self',
  isUnlimited: true,
  answers: [200, 404],
  success: revokedBody,
  async handle({ principal }, { clock, database }) {
    const { actor } = principal
    const tokenId = tokenOfActor(actor)
    if (actor.type !== 'user' || tokenId === null) throw new ApiError('token_not_found')
    const change = {
      personId: actor.id,
      tokenId,
      principal,
      at: new Date(clock.now()),
      operation: 'revokeCallingToken',
    }
    await database.transaction((tx) => revoke(tx, change))
    return ok({ id: tokenId })
  },
})

const of = {
  permission: 'operator',
  answers: [200, 404],
} as const

export const listPersonTokens = serverOperation({
  ...of,
  operationId: 'listPersonTokens',
  summary: 'List the personal tokens of a person, newest first.',
  description: 'For seeing which programs call on behalf of the person. Idempotent. Costs two small reads.',
  route: 'GET /server/people/{personId}/tokens',
  success: Joi.array().items(personalTokenBody),
  async handle({ params: { personId }, meter }, context) {
    const { clock, database } = context
    if ((await findPerson(database, personId)) === undefined) throw new ApiError('account_not_found')
    const rows = await listTokenRows(database, personId, new Date(clock.now()))
    return okList(meter, rows, (row) => toTokenBody(row, context))
  },
})

export const revokePersonToken = serverOperation({
  ...of,
  operationId: 'revokePersonToken',
  summary: 'Revoke a personal token of a person.',
  description:
    'For a token that leaked. To lock the person out completely, end their sessions (endPersonSessions), which also ends their tokens. Costs one small transaction.',
  route: 'DELETE /server/people/{personId}/tokens/{tokenId}',
  params: Joi.object<{ personId: string; tokenId: string }, true>({
    personId: Joi.string().required(),
    tokenId: Joi.string().required(),
  }),
  success: revokedBody,
  async handle({ params, principal }, { clock, database }) {
    const at = new Date(clock.now())
    await database.transaction((tx) => revoke(tx, { ...params, principal, at, operation: 'revokePersonToken' }))
    return ok({ id: params.tokenId })
  },
})

interface Revocation {
  personId: string
  tokenId: string
  principal: ServerPrincipal
  at: Date
  operation: string
}

async function revoke(tx: Queryable, { personId, tokenId, principal, at, operation }: Revocation): Promise<void> {
  if (!(await deleteToken(tx, personId, tokenId))) throw new ApiError('token_not_found')
  await recordTokenAudit(tx, principal, tokenId, { at, operation })
}
