import { systemRuntime } from '../client/runtime.ts'
import { Bearer, type InterfaceVersion, Signer } from '../client/signer.ts'
import type { ApiDocument, Operation } from './document.ts'
import { type Caller, callerOf } from './samples.ts'

/** The credentials that were entered. They are in this page's memory alone, and go with it. */
export interface Credentials {
  key: string
  secret: string
  operatorToken: string
  linkToken: string
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
  const query = new URLSearchParams()
  let path = operation.path
  for (const parameter of operation.parameters) {
    const value = values[parameter.name] ?? ''
    if (value === '') {
      if (parameter.required) throw new Error(`${parameter.name} is missing: fill it in.`)
      continue
    }
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, () => encodeURIComponent(value))
    else if (parameter.in === 'query') query.set(parameter.name, value)
    // A browser says itself what it can unpack.
    else if (parameter.name.toLowerCase() !== 'accept-encoding') headers.set(parameter.name, value)
  }
  const url = `${serviceUrl()}${path}${query.size === 0 ? '' : `?${query}`}`
  for (const [name, value] of Object.entries(await authorize(callerOf(operation), credentials)))
    headers.set(name, value)
  const begun = performance.now()
  const response = await fetch(url, {
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

async function authorize(caller: Caller, given: Credentials): Promise<Record<string, string>> {
  if (caller === 'key' || caller === 'earlierKey') {
    if (given.key === '' || given.secret === '') throw new Error('Enter the id and the secret of a key above.')
    const version: InterfaceVersion = caller === 'key' ? 'current' : 'earlier'
    return new Signer(given.key, given.secret, version, systemRuntime).headers()
  }
  if (caller === 'operator') {
    if (given.operatorToken === '') throw new Error('Enter the operator token above.')
    return new Bearer(given.operatorToken).headers()
  }
  if (caller === 'link') {
    if (given.linkToken === '') throw new Error('Enter the token of a link above.')
    return new Bearer(given.linkToken).headers()
  }
  return {}
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
