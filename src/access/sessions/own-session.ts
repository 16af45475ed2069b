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

/** The person who calls, and the session in which they do. */
export interface OwnSession {
  personId: string
  sessionId: string
}

/** The person who calls, and their session. Throws permission_missing for another kind of caller. */
export function requireSessionOf({ actor, sessionId }: ServerPrincipal): OwnSession {
  if (actor.type !== 'user' || sessionId === undefined)
    throw new ApiError('permission_missing', { message: 'This is for people: call it in the session of a person.' })
  return { personId: actor.id, sessionId }
}

/** The account of the person. Throws session_ended where it is gone. */
export async function requirePerson(database: Queryable, personId: string): Promise<PersonWithPassword> {
  const person = await findPerson(database, personId)
  if (person === undefined) throw new ApiError('session_ended')
  return person
}

/** The person who calls, and their session, as they are now. Throws session_ended. */
export async function requireOwn(database: Queryable, { personId, sessionId }: OwnSession) {
  const person = await requirePerson(database, personId)
  const session = await findSessionById(database, sessionId)
  if (session === undefined) throw new ApiError('session_ended')
  return { person, session }
}

/** The parts of such a call by which its session goes on. */
export type OwnCall = Pick<Call<unknown, unknown, unknown, ServerPrincipal>, 'principal' | 'headers' | 'caller'>

interface OwnOperation<Id extends string, Route extends RouteText, Params, Query, Body>
  extends Omit<
    Parameters<typeof serverOperation<Id, Route, Query, Body, Params>>[0],
    'surfaces' | 'permission' | 'handle'
  > {
  /** `account` by default. */
  permission?: Needed
  handle(
    call: Call<Params, QueryOf<Id, Query>, Body, ServerPrincipal>,
    context: Context,
    own: OwnSession,
  ): Ready<Answer>
}

/** An operation of a person on their own account, in the console: in a session, or in the half of one. */
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
