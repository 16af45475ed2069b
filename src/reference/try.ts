import { systemRuntime } from '../client/runtime.ts'
import { Bearer, Signer } from '../client/signer.ts'
import { type ApiDocument, type Operation, pathOf } from './document.ts'
import { type Caller, callerOf } from './samples.ts'

/** The credentials that were entered. They exist only in the memory of this page. */
export interface Credentials {
  key: string
  secret: string
  token: string
}

export interface Tried {
  status: number
  /** The headers that matter to a caller. */
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

/** The service's own address. This file is in docs/assets/ below it, even if a proxy adds a path. */
const here = import.meta.url
export const serviceUrl = (): string => new URL('../..', here).href.replace(/\/$/, '')

/** Reads openapi.json. Throws an Error if the service does not send it. */
export async function readDocument(): Promise<ApiDocument> {
  const response = await fetch(`${serviceUrl()}/openapi.json`)
  if (!response.ok) throw new Error(`the response for openapi.json was ${response.status}`)
  return (await response.json()) as ApiDocument
}

/** Calls the operation with the credentials. Throws an Error that says what is missing. */
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
    // Browsers set this header themselves.
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
  // Without a token the call uses the session of this browser.
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
