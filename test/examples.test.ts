import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { SURFACES, v0, v1 } from '../src/access/surfaces.js'
import { GreenroomApi } from '../src/client/index.js'
import type { ApiExamples } from '../src/http/examples.js'
import { routesOf } from '../src/http/surfaces.js'
import { operations } from '../src/operations.js'
import { operationsOf, type ApiDocument as ReferenceDocument } from '../src/reference/document.ts'
import { clientCallOf } from '../src/reference/samples.ts'
import { type Content, documentOf, followed, operationsIn } from './documents.js'

// test/examples.long.test.ts records the examples again and compares them with this file.
const recorded: ApiExamples = JSON.parse(readFileSync(new URL('../assets/api-examples.json', import.meta.url), 'utf8'))

/** Every surface refuses these operations to every caller, so they have no example of a success. */
const REFUSED = ['approveScheduledPost', 'publishScheduledPost'].filter(
  (operationId) =>
    !SURFACES.some((surface) =>
      routesOf(surface, operations).some(({ operation, isOpen }) => operation.operationId === operationId && isOpen),
    ),
)
/** These operations return bytes, so they have no example of a success either. */
const BYTES = ['createBackup']

describe('the examples', () => {
  test('belong to existing operations, and show a success of each that has one', () => {
    const names = operations.map(({ operationId }) => operationId)
    const shown = Object.keys(recorded.operations)
    expect(shown.filter((name) => !names.includes(name))).toEqual([])
    expect(shown.length).toBeGreaterThan(200)
    const without = shown.filter((name) => recorded.operations[name]!.answer === undefined)
    expect(without.toSorted()).toEqual([...REFUSED, ...BYTES].toSorted())
  })

  test('include a client call for each operation of /v1 and /v0', () => {
    const without = [v1, v0].flatMap((surface) =>
      routesOf(surface, operations)
        .filter(({ operation }) => recorded.operations[operation.operationId]?.clients[surface.name] === undefined)
        .map(({ operationId }) => operationId),
    )
    expect(without).toEqual([])
  })

  test('for /api are client calls that reach their operation', async () => {
    let sent = ''
    const fetch = async (url: string, { method }: RequestInit) => {
      sent = `${method} ${new URL(url).pathname}`
      return new Response('{}', { status: 404 })
    }
    const client = new GreenroomApi({ baseUrl: 'http://127.0.0.1/api', token: 'token', fetch })
    let calls = 0
    for (const operation of operationsOf(documentOf('all') as unknown as ReferenceDocument)) {
      if (operation.tag !== 'api') continue
      await runInNewContext(clientCallOf(operation), { api: client, bytes: '' }).catch(() => {})
      const pattern = operation.path.replaceAll(/\{\w+\}/g, '[^/]+')
      expect(sent, operation.operationId).toMatch(new RegExp(`^${operation.method} ${pattern}$`))
      calls += 1
    }
    expect(calls).toBeGreaterThan(100)
  })

  test('contain no secrets', () => {
    expect(JSON.stringify(recorded)).not.toMatch(/greenroom_(secret|operator|personal)_[0-9a-f]{64}/)
  })

  test('appear in the documents and match their schemas', () => {
    const document = documentOf('all')
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'openapi')
    const wrong: string[] = []
    let checked = 0
    const check = (schema: object, value: unknown, ...place: string[]): void => {
      checked += 1
      // References in a schema are relative to the document.
      const isValid = ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')), value)
      if (!isValid) wrong.push(`${place.join(' ')}: ${ajv.errorsText()}`)
    }
    const checkContent = (content: Record<string, Content> = {}, ...place: string[]): void => {
      for (const [type, { schema, example, examples = {} }] of Object.entries(content)) {
        if (example !== undefined) check(schema, example, ...place, type)
        for (const [name, given] of Object.entries(examples)) {
          check(schema, followed(given, document).value, ...place, type, name)
        }
      }
    }
    for (const { operationId, parameters, requestBody, responses } of operationsIn(document)) {
      for (const given of parameters) {
        const { name, schema, example } = followed(given, document)
        if (example !== undefined) check(schema as object, example, operationId, String(name))
      }
      checkContent(requestBody?.content, operationId)
      for (const [status, answer] of Object.entries(responses)) {
        checkContent(followed(answer, document).content as Record<string, Content>, operationId, status)
      }
    }
    expect(wrong).toEqual([])
    expect(checked).toBeGreaterThan(1_000)
  })
})
