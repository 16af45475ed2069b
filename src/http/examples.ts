/**
 * A call of an operation as the tests made it, and what it was answered: assets/api-examples.json, written by
 * test/examples.ts. Ids, secrets and tokens in it are made up.
 */
export interface ApiExample {
  params: Record<string, string>
  query: Record<string, string>
  /** Those that the operation itself reads. */
  headers: Record<string, string>
  /** JSON, or the text of a stream; absent where the operation reads none, or bytes. */
  body?: unknown
  /** The content type of a stream. */
  bodyType?: string
  /** The calls of `greenroom/client`, by surface; empty where it has none. */
  clients: Record<string, string>
  /** Absent where every call is refused. */
  status?: number
  /** JSON, or the text of a stream; absent for bytes. */
  answer?: unknown
  /** The codes of the refusals that were seen. */
  errors: string[]
}

/** assets/api-examples.json. */
export interface ApiExamples {
  /** By operationId, as the operation itself is called. */
  operations: Readonly<Record<string, ApiExample>>
  /** The codes of a surface's own refusals, by its name. */
  surfaces: Readonly<Record<string, readonly string[]>>
}
