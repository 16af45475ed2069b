import { expect, it } from 'vitest'
import { BadRequest } from './answers.js'
import { parseFields } from './fields.js'

it('field expansion: names, modifiers in any number, inner fields', () => {
  const text = 'id,insights.time_range({"since":"a)","until":"(b"}).limit(3){spend,actions.limit(1){value}},name'
  expect(parseFields(text)).toEqual([
    { name: 'id', modifiers: {}, fields: undefined },
    {
      name: 'insights',
      modifiers: { time_range: '{"since":"a)","until":"(b"}', limit: '3' },
      fields: [
        { name: 'spend', modifiers: {}, fields: undefined },
        { name: 'actions', modifiers: { limit: '1' }, fields: [{ name: 'value', modifiers: {}, fields: undefined }] },
      ],
    },
    { name: 'name', modifiers: {}, fields: undefined },
  ])
})

it.each([
  '',
  ',',
  'id,',
  'id name',
  'a{',
  'a{}',
  'a{b',
  'a}',
  'a.',
  'a.limit',
  'a.limit(',
  'a.limit(1',
])('%j is a bad request', (text) => {
  expect(() => parseFields(text)).toThrow(BadRequest)
})
