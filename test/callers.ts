import { randomBytes } from 'node:crypto'
import { insertMembership } from '../src/access/people/memberships.store.js'
import type { ErrorCode } from '../src/errors.js'
import type { SurfaceName } from '../src/http/operation.js'
import type { KeyPermission, NewKey } from '../src/interface/generated/types.js'
import { newId } from '../src/lib/ids.js'
import {
  FROM_OWN_PAGE,
  type Key,
  Member,
  type NewMember,
  OPERATOR_TOKEN,
  operatorCall,
  signedHeaders,
  Tenant,
  type TestApp,
} from './harness.js'
import { HELD, KEY, permissionsIn } from './permissions.js'
import { insertPost } from './posts.js'
import { addTotp } from './second-factors.js'

/** A kind of caller in the matrix of operations, surfaces and callers. */
export interface TestCaller {
  name: string
  /** True if the caller may act in every organization. */
  seesAll?: boolean
  /** Runs before each request: a person who has just signed out signs in again. */
  prepare?(): Promise<void>
  /** The request headers of this caller on a surface. */
  headersAt(surface: SurfaceName): Record<string, string>
  /** The permissions that the caller has there, or the code of the refusal that comes first. */
  at(surface: SurfaceName, call: CalledOperation): Outcome
}

export interface CalledOperation {
  /** Any one of them is enough. */
  permissions: readonly string[]
  method: string
  /** The path with the surface's prefix. */
  path: string
  /** True if the operation needs a recent confirmation of who the person is. */
  needsConfirmation: boolean
}

interface PersonalTokenCaller {
  outcome: Outcome
  scopes?: readonly string[]
  organizationId?: string
  expiresAt?: string
}

/** Permissions, or the code of a refusal. */
type Outcome = readonly string[] | ErrorCode

/** Only an owner of the server deletes organizations. */
const isOfServer = ({ permissions, path }: CalledOperation): boolean =>
  !path.includes('{organizationId}') || permissions.includes('operator')

const isSignIn = ({ permissions }: CalledOperation): boolean =>
  permissions.includes('sign-in') || permissions.includes('device')

/** The error on each surface for a caller without known credentials. */
const STRANGER: Record<SurfaceName, ErrorCode> = {
  v1: 'header_missing',
  v0: 'header_missing',
  api: 'session_missing',
  review: 'link_token_wrong',
}

/** Returns the same error for a call from a page of this server, where people sign in. */
const strangerAt = (surface: SurfaceName, call: CalledOperation): Outcome =>
  surface === 'api' && isSignIn(call) ? HELD.visitor : STRANGER[surface]

const fromOwnPage = (surface: SurfaceName): Record<string, string> => (surface === 'api' ? FROM_OWN_PAGE : {})

const ROLES = ['VIEWER', 'EDITOR', 'ADMIN'] as const

const isForKeys = (surface: SurfaceName): boolean => surface === 'v1' || surface === 'v0'

export const ALLOWED = 'allowed'

/** Returns the response that the record of permissions demands for this caller: ALLOWED, or the code of the refusal. */
export function outcomeOf(caller: TestCaller, surface: SurfaceName, call: CalledOperation): typeof ALLOWED | ErrorCode {
  const held = caller.at(surface, call)
  if (typeof held === 'string') return held
  if (call.permissions.some((permission) => held.includes(permission))) return ALLOWED
  const isApproval = call.permissions.length === 1 && call.permissions[0] === 'posts:approve'
  return isApproval && isForKeys(surface) ? 'approval_is_human' : 'permission_missing'
}

/** Refusals because of the caller; any other response comes from the operation. */
export const REFUSALS: readonly (string | undefined)[] = [
  'header_missing',
  'signature_invalid',
  'signature_expired',
  'date_malformed',
  'operator_token_wrong',
  'token_wrong',
  'token_cannot_confirm',
  'link_token_wrong',
  'session_missing',
  'organization_not_found',
  'session_ended',
  'second_factor_needed',
  'second_factor_required',
  'confirmation_needed',
  'cross_site',
  'https_needed',
  'organization_inactive',
  'address_not_allowed',
  'approval_is_human',
  'permission_missing',
  'too_many_failures',
  'rate_limited',
] satisfies ErrorCode[]

/** Callers with credentials that belong to nobody, or with half of what they need. */
function makeStrangers(key: Key, foreign: Key): TestCaller[] {
  const token = (): string => randomBytes(32).toString('base64url')
  const basic = Buffer.from(`${key.id}:${key.secret}`).toString('base64')
  const old = { 'x-date': new Date(0).toUTCString(), 'x-signature': '0'.repeat(64) }
  const by = (
    name: string,
    headers: Record<string, string>,
    outcomes: Partial<Record<SurfaceName, ErrorCode>> = {},
  ): TestCaller => ({
    name,
    headersAt: (surface) => ({ ...fromOwnPage(surface), ...headers }),
    at(surface, call) {
      const usual = strangerAt(surface, call)
      return typeof usual === 'string' ? (outcomes[surface] ?? usual) : usual
    },
  })
  return [
    by('no credentials', {}),
    by('an empty bearer', { authorization: 'Bearer ' }),
    by('a bearer of another scheme', { authorization: `Basic ${basic}` }),
    by('an unknown bearer', { authorization: `Bearer ${token()}` }, { api: 'operator_token_wrong' }),
    by('the secret of a key as a bearer', { authorization: `Bearer ${key.secret}` }, { api: 'operator_token_wrong' }),
    by('an empty cookie', { cookie: '__Host-greenroom=' }),
    by('an unknown session', { cookie: `__Host-greenroom=${token()}` }, { api: 'session_ended' }),
    by('a cookie of another name', { cookie: `another=${token()}` }),
    by('the id of a key without a signature', { 'x-api-key': key.id }, { api: 'header_missing' }),
    by(
      'the id of a key with an old date',
      { 'x-api-key': key.id, ...old },
      // The earlier variant writes its dates in ISO 8601.
      { v1: 'signature_expired', v0: 'date_malformed', api: 'signature_expired' },
    ),
    by('the id of a foreign key without a signature', { 'x-api-key': foreign.id }, { api: 'header_missing' }),
  ]
}

/** Makes every kind of caller. Each is in the tenant's organization unless its name says otherwise. */
export async function makeCallers(app: TestApp, tenant: Tenant, other: Tenant): Promise<TestCaller[]> {
  const { organizationId } = tenant
  const keysPath = `/organizations/${tenant.organizationId}/keys`
  const issueKey = async (settings: NewKey): Promise<Key> =>
    (await operatorCall(app, 201, 'POST', keysPath, { body: settings })).body
  const issueToken = async (settings: object = {}): Promise<{ name: string; token: string }> => {
    const name = newId('token').replace('_', '-')
    return (await operatorCall(app, 201, 'POST', '/server/operator-tokens', { body: { name, ...settings } })).body
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
    at(surface, operation) {
      if (isForKeys(surface)) return outcome
      if (surface !== 'api' || isSignIn(operation)) return strangerAt(surface, operation)
      return typeof outcome === 'string' || outcome.includes('api') ? outcome : 'permission_missing'
    },
  })
  const byToken = (name: string, token: string, outcome: Outcome): TestCaller => ({
    name,
    headersAt: (surface) => ({ ...fromOwnPage(surface), authorization: `Bearer ${token}` }),
    at: (surface, operation) => (surface === 'api' && !isSignIn(operation) ? outcome : strangerAt(surface, operation)),
  })
  /** `outcome` holds in the organization. Outside of one, a person has their own account and an owner has the server. */
  const byPerson = (name: string, member: Member, outcome: Outcome, outside: Outcome = HELD.person): TestCaller => ({
    name,
    prepare: () => (typeof outside === 'string' ? Promise.resolve() : member.signInAgain()),
    headersAt: (surface) => ({ ...fromOwnPage(surface), cookie: member.cookie }),
    at(surface, operation) {
      if (surface !== 'api' || isSignIn(operation)) return strangerAt(surface, operation)
      return isOfServer(operation) ? outside : outcome
    },
  })

  /** Creates a program with a person's token. It has the token's scopes, as far as the person has them too. */
  const byPersonalToken = async (
    name: string,
    person: NewMember,
    { outcome, scopes = permissionsIn('token'), ...settings }: PersonalTokenCaller,
  ): Promise<TestCaller & { revoke(): Promise<void> }> => {
    const member = await Member.create(app, { organizationId, role: 'ADMIN', ...person })
    let token: { id: string; token: string }
    const make = async (): Promise<void> => {
      await member.signInAgain()
      token = (await member.call(201, 'POST', '/me/tokens', { body: { name, scopes, ...settings } })).body
    }
    await make()
    const headersAt = (): Record<string, string> => ({ authorization: `Bearer ${token.token}` })
    return {
      name,
      revoke: async () => void (await member.call(200, 'DELETE', `/me/tokens/${token.id}`)),
      async prepare() {
        if (typeof outcome === 'string') return
        // The call may end the token itself.
        const { statusCode } = await app.app.inject({ url: '/api/whoami', headers: headersAt() })
        if (statusCode === 401) await make()
      },
      headersAt,
      at(surface, operation) {
        if (surface === 'api' && operation.permissions.includes('device')) return HELD.visitor
        // The program is not a page of this server.
        if (surface === 'api' && isSignIn(operation)) return operation.method === 'GET' ? HELD.visitor : 'cross_site'
        if (surface !== 'api') return STRANGER[surface]
        if (outcome === 'token_wrong') return outcome
        if (typeof outcome === 'string' && !isOfServer(operation)) return outcome
        if (operation.needsConfirmation) return 'token_cannot_confirm'
        // A calendar address would outlive the token, so creating one needs a session.
        if (isOfServer(operation) || operation.path.endsWith('/own-calendar-feed')) return ['self']
        // A program with only read permissions cannot write messages.
        const isDiscussion = operation.path.includes('/discussion') && operation.method !== 'GET'
        return isDiscussion && !outcome.includes('posts:write') ? ['self'] : outcome
      },
    }
  }

  const soon = new Date(app.clock.now() + 1_000).toISOString()
  const expiring = { outcome: 'token_wrong' as const, expiresAt: soon }
  const expiredPersonal = await byPersonalToken('a personal token that has expired', {}, expiring)
  const [expiredKey, revokedKey, elsewhere, all] = [
    await issueKey({ expiresAt: soon }),
    await issueKey({}),
    await issueKey({ allowedAddresses: ['203.0.113.7'] }),
    await issueKey({}),
  ]
  const forApi = await issueKey({ permissions: [...(KEY as readonly KeyPermission[]), 'api'] })
  const [expiredToken, revokedToken, token] = [
    await issueToken({ expiresAt: soon }),
    await issueToken(),
    await issueToken(),
  ]
  const inactive = await Tenant.create(app)
  await operatorCall(app, 200, 'PATCH', `/organizations/${inactive.organizationId}`, { body: { active: false } })
  await operatorCall(app, 200, 'DELETE', `${keysPath}/${revokedKey.id}`)
  await operatorCall(app, 200, 'DELETE', `/server/operator-tokens/${revokedToken.name}`)
  app.clock.advance(1_000)

  const single: TestCaller[] = []
  for (const permission of KEY as readonly KeyPermission[]) {
    const key = await issueKey({ permissions: [permission] })
    single.push(byKey(`a key with only ${permission}`, key, [permission, 'self']))
  }
  const members: TestCaller[] = []
  for (const role of ROLES) {
    for (const mayApprove of [false, true]) {
      const member = await Member.create(app, { organizationId, role, mayApprove })
      const name = `a person with the role ${role}${mayApprove ? ' who may approve' : ''}`
      members.push(byPerson(name, member, [...HELD[role], ...(mayApprove ? HELD.approver : [])]))
    }
  }
  const maker = await Member.create(app, { organizationId, role: 'VIEWER', mayApprove: true })
  const waiting = await insertPost(tenant, { status: 'WAITING_FOR_APPROVAL' })
  const makeLink = async (settings: object = {}): Promise<{ id: string; token: string }> => {
    const body = { name: 'Anna', scheduledPostIds: [waiting], ...settings }
    return (await maker.call(201, 'POST', `/organizations/${organizationId}/review-links`, { body })).body
  }
  const expires = new Date(app.clock.now() + 1_000).toISOString()
  const [link, expiredLink, revokedLink] = [await makeLink(), await makeLink({ expiresAt: expires }), await makeLink()]
  await maker.call(200, 'DELETE', `/organizations/${organizationId}/review-links/${revokedLink.id}`)
  app.clock.advance(1_000)
  const byLink = (name: string, { token: linkToken }: { token: string }, outcome: Outcome) => ({
    ...byToken(name, linkToken, 'operator_token_wrong'),
    at: (surface: SurfaceName, operation: CalledOperation) =>
      surface === 'review'
        ? outcome
        : surface === 'api' && !isSignIn(operation)
          ? 'operator_token_wrong'
          : strangerAt(surface, operation),
  })
  const both = await Member.create(app, { organizationId, role: 'ADMIN' })
  const at = new Date(app.clock.now())
  const elsewhereToo = {
    organizationId: other.organizationId,
    personId: both.id,
    role: 'ADMIN' as const,
    mayApprove: false,
    at,
  }
  await app.context.database.transaction((tx) => insertMembership(tx, elsewhereToo))
  const byProvider = await Member.create(app, { organizationId, role: 'EDITOR', method: 'oidc' })
  const alone = await Member.create(app)
  const owner = await Member.create(app, { owner: true })
  const elsewhereOwner = await Member.create(app, { organizationId: inactive.organizationId, role: 'ADMIN' })
  const ended = await Member.create(app, { organizationId, role: 'ADMIN' })
  const { cookie } = ended
  await ended.call(200, 'DELETE', '/me/sessions')
  ended.cookie = cookie
  const foreign = await Member.create(app, { owner: true })
  const half = await Member.create(app, { owner: true })
  await addTotp(half)
  const reading = HELD.token.filter((permission) => HELD.VIEWER.includes(permission))
  const revokedByPerson = await byPersonalToken('a revoked personal token', {}, { outcome: 'token_wrong' })
  await revokedByPerson.revoke()
  const elsewhereOnly = { role: undefined, organizationId: undefined }
  const personal = [
    await byPersonalToken(
      'a personal token of an ADMIN who may approve',
      { mayApprove: true },
      { outcome: HELD.token },
    ),
    await byPersonalToken('a personal token of an owner', { owner: true, ...elsewhereOnly }, { outcome: HELD.token }),
    await byPersonalToken(
      'a personal token with posts:read only',
      {},
      { outcome: ['posts:read', 'self'], scopes: ['posts:read'] },
    ),
    await byPersonalToken(
      'a personal token of a VIEWER',
      { role: 'VIEWER' },
      { outcome: reading, scopes: reading.filter((scope) => scope !== 'self') },
    ),
    await byPersonalToken(
      'a personal token of another organization',
      { organizationId: other.organizationId },
      { outcome: 'organization_not_found' },
    ),
    expiredPersonal,
    revokedByPerson,
  ]
  return [
    ...makeStrangers(all, other.key),
    ...members,
    // It may see the other organization, but not through this one.
    { ...byPerson('an ADMIN of both organizations', both, HELD.ADMIN), seesAll: true },
    byPerson('an EDITOR by the identity provider', byProvider, HELD.EDITOR),
    byPerson('a person without an organization', alone, 'organization_not_found'),
    { ...byPerson('an owner of the server', owner, HELD.owner, HELD.owner), seesAll: true },
    byPerson('a person of another organization', elsewhereOwner, 'organization_not_found'),
    byPerson('a person whose session has ended', ended, 'session_ended', 'session_ended'),
    {
      ...byPerson('an owner who has not passed the second factor', half, 'second_factor_needed'),
      // A new session each time, because some operations end it.
      prepare: () => half.signInAgain(),
      at(surface, operation) {
        if (surface !== 'api' || isSignIn(operation)) return strangerAt(surface, operation)
        return operation.permissions.includes('second-factor') ? HELD.halfSession : 'second_factor_needed'
      },
    },
    {
      ...byPerson('an owner, from a page of another site', foreign, HELD.owner, HELD.owner),
      seesAll: true,
      headersAt: () => ({ cookie: foreign.cookie, 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }),
      at: (surface, operation) =>
        surface !== 'api'
          ? STRANGER[surface]
          : operation.method !== 'GET' && !operation.permissions.includes('device')
            ? 'cross_site'
            : isSignIn(operation)
              ? HELD.visitor
              : HELD.owner,
    },
    byKey('a key that has expired', expiredKey, 'signature_invalid'),
    byKey('a revoked key', revokedKey, 'signature_invalid'),
    byKey('a key with a wrong secret', { ...all, secret: 'wrong' }, 'signature_invalid'),
    byKey('the id of a foreign key with our own secret', { ...all, id: other.key.id }, 'signature_invalid'),
    byKey('a key limited to other addresses', elsewhere, 'address_not_allowed'),
    byKey('a key of an inactive organization', inactive.key, 'organization_inactive'),
    byKey('a key with everything', all, HELD.key),
    byKey('a key that may call /api', forApi, [...HELD.key, 'api']),
    ...single,
    byLink('an outsider with a link', link, HELD.outsider),
    byLink('an outsider whose link has expired', expiredLink, 'link_token_wrong'),
    byLink('an outsider whose link was revoked', revokedLink, 'link_token_wrong'),
    { ...byToken('the operator token of the environment', OPERATOR_TOKEN, HELD.operator), seesAll: true },
    { ...byToken('a named operator token', token.token, HELD.operator), seesAll: true },
    byToken('an operator token that has expired', expiredToken.token, 'operator_token_wrong'),
    byToken('a revoked operator token', revokedToken.token, 'operator_token_wrong'),
    ...personal,
  ]
}
