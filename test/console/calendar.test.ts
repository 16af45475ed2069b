import { describe, expect, test } from 'vitest'
import { dayByKey, groupByDay, leadsAway, readView, stepOf } from '../../src/console/calendar/view.js'
import type { CalendarPost } from '../../src/interface/generated/types.js'

const TODAY = '2026-11-20'

describe('the view of the calendar', () => {
  test('is the current month, from Monday to Sunday of whole weeks', () => {
    const view = readView({}, TODAY, true)
    expect(view).toMatchObject({ asked: 'month', isList: false, isWeek: false, day: TODAY })
    expect([view.days[0], view.days.at(-1), view.days.length]).toEqual(['2026-10-26', '2026-12-06', 42])
  })

  test('is the week or the list in the address, around its day', () => {
    expect(readView({ view: 'week', day: '2026-12-31' }, TODAY, true).days).toEqual([
      ...['2026-12-28', '2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03'],
    ])
    const list = readView({ view: 'list', day: '2026-02-10' }, TODAY, true)
    expect([list.days[0], list.days.at(-1), list.days.length]).toEqual(['2026-02-01', '2026-02-28', 28])
  })

  test('is the month as a list if a grid does not fit', () => {
    const view = readView({ view: 'week', day: '2026-12-31' }, TODAY, false)
    expect(view).toMatchObject({ asked: 'week', isList: true, isWeek: false })
    expect(view.days.length).toBe(31)
  })

  test('is the current month if the address has no known view or day', () => {
    expect(readView({ view: 'year', day: '2026-02-30' }, TODAY, true)).toEqual(readView({}, TODAY, true))
  })

  test('steps by weeks in a week and otherwise by months, to the last day of a shorter month', () => {
    expect(stepOf(readView({ view: 'week' }, TODAY, true), 1)).toBe('2026-11-27')
    expect(stepOf(readView({ day: '2026-03-31' }, TODAY, true), -1)).toBe('2026-02-28')
    expect(stepOf(readView({ view: 'list', day: '2026-12-05' }, TODAY, true), 1)).toBe('2027-01-05')
  })

  test('follows the keys to another month, including the days of it in the grid, and to another week', () => {
    const month = readView({}, TODAY, true)
    expect([leadsAway(month, '2026-11-30'), leadsAway(month, '2026-12-01')]).toEqual([false, true])
    const week = readView({ view: 'week', day: '2026-12-01' }, TODAY, true)
    expect([leadsAway(week, '2026-11-30'), leadsAway(week, '2026-12-07')]).toEqual([false, true])
  })
})

describe('a key in the grid of days', () => {
  test.each([
    ['ArrowLeft', '2026-11-19'],
    ['ArrowRight', '2026-11-21'],
    ['ArrowUp', '2026-11-13'],
    ['ArrowDown', '2026-11-27'],
    ['Home', '2026-11-16'],
    ['End', '2026-11-22'],
    ['PageUp', '2026-10-20'],
    ['PageDown', '2026-12-20'],
    ['m', undefined],
  ])('%s moves from 20 November 2026, a Friday, to %s', (key, day) => expect(dayByKey(key, TODAY, false)).toBe(day))

  test('Page Up and Page Down move by a week in a week, and Home and End stay on their day', () => {
    expect([dayByKey('PageUp', TODAY, true), dayByKey('PageDown', TODAY, true)]).toEqual(['2026-11-13', '2026-11-27'])
    expect([dayByKey('Home', '2026-11-16', true), dayByKey('End', '2026-11-22', true)]).toEqual([
      '2026-11-16',
      '2026-11-22',
    ])
  })
})

describe('posts on their days', () => {
  const post = (id: string, scheduledFor?: string) => ({ id, scheduledFor }) as CalendarPost
  const found = (posts: CalendarPost[], days: string[], timeZone: string) =>
    [...groupByDay(posts, days, timeZone)].map(([day, there]) => [day, there.map(({ id }) => id)])

  test('appear in the time zone and in order; posts of other days and without a time do not', () => {
    const posts = [
      post('before', '2026-11-18T22:59:59.999Z'),
      post('a', '2026-11-19T23:30:00Z'),
      post('b', '2026-11-20T22:59:59Z'),
      post('c', '2026-11-20T23:00:00.000Z'),
      post('after', '2026-11-21T23:00:00Z'),
      post('none'),
    ]
    expect(found(posts, ['2026-11-19', '2026-11-20', '2026-11-21'], 'Europe/Berlin')).toEqual([
      ['2026-11-20', ['a', 'b']],
      ['2026-11-21', ['c']],
    ])
  })

  test('appear on the days of 25 and 23 hours', () => {
    const autumn = [post('first', '2026-10-24T22:00:00Z'), post('last', '2026-10-25T22:59:59Z')]
    expect(found(autumn, ['2026-10-24', '2026-10-25', '2026-10-26'], 'Europe/Berlin')).toEqual([
      ['2026-10-25', ['first', 'last']],
    ])
    const spring = [post('last', '2026-03-29T21:59:59Z'), post('next', '2026-03-29T22:00:00Z')]
    expect(found(spring, ['2026-03-29', '2026-03-30'], 'Europe/Berlin')).toEqual([
      ['2026-03-29', ['last']],
      ['2026-03-30', ['next']],
    ])
  })
})
