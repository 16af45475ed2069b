import { pino } from 'pino'
import { readConfig } from '../src/config/index.js'
import { newId } from '../src/lib/ids.js'
import type { ConfigChanges } from './config.js'
import { operatorCall, type Reply, startTestApp, Tenant, type TestApp, toCookie } from './harness.js'
import { type ProviderPerson, startProvider, type TestProvider } from './identity-provider.js'
import { postConsole } from './people.js'

export const PUBLIC_URL = 'http://localhost:9/below'
export const CALLBACK_URL = `${PUBLIC_URL}/sign-in/callback`

/** An identity provider, an app that signs people in through it, and a tenant. */
export class OidcStage {
  private readonly apps = new Map<string, Promise<TestApp>>()

  private constructor(
    readonly provider: TestProvider,
    readonly app: TestApp,
    readonly tenant: Tenant,
  ) {}

  static async open(): Promise<OidcStage> {
    const provider = await startProvider(CALLBACK_URL, `${PUBLIC_URL}/`)
    const app = await startTestApp(configOf(provider), pino({ level: 'silent' }))
    return new OidcStage(provider, app, await Tenant.create(app))
  }

  /** Undoes what a test has changed at the provider. */
  reset(): void {
    Object.assign(this.provider, { away: false, alter: undefined, foreignKey: false })
  }

  close(): Promise<void> {
    return this.provider.close()
  }

  /** Starts another app with the provider; `settings` as an operator writes them. */
  startApp(settings: Record<string, string> = {}, log = pino({ level: 'silent' })): Promise<TestApp> {
    return startTestApp(this.oidcConfig(settings), log)
  }

  /** Returns the app with these settings, shared by the tests of a file, with its clock at the start. */
  async sharedApp(settings: Record<string, string> = {}): Promise<TestApp> {
    const key = JSON.stringify(settings)
    const starting = this.apps.get(key) ?? this.startApp(settings)
    this.apps.set(key, starting)
    const app = await starting
    app.clock.restart()
    return app
  }

  oidcConfig(settings: Record<string, string> = {}): ConfigChanges {
    return configOf(this.provider, settings)
  }

  /** Visits the provider; returns the query it sends back and the browser's cookie. */
  async visit(test: TestApp, invitation?: string): Promise<{ query: string; cookie: string; url: URL }> {
    const { body, headers } = await call(test, 200, '/sign-in/oidc', invitation === undefined ? {} : { invitation })
    return {
      query: await this.provider.visit(body.url),
      cookie: toCookie(headers['set-cookie']),
      url: new URL(body.url),
    }
  }

  /** Signs in as this person, through all steps. */
  async signIn(test: TestApp, status: number, person: ProviderPerson, invitation?: string): Promise<Reply> {
    this.provider.person = person
    const { query, cookie } = await this.visit(test, invitation)
    return finish(test, status, query, cookie)
  }

  async invite(mail: string, role = 'EDITOR'): Promise<string> {
    const path = `/organizations/${this.tenant.organizationId}/invitations`
    return (await operatorCall(this.app, 201, 'POST', path, { body: { mail, role, mayApprove: true } })).body.token
  }

  /** Settings that let new people join the tenant. */
  joining(settings: Record<string, string> = {}): Record<string, string> {
    return {
      OIDC_ORGANIZATION: this.tenant.organizationId,
      OIDC_DEFAULT_ROLE: 'EDITOR+approve',
      OIDC_ALLOWED_DOMAINS: 'example.com',
      ...settings,
    }
  }

  membershipOf({ body }: Reply): unknown {
    return body.organizations.find(({ id }: { id: string }) => id === this.tenant.organizationId)?.role
  }
}

function configOf(provider: TestProvider, settings: Record<string, string> = {}): ConfigChanges {
  const { oidc, access, http } = readConfig({
    PUBLIC_URL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.client.clientId,
    OIDC_CLIENT_SECRET: provider.client.clientSecret,
    ...settings,
  })
  return { oidc, access: { passwords: access.passwords }, http: { publicUrl: http.publicUrl } }
}

export const call = (test: TestApp, status: number, path: string, body?: unknown, cookie = ''): Promise<Reply> =>
  postConsole(test, status, path, body, { cookie })

export const finish = (test: TestApp, status: number, query: string, cookie: string): Promise<Reply> =>
  call(test, status, '/sign-in/oidc/finish', { query }, cookie)

export const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']

export const someone = (email = `${newId('m')}@example.com`): ProviderPerson & { email: string } => ({
  sub: newId('sub'),
  name: 'Ada Provider',
  email,
  email_verified: true,
})
