import { type InspectOptions, inspect } from 'node:util'
import type { ApiExample } from './examples.js'
import { permissionsOf } from './principal.js'
import type { Route } from './surfaces.js'

/** Lines of the reference are as long. */
export const SAMPLE_STYLE: InspectOptions = { depth: Number.POSITIVE_INFINITY, breakLength: 100 }

/** Only sessions hold these: no client that has a token or a key can make such a call. */
const OF_SESSIONS: readonly string[] = ['sign-in', 'second-factor', 'device', 'account']

/**
 * Gives the example of an operation of /api as it is written with the client; undefined where only sessions may call it.
 * `given`: the values of its parameters.
 */
export function toApiSample(
  { path, operation: { operationId, permission, query, streams } }: Route,
  { query: search, headers, body, bodyType }: ApiExample,
  given: Readonly<Record<string, string>>,
): string | undefined {
  if (permissionsOf(permission).every((each) => OF_SESSIONS.includes(each))) return undefined
  const types: Record<string, { type: string }> = query?.describe().keys ?? {}
  const searched = Object.entries(search).map(([name, value]) => [
    name,
    types[name]?.type === 'string' ? value : JSON.parse(value),
  ])
  const content =
    streams === undefined
      ? body !== undefined && { body }
      : { body: { [inspect.custom]: () => 'bytes' }, ...(body !== undefined && { contentType: bodyType }) }
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, given[name]])
  const input = {
    ...Object.fromEntries(params),
    ...(searched.length > 0 && { query: Object.fromEntries(searched) }),
    ...content,
  }
  const { 'If-Match': ifMatch } = headers
  const all = [operationId, input, { ifMatch }].slice(0, ifMatch === undefined ? 2 : 3)
  if (all.length === 2 && Object.keys(input).length === 0) all.pop()
  return `api.call(${all.map((each) => inspect(each, SAMPLE_STYLE)).join(', ')})`
}
