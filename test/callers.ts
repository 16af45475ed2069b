import {
  KEY_PERMISSION_NAMES,
  keyPermissions,
  memberPermissions,
  OPERATOR_PERMISSIONS,
  OWNER_PERMISSIONS,
  PERSON_PERMISSIONS,
  VISITOR_PERMISSIONS,
} from '../src/access/permissions.js'
import type { ErrorCode } from '../src/errors.js'
import type { Operation, SurfaceName } from '../src/http/operation.js'
import type { Permission } from '../src/http/principal.js'
import type { NewKey } from '../src/interface/access.js'
import { newId } from '../src/lib/ids.js'
import { type Key, Member, OPERATOR_TOKEN, operatorCall, signedHeaders, Tenant, type TestApp } from './harness.js'

/** One kind of caller, for the matrix of operations, surfaces and callers. */
export interface TestCaller {
  name: string
  /** What it sends at a surface. */
  headersAt(surface: SurfaceName): Record<string, string>
  /** Begins the session again that a call may have ended. */
  renew?(): Promise<void>
  /**
   * What the tables of access/permissions.ts give it there, and the code with which it is refused everything else.
   * `scope`: in an organization, or on the server as a whole.
   */
  at(surface: SurfaceName, scope: Operation['scope']): { holds: ReadonlySet<Permission>; otherwise: ErrorCode }
}

type Outcome = ReturnType<TestCaller['at']>

const nothing = (otherwise: ErrorCode): Outcome => ({ holds: new Set(), otherwise })
const only = (holds: ReadonlySet<Permission>): Outcome => ({ holds, otherwise: 'permission_missing' })

/** What a surface says to who brings nothing that it knows. */
const STRANGER: Record<SurfaceName, Outcome> = {
  v1: nothing('header_missing'),
  v0: nothing('header_missing'),
  operator: nothing('operator_token_wrong'),
  // Anyone may sign in.
  console: { holds: VISITOR_PERMISSIONS, otherwise: 'session_missing' },
}

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
      return signedHeaders(key, surface === 'v0' ? now.toISOString() : now.toUTCString())
    },
    at: (surface) => (isForKeys(surface) ? outcome : STRANGER[surface]),
  })
  const byToken = (name: string, token: string, outcome: Outcome): TestCaller => ({
    name,
    headersAt: () => ({ authorization: `Bearer ${token}` }),
    at: (surface) => (surface === 'operator' ? outcome : STRANGER[surface]),
  })

  const byCookie = (
    name: string,
    member: Member,
    at: (scope: Operation['scope']) => Outcome,
    isRenewed = true,
  ): TestCaller => ({
    name,
    headersAt: (): Record<string, string> => ({ cookie: member.cookie }),
    at: (surface, scope) => (surface === 'console' ? at(scope) : STRANGER[surface]),
    async renew() {
      if (isRenewed) member.cookie = await member.beginSession()
    },
  })
  /** Anyone may sign in again. */
  const person = (permissions: ReadonlySet<Permission>, otherwise: ErrorCode = 'permission_missing'): Outcome => ({
    holds: new Set([...permissions, ...VISITOR_PERMISSIONS]),
    otherwise,
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

  const { organizationId } = tenant
  const people: TestCaller[] = []
  for (const role of ['VIEWER', 'EDITOR', 'ADMIN'] as const) {
    for (const mayApprove of [false, true]) {
      const member = await Member.create(app, { organizationId, role, mayApprove })
      const name = `${role}${mayApprove ? ' who may approve' : ''}`
      people.push(
        byCookie(name, member, (scope) =>
          person(scope === 'server' ? PERSON_PERMISSIONS : memberPermissions(role, mayApprove)),
        ),
      )
    }
  }
  const elsewhereOnly = (scope: Operation['scope']): Outcome =>
    scope === 'server' ? person(PERSON_PERMISSIONS) : person(new Set(), 'organization_not_found')
  const other = await Tenant.create(app)
  const admin = await Member.create(app, { organizationId: other.organizationId, role: 'ADMIN', mayApprove: true })
  const signedOut = await Member.create(app, { organizationId, role: 'ADMIN' })
  const { cookie } = signedOut
  await signedOut.call(200, 'POST', '/sign-out')
  signedOut.cookie = cookie
  const owner = await Member.create(app, { owner: true })
  people.push(
    byCookie('an ADMIN of another organization', admin, elsewhereOnly),
    byCookie('an account without an organization', await Member.create(app), elsewhereOnly),
    byCookie('an owner of the server', owner, () => person(OWNER_PERMISSIONS)),
    byCookie('someone who has signed out', signedOut, () => person(new Set(), 'session_ended'), false),
  )

  const single: TestCaller[] = []
  for (const permission of KEY_PERMISSION_NAMES) {
    const key = await issueKey({ permissions: [permission] })
    single.push(byKey(`a key with ${permission} alone`, key, only(keyPermissions([permission]))))
  }
  return [
    { name: 'no credentials', headersAt: () => ({}), at: (surface) => STRANGER[surface] },
    byKey('a key that has expired', expiredKey, nothing('signature_invalid')),
    byKey('a key that is revoked', revokedKey, nothing('signature_invalid')),
    byKey('a key with a wrong secret', { ...all, secret: 'wrong' }, nothing('signature_invalid')),
    byKey('a key of other addresses', elsewhere, nothing('address_not_allowed')),
    byKey('a key of an inactive organization', inactive.key, nothing('organization_inactive')),
    byKey('a key with everything', all, only(keyPermissions(null))),
    ...single,
    ...people,
    byToken('the operator token of the environment', OPERATOR_TOKEN, only(OPERATOR_PERMISSIONS)),
    byToken('a named operator token', token.token, only(OPERATOR_PERMISSIONS)),
    byToken('an operator token that has expired', expiredToken.token, nothing('operator_token_wrong')),
    byToken('an operator token that is revoked', revokedToken.token, nothing('operator_token_wrong')),
    byToken('the secret of a key as an operator token', all.secret, nothing('operator_token_wrong')),
  ]
}
