import Joi from 'joi'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import { namedObject } from '../../http/named.js'
import { created, serverOperation } from '../../http/operation.js'
import type { DeviceLogin, IssuedPersonalToken } from '../../interface/generated/types.js'
import { networkOf } from '../../lib/addresses.js'
import { limit } from '../../lib/limits.js'
import { hashToken, newToken, newUserCode } from '../../lib/tokens.js'
import { notifyPerson } from '../people/notify-person.js'
import { tokenSchema } from '../people/password-rules.js'
import { lockPerson } from '../people/people.store.js'
import type { SessionRequest } from '../sessions/note-sign-in.js'
import { ADDRESS_CHARS_MAX } from '../sessions/session.js'
import { findDeviceLogin, insertDeviceLogin, notePoll, takeDeviceLogin } from './device-logins.store.js'
import { recordTokenAudit } from './end-tokens.js'
import { issuedTokenBody, makeToken, scopesSchema, tokenNameSchema } from './personal-token.js'
import { hashUserCode } from './user-code.js'

/** A person has so long to answer. */
const LOGIN_MS = 10 * 60_000
const INTERVAL_SECONDS = 5
const BUSY_SECONDS = 60
const BOUNDS = { ofNetwork: limit('deviceLoginsOfNetwork'), max: limit('deviceLogins') }

/** Begin to let a program in (RFC 8628, 3.1). */
export const beginDeviceLogin = serverOperation({
  operationId: 'beginDeviceLogin',
  summary: 'Ask for a personal token: a person lets the program in, by a code, in the console.',
  description:
    'As RFC 8628 describes it: show the person the address of this server with `path`, and `userCode`, which they type in there; then ask with `deviceCode` until they have answered (fetchDeviceToken). Nothing lets in before that. Costs two small writes.',
  route: 'POST /sign-in/device',
  permission: 'device',
  answers: [201],
  body: namedObject('NewDeviceLogin', {
    name: tokenNameSchema.required(),
    scopes: scopesSchema.description('What the program wants to do; the person chooses where this is absent.'),
  }),
  success: namedObject('DeviceLogin', {
    deviceCode: Joi.string().required().description('A secret of the program.'),
    userCode: Joi.string().required().description('The person types it in.'),
    path: Joi.string().required().description('The page for it, below the address of this server.'),
    expiresAt: Joi.string().isoDate().required(),
    interval: Joi.number().integer().required().description('Seconds between two questions.'),
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
    const isThere = await database.transaction((tx) => insertDeviceLogin(tx, login, BOUNDS))
    if (!isThere) throw new ApiError('too_many_logins', { retryAfterSeconds: BUSY_SECONDS })
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

/** Fetch the token of a program that was let in, once (RFC 8628, 3.4). */
export const fetchDeviceToken = serverOperation({
  operationId: 'fetchDeviceToken',
  summary: 'Fetch the personal token that a person has allowed, once.',
  description:
    'Until the person has answered it is a 400 authorization_pending, or slow_down for a program that asks sooner than its interval, which is five seconds longer from then on; then access_denied where they refused, expired_token after ten minutes. Costs one small write, or with the token one small transaction.',
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
    return created(await database.transaction((tx) => take(tx, context, codeHash, login.person_id!, from)))
  },
})

async function take(
  tx: Queryable,
  context: Context,
  codeHash: string,
  personId: string,
  { headers, ip, now: at }: SessionRequest,
): Promise<IssuedPersonalToken> {
  // What ends the tokens of the person, or takes from what they allowed, locks them too: it is done by now, or comes after.
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
