import fc from 'fast-check'
import { expect, test } from 'vitest'
import { idOfGlobalId, idTextOf } from '../facts.js'
import { formsOf, holdsForm, holdsOddValue } from './id-forms.js'

const holds = (body: string, id: string): boolean =>
  holdsForm(
    Buffer.from(body),
    formsOf(id).map((form) => Buffer.from(form)),
  )
const ID = 'cu/🦊?é"\\<#1'

/**
 * JSON as other languages write it: PHP escapes slashes, Python escapes everything beyond ASCII, .NET uses capital
 * letters.
 */
const hex = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')
const ascii = (json: string, write: (digits: string) => string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${write(hex(unit))}`)
const php = (json: string): string => ascii(json.replaceAll('/', '\\/'), (digits) => digits)
const json = JSON.stringify({ type: 'track', userId: ID })

test.each([
  ['JavaScript', json],
  ['Python', ascii(json, (digits) => digits)],
  ['PHP', php(json)],
  ['Go', json.replaceAll('<', '\\u003c')],
  ['.NET', ascii(json.replaceAll('\\"', '\\u0022').replaceAll('<', '\\u003C'), (digits) => digits.toUpperCase())],
  ['a form', `a=1&userId=${encodeURIComponent(ID)}`],
  ['plain text', `by ${ID}`],
])('an id is found as %s writes it', (_, body) => {
  expect(holds(body, ID)).toBe(true)
  expect(holds(body, `${ID}2`)).toBe(false)
})

test.each([
  '{"customer":{"id":17,"name":"x"}}',
  '{"id": 17}',
  '[1,17]',
  '{"userId":"17"}',
  '{"id":"gid://shopify/Customer/17"}',
  'userId=17&x=1',
  '17',
  String.raw`{"body":"{\"id\":\"17\"}"}`,
])('a short id is found as a whole value: %s', (body) => {
  expect(holds(body, '17')).toBe(true)
})

test.each([
  '{"total":"17.50"}',
  '{"total":1.17}',
  '{"id":217}',
  '{"id":170}',
  '{"at":"2026-11-17T10:00:00Z"}',
  '{"at":"10:17:00"}',
  '{"id":"a17"}',
  '{"id":"17-b"}',
])('a short id is not found inside another value: %s', (body) => {
  expect(holds(body, '17')).toBe(false)
})

/** The digits of a whole number of at most 2^53, in the forms of JSON. */
const numberOf = (digits: string) =>
  fc.oneof(
    fc.constantFrom(digits, `${digits}.0`, `${digits}.000`, `${digits}e0`, `${digits}E+00`, `${digits}0e-1`),
    fc.nat(digits.length - 1).map((places) => {
      const whole = digits.slice(0, digits.length - places)
      return `${whole}.${digits.slice(digits.length - places)}0e${places === 0 ? '' : '+'}${places}`
    }),
    fc.integer({ min: 1, max: 40 }).map((zeros) => `${digits}${'0'.repeat(zeros)}e-${zeros}`),
    fc.integer({ min: 1, max: 40 }).map((zeros) => `0.${'0'.repeat(zeros)}${digits}e${zeros + digits.length}`),
  )
/** A text in the forms of JSON: each unit plain or escaped, with any blanks that a decoder trims. */
const textOf = (id: string) =>
  fc
    .tuple(
      fc.array(fc.nat(3), { minLength: id.length, maxLength: id.length }),
      fc.constantFrom('', ' ', '\\t', '\\u0020', '\\u00a0', '\u2003', '\ufeff '),
      fc.constantFrom('', ' ', '\\n', '\\u2028', '\u00a0'),
    )
    .map(([ways, before, after]) => {
      const written = [...Array(id.length).keys()].map((index) => {
        const unit = id[index]!
        const plain = JSON.stringify(unit).slice(1, -1)
        if (ways[index] === 0) return `\\u${hex(unit)}`
        if (ways[index] === 1) return `\\u${hex(unit).toUpperCase()}`
        return ways[index] === 2 && unit === '/' ? '\\/' : plain
      })
      return `"${before}${written.join('')}${after}"`
    })
const digits = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }).map(String)
const written = fc.oneof(
  digits.chain((id) => fc.tuple(fc.constant(id), fc.oneof(numberOf(id), textOf(id)))),
  fc
    .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
    .filter((id) => id.trim() === id && !id.includes('\0'))
    .chain((id) => fc.tuple(fc.constant(id), textOf(id))),
  digits.chain((id) => fc.tuple(fc.constant(id), textOf(`gid://shopify/Customer/${id}?x=1`))),
)

test('every value that is read as an id is found, in every form of JSON', async () => {
  const name = fc.constantFrom('"a":1.5,', '', '"t":"\\\\",', '"☕":"é",')
  await fc.assert(
    fc.asyncProperty(written, name, fc.constantFrom('', ' ', '\n\t'), async ([id, value], before, blank) => {
      const body = Buffer.from(`{${before}"id":${blank}${value}${blank},"z":[true,null,-1e-9,"x\\"y"]}`)
      const parsed = (JSON.parse(body.toString()) as { id: unknown }).id
      fc.pre((idOfGlobalId(parsed) ?? idTextOf(parsed)) === id)
      expect(holds(body.toString(), id) || (await holdsOddValue(body, new Set([id])))).toBe(true)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['{"id":15e2}', '15'],
  ['{"id":1500.5}', '1500'],
  ['{"id":"15e2"}', '1500'],
  ['{"id":"\\u0031500 x"}', '1500'],
  ['{"id":1e400}', 'Infinity'],
  ['{"id":"\\u00', '1500'],
  ['{"id":-', '1500'],
  [`{"id":"${'\\u0031'.repeat(300)}"}`, '1'.repeat(300)],
])('%s does not contain %s', async (body, id) => {
  expect(await holdsOddValue(Buffer.from(body), new Set([id]))).toBe(false)
})

test('others get turns while a large body is searched', async () => {
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 0)
  const body = Buffer.from(`[${'-1,'.repeat(1_000_000)}12e2]`)
  expect(await holdsOddValue(body, new Set(['1200']))).toBe(true)
  clearInterval(counting)
  expect(turns).toBeGreaterThan(5)
})
