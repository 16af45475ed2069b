import type { ErrorCode } from '../src/errors.js'
import type { SurfaceName } from '../src/http/operation.js'
import type { KeyPermission, NewKey } from '../src/interface/access.js'
import { newId } from '../src/lib/ids.js'
import {
  FROM_OWN_PAGE,
  type Key,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  signedHeaders,
  Tenant,
  type TestApp,
} from './harness.js'
import { HELD, KEY, permissionsOf } from './permissions.js'
import { insertPost } from './posts.js'
import { addTotp } from './second-factors.js'

/** One kind of caller, for the matrix of operations, surfaces and callers. */
export interface TestCaller {
  name: string
  /** Called before each request: a person who has just signed out signs in again. */
  prepare?(): Promise<void>
  /** Gives the request headers of this caller at a surface. */
  headersAt(surface: SurfaceName): Record<string, string>
  /** Gives the permissions that it holds there, or the code of the refusal that comes before them. */
  at(surface: SurfaceName, call: CalledOperation): Outcome
}

interface CalledOperation {
  operationId: string
  method: string
  /** With the prefix of the surface. */
  path: string
}

/** Permissions, or the code of a refusal. */
type Outcome = readonly string[] | ErrorCode

/** Deleting an organization is up to the server that holds it. */
const isOfServer = ({ operationId, path }: CalledOperation): boolean =>
  !path.includes('{organizationId}') || operationId === 'deleteOrganization'

const isSignIn = ({ operationId }: CalledOperation): boolean => permissionsOf(operationId).includes('sign-in')

/** The error of each surface for a caller who brings nothing that it knows. */
const STRANGER: Record<SurfaceName, ErrorCode> = {
  v1: 'header_missing',
  v0: 'header_missing',
  operator: 'operator_token_wrong',
  console: 'session_missing',
  review: 'link_token_wrong',
}

/** The same from a page of this server, where one signs in. */
const strangerAt = (surface: SurfaceName, call: CalledOperation): Outcome =>
  surface === 'console' && isSignIn(call) ? HELD.visitor : STRANGER[surface]

const fromOwnPage = (surface: SurfaceName): Record<string, string> => (surface === 'console' ? FROM_OWN_PAGE : {})

const ROLES = ['VIEWER', 'EDITOR', 'ADMIN'] as const

const isForKeys = (surface: SurfaceName): boolean => surface === 'v1' || surface === 'v0'

/** Every kind of caller there is, in the organization of the tenant unless its name says otherwise. */
export async function makeCallers(app: TestApp, tenant: Tenant): Promise<TestCaller[]> {
  const keysPath = `/organizations/${tenant.organizationId}/keys`
  const issueKey = async (settings: NewKey): Promise<Key> =>
    (await operatorCall(app, 201, 'POST', keysPath, { body: settings })).body
  const issueToken = async (settings: object = {}): Promise<{ name: string; token: string }> => {
    const name = newId('token').replace('_', '-')
    return (await operatorCall(app, 201, 'POST', '/operator-tokens', { body: { name, ...settings } })).body
  }
  const byKey = (name: string, key: Key, outcome: Outcome): TestCaller => ({
    name,
    headersAt(surface) {
      const now = new Date(app.clock.now())
      return {
        ...fromOwnPage(surface),
        ...signedHeaders(key, surface === 'v0' ? now.toISOString() : now.toUTCString()),
      }
    },
    at: (surface, operation) => (isForKeys(surface) ? outcome : strangerAt(surface, operation)),
  })
  const byToken = (name: string, token: string, outcome: Outcome): TestCaller => ({
    name,
    headersAt: (surface) => ({ ...fromOwnPage(surface), authorization: `Bearer ${token}` }),
    at: (surface, operation) => (surface === 'operator' ? outcome : strangerAt(surface, operation)),
  })
  /** `outcome`: in the organization; outside of any a person has their own account, and an owner the server. */
  const byPerson = (name: string, member: Member, outcome: Outcome, outside: Outcome = HELD.person): TestCaller => ({
    name,
    prepare: () => (typeof outside === 'string' ? Promise.resolve() : member.signInAgain()),
    headersAt: (surface) => ({ ...fromOwnPage(surface), cookie: member.cookie }),
    at(surface, operation) {
      if (surface !== 'console' || isSignIn(operation)) return strangerAt(surface, operation)
      return isOfServer(operation) ? outside : outcome
    },
  })

  const soon = new Date(app.clock.now() + 1_000).toISOString()
  const [expiredKey, revokedKey, elsewhere, all] = [
    await issueKey({ expiresAt: soon }),
    await issueKey({}),
    await issueKey({ allowedAddresses: ['203.0.113.7'] }),
    await issueKey({}),
  ]
  const [expiredToken, revokedToken, token] = [
    await issueToken({ expiresAt: soon }),
    await issueToken(),
    await issueToken(),
  ]
  const inactive = await Tenant.create(app)
  await operatorCall(app, 200, 'PATCH', `/organizations/${inactive.organizationId}`, { body: { active: false } })
  await operatorCall(app, 200, 'DELETE', `${keysPath}/${revokedKey.id}`)
  await operatorCall(app, 200, 'DELETE', `/operator-tokens/${revokedToken.name}`)
  app.clock.advance(1_000)

  const single: TestCaller[] = []
  for (const permission of KEY as readonly KeyPermission[]) {
    const key = await issueKey({ permissions: [permission] })
    single.push(byKey(`a key with ${permission} alone`, key, [permission, 'self']))
  }
  const { organizationId } = tenant
  const members: TestCaller[] = []
  for (const role of ROLES) {
    for (const mayApprove of [false, true]) {
      const member = await Member.create(app, { organizationId, role, mayApprove })
      const name = `a person with the role ${role}${mayApprove ? ' who may approve' : ''}`
      members.push(byPerson(name, member, [...HELD[role], ...(mayApprove ? ['posts:approve'] : [])]))
    }
  }
  const maker = await Member.create(app, { organizationId, role: 'VIEWER', mayApprove: true })
  const waiting = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
  const makeLink = async (settings: object = {}): Promise<{ id: string; token: string }> => {
    const path = `/organizations/${organizationId}/scheduled-posts/${waiting}/review-links`
    return (await maker.call(201, 'POST', path, { body: { name: 'Anna', ...settings } })).body
  }
  const expires = new Date(app.clock.now() + 1_000).toISOString()
  const [link, expiredLink, revokedLink] = [await makeLink(), await makeLink({ expiresAt: expires }), await makeLink()]
  await maker.call(
    200,
    'DELETE',
    `/organizations/${organizationId}/scheduled-posts/${waiting}/review-links/${revokedLink.id}`,
  )
  app.clock.advance(1_000)
  const byLink = (name: string, { token: linkToken }: { token: string }, outcome: Outcome) => ({
    ...byToken(name, linkToken, 'operator_token_wrong'),
    at: (surface: SurfaceName, operation: CalledOperation) =>
      surface === 'review' ? outcome : strangerAt(surface, operation),
  })
  const byProvider = await Member.create(app, { organizationId, role: 'EDITOR', method: 'oidc' })
  const alone = await Member.create(app)
  const owner = await Member.create(app, { owner: true })
  const elsewhereOwner = await Member.create(app, { organizationId: inactive.organizationId, role: 'ADMIN' })
  const ended = await Member.create(app, { organizationId, role: 'ADMIN' })
  const { cookie } = ended
  await ended.call(200, 'DELETE', '/sessions')
  ended.cookie = cookie
  const foreign = await Member.create(app, { owner: true })
  const half = await Member.create(app, { owner: true })
  await addTotp(half)
  return [
    { name: 'no credentials', headersAt: fromOwnPage, at: strangerAt },
    ...members,
    byPerson('an EDITOR by the identity provider', byProvider, HELD.EDITOR),
    byPerson('a person of no organization', alone, 'organization_not_found'),
    byPerson('an owner of the server', owner, HELD.owner, HELD.owner),
    byPerson('a person of another organization', elsewhereOwner, 'organization_not_found'),
    byPerson('a person whose session has ended', ended, 'session_ended', 'session_ended'),
    {
      ...byPerson('an owner who has not passed the second factor', half, 'second_factor_needed'),
      // Each time a new one: some operations end it.
      prepare: () => half.signInAgain(),
      at(surface, operation) {
        if (surface !== 'console' || isSignIn(operation)) return strangerAt(surface, operation)
        return permissionsOf(operation.operationId).includes('second-factor')
          ? HELD.halfSession
          : 'second_factor_needed'
      },
    },
    {
      ...byPerson('an owner, from a page of another site', foreign, HELD.owner, HELD.owner),
      headersAt: () => ({ cookie: foreign.cookie, 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }),
      at: (surface, operation) =>
        surface !== 'console'
          ? STRANGER[surface]
          : operation.method !== 'GET'
            ? 'cross_site'
            : isSignIn(operation)
              ? HELD.visitor
              : HELD.owner,
    },
    byKey('a key that has expired', expiredKey, 'signature_invalid'),
    byKey('a key that is revoked', revokedKey, 'signature_invalid'),
    byKey('a key with a wrong secret', { ...all, secret: 'wrong' }, 'signature_invalid'),
    byKey('a key of other addresses', elsewhere, 'address_not_allowed'),
    byKey('a key of an inactive organization', inactive.key, 'organization_inactive'),
    byKey('a key with everything', all, HELD.key),
    ...single,
    byLink('an outsider with a link', link, HELD.outsider),
    byLink('an outsider whose link has expired', expiredLink, 'link_token_wrong'),
    byLink('an outsider whose link is revoked', revokedLink, 'link_token_wrong'),
    byToken('the operator token of the environment', OPERATOR_TOKEN, HELD.operator),
    byToken('a named operator token', token.token, HELD.operator),
    byToken('an operator token that has expired', expiredToken.token, 'operator_token_wrong'),
    byToken('an operator token that is revoked', revokedToken.token, 'operator_token_wrong'),
    byToken('the secret of a key as an operator token', all.secret, 'operator_token_wrong'),
  ]
}
