import { execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.js'

/** Debian's package keeps the tables of a new provider here. Its administrator is `admin` with `password`. */
const TABLES = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'
const STARTED_MS = 20_000

export interface GlewlwydClient {
  id: string
  secret: string
  redirectUri: string
  postLogoutRedirectUri: string
  methods: ('client_secret_basic' | 'client_secret_post')[]
}

/** Glewlwyd, the OpenID Connect provider that Debian packages, in its own process. */
export interface Glewlwyd {
  issuer: string
  addClient(client: GlewlwydClient): Promise<void>
  addPerson(person: { name: string; fullName: string; mail: string; password: string }): Promise<void>
  /** A browser in which the person has signed in and agreed to share their identity with these clients. */
  browse(person: { name: string; password: string }, clients: string[]): Promise<Browser>
  close(): Promise<void>
}

interface Browser {
  /** Makes one visit. Returns the address that it is redirected to, or undefined if it is shown a page. */
  visit(url: string): Promise<URL | undefined>
  /** Confirms the end of the session as the provider's page asks; returns the status. */
  confirmEnd(sid: string): Promise<number>
}

class Cookies {
  readonly #kept = new Map<string, string>()

  async fetch(url: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const cookie = [...this.#kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } })
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]!.split('=')
      this.#kept.set(name, value)
    }
    return answer
  }

  async send(method: string, url: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const answer = await this.fetch(url, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`)
  }
}

export async function startGlewlwyd(programs: { glewlwyd: string; sqlite: string }): Promise<Glewlwyd> {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-glewlwyd-'))
  chmodSync(directory, 0o700)
  const database = join(directory, 'glewlwyd.db')
  execFileSync(programs.sqlite, [database], { input: readFileSync(TABLES), stdio: ['pipe', 'ignore', 'inherit'] })
  const port = await freePort()
  const root = `http://localhost:${port}`
  const config = join(directory, 'glewlwyd.conf')
  writeFileSync(config, configOf(port, root, database))
  const child = spawn(programs.glewlwyd, [`--config-file=${config}`], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
    })
  }
  const ended = once(child, 'close')
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await answers(`${root}/config`, () => child.exitCode !== null)
    const admin = new Cookies()
    await admin.send('POST', `${root}/api/auth/`, { username: 'admin', password: 'password' })
    await admin.send('POST', `${root}/api/mod/plugin`, pluginOf(`${root}/api/oidc`))
    return { ...actions(root, admin), issuer: `${root}/api/oidc`, close }
  } catch (error) {
    await close()
    throw new Error(`Glewlwyd did not start: ${(error as Error).message}\n${output}`)
  }
}

function actions(root: string, admin: Cookies): Omit<Glewlwyd, 'issuer' | 'close'> {
  return {
    addClient: ({ id, secret, redirectUri, postLogoutRedirectUri, methods }) =>
      admin.send('POST', `${root}/api/client`, {
        ...{ client_id: id, name: id, enabled: true, confidential: true, client_secret: secret, scope: [] },
        ...{ redirect_uri: [redirectUri], post_logout_redirect_uri: postLogoutRedirectUri },
        ...{ authorization_type: ['code'], token_endpoint_auth_method: methods },
      }),
    addPerson: ({ name, fullName, mail, password }) =>
      admin.send('POST', `${root}/api/user`, {
        ...{ username: name, name: fullName, email: mail, password, enabled: true, scope: ['openid', 'g_profile'] },
      }),
    async browse({ name, password }, clients) {
      const cookies = new Cookies()
      await cookies.send('POST', `${root}/api/auth/`, { username: name, password })
      for (const client of clients) await cookies.send('PUT', `${root}/api/auth/grant/${client}`, { scope: 'openid' })
      return {
        async visit(url) {
          const answer = await cookies.fetch(url)
          const location = answer.headers.get('location')
          return location === null ? undefined : new URL(location, url)
        },
        async confirmEnd(sid) {
          return (await cookies.fetch(`${root}/api/oidc/session/${sid}/`, { method: 'DELETE' })).status
        },
      }
    },
  }
}

const configOf = (port: number, root: string, database: string): string => `
port=${port}
bind_address="127.0.0.1"
external_url="${root}"
login_url="login.html"
api_prefix="api"
cookie_domain="localhost"
cookie_secure=0
session_expiration=3600
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
log_mode="console"
log_level="ERROR"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${database}"; };
`

function pluginOf(issuer: string): unknown {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const enabled = ['code', 'refresh', 'none', 'token', 'implicit', 'password', 'client', 'device'].map((type) => [
    `auth-type-${type}-enabled`,
    type === 'code' || type === 'refresh',
  ])
  return {
    ...{ module: 'oidc', name: 'oidc', display_name: 'OpenID Connect' },
    parameters: {
      ...{ iss: issuer, 'jwt-type': 'rsa', 'jwt-key-size': '256' },
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      cert: publicKey.export({ type: 'spki', format: 'pem' }),
      ...{ 'access-token-duration': 3600, 'refresh-token-duration': 3600, 'code-duration': 60 },
      ...{ 'refresh-token-rolling': true, 'allow-non-oidc': false, ...Object.fromEntries(enabled) },
      ...{ 'jwks-show': true, 'pkce-allowed': true, 'pkce-method-plain-allowed': false },
      ...{ 'name-claim': 'mandatory', 'email-claim': 'mandatory', 'session-management-allowed': true },
      ...{ 'session-cookie-name': 'GLEWLWYD2_OIDC_SID', 'session-cookie-expiration': 3600 },
    },
  }
}

async function answers(url: string, hasEnded: () => boolean): Promise<void> {
  for (const endsAt = performance.now() + STARTED_MS; performance.now() < endsAt && !hasEnded(); await wait(50)) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
  }
  throw new Error(`${url} does not answer`)
}
