import { createPrivateKey, createSign, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** The person who is signed in at the provider. */
export interface ProviderPerson {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean | string
  groups?: string[]
}

/** A real OpenID Connect provider in this process, over real sockets. Tests can falsify its responses on the way. */
export interface TestProvider {
  issuer: string
  client: { clientId: string; clientSecret: string }
  /** From now on this person is signed in without being asked. */
  person: ProviderPerson
  /** Refuses every connection. */
  away: boolean
  /** The response of this path never ends. */
  endless: string | undefined
  /** The number of bytes sent there. */
  endlessBytes: number
  /** Alters the claims of the next ID tokens, which are signed with the current key. */
  alter: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined
  /** Signs the next ID tokens with a key that the provider never had. */
  foreignKey: boolean
  /** The requested paths. */
  calls: string[]
  rotateKeys(): void
  /** Visits the provider as a browser does; returns the query with which it sends the browser back. */
  visit(url: string): Promise<string>
  close(): Promise<void>
}

type Key = JsonWebKey & { kid: string }

/** Making a pair takes up to a second of processor time, so the providers of a worker share some. */
const pairs: JsonWebKey[] = []

/** Returns the key pair with this number, under its own name. */
function keyOf(pair: number): Key {
  pairs[pair] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  return { ...pairs[pair], kid: randomBytes(8).toString('hex'), alg: 'RS256', use: 'sig' }
}
/** A pair that belongs to no provider. */
const FOREIGN = 2

/** How the provider accepts the client's secret. */
export interface ClientMethods {
  clientSecret?: string
  /** The methods that the provider announces. */
  offered?: ('client_secret_basic' | 'client_secret_post')[]
  /** The only method that it accepts from this client. */
  registered?: 'client_secret_basic' | 'client_secret_post'
  /** True if it compares the Authorization header without decoding its percent-encoding. */
  comparesEncoded?: boolean
}

export async function startProvider(
  redirectUri: string,
  root: string,
  { clientSecret = randomBytes(32).toString('hex'), offered, registered, comparesEncoded = false }: ClientMethods = {},
): Promise<TestProvider> {
  const clientId = 'greenroom-of-the-tests'
  const cookieKey = randomBytes(16).toString('hex')
  let turn = 0
  let keys = [keyOf(turn)]
  const stored = new Map<string, Payload>()
  let provider: Provider
  let handle: (request: IncomingMessage, response: ServerResponse) => void

  const inner = createServer((message, response) => {
    if (!message.url!.startsWith('/interaction/')) return handle(message, response)
    void provider.interactionFinished(message, response, { login: { accountId: known.person.sub } })
  })
  const outer = createServer((message, response) => {
    known.calls.push(new URL(message.url!, 'http://localhost').pathname)
    if (known.away) {
      message.socket.destroy()
      return
    }
    const [, credentials] = message.headers.authorization?.split('Basic ') ?? []
    const isEncoded = Buffer.from(credentials ?? '', 'base64')
      .toString()
      .includes('%')
    const isElsewhere =
      registered !== undefined && (registered === 'client_secret_basic') !== (credentials !== undefined)
    // The library accepts the secret in either place.
    if (message.url === '/token' && ((comparesEncoded && isEncoded) || isElsewhere)) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}')
      return
    }
    if (message.url === known.endless) {
      sendWithoutEnd(response)
      return
    }
    const { port } = inner.address() as AddressInfo
    const forward = request({ port, method: message.method, path: message.url, headers: message.headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const body = Buffer.concat(chunks)
        const changed = message.url === '/token' ? alterTokens(body) : body
        response.writeHead(answer.statusCode!, { ...answer.headers, 'content-length': changed.length })
        response.end(changed)
      })
    })
    message.pipe(forward)
  })

  /** Sends up to 400 MiB of JSON that never closes. */
  function sendWithoutEnd(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"x":"')
    const chunk = Buffer.alloc(65_536, 'x')
    const more = (): void => {
      while (!response.destroyed && known.endlessBytes < 400 * 2 ** 20) {
        known.endlessBytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
    }
    more()
  }

  function alterTokens(body: Buffer): Buffer {
    const answer = JSON.parse(body.toString()) as { id_token?: string }
    if (answer.id_token === undefined || (known.alter === undefined && !known.foreignKey)) return body
    const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1]!, 'base64url').toString())
    const key = known.foreignKey ? { ...keyOf(FOREIGN), kid: keys[0]!.kid } : keys[0]!
    return Buffer.from(JSON.stringify({ ...answer, id_token: sign(known.alter?.(claims) ?? claims, key) }))
  }

  const listen = (server: typeof outer): Promise<void> =>
    new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  await Promise.all([listen(inner), listen(outer)])
  const issuer = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`

  function start(): void {
    provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          post_logout_redirect_uris: [root],
          ...(offered?.length === 1 && { token_endpoint_auth_method: offered[0] }),
        },
      ],
      jwks: { keys },
      ...(offered && { clientAuthMethods: offered }),
      adapter: toAdapter(stored),
      cookies: { keys: [cookieKey] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 60, Session: 60, Grant: 60 },
      findAccount: (_: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...known.person, sub: accountId }),
      }),
      async loadExistingGrant(context: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
        const { client, session } = context.oidc
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
        grant.addOIDCScope('openid email profile groups')
        await grant.save()
        return grant
      },
    })
    handle = provider.callback()
  }

  const known: TestProvider = {
    issuer,
    client: { clientId, clientSecret },
    person: { sub: 'unknown' },
    away: false,
    endless: undefined,
    endlessBytes: 0,
    alter: undefined,
    foreignKey: false,
    calls: [],
    rotateKeys() {
      turn = (turn + 1) % FOREIGN
      keys = [keyOf(turn)]
      start()
    },
    async visit(url) {
      const cookies = new Map<string, string>()
      for (let next = url, hops = 0; hops < 10; hops += 1) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const set of answer.headers.getSetCookie()) {
          const [name, value] = set.split(';')[0]!.split('=')
          cookies.set(name!, value!)
        }
        const location = answer.headers.get('location')
        if (location === null) throw new Error(`the provider shows a page: ${answer.status} ${await answer.text()}`)
        next = new URL(location, next).href
        if (next.startsWith(redirectUri)) return new URL(next).search
      }
      throw new Error('the provider does not send the browser back')
    },
    async close() {
      for (const server of [inner, outer]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
  start()
  return known
}

function sign(claims: object, { kid, ...jwk }: Key): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`
}

type Payload = Record<string, unknown>

/** Keeps the provider's stored data when it restarts with other keys. */
function toAdapter(stored: Map<string, Payload>) {
  return class {
    constructor(private readonly model: string) {}
    async upsert(id: string, payload: Payload): Promise<void> {
      stored.set(`${this.model}:${id}`, payload)
    }
    async find(id: string): Promise<Payload | undefined> {
      return stored.get(`${this.model}:${id}`)
    }
    async findByUid(uid: string): Promise<Payload | undefined> {
      return [...stored.values()].find((payload) => payload.uid === uid && payload.kind === this.model)
    }
    async consume(id: string): Promise<void> {
      const payload = stored.get(`${this.model}:${id}`)
      if (payload !== undefined) payload.consumed = true
    }
    async destroy(id: string): Promise<void> {
      stored.delete(`${this.model}:${id}`)
    }
    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key)
    }
  }
}
