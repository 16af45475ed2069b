import { systemRuntime } from '../client/runtime.ts'
import { Bearer, Signer } from '../client/signer.ts'
import { type ApiDocument, type Operation, pathOf } from './document.ts'
import { type Caller, callerOf } from './samples.ts'

/** The credentials that were entered. They are in this page's memory alone, and go with it. */
export interface Credentials {
  key: string
  secret: string
  token: string
}

export interface Tried {
  status: number
  /** The headers that a caller acts on. */
  headers: [name: string, value: string][]
  body: string
  durationMs: number
}

const SHOWN_HEADERS = [
  'x-request-id',
  'x-error-code',
  'etag',
  'x-next-cursor',
  'retry-after',
  'ratelimit',
  'content-type',
  'content-length',
]

/** The service's own address: this file is in docs/assets/ below it, whatever path a proxy puts before. */
const here = import.meta.url
export const serviceUrl = (): string => new URL('../..', here).href.replace(/\/$/, '')

/** Reads openapi.json. Throws an Error where the service does not send it. */
export async function readDocument(): Promise<ApiDocument> {
  const response = await fetch(`${serviceUrl()}/openapi.json`)
  if (!response.ok) throw new Error(`openapi.json was answered with ${response.status}`)
  return (await response.json()) as ApiDocument
}

/** Calls the operation as the credentials say. Throws an Error that says what is missing. */
export async function tryOperation(
  operation: Operation,
  input: { values: Record<string, string>; body: string | File | undefined; bodyType: string | undefined },
  credentials: Credentials,
): Promise<Tried> {
  const { values, body, bodyType } = input
  const headers = new Headers(bodyType === undefined ? {} : { 'content-type': bodyType })
  for (const { name, required, in: place } of operation.parameters) {
    const value = values[name] ?? ''
    if (value === '' && required === true) throw new Error(`${name} is missing: fill it in.`)
    // A browser says itself what it can unpack.
    if (value !== '' && place === 'header' && name.toLowerCase() !== 'accept-encoding') headers.set(name, value)
  }
  for (const [name, value] of Object.entries(await authorize(callerOf(operation), credentials)))
    headers.set(name, value)
  const begun = performance.now()
  const response = await fetch(serviceUrl() + pathOf(operation, values), {
    method: operation.method,
    headers,
    ...(body === undefined ? {} : { body }),
    cache: 'no-store',
    credentials: 'same-origin',
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: SHOWN_HEADERS.flatMap((name): [string, string][] => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
    body: /json/.test(response.headers.get('content-type') ?? '') ? pretty(text) : text,
    durationMs: performance.now() - begun,
  }
}

async function authorize(caller: Caller, { key, secret, token }: Credentials): Promise<Record<string, string>> {
  // Without a token it is a call of the session that this browser has.
  if (caller === 'token') return token === '' ? {} : new Bearer(token).headers()
  if (key === '' || secret === '') throw new Error('Enter the id and the secret of a key above.')
  return new Signer(key, secret, caller === 'key' ? 'current' : 'earlier', systemRuntime).headers()
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
