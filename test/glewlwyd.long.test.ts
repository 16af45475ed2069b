import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/config/index.js'
import { examine } from '../src/doctor/doctor.js'
import { newId } from '../src/lib/ids.js'
import { type Glewlwyd, type GlewlwydClient, startGlewlwyd } from './glewlwyd.js'
import { operatorCall, type Reply, startTestApp, Tenant, type TestApp, toCookie } from './harness.js'
import { postConsole } from './people.js'
import { findTool } from './tools.js'

const GLEWLWYD = findTool('glewlwyd')
const SQLITE = findTool('sqlite3')
const PUBLIC_URL = 'http://localhost:9/below'

/** It compares the secret in the Authorization header without decoding the percent-encoding, as many providers do. */
describe.skipIf(GLEWLWYD === undefined || SQLITE === undefined)('signing in through Glewlwyd', () => {
  let provider: Glewlwyd
  beforeAll(async () => {
    provider = await startGlewlwyd({ glewlwyd: GLEWLWYD!, sqlite: SQLITE! })
  }, 60_000)
  afterAll(() => provider?.close())

  /** Starts an app that is a client there, with a secret that contains punctuation. */
  async function startClient(
    methods: GlewlwydClient['methods'],
    settings: Record<string, string> = {},
  ): Promise<{ app: TestApp; env: Record<string, string> }> {
    const client = { id: newId('client').replaceAll(/\W/g, ''), secret: 'a-secret_with.marks-2', methods }
    await provider.addClient({
      ...client,
      redirectUri: `${PUBLIC_URL}/sign-in/callback`,
      postLogoutRedirectUri: `${PUBLIC_URL}/`,
    })
    const env = {
      ...{ PUBLIC_URL, OIDC_ISSUER: provider.issuer, OIDC_SCOPES: 'openid' },
      ...{ OIDC_CLIENT_ID: client.id, OIDC_CLIENT_SECRET: client.secret },
      ...settings,
    }
    const { oidc, http } = readConfig(env)
    return { app: await startTestApp({ oidc, http: { publicUrl: http.publicUrl } }), env }
  }

  const call = (test: TestApp, status: number, path: string, body?: unknown, cookie = ''): Promise<Reply> =>
    postConsole(test, status, path, body, { cookie })

  /** Accepts an invitation, because Glewlwyd does not report whether an address is verified. */
  async function signIn(app: TestApp, clientId: string, status = 200) {
    const tenant = await Tenant.create(app)
    const name = newId('zoe').toLowerCase().replaceAll(/\W/g, '')
    const person = { name, fullName: 'Zoë Glewlwyd', mail: `${name}@example.com`, password: 'quite long words' }
    await provider.addPerson(person)
    const path = `/organizations/${tenant.organizationId}/invitations`
    const body = { mail: person.mail, role: 'EDITOR' }
    const { token } = (await operatorCall(app, 201, 'POST', path, { body })).body
    const begun = await call(app, 200, '/sign-in/oidc', { invitation: token })
    const browser = await provider.browse(person, [clientId])
    // It shows its own page first; that page adds `g_continue` when the person continues.
    const back = await browser.visit(`${begun.body.url}&g_continue`)
    const query = { query: back!.search }
    return {
      browser,
      person,
      reply: await call(app, status, '/sign-in/oidc/finish', query, toCookie(begun.headers['set-cookie'])),
    }
  }

  test.each<[string, GlewlwydClient['methods'], Record<string, string>]>([
    ['in the body, if both are accepted', ['client_secret_post', 'client_secret_basic'], {}],
    ['in the body, if only that is accepted from this client', ['client_secret_post'], {}],
    ['in the header, if only that is accepted from this client', ['client_secret_basic'], {}],
    [
      'in the header, if OIDC_CLIENT_AUTH says so',
      ['client_secret_post', 'client_secret_basic'],
      { OIDC_CLIENT_AUTH: 'basic' },
    ],
  ])('works with the secret %s', async (_name, methods, settings) => {
    const { app, env } = await startClient(methods, settings)
    const { person, reply } = await signIn(app, env.OIDC_CLIENT_ID!)
    expect(reply.body).toMatchObject({ person: { mail: person.mail }, session: { method: 'oidc' } })
  })

  test('refuses a wrong secret', async () => {
    const { app, env } = await startClient(['client_secret_post'], { OIDC_CLIENT_SECRET: 'another-secret' })
    const { reply } = await signIn(app, env.OIDC_CLIENT_ID!, 401)
    expect(reply.headers['x-error-code']).toBe('oidc_refused')
  })

  test('signing out ends exactly that session at the provider', async () => {
    const { app, env } = await startClient(['client_secret_post'])
    const { browser, reply } = await signIn(app, env.OIDC_CLIENT_ID!)
    const { endSessionUrl } = (await call(app, 200, '/sign-out', undefined, toCookie(reply.headers['set-cookie']))).body
    // Without the ID token it shows nothing and redirects nowhere.
    const without = new URL(endSessionUrl)
    without.searchParams.delete('id_token_hint')
    expect(await browser.visit(without.href)).toBeUndefined()
    const asked = await browser.visit(endSessionUrl)
    expect(asked!.searchParams.get('prompt')).toBe('end_session')
    expect(asked!.searchParams.get('client_id')).toBe(env.OIDC_CLIENT_ID)
    expect(await browser.confirmEnd(asked!.searchParams.get('sid')!)).toBe(200)
  })

  test('greenroom doctor finds it, and reports a wrong issuer', async () => {
    const look = async (issuer: string) =>
      (
        await examine({
          env: {
            ...{ PUBLIC_URL, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'a', OIDC_CLIENT_SECRET: 'b', PORT: '0' },
            ...{ DATA_DIR: '/nonexistent', GRAPH_BASE_URL: provider.issuer },
          },
        })
      ).filter(({ check }) => check === 'identity provider')
    expect(await look(provider.issuer)).toMatchObject([{ state: 'ok' }])
    expect(await look(provider.issuer.replace('localhost', '127.0.0.1'))).toMatchObject([
      { state: 'problem', finding: expect.stringContaining(`calls itself "${provider.issuer}"`) },
    ])
    expect(await look(new URL(provider.issuer).origin)).toMatchObject([{ state: 'problem' }])
  })
})
