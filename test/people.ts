import type { IssuedInvitation } from '../src/interface/generated/types.js'
import { newId } from '../src/lib/ids.js'
import { FROM_OWN_PAGE, Member, type Reply, send, type TestApp } from './harness.js'

/** Returns the code of the error in a response. */
export const code = ({ headers }: Pick<Reply, 'headers'>): unknown => headers['x-error-code']

/** Makes an unused email address. */
export const newMail = (): string => `${newId('m').toLowerCase()}@example.com`

/** Sends a POST to `/api` from a page of the server without a session; fails unless it answers `status`. */
export const postConsole = (
  { app }: TestApp,
  status: number,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> => send(app, status, 'POST', `/api${path}`, { body, headers: { ...FROM_OWN_PAGE, ...headers } })

/** Signs in with the password of the tests' people, unless another is given. */
export const signIn = (
  app: TestApp,
  status: number,
  { mail, password = Member.PASSWORD }: { mail: string; password?: string },
  headers?: Record<string, string>,
): Promise<Reply> => postConsole(app, status, '/sign-in', { mail, password }, headers)

/** Invites an ADMIN to the organization at the path. */
export const inviteAdmin = async (by: Member, path: string, mail = newMail()): Promise<IssuedInvitation> =>
  (await by.call(201, 'POST', `${path}/invitations`, { body: { mail, role: 'ADMIN' } })).body
