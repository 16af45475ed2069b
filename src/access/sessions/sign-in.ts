import type { IncomingHttpHeaders } from 'node:http'
import Joi from 'joi'
import { SERVER } from '../../audit/audit.store.js'
import type { Database, Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { SeveralAccounts, SignInLinkView, SignInOptions } from '../../interface/generated/types.js'
import { groupAddress } from '../../lib/addresses.js'
import { hashToken } from '../../lib/tokens.js'
import { recordEvent } from '../../news/events.store.js'
import { toNotice } from '../../news/notify-person.js'
import { SIGN_IN_LINK_PASSWORD_MS } from '../people/entry-links.js'
import { findSignInLink, takeSignInLink } from '../people/invitations.store.js'
import { mailSchema } from '../people/mail-address.js'
import { listOwnMemberships } from '../people/memberships.store.js'
import { passwordSchema, tokenSchema } from '../people/password-rules.js'
import { findPerson, listAccounts, lockPeople, type PersonWithPassword } from '../people/people.store.js'
import { readSessionToken } from './cookie.js'
import { passwordCaller, signedInHeaders } from './device.js'
import { signedInBody, toSignedIn } from './me.js'
import { signInAs } from './session.js'
import { findSession, SESSION_IDLE_MS } from './sessions.store.js'

export const getSignInOptions = serverOperation({
  operationId: 'getSignInOptions',
  summary: 'List the ways to sign in on this server.',
  description: 'For the sign-in page. Idempotent. Costs nothing.',
  route: 'GET /sign-in',
  permission: 'sign-in',
  success: namedObject('SignInOptions', {
    password: Joi.boolean().required(),
    passwordLink: Joi.boolean()
      .required()
      .description('Whether people who forgot their password can ask for a link by email.'),
    passkey: Joi.boolean()
      .required()
      .description('Whether people can sign in with only a passkey, without an email address.'),
    oidc: named(
      'OidcOption',
      Joi.object({
        name: Joi.string().required().description('The name of the identity provider, for “Sign in with …”.'),
      }),
    ),
  }),
  handle: (_call, { config: { access, mail, oidc } }) =>
    ok({
      password: access.passwords,
      passwordLink: access.passwords && mail !== null,
      passkey: access.passwords,
      ...(oidc === null ? {} : { oidc: { name: oidc.name } }),
    } satisfies SignInOptions),
})

const severalAccountsBody = named(
  'SeveralAccounts',
  Joi.object({
    accounts: Joi.array()
      .items(Joi.object({ organizationId: Joi.string().required(), organizationName: Joi.string().required() }))
      .required(),
  }).description('Sign in again, with the organizationId of one of these.'),
)

/**
 * Takes the same time and gives the same response whether or not the account exists. An unproven address may have an
 * account in each of several organizations; the password selects which.
 */
export const signIn = serverOperation({
  operationId: 'signIn',
  summary: 'Sign in with an email address and a password.',
  description:
    'Sets the session cookie with a new token and answers as GET /me does. If several accounts have this address and password, answers with their organizations and begins no session: repeat the call with one of them as organizationId. Costs a fifth of a second of one core. Only a few are computed at a time; a 503 says when to try again.',
  route: 'POST /sign-in',
  permission: 'sign-in',
  answers: [200, 401, 403],
  body: namedObject('PasswordSignIn', {
    mail: mailSchema.required(),
    password: passwordSchema.required(),
    organizationId: Joi.string().max(100).description('Selects the account if several have this password.'),
  }),
  success: Joi.alternatives(signedInBody, severalAccountsBody),
  async handle(call, context) {
    const { mail, password, organizationId } = call.body
    const { headers } = call
    const { ip } = call.caller
    const { clock, config, database, passwords } = context
    if (!config.access.passwords) throw new ApiError('passwords_off')
    let accounts: PersonWithPassword[] = []
    const findHashes = async () => {
      accounts = (await listAccounts(database, mail)).filter(({ active }) => active)
      return accounts.map((account) => account.password_hash)
    }
    const matches = await passwords.findMatches(password, findHashes, passwordCaller(mail, call, context))
    const matching = accounts.filter((_, i) => matches[i])
    if (matching.length === 0) throw new ApiError('sign_in_failed')
    const choice = await choose(database, matching, organizationId)
    if (Array.isArray(choice)) return ok({ accounts: choice } satisfies SeveralAccounts)
    const person = choice
    const begun = await database.transaction(async (tx) => {
      const now = new Date(clock.now())
      const how = { operation: 'signIn', method: 'password', headers, ip, now } as const
      const session = await signInAs(tx, person.person_id, how)
      // The password has changed since it was checked.
      if (session.person.password_hash !== person.password_hash) throw new ApiError('sign_in_failed')
      return session
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})

/** Returns the selected account, or the list to choose from. An unbound account takes precedence. */
async function choose(
  database: Database,
  matching: PersonWithPassword[],
  organizationId: string | undefined,
): Promise<PersonWithPassword | SeveralAccounts['accounts']> {
  const named = matching.find(({ bound_to }) => bound_to !== null && bound_to === organizationId)
  const [first] = matching
  if (named !== undefined || first!.bound_to === null || matching.length === 1) return named ?? first!
  const members = await Promise.all(
    matching.map(async (account) => ({ account, own: await listOwnMemberships(database, account.person_id, false) })),
  )
  const live = members.filter(({ own }) => own.length > 0)
  if (live.length < 2) return live[0]?.account ?? first!
  return live.flatMap(({ own }) =>
    own.map(({ organization_id, name }) => ({ organizationId: organization_id, organizationName: name })),
  )
}

/**
 * Changes nothing, so that a program that opens the links in an email does not use the link up: signing in takes a
 * click on the page.
 */
export const readSignInLink = serverOperation({
  operationId: 'readSignInLink',
  summary: 'Get the person of a sign-in link by its token.',
  description:
    'For the page that the link opens, before its button is clicked. The link stays valid, and no session begins. The token is in the body, so that it appears in no URL. Costs three small reads.',
  route: 'POST /sign-in/link/read',
  permission: 'sign-in',
  answers: [200, 400],
  body: namedObject('LinkToken', { token: tokenSchema.required() }),
  success: namedObject('SignInLinkView', {
    mail: Joi.string().required().description('The email address of the person that the link is for.'),
    replaces: named(
      'ReplacedSession',
      Joi.object({
        name: Joi.string().required(),
        mail: Joi.string().required(),
      }),
    ).description('Another person who is signed in in this browser: signInByLink then needs `replace: true`.'),
  }),
  async handle({ body: { token }, headers }, { clock, database }) {
    const now = new Date(clock.now())
    const personId = await findSignInLink(database, hashToken(token), now)
    const person = personId === undefined ? undefined : await findPerson(database, personId)
    if (!person?.active) throw new ApiError('link_unusable')
    const other = await findSignedInOther(database, person.person_id, headers, now)
    return ok({
      mail: person.mail,
      ...(other && { replaces: { name: other.name, mail: other.mail } }),
    } satisfies SignInLinkView)
  },
})

export const signInByLink = serverOperation({
  operationId: 'signInByLink',
  summary: 'Sign in with the token of a sign-in link, which works once.',
  description:
    'Sets the session cookie and answers as GET /me does. For ten minutes the session may set a password once without the current one. If another person is signed in in this browser, `replace: true` is needed, because another site could send you here with a link to an account that is not yours. Costs one small transaction.',
  route: 'POST /sign-in/link',
  permission: 'sign-in',
  answers: [200, 400, 401, 409],
  body: namedObject('LinkSignIn', {
    token: tokenSchema.required(),
    replace: Joi.boolean().description('Whether to end the session of another person in this browser.'),
  }),
  success: signedInBody,
  async handle({ body: { token, replace = false }, headers, caller: { ip } }, context) {
    const { clock, database } = context
    const now = new Date(clock.now())
    const begun = await database.transaction(async (tx) => {
      const personId = await findSignInLink(tx, hashToken(token), now)
      if (personId === undefined) throw new ApiError('link_unusable')
      await lockPeople(tx, { ids: [personId] })
      if (!(await takeSignInLink(tx, hashToken(token)))) throw new ApiError('link_unusable')
      const other = replace ? undefined : await findSignedInOther(tx, personId, headers, now)
      if (other !== undefined) {
        // Thrown inside the transaction, so that the link stays valid.
        throw new ApiError('signed_in_already', {
          message: `${other.name} is signed in in this browser: sign out first, or send replace: true to continue as the person the link is for.`,
        })
      }
      const passwordUntil = new Date(now.getTime() + SIGN_IN_LINK_PASSWORD_MS)
      const how = { operation: 'signInByLink', method: 'link', headers, ip, now, passwordUntil } as const
      return await signInAs(tx, personId, how)
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})

/**
 * Finds the other person whose live session the browser has; undefined if there is none or it belongs to `personId`.
 */
async function findSignedInOther(
  database: Queryable,
  personId: string,
  headers: IncomingHttpHeaders,
  now: Date,
): Promise<PersonWithPassword | undefined> {
  const token = readSessionToken(headers)
  const session = token === undefined ? undefined : await findSession(database, hashToken(token))
  if (session === undefined || session.person_id === personId || session.expires_at <= now) return undefined
  if (now.getTime() - session.last_seen_at.getTime() >= SESSION_IDLE_MS) return undefined
  return await findPerson(database, session.person_id)
}

/**
 * Does the same work whether or not an account exists: it stores one event, and the process that sends emails looks
 * for accounts.
 */
export const requestPasswordLink = serverOperation({
  operationId: 'requestPasswordLink',
  summary: 'Request a sign-in link by email for a person who forgot their password.',
  description:
    'The response is the same whether or not the account exists. An email goes to active accounts that have a password and a proven address. Its link works once, within 30 minutes; second factors are still required, and the session that it begins can set a new password without the current one. More than three requests an hour for one address have no effect. Costs one small transaction.',
  route: 'POST /sign-in/password-link',
  permission: 'sign-in',
  answers: [200, 403, 409],
  body: namedObject('PasswordLinkRequest', { mail: mailSchema.required() }),
  success: Joi.object({}),
  async handle({ body: { mail }, headers, caller }, { clock, config, database, rateLimits }) {
    if (!config.access.passwords) throw new ApiError('passwords_off')
    if (config.mail === null) throw new ApiError('mails_off')
    const now = clock.now()
    const { passwordLinks, passwordLinksOfMail } = rateLimits
    passwordLinks.take(passwordLinks.bucketOf(groupAddress(caller.ip)), now)
    // An address over its limit gets the same response: the earlier emails are on their way.
    if (passwordLinksOfMail.bucketOf(mail.toLowerCase()).take(now) === 0) {
      const data = { ...toNotice({ kind: 'password-link', caller, headers }), mail }
      await recordEvent(database, { organizationId: SERVER, type: 'person.notice', at: new Date(now), data })
    }
    return ok({})
  },
})
