import Joi from 'joi'
import type { Database } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import { ok, serverOperation } from '../../http/operation.js'
import type { SeveralAccounts } from '../../interface/generated/types.js'
import { mailSchema } from '../people/mail-address.js'
import { listOwnMemberships } from '../people/memberships.store.js'
import { passwordSchema } from '../people/password-rules.js'
import { listAccounts, type PersonWithPassword } from '../people/people.store.js'
import { passwordCaller, signedInHeaders } from './device.js'
import { signedInBody, toSignedIn } from './me.js'
import { signInAs } from './session.js'

const severalAccountsBody = named(
  'SeveralAccounts',
  Joi.object({
    accounts: Joi.array()
      .items(Joi.object({ organizationId: Joi.string().required(), organizationName: Joi.string().required() }))
      .required(),
  }).description('Sign in again, with the organizationId of one of these.'),
)

/**
 * Begin a session with a mail address and a password. The same time and answer whether there is such an account. An
 * address that is not proven may have an account in each of several organizations: the password tells which one is
 * meant.
 */
export const signIn = serverOperation({
  operationId: 'signIn',
  summary: 'Sign in with a mail address and a password.',
  description:
    'Sets the session cookie, under a new token each time, and answers as GET /me does. Where several accounts have this address and password it answers with their organizations and begins no session: send organizationId with one of them. Costs a fifth of a second of one core: few are computed at a time, and 503 tells when to try again.',
  route: 'POST /sign-in',
  permission: 'sign-in',
  answers: [200, 401, 403],
  body: namedObject('PasswordSignIn', {
    mail: mailSchema.required(),
    password: passwordSchema.required(),
    organizationId: Joi.string().max(100).description('Which account is meant, where several have this password.'),
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
      // It was changed since it was checked.
      if (session.person.password_hash !== person.password_hash) throw new ApiError('sign_in_failed')
      return session
    })
    return ok(await toSignedIn(database, begun), signedInHeaders(begun, headers, context))
  },
})

/**
 * The account that is meant, or those to choose from. One that is bound to no organization goes before the others.
 */
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
