import Joi from 'joi'
import { ApiError } from '../errors.js'
import type { Context } from '../http/context.js'
import { namedObject } from '../http/named.js'
import { ok, serverOperation } from '../http/operation.js'
import { type Actor, idOfActor, type ServerPrincipal } from '../http/principal.js'
import type { Caller } from '../interface/generated/types.js'
import { listOwnMemberships } from './people/memberships.store.js'
import { toTokenBody } from './tokens/personal-token.js'
import { listTokenRows } from './tokens/personal-tokens.store.js'

/** Tells callers who they are, and what they may do. Idempotent. */
export const getCaller = serverOperation({
  operationId: 'getCaller',
  summary: 'Tell who calls, and what they may do.',
  description: 'For checking credentials, and what a key was issued with. Costs nothing beyond any call.',
  route: 'GET /whoami',
  surfaces: ['v1', 'api'],
  permission: 'self',
  success: namedObject('Caller', {
    type: Joi.string().valid('key', 'operator', 'user').required(),
    id: Joi.string().description(
      'Of the key or the person, or the name of the operator token; absent for that of the environment.',
    ),
    organizationId: Joi.string().description('Of a key, or the only one in which a personal token may be used.'),
    permissions: Joi.array().items(Joi.string()).required(),
    token: namedObject('CallerToken', {
      id: Joi.string().required(),
      name: Joi.string().required(),
      expiresAt: Joi.string().isoDate().required(),
    }).description('The personal token of a program that calls for a person.'),
    organizations: Joi.array()
      .items(Joi.object({ id: Joi.string().required(), name: Joi.string().required() }))
      .description('Those in which a person may call; at most 1,000.'),
  }),
  handle({ principal }, context) {
    const { actor, permissions } = principal
    if (actor.type === 'user') return readPerson(actor, principal, context).then((caller) => ok(caller))
    const id = idOfActor(actor)
    return ok({
      type: actor.type,
      ...(id === null ? {} : { id }),
      ...('organizationId' in principal ? { organizationId: principal.organizationId } : {}),
      permissions: [...permissions],
    })
  },
})

/** Describes a person in a session, or the token with which a program calls for them, with its scopes. */
async function readPerson(
  { id, token }: Extract<Actor, { type: 'user' }>,
  { isOwner = false, permissions }: ServerPrincipal,
  context: Context,
): Promise<Caller> {
  const { clock, database } = context
  const organizations = (await listOwnMemberships(database, id, isOwner)).map((own) => ({
    id: own.organization_id,
    name: own.name,
  }))
  if (token === undefined) return { type: 'user', id, permissions: [...permissions], organizations }
  const rows = await listTokenRows(database, id, new Date(clock.now()))
  const row = rows.find(({ token_id }) => token_id === token.id)
  // Revoked since the request came in.
  if (row === undefined) throw new ApiError('token_wrong')
  const { name, expiresAt } = toTokenBody(row, context)
  return {
    type: 'user',
    id,
    ...(token.boundTo === undefined ? {} : { organizationId: token.boundTo }),
    permissions: [...token.scopes, ...permissions],
    token: { id: token.id, name, expiresAt },
    organizations: organizations.filter((one) => token.boundTo === undefined || one.id === token.boundTo),
  }
}
