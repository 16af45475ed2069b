import { readFileSync } from 'node:fs'
import { api, review, v0, v1 } from './access/surfaces.js'
import { EVENTS } from './events/events.js'
import type { ApiDocumentName } from './http/docs.js'
import type { ApiExamples } from './http/examples.js'
import { makeOpenApi, type OpenApiDocument } from './http/openapi.js'
import { type Route, routesOf, type Surface } from './http/surfaces.js'
import { operations } from './operations.js'

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

/** The surfaces of each document. Those of links and of the console are in none. */
const CONTENTS: Record<ApiDocumentName, readonly Surface[]> = { all: [v1, v0, api], current: [v1, api], v1: [v1] }

/** Makes an OpenAPI document. The build keeps each as a file, because this takes half a second. */
export const apiDocument = (name: ApiDocumentName): OpenApiDocument =>
  makeOpenApi(CONTENTS[name], operations, {
    version: (readJson('package.json') as { version: string }).version,
    examples: readJson('assets/api-examples.json') as ApiExamples,
    ...(CONTENTS[name].includes(api) ? { events: EVENTS } : {}),
  })

/**
 * src/interface/routes.ts: a line for each operation of each surface that our own faces call. A test holds the file
 * equal to this; `npm run openapi` writes it.
 */
export function routeTable(): string {
  const tables = [v1, api, review].map((surface) => {
    const lines = routesOf(surface, operations).map((route) => {
      const { operationId } = route.operation
      const text = `'${describeRoute(surface, route)}',`
      // As the formatter breaks a long line.
      return `  ${operationId}:${4 + operationId.length + text.length > LINE_CHARS_MAX ? '\n   ' : ''} ${text}\n`
    })
    return `export const ${surface.name.toUpperCase()}_ROUTES = {\n${lines.join('')}} as const\n`
  })
  return ['// Written by `npm run openapi` from the operations; calls.ts says how a line is read.\n', ...tables].join(
    '\n',
  )
}

const LINE_CHARS_MAX = 120

function describeRoute({ prefix }: Surface, { path, operation, body }: Route): string {
  const { method, query, streams, success, successType } = operation
  const names = Object.keys(query?.describe().keys ?? {}).join('&')
  const takes = streams !== undefined ? 'bytes' : body !== undefined ? 'json' : undefined
  const described = success.describe()
  const answers =
    successType !== undefined
      ? 'stream'
      : described.type === 'array'
        ? 'list'
        : described.keys?.items !== undefined
          ? 'page'
          : undefined
  const words = [method, `${path.slice(prefix.length)}${names && `?${names}`}`, takes, answers]
  return words.filter((word) => word !== undefined).join(' ')
}
