import { ROLES } from '../src/access/people/person.js'
import {
  KEY_PERMISSION_NAMES,
  keyPermissions,
  memberPermissions,
  OPERATOR_PERMISSIONS,
  OWNER_PERMISSIONS,
  PERSON_PERMISSIONS,
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
  /** What the tables of access/permissions.ts give it there, or the code with which it is refused before that. */
  at(surface: SurfaceName, scope: Operation['scope']): ReadonlySet<Permission> | ErrorCode
  /** After an operation that may have ended its session. */
  renew?(): Promise<void>
}

/** What a surface says to who brings nothing that it knows. */
const STRANGER: Record<SurfaceName, ErrorCode> = {
  v1: 'header_missing',
  v0: 'header_missing',
  operator: 'operator_token_wrong',
  console: 'session_missing',
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
  const byKey = (name: string, key: Key, outcome: ReadonlySet<Permission> | ErrorCode): TestCaller => ({
    name,
    headersAt(surface) {
      const now = new Date(app.clock.now())
      return signedHeaders(key, surface === 'v0' ? now.toISOString() : now.toUTCString())
    },
    at: (surface) => (isForKeys(surface) ? outcome : STRANGER[surface]),
  })
  const byToken = (name: string, token: string, outcome: ReadonlySet<Permission> | ErrorCode): TestCaller => ({
    name,
    headersAt: () => ({ authorization: `Bearer ${token}` }),
    at: (surface) => (surface === 'operator' ? outcome : STRANGER[surface]),
  })

  const byPerson = (name: string, person: Member, inOrganization: ReadonlySet<Permission> | ErrorCode): TestCaller => ({
    name,
    headersAt: () => ({ cookie: person.cookie }),
    at(surface, scope) {
      if (surface !== 'console') return STRANGER[surface]
      return scope === 'organization' ? inOrganization : PERSON_PERMISSIONS
    },
    renew: () => person.signInAgain(),
  })
  const people: TestCaller[] = []
  const { organizationId } = tenant
  for (const role of ROLES) {
    for (const mayApprove of [false, true]) {
      const person = await Member.create(app, { organizationId, role, mayApprove })
      const held = memberPermissions(role, mayApprove)
      people.push(byPerson(`a ${role} who ${mayApprove ? 'may' : 'may not'} approve`, person, held))
    }
  }
  const owner = await Member.create(app, { owner: true })
  people.push({
    ...byPerson('an owner', owner, OWNER_PERMISSIONS),
    at: (surface) => (surface === 'console' ? OWNER_PERMISSIONS : STRANGER[surface]),
  })
  const bySession = (name: string, { cookie }: Pick<Member, 'cookie'>): TestCaller => ({
    name,
    headersAt: () => ({ cookie }),
    at: (surface) => (surface === 'console' ? 'session_ended' : STRANGER[surface]),
  })
  const ended = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true })
  const endedSession = bySession('a session that was ended', { cookie: ended.cookie })
  await operatorCall(app, 200, 'DELETE', `/people/${ended.id}/sessions`)
  const idle = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true })
  await app.context.database.query(
    `update sessions set last_seen_at = last_seen_at - interval '12 hours' where person_id = $1`,
    [idle.id],
  )
  const deactivated = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true, owner: true })
  const { cookie: deactivatedCookie } = deactivated
  await operatorCall(app, 200, 'PATCH', `/people/${deactivated.id}`, { body: { active: false } })

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
  const ofInactive = await Member.create(app, { organizationId: inactive.organizationId, role: 'ADMIN' })
  await operatorCall(app, 200, 'DELETE', `${keysPath}/${revokedKey.id}`)
  await operatorCall(app, 200, 'DELETE', `/operator-tokens/${revokedToken.name}`)
  app.clock.advance(1_000)

  const single: TestCaller[] = []
  for (const permission of KEY_PERMISSION_NAMES) {
    const key = await issueKey({ permissions: [permission] })
    single.push(byKey(`a key with ${permission} alone`, key, keyPermissions([permission])))
  }
  return [
    { name: 'no credentials', headersAt: () => ({}), at: (surface) => STRANGER[surface] },
    byKey('a key that has expired', expiredKey, 'signature_invalid'),
    byKey('a key that is revoked', revokedKey, 'signature_invalid'),
    byKey('a key with a wrong secret', { ...all, secret: 'wrong' }, 'signature_invalid'),
    byKey('a key of other addresses', elsewhere, 'address_not_allowed'),
    byKey('a key of an inactive organization', inactive.key, 'organization_inactive'),
    byKey('a key with everything', all, keyPermissions(null)),
    ...single,
    ...people,
    byPerson('a person of another organization', ofInactive, 'organization_not_found'),
    endedSession,
    bySession('a session that was not seen for long', idle),
    bySession('the session of a deactivated owner', { cookie: deactivatedCookie }),
    bySession('an invented session', { cookie: `__Host-greenroom=${'A'.repeat(43)}` }),
    byToken('the operator token of the environment', OPERATOR_TOKEN, OPERATOR_PERMISSIONS),
    byToken('a named operator token', token.token, OPERATOR_PERMISSIONS),
    byToken('an operator token that has expired', expiredToken.token, 'operator_token_wrong'),
    byToken('an operator token that is revoked', revokedToken.token, 'operator_token_wrong'),
    byToken('the secret of a key as an operator token', all.secret, 'operator_token_wrong'),
  ]
}
