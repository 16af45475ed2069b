/**
 * A call of an operation as the tests made it, with its response, from assets/api-examples.json, which test/examples.ts
 * writes. Its ids, secrets and tokens are invented.
 */
export interface ApiExample {
  params: Record<string, string>
  query: Record<string, string>
  /** Only the headers that the operation itself reads. */
  headers: Record<string, string>
  /** JSON, or the text of a stream; absent if the operation reads none, or bytes. */
  body?: unknown
  /** The content type of a stream. */
  bodyType?: string
  /** A key's calls with `greenroom/client`, by surface. samples.ts writes those of /api. */
  clients: Record<string, string>
  /** Absent if every call is refused. */
  status?: number
  /** JSON, or the text of a stream; absent for bytes. */
  answer?: unknown
  /** The error codes that were seen. */
  errors: string[]
}

/** The content of assets/api-examples.json. */
export interface ApiExamples {
  /** Examples by operationId, with the name of the operation itself. */
  operations: Readonly<Record<string, ApiExample>>
  /** The error codes of a surface's own checks, by its name. */
  surfaces: Readonly<Record<string, readonly string[]>>
}
