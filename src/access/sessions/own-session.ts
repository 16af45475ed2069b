import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import {
  type Answer,
  type Call,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type RouteText,
  serverOperation,
} from '../../http/operation.js'
import type { Needed, ServerPrincipal } from '../../http/principal.js'
import type { Ready } from '../../lib/ready.js'
import { findPerson, type PersonWithPassword } from '../people/people.store.js'
import { findSessionById } from './sessions.store.js'

/** The calling person and their session. */
export interface OwnSession {
  personId: string
  sessionId: string
}

/** Returns the calling person and their session. Throws permission_missing for any other kind of caller. */
export function requireSessionOf({ actor, sessionId }: ServerPrincipal): OwnSession {
  if (actor.type !== 'user' || sessionId === undefined)
    throw new ApiError('permission_missing', { message: 'Only people can call this: use the session of a person.' })
  return { personId: actor.id, sessionId }
}

/** Returns the person's account. Throws session_ended if it was deleted. */
export async function requirePerson(database: Queryable, personId: string): Promise<PersonWithPassword> {
  const person = await findPerson(database, personId)
  if (person === undefined) throw new ApiError('session_ended')
  return person
}

/** Reads the calling person and their session from the database. Throws session_ended. */
export async function requireOwn(database: Queryable, { personId, sessionId }: OwnSession) {
  const person = await requirePerson(database, personId)
  const session = await findSessionById(database, sessionId)
  if (session === undefined) throw new ApiError('session_ended')
  return { person, session }
}

/** The parts of a call that renewing its session needs. */
export type OwnCall = Pick<Call<unknown, unknown, unknown, ServerPrincipal>, 'principal' | 'headers' | 'caller'>

interface OwnOperation<Id extends string, Route extends RouteText, Params, Query, Body>
  extends Omit<
    Parameters<typeof serverOperation<Id, Route, Query, Body, Params>>[0],
    'surfaces' | 'permission' | 'handle'
  > {
  /** The default is `account`. */
  permission?: Needed
  handle(
    call: Call<Params, QueryOf<Id, Query>, Body, ServerPrincipal>,
    context: Context,
    own: OwnSession,
  ): Ready<Answer>
}

/** Defines an operation of people on their own account, called in a session or a half session. */
export const ownOperation = <
  const Id extends string,
  const Route extends RouteText,
  Query,
  Body,
  Params = ParamsOf<Route>,
>(
  definition: OwnOperation<Id, Route, Params, Query, Body>,
): Operation<Context> =>
  serverOperation<Id, Route, Query, Body, Params>({
    permission: 'account',
    ...definition,
    handle: (call, context) => definition.handle(call, context, requireSessionOf(call.principal)),
  })
