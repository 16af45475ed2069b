import { expect, test } from 'vitest'
import { formsOf, holdsForm } from './id-forms.js'

const holds = (body: string, id: string): boolean =>
  holdsForm(
    Buffer.from(body),
    formsOf(id).map((form) => Buffer.from(form)),
  )
const ID = 'cu/🦊?é"\\<#1'

/** As other languages write JSON: PHP escapes slashes, Python all that is not ASCII, .NET with capital letters. */
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
])('a short id is not a part of another value: %s', (body) => {
  expect(holds(body, '17')).toBe(false)
})
