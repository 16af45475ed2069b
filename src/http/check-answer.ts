import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ANSWER_HEADERS, type Answer } from './operation.js'
import type { Route } from './surfaces.js'

/** Checks a response against the statuses and the body that its operation declares (tests). */
export function checkAnswer({ operation, operationId: name, success, answers }: Route, answer: Answer): void {
  if (!answers.includes(answer.status)) {
    throw new Error(`${name} returned the undeclared status ${answer.status}`)
  }
  for (const header of ANSWER_HEADERS) {
    if (answer.headers?.[header] !== undefined && operation.answerHeaders?.includes(header) !== true) {
      throw new Error(`${name} returned the undeclared header ${header}`)
    }
  }
  if (answer.status === 304 || answer.body instanceof Readable) return
  const error = success?.validate(readBody(answer), { convert: false }).error
  if (error !== undefined) throw new Error(`${name} returned a body that does not match its schema: ${error.message}`)
}

/** Returns the body as the caller reads it. */
function readBody({ body, headers }: Answer): unknown {
  if (!Buffer.isBuffer(body)) return JSON.parse(JSON.stringify(body))
  const encoding = headers?.['content-encoding']
  const plain = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body
  return JSON.parse(plain.toString())
}
