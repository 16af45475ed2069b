import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { api, v0, v1 } from '../src/access/surfaces.js'
import { ERRORS, type ErrorCode } from '../src/errors.js'
import { API_DOCUMENTS, type ApiDocumentName } from '../src/http/docs.js'
import { isDocumented } from '../src/http/operation.js'
import { routesOf, type Surface } from '../src/http/surfaces.js'
import { EVENTS } from '../src/news/events.js'
import { operations } from '../src/operations.js'
import { type ApiDocument, documentOf, followed, operationsIn } from './documents.js'

const KB = 1_000
const BYTES_MAX: Record<ApiDocumentName, number> = { all: 500 * KB, current: 500 * KB, v1: 100 * KB }
const SURFACES_OF: Record<ApiDocumentName, Surface[]> = { all: [v1, v0, api], current: [v1, api], v1: [v1] }

describe.each(API_DOCUMENTS)('the document %s', (name) => {
  const document = documentOf(name)
  const described = operationsIn(document)

  test('stays within its size limit', () => {
    expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(BYTES_MAX[name])
  })

  test('has every operation of its surfaces except those that only our own pages call', () => {
    const routes = SURFACES_OF[name].flatMap((surface) => routesOf(surface, operations.filter(isDocumented)))
    expect(described.map(({ path, method }) => `${method} ${path}`).toSorted()).toEqual(
      routes.map(({ path, operation }) => `${operation.method} ${path}`).toSorted(),
    )
    const ofPages = described.filter(({ path }) =>
      /^\/api\/(?:me|review|sign-in|sign-out|second-factor|invitation)(?:\/|$)/.test(path),
    )
    // A program asks for a token there, and returns it.
    const ofPrograms = ['/api/me/token', '/api/sign-in/device', '/api/sign-in/device/token']
    expect(ofPages.map(({ path }) => path).toSorted()).toEqual(name === 'v1' ? [] : ofPrograms)
  })

  test('refers only to existing components, and uses each of them', () => {
    const used = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, at]) => at!),
    )
    const schemes = [document, ...described].flatMap(({ security = [] }) => security.flatMap((one) => Object.keys(one)))
    for (const scheme of schemes) used.add(`securitySchemes/${scheme}`)
    const held = Object.entries(document.components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((part) => `${kind}/${part}`),
    )
    expect(held.toSorted()).toEqual([...used].toSorted())
  })

  test('has each error as a component, which lists the errors of its status', () => {
    for (const { operationId, responses, 'x-errors': codes = [], ...operation } of described) {
      for (const [status, answer] of Object.entries(responses)) {
        expect(Object.keys(answer), operationId).toEqual(
          /^2/.test(status) ? ['description', 'headers', 'content'] : ['$ref'],
        )
      }
      for (const code of codes) {
        const status = String(ERRORS[code as ErrorCode][0])
        const answer = followed(responses[status] ?? responses.default!, document)
        expect(JSON.stringify(answer), `${operationId} ${code}`).toContain(`"#/components/examples/${code}"`)
      }
      expect(operation.summary).not.toBe('')
    }
  })

  test('describes the headers of every response', () => {
    for (const { operationId, responses } of described) {
      for (const [status, answer] of Object.entries(responses)) {
        const { headers } = followed(answer, document) as { headers: object }
        const isError = !/^[23]/.test(status)
        expect(headers, `${operationId} ${status}`).toMatchObject({
          'x-request-id': expect.anything(),
          ...(isError ? { 'x-error-code': expect.anything() } : {}),
          ...(status === 'default' ? { 'Retry-After': expect.anything(), RateLimit: expect.anything() } : {}),
        })
      }
    }
  })
})

test("has the surface's ways to authenticate", () => {
  const signed = { apiKey: [], date: [], signature: [], version: [] }
  const { paths, security } = documentOf('all')
  expect(security).toEqual([{ bearer: [] }, { session: [] }, signed])
  expect(paths['/api/organizations/{organizationId}/workspaces']!.get!.security).toBeUndefined()
  expect(paths['/v1/workspaces']!.get!.security).toEqual([signed])
  expect(paths['/v0/vip-users']!.get!.security).toEqual([{ apiKey: [], earlierDate: [], signature: [] }])
  expect(documentOf('v1').security).toEqual([signed])
  expect(paths['/api/sign-in/device']!.post!.security).toEqual([])
})

test('has the events as webhooks, each with the schema that its body must match', () => {
  const { webhooks = {}, components } = documentOf('current')
  expect(Object.keys(webhooks)).toEqual(Object.keys(EVENTS))
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { $ref } = post.requestBody!.content['application/json']!.schema as { $ref: string }
    expect(components.schemas[$ref.split('/').at(-1)!]).toMatchObject({ properties: { type: { enum: [type] } } })
  }
  expect(documentOf('v1').webhooks).toBeUndefined()
})

/**
 * The contract in short: each operation with its permission, body, answer and statuses, and each component with its
 * members and a digest of the rest. It makes changes visible in review; `npm run wire` writes the file again.
 */
test('the contract is the recorded one: npm run wire', async () => {
  const { components } = documentOf('all')
  const lines = [
    ...operationsIn(documentOf('all')).map((operation) => toLine(operation, documentOf('all'))),
    '',
    ...(['schemas', 'parameters', 'headers', 'responses'] as const).flatMap((kind) =>
      Object.entries(components[kind]).map(([part, component]) =>
        [kind, part, ...membersOf(component), digestOf(component)].join(' '),
      ),
    ),
  ]
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('wire.recorded.txt')
})

type Operation = ReturnType<typeof operationsIn>[number]

function toLine(
  { method, path, operationId, parameters, requestBody, responses, ...rest }: Operation,
  document: ApiDocument,
) {
  const names = parameters.map((parameter) => {
    const { name, in: place, required } = followed(parameter, document)
    return place === 'path' ? undefined : `${name}${required ? '' : '?'}`
  })
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => `${type} ${toWord(schema)}`)
  const [success] = Object.values(responses) as [{ content: Record<string, { schema: Record<string, unknown> }> }]
  const [answered] = Object.entries(success.content)
  return [
    `${method} ${path} ${operationId}`,
    [rest['x-permission']].flat().join('|'),
    names.filter((name) => name !== undefined).join(' '),
    bodies.join(' or '),
    `${answered![0]} ${toWord(answered![1].schema)}`,
    Object.keys(responses).join(' '),
  ].join(' · ')
}

/** Returns a reference as its name, and any other schema as its digest. */
function toWord(schema: Record<string, unknown>): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1)!
  if (schema.type === 'array') return `${toWord(schema.items as Record<string, unknown>)}[]`
  return [...membersOf(schema), digestOf(schema)].join(' ')
}

const membersOf = ({ properties = {}, required = [] }: Record<string, unknown>): string[] =>
  Object.keys(properties as object).map((name) => ((required as string[]).includes(name) ? name : `${name}?`))

/** Returns a digest of everything except prose and examples. */
const digestOf = (schema: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(withoutProse(schema)))
    .digest('hex')
    .slice(0, 8)

function withoutProse(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(withoutProse)
  const kept = Object.entries(value).filter(
    ([key, member]) => !(['description', 'summary', 'message'].includes(key) && typeof member === 'string'),
  )
  return Object.fromEntries(
    kept.filter(([key]) => key !== 'example').map(([key, member]) => [key, withoutProse(member)]),
  )
}
