import Joi from 'joi'
import { expect, test } from 'vitest'
import { typesOfWire } from '../scripts/wire/types.js'
import { namedObject } from '../src/http/named.js'
import { operation } from '../src/http/operation.js'

const boxBody = namedObject('Box', {
  id: Joi.string().required().description('It stays.'),
  state: Joi.string().valid('open', 'shut').required(),
  sizes: Joi.array().items(Joi.number().integer().allow(null)),
  labels: Joi.object().pattern(Joi.string(), Joi.string()),
})

const shared = {
  description: '',
  permission: 'self',
  answers: [200],
  handle: () => ({ status: 200, body: {} }),
} as const

test('a named schema becomes a type, and an operation has types for its query, body and answer', () => {
  const listBoxes = operation({
    ...shared,
    operationId: 'listBoxes',
    summary: 'List boxes.',
    route: 'GET /boxes',
    query: Joi.object({ limit: Joi.number().default(50) }),
    success: Joi.array().items(boxBody),
  })
  const findBox = operation({
    ...shared,
    operationId: 'findBox',
    summary: 'Find a box.',
    route: 'POST /boxes',
    body: namedObject('BoxQuestion', { of: boxBody }),
    bodyIsOptional: true,
    success: boxBody.allow(null),
  })
  expect(
    typesOfWire([listBoxes, findBox], { 'box.opened': { body: boxBody } }, []),
  ).toBe(`type Bytes = AsyncIterable<Uint8Array>

export interface Box {
  /** It stays. */
  id: string
  state: "open" | "shut"
  sizes?: (number | null)[]
  labels?: Record<string, string>
}

export interface BoxQuestion {
  of?: Box
}

export interface ListBoxesQuery {
  limit?: number
}

/** The named schemas. */
export interface Schemas {
  Box: Box
  BoxQuestion: BoxQuestion
}

/** The query, the JSON body and the body of a success of each operation, by operationId. */
export interface Operations {
  /** List boxes. */
  listBoxes: {
    query?: ListBoxesQuery
    answer: Box[]
  }
  /** Find a box. */
  findBox: {
    body?: BoxQuestion
    answer: Box | null
  }
}

/** The body of each event that is sent, by type. */
export interface Events {
  'box.opened': Box
}

/** The query of each operation with its defaults, by operationId. */
export interface Queries {
  listBoxes: {
    limit: number
  }
}
`)
})
