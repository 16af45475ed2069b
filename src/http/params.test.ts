import { expect, test } from 'vitest'
import { operations } from '../operations.js'

/** The operations whose query has this parameter. */
const withParameter = (name: string) =>
  operations.filter(({ query }) => query !== undefined && name in ((query.describe().keys ?? {}) as object))

const HUGE = [
  '201',
  '9007199254740993',
  '1e300',
  '1e400',
  '9'.repeat(308),
  '9'.repeat(309),
  '9'.repeat(311),
  `+${'9'.repeat(4_000)}`,
]
const WRONG = ['0', '-1', '1.5', `-${'9'.repeat(311)}`, 'Infinity', 'NaN', '', ' ', '9x']

test.each(['limit', 'offset'])('a %s of any length is a larger one, in every list that takes one', (name) => {
  const found = withParameter(name)
  expect(found.length).toBeGreaterThan(0)
  for (const { operationId, query } of found) {
    const problemOf = (value: string): unknown => {
      const { error } = query!.validate({ [name]: value }, { abortEarly: false, convert: true })
      return error?.details.find(({ path }) => path[0] === name)?.type
    }
    for (const value of HUGE) expect(problemOf(value), `${operationId} ${name}=${value}`).toBeUndefined()
    for (const value of name === 'offset' ? WRONG.slice(1) : WRONG) {
      expect(problemOf(value), `${operationId} ${name}=${value}`).toMatch(/^number\./)
    }
  }
})
