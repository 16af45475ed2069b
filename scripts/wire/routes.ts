import { api, review, v1 } from '../../src/access/surfaces.js'
import type { Operation } from '../../src/http/operation.js'
import { type Route, routesOf, type Surface } from '../../src/http/surfaces.js'

/**
 * Writes the route table: a line for each operation that our own client, command line or pages call, on each surface.
 * calls.ts reads it.
 */
export function routesOfWire(operations: readonly Operation[]): string {
  const tables = [v1, api, review].map((surface) => {
    const lines = routesOf(surface, operations).map(
      (route) => `  ${route.operation.operationId}: '${describeRoute(surface, route)}',\n`,
    )
    return `export const ${surface.name.toUpperCase()}_ROUTES = {\n${lines.join('')}} as const\n`
  })
  return tables.join('\n')
}

function describeRoute({ prefix }: Surface, { path, operation, body, answers }: Route): string {
  const { method, query, streams, headers = {}, success, successType } = operation
  const names = Object.keys(query?.describe().keys ?? {}).join('&')
  const described = success.describe()
  const words = [
    method,
    `${path.slice(prefix.length)}${names && `?${names}`}`,
    body !== undefined && 'json',
    // The service determines the type of these bytes itself.
    streams !== undefined && (streams.includes('application/octet-stream') ? 'bytes' : `bytes=${streams.join('|')}`),
    'If-Match' in headers && (answers.includes(428) ? 'if-match!' : 'if-match'),
    'Idempotency-Key' in headers && 'once',
    successType !== undefined
      ? 'stream'
      : described.type === 'array'
        ? 'list'
        : described.keys?.items !== undefined && 'page',
  ]
  return words.filter((word) => word !== false).join(' ')
}
