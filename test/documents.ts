import { readFileSync } from 'node:fs'
import { SURFACES } from '../src/access/surfaces.js'
import { apiDocument } from '../src/api-document.js'
import type { ApiDocumentName } from '../src/http/docs.js'
import { makeOpenApi } from '../src/http/openapi.js'
import { operations } from '../src/operations.js'

type Json = Record<string, unknown>
export interface Content {
  schema: Json
  example?: unknown
  examples?: Record<string, Json>
}

export interface DescribedOperation {
  operationId: string
  summary: string
  'x-permission': string | string[]
  'x-errors'?: string[]
  'x-codeSamples'?: { source: string }[]
  security?: Record<string, never[]>[]
  parameters: Json[]
  requestBody?: { required: boolean; content: Record<string, Content> }
  responses: Record<string, Json>
}

export interface ApiDocument extends Json {
  tags: { name: string; 'x-errors': string[] }[]
  security: Json[]
  paths: Record<string, Record<string, DescribedOperation>>
  webhooks?: Record<string, { post: DescribedOperation }>
  components: Record<
    'schemas' | 'parameters' | 'headers' | 'responses' | 'examples' | 'securitySchemes',
    Record<string, Json>
  >
}

const examples = JSON.parse(readFileSync(new URL('../assets/api-examples.json', import.meta.url), 'utf8'))
const made = new Map<ApiDocumentName, ApiDocument>()

const asSent = (document: object): ApiDocument => JSON.parse(JSON.stringify(document))

/** Returns a document as it is sent. Each one is made once. */
export function documentOf(name: ApiDocumentName): ApiDocument {
  const document = made.get(name) ?? asSent(apiDocument(name))
  made.set(name, document)
  return document
}

/** Returns a document with the operations that only our own pages call. It is never sent. */
export const documentOfAll = (): ApiDocument => asSent(makeOpenApi(SURFACES, operations, { version: '0', examples }))

/** Returns the operations of a document, with their paths and methods. */
export const operationsIn = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), ...described })),
  )

/** Returns the component that a value refers to, or the value. */
export function followed<Value extends Json>(value: Value, { components }: ApiDocument): Value {
  if (typeof value.$ref !== 'string') return value
  const [, , kind, name] = value.$ref.split('/')
  const found = components[kind as keyof ApiDocument['components']]?.[name!]
  if (found === undefined) throw new Error(`${value.$ref} refers to nothing`)
  return found as Value
}

/** Returns the example that a content contains or refers to. */
export function exampleOf({ example, examples = {} }: Content, document: ApiDocument): unknown {
  const [shared] = Object.values(examples)
  return shared === undefined ? example : followed(shared, document).value
}
