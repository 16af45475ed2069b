import Joi from 'joi'
import { expect, it } from 'vitest'
import { daysIn, insightsWindowKeys } from './insights-window.js'

const schema = Joi.object({ ...insightsWindowKeys, after: Joi.string() })
const errorsOf = (query: object): [string, string][] =>
  (schema.validate(query, { abortEarly: false }).error?.details ?? []).map(({ type, path }) => [path.join(), type])

it.each([
  ['2026-11-01', '2026-11-01', 1],
  ['2026-08-01', '2026-11-01', 93],
  ['2024-02-28', '2024-03-01', 3],
  ['2026-12-31', '2027-01-01', 2],
  // The day on which clocks change has 25 hours in most places, which does not matter.
  ['2026-10-24', '2026-10-26', 3],
])('interface 4.2: the window %s to %s has %i days, inclusive', (startDate, endDate, days) => {
  expect(errorsOf({ startDate, endDate })).toEqual([])
  expect(daysIn({ startDate, endDate })).toBe(days)
})

it.each<[string, object, [string, string][]]>([
  ['a datetime', { startDate: '2026-11-01T00:00:00Z', endDate: '2026-11-02' }, [['startDate', 'date.bare']]],
  ['a day that does not exist', { startDate: '2026-02-01', endDate: '2026-02-30' }, [['endDate', 'date.bare']]],
  [
    'short forms',
    { startDate: '2026-1-1', endDate: '20260102' },
    [
      ['startDate', 'date.bare'],
      ['endDate', 'date.bare'],
    ],
  ],
  [
    'spaces',
    { startDate: ' 2026-11-01', endDate: '2026-11-01 ' },
    [
      ['startDate', 'date.bare'],
      ['endDate', 'date.bare'],
    ],
  ],
  [
    'nothing',
    {},
    [
      ['startDate', 'any.required'],
      ['endDate', 'any.required'],
    ],
  ],
  [
    'empty',
    { startDate: '', endDate: '' },
    [
      ['startDate', 'string.empty'],
      ['endDate', 'string.empty'],
    ],
  ],
  ['repeated', { startDate: ['2026-11-01', '2026-11-02'], endDate: '2026-11-02' }, [['startDate', 'string.base']]],
  ['reversed', { startDate: '2026-11-02', endDate: '2026-11-01' }, [['endDate', 'date.order']]],
  ['94 days', { startDate: '2026-08-01', endDate: '2026-11-02' }, [['endDate', 'date.window']]],
  [
    'an additional unknown parameter',
    { startDate: 'x', endDate: '2026-11-02', until: '1' },
    [
      ['startDate', 'date.bare'],
      ['until', 'object.unknown'],
    ],
  ],
])('interface 7.3: %s is rejected, with every error at once', (_name, query, errors) => {
  expect(errorsOf(query)).toEqual(errors)
})

it('the messages say what to do', () => {
  const messages = (startDate: string, endDate: string): string | undefined =>
    schema.validate({ startDate, endDate }, { abortEarly: false }).error?.message
  expect(messages('x', '2026-11-02')).toBe('"startDate" must be a date that exists, written YYYY-MM-DD without a time')
  expect(messages('2026-11-02', '2026-11-01')).toBe('"endDate" must be on or after "startDate"')
  expect(messages('2026-08-01', '2026-11-02')).toBe(
    '"endDate" must be at most 93 days from "startDate", both included, not 94',
  )
})
