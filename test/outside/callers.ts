/** Every kind of caller of the matrix, and the access that docs/access.md promises it. */
import { insertMembership } from '../../src/access/people/memberships.store.js'
import type { NewKey } from '../../src/interface/generated/types.js'
import {
  FROM_OWN_PAGE,
  type Key,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  signedHeaders,
  type TestApp,
} from '../harness.js'
import { permissionsIn } from '../permissions.js'
import { addTotp } from '../second-factors.js'
import { randomToken } from './random.js'
import type { OutsideRoute, SurfaceName } from './routes.js'
import type { OutsideTenant } from './tenants.js'

/** A route may admit a caller, refuse it for lack of a permission, or not know it; docs/access.md omits some routes. */
export type Promised = 'allowed' | 'forbidden' | 'unknown' | 'undocumented'

export interface OutsideCaller {
  name: string
  /** True if it may act in every organization. */
  seesAll: boolean
  headersAt(surface: SurfaceName): Record<string, string>
  promised(route: OutsideRoute): Promised
  /** Signs in again after a call that may have ended its session. */
  renew?(): Promise<void>
}

const column = (name: string): Set<string> => new Set(permissionsIn(name))
const DOCUMENTED = new Set([...column('owner'), ...column('operator'), ...column('key'), 'self', 'sign-in', 'review'])

/** Operations of the server check the permission before they look whose organization the path names. */
const isServerWide = ({ path, permissions }: OutsideRoute): boolean =>
  !path.includes('{organizationId}') || permissions.includes('operator')

/** `held` applies on its own surface; pages of the console for signing in are open to all. */
function promisedBy(
  surfaces: readonly SurfaceName[],
  held: (route: OutsideRoute) => ReadonlySet<string> | undefined,
): (route: OutsideRoute) => Promised {
  return (route) => {
    if (!route.permissions.some((permission) => DOCUMENTED.has(permission))) return 'undocumented'
    if (route.surface === 'api' && route.permissions.includes('sign-in')) return 'allowed'
    const has = surfaces.includes(route.surface) ? held(route) : undefined
    if (has === undefined) return 'unknown'
    return route.permissions.some((permission) => has.has(permission)) ? 'allowed' : 'forbidden'
  }
}

/** These need a session of the person, because what they create works only while the person may use it. */
const takesSession = ({ path, operationId }: OutsideRoute): boolean =>
  path.endsWith('/own-calendar-feed') || operationId === 'createReviewLink'

/** Everyone who may read a post may write messages about it, except programs with only read permissions. */
const writesMessages = ({ path, method }: OutsideRoute): boolean => path.includes('/discussion') && method !== 'GET'

const withSelf = (permissions: Iterable<string>): Set<string> => new Set([...permissions, 'self'])
const ofPage = (surface: SurfaceName): Record<string, string> => (surface === 'api' ? FROM_OWN_PAGE : {})

type Make = Pick<OutsideCaller, 'name' | 'headersAt'> & Partial<OutsideCaller>
const stranger = (make: Make): OutsideCaller => ({ seesAll: false, promised: promisedBy([], () => undefined), ...make })

function byKey(test: TestApp, name: string, key: Key, held?: Iterable<string>): OutsideCaller {
  const has = held === undefined ? undefined : withSelf(held)
  return stranger({
    name,
    headersAt(surface) {
      const now = new Date(test.clock.now())
      const date = surface === 'v0' ? now.toISOString() : now.toUTCString()
      return { ...ofPage(surface), ...signedHeaders(key, date) }
    },
    promised: promisedBy(['v1', 'v0', 'api'], ({ surface }) => (surface === 'api' ? has && atApi(has) : has)),
  })
}

/** A key can call `/api` only if it was issued with the permission `api`. */
const atApi = (held: ReadonlySet<string>): ReadonlySet<string> => (held.has('api') ? held : new Set())

function byBearer(name: string, token: string, surface?: SurfaceName, held?: Iterable<string>): OutsideCaller {
  const has = held === undefined ? undefined : withSelf(held)
  return stranger({
    name,
    seesAll: surface === 'api' && held !== undefined,
    headersAt: (at) => ({ ...ofPage(at), authorization: `Bearer ${token}` }),
    promised: promisedBy(surface === undefined ? [] : [surface], (route) => (takesSession(route) ? new Set() : has)),
  })
}

/** `held` applies in the tenant's organization; undefined without a membership. */
function byPerson(name: string, member: Member, held: Iterable<string> | undefined, seesAll = false): OutsideCaller {
  const has = held === undefined ? undefined : withSelf(held)
  const outside = seesAll && has !== undefined ? has : new Set(['self', 'account'])
  return {
    name,
    seesAll,
    headersAt: (surface) => ({ ...ofPage(surface), cookie: member.cookie }),
    promised: promisedBy(['api'], (route) => (isServerWide(route) ? outside : has)),
    renew: () => member.signInAgain(),
  }
}

export async function makeOutsideCallers(
  test: TestApp,
  own: OutsideTenant,
  other: OutsideTenant,
): Promise<OutsideCaller[]> {
  return [
    ...makeStrangers(own, other),
    ...(await makeKeys(test, own, other)),
    ...(await makePeople(test, own, other)),
    ...(await makePersonalTokens(test, own)),
    ...(await makeTokens(test)),
    byBearer('an outsider with a link', own.links.own, 'review', ['review']),
    byBearer('an outsider with a link to another post', own.links.other, 'review', ['review']),
    byBearer('an outsider whose link was revoked', own.links.revoked),
  ]
}

/** Callers without any right, with invalid or incomplete credentials. */
function makeStrangers(own: OutsideTenant, other: OutsideTenant): OutsideCaller[] {
  const { key } = own.tenant
  const half = (name: string, headers: Record<string, string>): OutsideCaller =>
    stranger({ name, headersAt: (surface) => ({ ...ofPage(surface), ...headers }) })
  const dated = { 'x-date': new Date(0).toUTCString(), 'x-signature': '0'.repeat(64) }
  return [
    half('no credential', {}),
    half('an empty bearer', { authorization: 'Bearer ' }),
    half('a bearer of another scheme', {
      authorization: `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`,
    }),
    half('an unknown bearer', { authorization: `Bearer ${randomToken(43)}` }),
    half('the secret of a key as a bearer', { authorization: `Bearer ${key.secret}` }),
    half('an empty cookie', { cookie: '__Host-greenroom=' }),
    half('an unknown session', { cookie: `__Host-greenroom=${randomToken(43)}` }),
    half('a cookie of another name', { cookie: `greenroom=${randomToken(43)}` }),
    half('the id of a key without a signature', { 'x-api-key': key.id }),
    half('the id of a key with an old date', { 'x-api-key': key.id, ...dated }),
    half('the id of a foreign key without a signature', { 'x-api-key': other.tenant.key.id }),
  ]
}

async function makeKeys(test: TestApp, own: OutsideTenant, other: OutsideTenant): Promise<OutsideCaller[]> {
  const path = `/organizations/${own.organizationId}/keys`
  const issue = async (settings: NewKey): Promise<Key> =>
    (await operatorCall(test, 201, 'POST', path, { body: settings })).body
  const all = [...column('key')]
  const reading = all.filter((permission) => permission.endsWith(':read'))
  const expired = await issue({ expiresAt: new Date(test.clock.now() + 1_000).toISOString() })
  const revoked = await issue({})
  await operatorCall(test, 200, 'DELETE', `${path}/${revoked.id}`)
  test.clock.advance(1_000)
  const whole = await issue({})
  const forApi = [...all, 'api']
  const single = await Promise.all(
    all.map(async (permission) =>
      byKey(
        test,
        `a key with only ${permission}`,
        await issue({ permissions: [permission] as NewKey['permissions'] }),
        [permission],
      ),
    ),
  )
  return [
    byKey(test, 'a key', whole, all),
    byKey(test, 'a read-only key', await issue({ permissions: reading as NewKey['permissions'] }), reading),
    ...single,
    byKey(test, 'a key for /api', await issue({ permissions: forApi as NewKey['permissions'] }), forApi),
    byKey(test, 'a revoked key', revoked),
    byKey(test, 'an expired key', expired),
    byKey(test, 'a key limited to other addresses', await issue({ allowedAddresses: ['203.0.113.7'] })),
    byKey(test, 'a key with a wrong secret', { id: whole.id, secret: randomToken(64) }),
    byKey(test, 'the id of a foreign key with our own secret', { id: other.tenant.key.id, secret: whole.secret }),
  ]
}

async function makePeople(test: TestApp, own: OutsideTenant, other: OutsideTenant): Promise<OutsideCaller[]> {
  const { organizationId } = own
  const people: OutsideCaller[] = []
  for (const role of ['VIEWER', 'EDITOR', 'ADMIN'] as const) {
    for (const mayApprove of [false, true]) {
      const member = await Member.create(test, { organizationId, role, mayApprove })
      const held = [...column(role), ...(mayApprove ? column('may approve') : [])]
      people.push(byPerson(`a person with the role ${role}${mayApprove ? ' who may approve' : ''}`, member, held))
    }
  }
  const both = await Member.create(test, { organizationId, role: 'ADMIN' })
  const at = new Date(test.clock.now())
  await test.context.database.transaction((tx) =>
    insertMembership(tx, {
      organizationId: other.organizationId,
      personId: both.id,
      role: 'ADMIN',
      mayApprove: false,
      at,
    }),
  )
  const alone = await Member.create(test)
  const owner = await Member.create(test, { owner: true })
  const ended = await Member.create(test, { organizationId, role: 'ADMIN' })
  const { cookie } = ended
  await ended.call(200, 'DELETE', '/me/sessions')
  const elsewhere = await Member.create(test, { owner: true })
  return [
    ...people,
    // It may see the other organization, but not through this one.
    { ...byPerson('an ADMIN of both organizations', both, column('ADMIN')), seesAll: true },
    byPerson('a person without an organization', alone, undefined),
    byPerson('an owner of the server', owner, column('owner'), true),
    await makeHalfSession(test, organizationId),
    stranger({ name: 'an ended session', headersAt: (surface) => ({ ...ofPage(surface), cookie }) }),
    {
      ...byPerson('an owner, from a page of another site', elsewhere, undefined, true),
      headersAt: () => ({ cookie: elsewhere.cookie, 'sec-fetch-site': 'cross-site', origin: 'https://other.example' }),
      promised: (route) =>
        // A program requests a token without a cookie, from any page.
        route.permissions.includes('device')
          ? 'undocumented'
          : route.surface !== 'api' || route.method !== 'GET'
            ? 'unknown'
            : promisedBy(['api'], () => withSelf(column('owner')))(route),
    },
  ]
}

/** Makes a person with the rights of an ADMIN who has passed the first factor but not the second. */
async function makeHalfSession(test: TestApp, organizationId: string): Promise<OutsideCaller> {
  const member = await Member.create(test, { organizationId, role: 'ADMIN' })
  await addTotp(member)
  const renew = async (): Promise<void> => {
    await member.call(200, 'POST', '/sign-in', { body: { mail: member.mail, password: Member.PASSWORD } })
  }
  await renew()
  const promised = promisedBy([], () => undefined)
  return {
    ...stranger({
      name: 'a session without its second factor',
      headersAt: (surface) => ({ ...ofPage(surface), cookie: member.cookie }),
    }),
    // Other tests pass the second factor.
    promised: (route) => (route.permissions.includes('second-factor') ? 'undocumented' : promised(route)),
    renew,
  }
}

/** Programs with a personal token that has all scopes, or one of them. */
async function makePersonalTokens(test: TestApp, { organizationId }: OutsideTenant): Promise<OutsideCaller[]> {
  const made = async (name: string, scopes: string[], isRevoked = false): Promise<OutsideCaller> => {
    const member = await Member.create(test, { organizationId, role: 'ADMIN', mayApprove: true })
    let token: { id: string; token: string }
    const make = async (): Promise<void> => {
      await member.signInAgain()
      token = (await member.call(201, 'POST', '/me/tokens', { body: { name: 'A program', scopes } })).body
      if (isRevoked) await member.call(200, 'DELETE', `/me/tokens/${token.id}`)
    }
    await make()
    const [inside, outside] = [withSelf(scopes), new Set(['self'])]
    return stranger({
      name,
      headersAt: (surface) => ({ ...ofPage(surface), authorization: `Bearer ${token.token}` }),
      promised: promisedBy(isRevoked ? [] : ['api'], (route) =>
        isServerWide(route) || takesSession(route) || (writesMessages(route) && !inside.has('posts:write'))
          ? outside
          : inside,
      ),
      async renew() {
        const headers = { authorization: `Bearer ${token.token}` }
        // The call may have ended it.
        if ((await test.app.inject({ url: '/api/whoami', headers })).statusCode === 401) await make()
      },
    })
  }
  return [
    await made('a personal token', [...column('token')]),
    await made('a personal token with posts:read only', ['posts:read']),
    await made('a revoked personal token', ['posts:read'], true),
  ]
}

async function makeTokens(test: TestApp): Promise<OutsideCaller[]> {
  const issue = async (settings: object = {}): Promise<{ name: string; token: string }> =>
    (
      await operatorCall(test, 201, 'POST', '/server/operator-tokens', {
        body: { name: `caller-${randomToken(10)}`, ...settings },
      })
    ).body
  const expired = await issue({ expiresAt: new Date(test.clock.now() + 1_000).toISOString() })
  const revoked = await issue()
  await operatorCall(test, 200, 'DELETE', `/server/operator-tokens/${revoked.name}`)
  test.clock.advance(1_000)
  return [
    byBearer('the operator token of the environment', OPERATOR_TOKEN, 'api', column('operator')),
    byBearer('a named operator token', (await issue()).token, 'api', column('operator')),
    byBearer('a revoked operator token', revoked.token),
    byBearer('an expired operator token', expired.token),
  ]
}
