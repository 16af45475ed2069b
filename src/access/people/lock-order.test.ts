import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  startTestApp,
  TEST_OPTIONS,
  Tenant,
  type TestApp,
} from '../../../test/harness.js'
import { inviteAdmin } from '../../../test/people.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'
import { buildApp } from '../../app.js'
import { readConfig } from '../../config/index.js'
import { type Database, errorCode, type Queryable } from '../../database/database.js'
import { newId } from '../../lib/ids.js'
import { enterByProvider } from '../sessions/enter-by-provider.js'

// The embedded engine runs one transaction at a time, so nothing waits there.

const ROUNDS = 1
const TEST_MS = 300_000
const PASSWORD = 'another long enough password'

let app: TestApp
/** The same app on the same database, with transactions that interleave at their statements. */
let raced: TestApp
let deadlocks: string[] = []
/** A small generator, so that failures are reproducible. */
let seed = 1
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}

/** Records each deadlock. The transaction then runs again, so no caller sees it. */
function watch(database: Database): Database {
  const query: Queryable['query'] = (text, values) => database.query(text, values)
  return {
    ...database,
    query,
    transaction: (work, organizationId) =>
      database.transaction(
        (tx) =>
          work({
            execute: (text) => tx.execute(text),
            async query(text, values) {
              // Lets others run between any two statements.
              for (let turns = random() * 6; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
              try {
                return await tx.query(text, values)
              } catch (error) {
                if (errorCode(error) === '40P01') deadlocks.push(text)
                throw error
              }
            },
          }),
        organizationId,
      ),
  }
}

beforeAll(async () => {
  app = await startTestApp()
  const context = { ...app.context, database: watch(app.context.database) }
  raced = { ...app, context, app: await buildApp(context, TEST_OPTIONS) }
  await Member.create(app, { owner: true })
})

interface Stage {
  tenant: Tenant
  org: string
  /** The person that everything concerns: a member who has made a review link and has credentials. */
  person: Member
  /** Another member. The person may take their place in an organization that is about to be deleted. */
  admin: Member
  owner: Member
  post: string
  invitation: string
  signInLink: string
  other: Tenant
  cookies: string[]
}

async function prepare(): Promise<Stage> {
  const [tenant, other] = [await Tenant.create(app), await Tenant.create(app)]
  const org = `/organizations/${tenant.organizationId}`
  const person = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN', mayApprove: true })
  const admin = await Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN', mayApprove: true })
  const owner = await Member.create(app, { owner: true })
  const channel = await tenant.channel([await tenant.workspace('STANDARD')])
  const post = await insertPost(tenant, {
    ...publishable(channel),
    status: 'WAITING_FOR_APPROVAL',
    scheduledFor: new Date(app.clock.now() + 86_400_000),
  })
  await Holder.of(person, tenant.organizationId, [post])
  const to = `/organizations/${other.organizationId}`
  const invitation = (await inviteAdmin(owner, to, person.mail)).token
  const signInLink = (await operatorCall(app, 201, 'POST', `/server/people/${person.id}/sign-in-link`)).body.token
  const cookies = [person.cookie]
  await person.signInAgain()
  return { tenant, org, person, admin, owner, post, invitation, signInLink, other, cookies }
}

type Way = (stage: Stage) => Promise<unknown>
const inject = (options: InjectOptions) => raced.app.inject(options)
const visit = (path: string, payload: object, cookie = '', method: InjectOptions['method'] = 'POST') =>
  inject({ method, url: `/api${path}`, headers: { ...FROM_OWN_PAGE, cookie }, payload })
const operate = (method: InjectOptions['method'], path: string, payload?: object) =>
  inject({
    method,
    url: `/api${path}`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    ...(payload && { payload }),
  })

const WAYS: Record<string, Way> = {
  'accepting an invitation': ({ invitation }) =>
    visit('/invitation/accept', { token: invitation, password: Member.PASSWORD }),
  'a sign-in link': ({ signInLink }) => visit('/sign-in/link', { token: signInLink, replace: true }),
  'a password': ({ person }) => visit('/sign-in', { mail: person.mail, password: Member.PASSWORD }),
  'the provider': ({ person, tenant, invitation: _ }) =>
    enterByProvider(
      { ...raced.context, config: { ...raced.context.config, oidc: providerOf(tenant) } },
      {
        ...{ issuer: 'https://login.example', subject: person.id, name: 'Ada', mail: person.mail, mailVerified: true },
        ...{ roles: ['writers'], idToken: 'x' },
      },
      { invitationHash: undefined, headers: {}, ip: '127.0.0.1' },
    ).catch(() => {}),
  'another password': ({ cookies }) =>
    visit('/me/password', { currentPassword: Member.PASSWORD, newPassword: PASSWORD }, cookies[0], 'PUT'),
  'signing out everywhere': ({ person }) => visit('/sessions', {}, person.cookie, 'DELETE'),
  'a second factor': ({ person }) => visit('/me/second-factors/totp/begin', {}, person.cookie),
  'a sign-in link by the owner for themselves': ({ owner }) =>
    visit(`/people/${owner.id}/sign-in-link`, {}, owner.cookie),
  'a sign-in link by the owner for the person': ({ owner, person }) =>
    visit(`/people/${person.id}/sign-in-link`, {}, owner.cookie),
  deletion: ({ person }) => operate('DELETE', `/server/people/${person.id}`),
  'deletion by an owner': ({ person, owner }) => visit(`/people/${person.id}`, {}, owner.cookie, 'DELETE'),
  'deletion of the owner': ({ owner }) => operate('DELETE', `/server/people/${owner.id}`),
  deactivation: ({ person }) => operate('PATCH', `/server/people/${person.id}`, { active: false }),
  'becoming an owner, vouched for': ({ person }) =>
    operate('PATCH', `/server/people/${person.id}`, { owner: true, mailProven: true }),
  'leaving the organization': ({ person, org }) => visit(`${org}/members/${person.id}`, {}, person.cookie, 'DELETE'),
  'removal by another': ({ person, org, admin }) => visit(`${org}/members/${person.id}`, {}, admin.cookie, 'DELETE'),
  'removal of the other': ({ person, org, admin }) => visit(`${org}/members/${admin.id}`, {}, person.cookie, 'DELETE'),
  'another role': ({ person, org, admin }) =>
    visit(`${org}/members/${person.id}`, { role: 'VIEWER', mayApprove: false }, admin.cookie, 'PATCH'),
  'an approval': ({ org, post, admin }) =>
    inject({
      method: 'POST',
      url: `/api${org}/scheduled-posts/${post}/approve`,
      headers: { ...FROM_OWN_PAGE, cookie: admin.cookie, 'if-match': '"1"' },
    }),
  'an invitation by the person': ({ org, person }) =>
    visit(`${org}/invitations`, { mail: `${newId('m')}@example.com`, role: 'EDITOR' }, person.cookie),
  'deletion of an organization': async ({ other }) => {
    const path = `/organizations/${other.organizationId}`
    await operate('PATCH', path, { active: false })
    return operate('DELETE', `${path}?name=Test`)
  },
}

const providerOf = ({ organizationId }: Tenant) =>
  readConfig({
    PUBLIC_URL: 'https://greenroom.example',
    OIDC_ISSUER: 'https://login.example',
    OIDC_CLIENT_ID: 'a',
    OIDC_CLIENT_SECRET: 'b',
    OIDC_ORGANIZATION: organizationId,
    OIDC_ALLOWED_DOMAINS: 'example.com',
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLES: 'writers=EDITOR',
  }).oidc

const names = Object.keys(WAYS)
/** Each of these ends something of the others; two that end nothing never wait for each other. */
const ENDS = [
  ...['deletion', 'deletion by an owner', 'deletion of the owner', 'deactivation', 'leaving the organization'],
  ...['removal by another', 'another role', 'another password', 'deletion of an organization'],
]

describe.skipIf(TEST_DATABASE_URL === undefined)('all operations on one account take their locks in one order', () => {
  test.each(names)(
    '%s, at the same time as each operation that ends something',
    async (name) => {
      deadlocks = []
      const found: string[] = []
      for (const other of ENDS) {
        for (let round = 0; round < ROUNDS; round += 1) {
          const stage = await prepare()
          await Promise.all([WAYS[name]!(stage), WAYS[other]!(stage)])
          found.push(...deadlocks.splice(0).map((statement) => `${other}: ${statement.slice(0, 80)}`))
        }
      }
      expect(found).toEqual([])
    },
    TEST_MS,
  )
})
