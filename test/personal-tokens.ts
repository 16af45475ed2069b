import type { InjectOptions } from 'fastify'
import type { IssuedPersonalToken, NewPersonalToken } from '../src/interface/generated/types.js'
import { type Member, type Reply, send, type TestApp } from './harness.js'

/** Creates a token for a person who has just signed in. */
export const makeToken = async (
  person: Member,
  body: Partial<NewPersonalToken> & Pick<NewPersonalToken, 'scopes'>,
): Promise<IssuedPersonalToken> =>
  (await person.call(201, 'POST', '/me/tokens', { body: { name: 'Planner', ...body } })).body

/** Calls `/api` as a program does: without a cookie and from no page. */
export const callWith = (
  { app }: TestApp,
  token: string,
  status: number,
  method: InjectOptions['method'],
  path: string,
  body?: unknown,
): Promise<Reply> => send(app, status, method, `/api${path}`, { body, headers: { authorization: `Bearer ${token}` } })
