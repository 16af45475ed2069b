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

export const getCaller = serverOperation({
  operationId: 'getCaller',
  summary: 'Get the caller and their permissions.',
  description:
    'For checking credentials and the permissions of a key. Idempotent. Costs no more than the authentication.',
  route: 'GET /whoami',
  surfaces: ['v1', 'api'],
  permission: 'self',
  success: namedObject('Caller', {
    type: Joi.string().valid('key', 'operator', 'user').required(),
    id: Joi.string().description(
      'The id of the key or person, or the name of the operator token. Absent for the token of the environment.',
    ),
    organizationId: Joi.string().description(
      'The organization of the key, or the only one in which the personal token works.',
    ),
    permissions: Joi.array().items(Joi.string()).required(),
    token: namedObject('CallerToken', {
      id: Joi.string().required(),
      name: Joi.string().required(),
      expiresAt: Joi.string().isoDate().required(),
    }).description('The personal token, if a program calls on behalf of a person.'),
    organizations: Joi.array()
      .items(Joi.object({ id: Joi.string().required(), name: Joi.string().required() }))
      .description('The organizations that the person can access; at most 1,000.'),
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

/** Describes a person with a session, or the personal token that a program uses, with its scopes. */
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
  // The token was revoked after the request arrived.
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
