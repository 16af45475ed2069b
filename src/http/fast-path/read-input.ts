import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.js'
import { limit } from '../../lib/limits.js'
import type { Call } from '../operation.js'
import type { Route } from '../surfaces.js'
import { checkSize, type Hints, type Part, tooLong, validateParts } from '../validation.js'

type Input = Pick<Call, 'params' | 'query' | 'body'>

const KNOWN_INPUTS_MAX = 1_000
const KNOWN_URL_CHARS_MAX = 500
const QUERY_VALUE_CHARS_MAX = limit('queryValueChars')

/**
 * Returns a function that validates the path, query and body of a route's requests. The path and query of a GET are cached
 * by URL, for all callers: without that, full 50 costs 78 % more. The query is parsed here rather than by Fastify, which
 * saves 7 % (bench/README.md).
 */
export function createInputReader(route: Route, hints: Hints): (request: FastifyRequest) => Input {
  const { operation } = route
  const known = new Map<string, Pick<Call, 'params' | 'query'>>()
  const partsOf = (request: FastifyRequest): Part[] => [
    { schema: route.params, value: request.params, convert: true },
    { schema: operation.query, value: readQuery(request.query as string), convert: true },
  ]

  function readKnown(request: FastifyRequest): Pick<Call, 'params' | 'query'> {
    const { url } = request
    const before = known.get(url)
    if (before !== undefined) return before
    const [params, query] = validateParts(partsOf(request), hints)
    // Shared by everyone who sends the same from now on.
    const input = { params: Object.freeze(params), query: Object.freeze(query) }
    // A change is made once, and its URL may name a person whom it erases.
    if (operation.method !== 'GET' || url.length > KNOWN_URL_CHARS_MAX) return input
    // The oldest is evicted.
    if (known.size === KNOWN_INPUTS_MAX) known.delete(known.keys().next().value!)
    known.set(url, input)
    return input
  }

  return (request) => {
    const bodySchema = route.body
    if (bodySchema === undefined) {
      const { params, query } = readKnown(request)
      return { params, query, body: request.body }
    }
    if (request.body === undefined && operation.bodyIsOptional !== true) {
      throw new ApiError('body_malformed', { message: 'The body is empty: send one JSON object.' })
    }
    const given = request.body === undefined ? {} : request.body
    checkSize(given)
    const parts = [...partsOf(request), { schema: bodySchema, value: given, convert: false }]
    const [params, query, body] = validateParts(parts, hints)
    return { params, query, body }
  }
}

/** Throws validation_failed for a value longer than any valid one, before a pattern of Joi sees it. */
function readQuery(text: string): Record<string, unknown> {
  const query = parse(text, '&', '=', { maxKeys: 0 })
  if (text.length <= QUERY_VALUE_CHARS_MAX) return query
  const details = Object.entries(query)
    .filter(([, value]) => [value].flat().some((one) => (one ?? '').length > QUERY_VALUE_CHARS_MAX))
    .map(([key]) => tooLong(key, QUERY_VALUE_CHARS_MAX))
  if (details.length > 0) throw new ApiError('validation_failed', { details })
  return query
}
