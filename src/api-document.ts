import { readFileSync } from 'node:fs'
import { api, v0, v1 } from './access/surfaces.js'
import type { ApiDocumentName } from './http/docs.js'
import type { ApiExamples } from './http/examples.js'
import { makeOpenApi, type OpenApiDocument } from './http/openapi.js'
import { isDocumented } from './http/operation.js'
import type { Surface } from './http/surfaces.js'
import { EVENTS } from './news/events.js'
import { operations } from './operations.js'

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))

/** The surfaces in each document. The surface of review links is in none, because only the review page calls it. */
const CONTENTS: Record<ApiDocumentName, readonly Surface[]> = { all: [v1, v0, api], current: [v1, api], v1: [v1] }

/** Makes an OpenAPI document. The build writes each one to a file, so that the server does not make it at startup. */
export const apiDocument = (name: ApiDocumentName): OpenApiDocument =>
  makeOpenApi(CONTENTS[name], operations.filter(isDocumented), {
    version: (readJson('package.json') as { version: string }).version,
    examples: readJson('assets/api-examples.json') as ApiExamples,
    ...(CONTENTS[name].includes(api) ? { events: EVENTS } : {}),
  })
