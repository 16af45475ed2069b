import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { api, SURFACES, v0, v1 } from '../src/access/surfaces.js'
import { apiDocument } from '../src/api-document.js'
import { ERRORS, type ErrorCode } from '../src/errors.js'
import type { ApiExamples } from '../src/http/examples.js'
import { routesOf } from '../src/http/surfaces.js'
import { operations } from '../src/operations.js'

// test/examples.long.test.ts makes them again, and compares.
const made: ApiExamples = JSON.parse(readFileSync(new URL('../assets/api-examples.json', import.meta.url), 'utf8'))

/** No caller succeeds with them. */
const REFUSED = ['approveScheduledPost', 'publishScheduledPost'].filter(
  (operationId) =>
    !SURFACES.some((surface) =>
      routesOf(surface, operations).some(({ operation, isOpen }) => operation.operationId === operationId && isOpen),
    ),
)
/** These operations answer bytes and no text. */
const BYTES = ['createBackup']

describe('the examples', () => {
  test('are of every operation, each with a success: a new operation takes its call in test/examples.ts', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(Object.keys(made.operations).toSorted()).toEqual(names.toSorted())
    const without = names.filter((name) => made.operations[name]!.answer === undefined)
    expect(without.toSorted()).toEqual([...REFUSED, ...BYTES].toSorted())
  })

  test('have a call of the client for each operation that a key, the operator or the earlier variant calls', () => {
    const without = [v1, v0, api].flatMap((surface) =>
      routesOf(surface, operations)
        .filter(({ operation }) => made.operations[operation.operationId]?.clients[surface.name] === undefined)
        .map(({ operationId }) => operationId),
    )
    expect(without).toEqual([])
  })

  test('hold nothing that is a secret anywhere', () => {
    expect(JSON.stringify(made)).not.toMatch(/greenroom_(secret|operator)_[0-9a-f]{64}/)
  })

  test('openapi.json shows them, and each is of the shape that it declares', () => {
    const document = JSON.parse(JSON.stringify(apiDocument()))
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    const wrong: string[] = []
    let checked = 0
    const check = (pointer: string[], value: unknown): void => {
      checked += 1
      const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      if (!ajv.validate({ $ref: `openapi#/${escaped.join('/')}` }, value)) {
        wrong.push(`${pointer.join(' ')}: ${ajv.errorsText()}`)
      }
    }
    for (const [path, methods] of Object.entries<Record<string, Described>>(document.paths)) {
      for (const [method, { operationId, parameters, requestBody, responses }] of Object.entries(methods)) {
        const at = ['paths', path, method]
        for (const [index, { example }] of parameters.entries()) {
          if (example !== undefined) check([...at, 'parameters', String(index), 'schema'], example)
        }
        for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
          if (example !== undefined) check([...at, 'requestBody', 'content', type, 'schema'], example)
        }
        for (const [status, { content }] of Object.entries(responses)) {
          for (const [type, { example, examples }] of Object.entries(content ?? {})) {
            const schema = [...at, 'responses', status, 'content', type, 'schema']
            if (example !== undefined) check(schema, example)
            for (const [code, { $ref, value }] of Object.entries(examples ?? {})) {
              expect(String(ERRORS[code as ErrorCode][0]), operationId).toBe(status)
              check(schema, $ref === undefined ? value : document.components.examples[code].value)
            }
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(checked).toBeGreaterThan(1_000)
  })
})

interface Described {
  operationId: string
  parameters: { example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<
    string,
    { content?: Record<string, { example?: unknown; examples?: Record<string, { $ref?: string; value?: unknown }> }> }
  >
}
