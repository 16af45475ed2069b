import { apiDocument } from '../src/api-document.js'
import type { ApiDocumentName } from '../src/http/docs.js'

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

const made = new Map<ApiDocumentName, ApiDocument>()

/** A document as it is sent. Each is made once. */
export function documentOf(name: ApiDocumentName): ApiDocument {
  const document = made.get(name) ?? (JSON.parse(JSON.stringify(apiDocument(name))) as ApiDocument)
  made.set(name, document)
  return document
}

/** Each operation of a document, with its place. */
export const operationsIn = ({ paths }: ApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), ...described })),
  )

/** The component that a value refers to, or the value. */
export function followed<Value extends Json>(value: Value, { components }: ApiDocument): Value {
  if (typeof value.$ref !== 'string') return value
  const [, , kind, name] = value.$ref.split('/')
  const found = components[kind as keyof ApiDocument['components']]?.[name!]
  if (found === undefined) throw new Error(`${value.$ref} refers to nothing`)
  return found as Value
}
