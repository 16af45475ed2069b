import Joi from 'joi'
import { recordAudit, SERVER } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { created, ok, serverOperation } from '../../http/operation.js'
import { unrepeated } from '../../http/params.js'
import type { ServerPrincipal } from '../../http/principal.js'
import type { DeviceLogin, IssuedPersonalToken, WaitingDevice } from '../../interface/generated/types.js'
import { networkOf } from '../../lib/addresses.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken, newUserCode } from '../../lib/tokens.js'
import { notifyPerson } from '../../news/notify-person.js'
import { tokenSchema } from '../people/password-rules.js'
import { lockPerson } from '../people/people.store.js'
import { ownOperation, requirePerson } from '../sessions/own-session.js'
import { ADDRESS_CHARS_MAX, type SessionRequest } from '../sessions/session.js'
import {
  answerDeviceLogin,
  type DeviceLoginRow,
  findDeviceLogin,
  findWaitingLogin,
  type Granted,
  insertDeviceLogin,
  notePoll,
  takeDeviceLogin,
} from './device-logins.store.js'
import {
  checkGrant,
  checkRoom,
  grantFields,
  issuedTokenBody,
  makeToken,
  scopesSchema,
  tokenNameSchema,
} from './personal-token.js'
import { recordTokenAudit } from './personal-tokens.store.js'

/** People type the code, so letters may have any case, and spaces and hyphens may be anywhere. */
const userCodeFields = {
  userCode: unrepeated(Joi.string().max(40)).required().description('The code that the program shows.'),
}
const userCodeBody = namedObject('UserCode', userCodeFields)

/** Returns the stored form of a code, which ignores case, spaces and hyphens. */
const hashUserCode = (code: string): string => hashToken(code.toUpperCase().replaceAll(/[\s-]/g, ''))

/** How long a person has to answer. */
const LOGIN_MS = 10 * 60_000
const INTERVAL_SECONDS = 5
const BUSY_SECONDS = 60
const BOUNDS = { ofNetwork: limit('deviceLoginsOfNetwork'), max: limit('deviceLogins') }

/** Device authorization request (RFC 8628, 3.1). */
export const beginDeviceLogin = serverOperation({
  operationId: 'beginDeviceLogin',
  summary: 'Begin a device login: a program asks for a personal token, and a person allows it in the console.',
  description:
    'Follows RFC 8628. Show the person the address of this server with `path`, and the `userCode` to enter there. Then call fetchDeviceToken with `deviceCode` until they have answered. Costs two small writes.',
  route: 'POST /sign-in/device',
  permission: 'device',
  answers: [201],
  body: namedObject('NewDeviceLogin', {
    name: tokenNameSchema.required(),
    scopes: scopesSchema.description('What the program wants to do. If absent, the person chooses.'),
  }),
  success: namedObject('DeviceLogin', {
    deviceCode: Joi.string().required().description('A secret that only the program may know.'),
    userCode: Joi.string().required().description('The code for the person to enter.'),
    path: Joi.string().required().description('The path of the page for the code on this server.'),
    expiresAt: Joi.string().isoDate().required(),
    interval: Joi.number()
      .integer()
      .required()
      .description('The minimum seconds between two calls of fetchDeviceToken.'),
  }),
  async handle({ body, caller }, { clock, database }) {
    const now = new Date(clock.now())
    const [deviceCode, userCode] = [newToken(), newUserCode()]
    const expiresAt = new Date(now.getTime() + LOGIN_MS)
    const login = {
      device_code_hash: hashToken(deviceCode),
      user_code_hash: hashUserCode(userCode),
      name: body.name,
      scopes: body.scopes ?? null,
      address: caller.ip.slice(0, ADDRESS_CHARS_MAX),
      network: networkOf(caller.ip),
      created_at: now,
      expires_at: expiresAt,
      interval_seconds: INTERVAL_SECONDS,
    }
    const isInserted = await database.transaction((tx) => insertDeviceLogin(tx, login, BOUNDS))
    if (!isInserted) throw new ApiError('too_many_logins', { retryAfterSeconds: BUSY_SECONDS })
    const answer: DeviceLogin = {
      deviceCode,
      userCode,
      path: '/device',
      expiresAt: expiresAt.toISOString(),
      interval: INTERVAL_SECONDS,
    }
    return created(answer)
  },
})

/** Device access token request (RFC 8628, 3.4). */
export const fetchDeviceToken = serverOperation({
  operationId: 'fetchDeviceToken',
  summary: 'Fetch the personal token that a person has allowed. It can be fetched once.',
  description:
    'Answers 400 authorization_pending until the person has answered, or slow_down if the program calls before its interval has passed, which then grows by five seconds. Later answers access_denied if the person refused, or expired_token after ten minutes. Costs one small write, or one small transaction with the token.',
  route: 'POST /sign-in/device/token',
  permission: 'device',
  answers: [201, 400, 401, 409],
  body: namedObject('DeviceCode', { deviceCode: tokenSchema.required() }),
  success: issuedTokenBody,
  async handle({ body, headers, caller }, context) {
    const { clock, database } = context
    const codeHash = hashToken(body.deviceCode)
    const now = new Date(clock.now())
    const login = await findDeviceLogin(database, codeHash)
    if (login === undefined || now >= login.expires_at) throw new ApiError('expired_token')
    if (login.allowed === null) {
      const isEarly = await notePoll(database, codeHash, { now, more: INTERVAL_SECONDS })
      throw new ApiError(isEarly ? 'slow_down' : 'authorization_pending')
    }
    if (!login.allowed) throw new ApiError('access_denied')
    const from = { headers, ip: caller.ip, now }
    return created(await database.transaction((tx) => issueToken(tx, context, codeHash, login.person_id!, from)))
  },
})

async function issueToken(
  tx: Queryable,
  context: Context,
  codeHash: string,
  personId: string,
  { headers, ip, now: at }: SessionRequest,
): Promise<IssuedPersonalToken> {
  // Operations that end the person's tokens or remove their rights take the same lock, so they run either before or
  // after this one.
  if (!(await lockPerson(tx, personId))?.active) throw new ApiError('session_ended')
  const login = await takeDeviceLogin(tx, codeHash)
  if (login === undefined) throw new ApiError('expired_token')
  const { name, granted } = login
  const made = await makeToken(tx, personId, { ...granted, name, at }, context)
  const { id, scopes, organizationId, expiresAt } = made
  const changes = { name, scopes, ...(organizationId === undefined ? {} : { organizationId }), expiresAt }
  const principal = { actor: { type: 'user', id: personId }, address: ip } as const
  await recordTokenAudit(tx, principal, id, { at, operation: 'fetchDeviceToken', changes })
  await notifyPerson(tx, { kind: 'token-made', personId, at, caller: { ip }, headers })
  return made
}

// The person's side of a login (RFC 8628, 3.3). Codes are sent in bodies, because URLs are logged. Wrong codes count
// as failed attempts.

const waitingBody = namedObject('WaitingDevice', {
  name: Joi.string().required().description('The name that the program gave.'),
  scopes: scopesSchema.description('What the program asks for. If absent, you choose.'),
  address: Joi.string().required().description("The program's address."),
  createdAt: Joi.string().isoDate().required(),
  expiresAt: Joi.string().isoDate().required(),
})

export const readDeviceLogin = ownOperation({
  operationId: 'readDeviceLogin',
  summary: 'Get the waiting program by its code.',
  description: 'For the person who decides: allow only a login that you started yourself. Costs one read.',
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

export const allowDeviceLogin = ownOperation({
  operationId: 'allowDeviceLogin',
  summary: 'Allow a waiting program to fetch a personal token of yours.',
  description:
    'The token gets the scopes that you send, which may differ from those that the program asked for. Works once. Costs a few small reads and writes.',
  route: 'POST /me/device-login/allow',
  needsConfirmation: true,
  answers: [200, 400, 403, 404, 409],
  body: namedObject('DeviceApproval', { ...userCodeFields, ...grantFields }),
  success: waitingBody,
  async handle({ body, principal, caller }, context, { personId }) {
    const { clock, database, failedAttempts } = context
    failedAttempts.check(caller.ip)
    const now = new Date(clock.now())
    const person = await requirePerson(database, personId)
    if ((await findWaitingLogin(database, hashUserCode(body.userCode), now)) === undefined) {
      throw new ApiError('user_code_wrong')
    }
    const granted = { ...(await checkGrant(context, person, body, now)), secondFactor: principal.secondFactor ?? false }
    await checkRoom(database, personId, now)
    const change = { userCode: body.userCode, personId, principal, granted, now, operation: 'allowDeviceLogin' }
    return ok(toWaitingBody(await database.transaction((tx) => answer(tx, change))))
  },
})

export const refuseDeviceLogin = ownOperation({
  operationId: 'refuseDeviceLogin',
  summary: 'Refuse a waiting program.',
  description: 'The program learns it on its next call. Works once. Costs one small write.',
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

interface LoginAnswer {
  userCode: string
  personId: string
  principal: ServerPrincipal
  granted: Granted | null
  now: Date
  operation: string
}

async function answer(
  tx: Queryable,
  { userCode, personId, principal: { actor, address }, granted, now, operation }: LoginAnswer,
): Promise<DeviceLoginRow> {
  // Locked, so that a change that ends the person's tokens runs either before or after this one.
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
