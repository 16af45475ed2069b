import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import type { Context, PasswordCaller } from '../../http/context.js'
import { invalid } from '../../http/detail.js'
import { namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { Acceptance } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import { hashToken } from '../../lib/tokens.js'
import { passwordCaller, signedInHeaders } from '../sessions/device.js'
import { signedInBody, toSignedIn } from '../sessions/me.js'
import { beginSession, noteSignIn } from '../sessions/session.js'
import { deleteSessions } from '../sessions/sessions.store.js'
import { findInvitation, type HeldInvitationRow, isOwnerLink } from './invitations.store.js'
import { mailSchema } from './mail-address.js'
import { checkNewPassword, newPasswordSchema, tokenSchema } from './password-rules.js'
import {
  insertPerson,
  listAccounts,
  lockAccounts,
  lockPeople,
  lockPerson,
  type PersonRow,
  type PersonWithPassword,
  setCredentials,
} from './people.store.js'
import { personNameSchema } from './person.js'
import { accountToProve, dropCredentials, proveAddress, takesPassword } from './prove-address.js'
import { becomeMember, becomeOwner, useLink } from './take-invitation.js'

/**
 * Accepts an invitation once, with a new account or the existing one of the email address. A token from an email proves
 * the address. The token that the inviter has seen proves nothing, and an account made with it is bound to that
 * organization (docs/decisions/accounts.md).
 */
export const acceptInvitation = serverOperation({
  operationId: 'acceptInvitation',
  summary: 'Accept an invitation with a new account or with the existing one of the email address.',
  description:
    'For a new account, send name and password. If passwords are switched off, use the identity provider (beginOidcSignIn); only the link of an owner then makes an account without a password. For an existing account, send its password and no name; its other sessions end. The link from an email proves the address: it takes over accounts that were made without proof, and ends their passwords and sessions. Sets the session cookie and answers as GET /me does. Costs one or two password computations: see signIn.',
  route: 'POST /invitation/accept',
  permission: 'sign-in',
  answers: [200, 400, 401, 403, 409],
  body: namedObject('Acceptance', {
    token: tokenSchema.required(),
    name: personNameSchema.description('Required for a new account.'),
    mail: mailSchema.description('Required for an owner; otherwise the invitation has it.'),
    password: newPasswordSchema.description('Required unless an owner accepts and passwords are switched off.'),
  }),
  success: signedInBody,
  async handle(call, context) {
    const { body, headers } = call
    const { ip } = call.caller
    const { clock, config, database } = context
    const now = new Date(clock.now())
    const tokenHash = hashToken(body.token)
    const invited = await findInvitation(database, tokenHash, now)
    if (invited === undefined && !(await isOwnerLink(database, tokenHash, now))) throw new ApiError('link_unusable')
    const mail = invited?.mail ?? required(body.mail, 'mail')
    const openAccount = config.access.passwords
      ? await prepareAccount(context, {
          ...body,
          mail,
          password: required(body.password, 'password'),
          invited,
          caller: passwordCaller(mail, call, context),
        })
      : prepareOwner({ ...body, mail, isOwner: invited === undefined })
    const begun = await database.transaction(async (tx) => {
      await lockPeople(tx, { mails: [mail] })
      const invitation = await useLink(tx, tokenHash, now)
      const account = await openAccount(tx, now)
      const personId = account.person_id
      if (invitation === undefined) await becomeOwner(tx, personId, now)
      else await becomeMember(tx, invitation, account, now)
      await deleteSessions(tx, personId)
      const begun = await beginSession(tx, personId, {
        method: config.access.passwords ? 'password' : 'link',
        headers,
        ip,
        now,
      })
      if (!('needs' in begun)) await noteSignIn(tx, personId, { headers, ip, now })
      return begun
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})

type OpenAccount = (tx: Queryable, at: Date) => Promise<PersonRow>

interface Prepared extends Acceptance {
  mail: string
  password: string
  /** Undefined for an owner's link. */
  invited: HeldInvitationRow | undefined
  /** The caller whose limits the password computation counts against. */
  caller: PasswordCaller
}

/** Checks or hashes the password outside of any transaction. The returned function opens the account inside one. */
async function prepareAccount(context: Context, given: Prepared): Promise<OpenAccount> {
  const { name, mail, invited } = given
  const hasAccount =
    invited === undefined
      ? (await listAccounts(context.database, mail))[0]?.bound_to === null
      : given.name === undefined
  return hasAccount
    ? await prepareSignIn(context, given)
    : await prepareNewAccount(context, { ...given, name: required(name, 'name') })
}

/** Prepares to join with the password of an existing account, if that account may join. */
async function prepareSignIn(
  { database, passwords }: Context,
  { mail, password, invited, caller }: Prepared,
): Promise<OpenAccount> {
  const isProven = invited?.proves_mail ?? false
  const mayJoin = ({ active, bound_to }: PersonRow): boolean =>
    active && (isProven || bound_to === null || bound_to === invited?.organization_id)
  let accounts: PersonWithPassword[] = []
  const matches = await passwords.findMatches(
    password,
    async () => {
      accounts = (await listAccounts(database, mail)).filter(mayJoin)
      return accounts.map((one) => one.password_hash)
    },
    caller,
  )
  const account = accounts.find((_, i) => matches[i])
  if (account === undefined) throw new ApiError('sign_in_failed')
  return async (tx, at) => {
    const locked = await lockPerson(tx, account.person_id)
    if (locked?.password_hash !== account.password_hash) throw new ApiError('sign_in_failed')
    if (isProven) await proveByMail(tx, locked!, at, 'password')
    return (await lockPerson(tx, account.person_id))!
  }
}

/** Prepares to join with a new name and password: a new account, or an unproven one that its holder takes over. */
async function prepareNewAccount(
  { database, passwords }: Context,
  { mail, name, password, invited, caller }: Prepared & { name: string },
): Promise<OpenAccount> {
  checkNewPassword(password, { mail, name })
  const [like] = (await listAccounts(database, mail)).flatMap((one) => one.password_hash ?? [])
  const passwordHash = await passwords.hash(password, caller, like)
  return async (tx, at) => {
    const isMailProven = invited?.proves_mail ?? false
    const present = await findReplaceable(tx, mail, invited)
    if (present === undefined) {
      const boundTo = isMailProven ? undefined : invited?.organization_id
      return await insertPerson(tx, {
        personId: newId('usr'),
        mail,
        name,
        owner: false,
        passwordHash,
        at,
        isMailProven,
        boundTo,
      })
    }
    await dropCredentials(tx, present.person_id)
    if (isMailProven) await proveByMail(tx, present, at, 'nothing')
    await setCredentials(tx, present.person_id, { name, passwordHash })
    return (await lockPerson(tx, present.person_id))!
  }
}

/**
 * Finds the account whose password and name the holder of the invitation may replace: with proof, an unproven one
 * that is not an owner's; without proof, the one that the organization itself made. Throws account_exists if the
 * account's password is needed.
 */
async function findReplaceable(
  tx: Queryable,
  mail: string,
  invited: HeldInvitationRow | undefined,
): Promise<PersonWithPassword | undefined> {
  if (invited === undefined) return undefined
  if (!invited.proves_mail) {
    return (await lockAccounts(tx, mail)).find((one) => one.active && one.bound_to === invited.organization_id)
  }
  const present = accountToProve(await lockAccounts(tx, mail), invited.organization_id)
  if (present !== undefined && takesPassword(present)) throw new ApiError('account_exists')
  return present
}

const proveByMail = (tx: Queryable, account: PersonWithPassword, at: Date, keeps: 'password' | 'nothing') =>
  proveAddress(tx, account, {
    at,
    actor: { type: 'user', id: account.person_id },
    operation: 'acceptInvitation',
    keeps,
  })

/**
 * Prepares an account without a password, so that an owner can sign in while the provider is down or not set up
 * correctly.
 */
function prepareOwner({ mail, name, isOwner }: Acceptance & { mail: string; isOwner: boolean }): OpenAccount {
  if (!isOwner) throw new ApiError('passwords_off')
  const person = { mail, name: required(name, 'name'), personId: newId('usr'), owner: false, passwordHash: null }
  return async (tx, at) => await insertPerson(tx, { ...person, at })
}

/** Throws a 422 if the field is missing. */
function required(value: string | undefined, key: string): string {
  if (value !== undefined) return value
  throw invalid(key, 'any.required', 'is required')
}
