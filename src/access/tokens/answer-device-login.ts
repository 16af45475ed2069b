import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok } from '../../http/operation.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { WaitingDevice } from '../../interface/generated/types.js'
import { recordAudit, SERVER } from '../audit.store.js'
import { findPerson, lockPerson } from '../people/people.store.js'
import { ownOperation } from '../sessions/own-session.js'
import { answerDeviceLogin, type DeviceLoginRow, findWaitingLogin, type Granted } from './device-logins.store.js'
import { checkGrant, checkRoom, grantFields, scopesSchema } from './personal-token.js'
import { hashUserCode, userCodeBody, userCodeFields } from './user-code.js'

// The person's side of a login (RFC 8628, 3.3). Codes are in bodies, not in addresses, which are logged; wrong ones count as
// failed attempts.

const waitingBody = namedObject('WaitingDevice', {
  name: Joi.string().required().description('What the program calls itself.'),
  scopes: scopesSchema.description('What it asks for; absent: you choose.'),
  address: Joi.string().required().description('The address from which it asked.'),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
})

/** Look at the program that waits. */
export const readDeviceLogin = ownOperation({
  operationId: 'readDeviceLogin',
  summary: 'Tell which program waits with a code.',
  description: 'For the person who decides about it: allow only what you began yourself. Costs one read.',
  route: 'POST /me/device-login/read',
  answers: [200, 400],
  body: userCodeBody,
  success: waitingBody,
  async handle({ body, caller }, { clock, database, failedAttempts }) {
    failedAttempts.check(caller.ip)
    const row = await findWaitingLogin(database, hashUserCode(body.userCode), new Date(clock.now()))
    if (row === undefined) throw new ApiError('user_code_wrong')
    return ok(toWaitingBody(row))
  },
})

/** Let the program in. */
export const allowDeviceLogin = ownOperation({
  operationId: 'allowDeviceLogin',
  summary: 'Let a program in: it fetches a personal token of yours.',
  description:
    'With the scopes that you give, which may be others than those that it asked for. Once. Costs a few small reads and writes.',
  route: 'POST /me/device-login/allow',
  needsConfirmation: true,
  answers: [200, 400, 403, 404, 409],
  body: namedObject('DeviceApproval', { ...userCodeFields, ...grantFields }),
  success: waitingBody,
  async handle({ body, principal, caller }, context, { personId }) {
    const { clock, database, failedAttempts } = context
    failedAttempts.check(caller.ip)
    const now = new Date(clock.now())
    const person = await findPerson(database, personId)
    if (person === undefined) throw new ApiError('session_ended')
    if ((await findWaitingLogin(database, hashUserCode(body.userCode), now)) === undefined) {
      throw new ApiError('user_code_wrong')
    }
    const granted = { ...(await checkGrant(context, person, body, now)), secondFactor: principal.secondFactor ?? false }
    await checkRoom(database, personId, now)
    const change = { userCode: body.userCode, personId, principal, granted, now, operation: 'allowDeviceLogin' }
    return ok(toWaitingBody(await database.transaction((tx) => answer(tx, change))))
  },
})

/** Refuse it. */
export const refuseDeviceLogin = ownOperation({
  operationId: 'refuseDeviceLogin',
  summary: 'Refuse a program that waits with a code.',
  description: 'The program learns it at its next question. Once. Costs one small write.',
  route: 'POST /me/device-login/refuse',
  answers: [200, 400],
  body: userCodeBody,
  success: waitingBody,
  async handle({ body: { userCode }, principal, caller }, { clock, database, failedAttempts }, { personId }) {
    failedAttempts.check(caller.ip)
    const now = new Date(clock.now())
    const change = { userCode, personId, principal, granted: null, now, operation: 'refuseDeviceLogin' }
    return ok(toWaitingBody(await database.transaction((tx) => answer(tx, change))))
  },
})

interface Answering {
  userCode: string
  personId: string
  principal: ServerPrincipal
  granted: Granted | null
  now: Date
  operation: string
}

async function answer(
  tx: Queryable,
  { userCode, personId, principal: { actor, address }, granted, now, operation }: Answering,
): Promise<DeviceLoginRow> {
  // A change that ends the tokens of the person comes before or after.
  if (!(await lockPerson(tx, personId))?.active) throw new ApiError('session_ended')
  const row = await answerDeviceLogin(tx, hashUserCode(userCode), { personId, granted, now })
  if (row === undefined) throw new ApiError('user_code_wrong')
  await recordAudit(tx, {
    principal: { organizationId: SERVER, actor, ...(address === undefined ? {} : { address }) },
    at: now,
    operation,
    target: { type: 'user', id: personId },
    changes: { name: row.name, address: row.address, ...(granted === null ? {} : { scopes: granted.scopes }) },
  })
  return row
}

const toWaitingBody = (row: DeviceLoginRow): WaitingDevice => ({
  name: row.name,
  ...(row.scopes === null ? {} : { scopes: row.scopes }),
  address: row.address,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
})
