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

test.each(['limit', 'offset'])('a %s of any length counts as a large one, in every list that accepts it', (name) => {
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

/** The strings in a described schema whose pattern has no error message. */
function formsWithoutWords(described: unknown): string[] {
  if (described === null || typeof described !== 'object') return []
  const { rules, preferences } = described as {
    rules?: { name: string; args?: { options?: { name?: string } } }[]
    preferences?: { messages?: object }
  }
  const own = (Array.isArray(rules) ? rules : [])
    .filter(({ name }) => name === 'pattern' && preferences?.messages === undefined)
    .map(({ args }) => args?.options?.name ?? 'without a name')
  return [...own, ...Object.values(described).flatMap(formsWithoutWords)]
}

test('a text of another form is refused with a message, not with a pattern', () => {
  const forms = operations.flatMap(({ body, query }) =>
    [body, query].flatMap((schema) => formsWithoutWords(schema?.describe())),
  )
  // Only browsers send the first, and the contract of /v1 fixes the second.
  expect([...new Set(forms)].toSorted()).toEqual(['base64url', 'not blank'])

  const problemsOf = (operationId: string, body: object): string[] =>
    operations
      .find((each) => each.operationId === operationId)!
      .body!.validate(body, { abortEarly: false })
      .error!.details.map(({ message }) => message)
  expect(problemsOf('createWorkspace', { id: 'a b', name: 'Paris', type: 'VIP' })).toEqual([
    '"id" must be letters, digits, hyphens and underscores, at most 64',
  ])
  expect(problemsOf('createAdAccount', { id: 'x', name: 'Ads', currency: 'EU', timezone: '+02:00' })).toEqual([
    '"id" must be digits, at most 32, with or without the prefix act_',
    '"currency" must be the three capital letters of ISO 4217, such as EUR',
    '"currency" must be an existing currency code of ISO 4217, such as EUR',
    '"timezone" must be the IANA name of a time zone, such as Europe/Paris',
  ])
})
