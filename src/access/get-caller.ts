import Joi from 'joi'
import type { Context } from '../http/context.js'
import { ok, serverOperation } from '../http/operation.js'
import { type Actor, idOfActor } from '../http/principal.js'
import type { Caller } from '../interface/access.js'
import { listOwnMemberships } from './people/memberships.store.js'
import { toTokenBody } from './tokens/personal-token.js'
import { listTokenRows } from './tokens/personal-tokens.store.js'

const callerFields = {
  type: Joi.string().valid('key', 'operator').required(),
  id: Joi.string().description('Of the key, or the name of the operator token; absent for that of the environment.'),
  organizationId: Joi.string().description('Of a key.'),
  permissions: Joi.array().items(Joi.string()).required(),
}

/** Tells the caller who they are, and what they may do. Idempotent. */
export const getCaller = serverOperation({
  operationId: 'getCaller',
  summary: 'Tell who calls, and what they may do.',
  description: 'For checking credentials, and what a key was issued with. Costs nothing beyond any call.',
  method: 'GET',
  path: '/whoami',
  surfaces: ['v1', 'operator', 'console'],
  permission: 'self',
  answers: [200],
  success: Joi.object<Omit<Caller, 'token' | 'organizations'>, true>(callerFields),
  successOn: {
    console: Joi.object<Caller, true>({
      ...callerFields,
      type: Joi.string().valid('user').required(),
      organizationId: Joi.string().description('The only one in which a personal token may be used.'),
      token: Joi.object({
        id: Joi.string().required(),
        name: Joi.string().required(),
        expiresAt: Joi.string().isoDate().required(),
      }).description('The personal token of a program that calls for the person.'),
      organizations: Joi.array()
        .items(Joi.object({ id: Joi.string().required(), name: Joi.string().required() }))
        .required(),
    }),
  },
  handle({ principal }, context) {
    const { actor, permissions } = principal
    if (actor.type === 'user')
      return readPerson(actor, principal.isOwner ?? false, context).then((caller) => ok(caller))
    const id = idOfActor(actor)
    return ok({
      type: actor.type,
      ...(id === null ? {} : { id }),
      ...('organizationId' in principal ? { organizationId: principal.organizationId } : {}),
      permissions: [...permissions],
    })
  },
})

/** A person, or a program with a token of theirs, outside of any organization. */
async function readPerson(
  { id, token }: Extract<Actor, { type: 'user' }>,
  isOwner: boolean,
  context: Context,
): Promise<Caller> {
  const { clock, database } = context
  const organizations = (await listOwnMemberships(database, id, isOwner)).filter(
    ({ organization_id }) => token?.boundTo === undefined || organization_id === token.boundTo,
  )
  const rows = token === undefined ? [] : await listTokenRows(database, id, new Date(clock.now()))
  const row = rows.find(({ token_id }) => token_id === token!.id)
  const shown = row && toTokenBody(row, context)
  return {
    type: 'user',
    id,
    ...(token?.boundTo === undefined ? {} : { organizationId: token.boundTo }),
    permissions: [...(token?.scopes ?? []), 'self'],
    ...(shown === undefined ? {} : { token: { id: shown.id, name: shown.name, expiresAt: shown.expiresAt } }),
    organizations: organizations.map((own) => ({ id: own.organization_id, name: own.name })),
  }
}
