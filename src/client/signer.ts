import type { Answer } from './answer.js'
import type { Runtime } from './runtime.js'

/** `current` signs an IMF-fixdate and includes the version; `earlier` signs an ISO 8601 datetime (interface 5, 9). */
export type InterfaceVersion = 'current' | 'earlier'

/** Authorizes requests. */
export interface Authorization {
  /** Returns the headers of one attempt. */
  headers(): Promise<Record<string, string>>
  /** Returns true if the refusal revealed the server's time, so that another attempt may succeed. */
  learn(answer: Answer, sent: Record<string, string>): boolean
}

/** If a refusal has no code, its reason is assumed to be the date if that differs more than this from the server's. */
const DRIFT_MS_MAX = 3_000

/** Signs with the server's time: this machine's clock plus the offset learned from a refusal. */
export class Signer implements Authorization {
  readonly #keyId: string
  readonly #secret: string
  readonly #isEarlier: boolean
  readonly #runtime: Runtime
  #hmacKey: ReturnType<typeof importHmacKey> | undefined
  #clockOffsetMs = 0

  constructor(keyId: string, secret: string, version: InterfaceVersion, runtime: Runtime) {
    this.#keyId = requireHeaderText('key', keyId)
    this.#secret = requireText('secret', secret)
    this.#isEarlier = version === 'earlier'
    this.#runtime = runtime
  }

  async headers(): Promise<Record<string, string>> {
    this.#hmacKey ??= importHmacKey(this.#secret)
    const key = await this.#hmacKey
    const now = new Date(this.#runtime.now() + this.#clockOffsetMs)
    const date = this.#isEarlier ? now.toISOString() : now.toUTCString()
    const signature = await crypto.subtle.sign('HMAC', key, utf8(date))
    return {
      'x-api-key': this.#keyId,
      'x-date': date,
      'x-signature': hex(signature),
      ...(this.#isEarlier ? {} : { 'x-api-version': '1' }),
    }
  }

  learn({ status, headers }: Answer, sent: Record<string, string>): boolean {
    const serverNowMs = Date.parse(headers.get('date') ?? '')
    if (status !== 403 || Number.isNaN(serverNowMs)) return false
    const code = headers.get('x-error-code')
    const isAboutDate =
      code === null
        ? Math.abs(serverNowMs - Date.parse(sent['x-date']!)) > DRIFT_MS_MAX
        : code === 'signature_expired' || code === 'date_in_future'
    if (isAboutDate) this.#clockOffsetMs = serverNowMs - this.#runtime.now()
    return isAboutDate
  }
}

/** Authorizes requests with a token. */
export class Bearer implements Authorization {
  readonly #token: string

  constructor(token: string) {
    this.#token = requireHeaderText('token', token)
  }

  async headers(): Promise<Record<string, string>> {
    return { authorization: `Bearer ${this.#token}` }
  }

  learn(): boolean {
    return false
  }
}

function requireText(name: string, value: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`)
  return value
}

/** Checks a header here, because the runtime's own error would contain its value. */
function requireHeaderText(name: string, value: string): string {
  if (/^[!-~]+$/.test(requireText(name, value))) return value
  throw new TypeError(`${name} cannot be part of a header: it must be ASCII characters without spaces or line breaks`)
}

function importHmacKey(secret: string) {
  if (crypto.subtle === undefined)
    throw new TypeError('there is no WebCrypto: browsers only have it on https and localhost')
  return crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

const utf8 = (text: string) => new TextEncoder().encode(text)

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
