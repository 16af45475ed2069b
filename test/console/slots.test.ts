import { describe, expect, test } from 'vitest'
import { findCrowded, freeSlots, nextFreeSlot, slotsOn, timeOn } from '../../src/console/calendar/slots.js'
import type { CalendarPost } from '../../src/interface/generated/types.js'
import type { PostStatus } from '../../src/interface/post-status.js'

const BERLIN = 'Europe/Berlin'
const slot = (weekday: number, time: string, channelId = 'page') => ({ channelId, weekday, time })
const post = (id: string, scheduledFor?: string, channels = ['page'], status: PostStatus = 'SCHEDULED') =>
  ({ id, scheduledFor, status, channels: channels.map((channel) => ({ id: channel })) }) as CalendarPost
const ms = (instant: string): number => Date.parse(instant)

describe('the slots of a day', () => {
  test('are at their local time, before and after the clock changes', () => {
    const monday = [slot(1, '09:30')]
    expect(slotsOn('2026-03-23', monday, BERLIN)).toEqual([
      { channelId: 'page', time: '09:30', instant: '2026-03-23T08:30:00.000Z' },
    ])
    expect(slotsOn('2026-03-30', monday, BERLIN)[0]!.instant).toBe('2026-03-30T07:30:00.000Z')
    expect(slotsOn('2026-03-24', monday, BERLIN)).toEqual([])
  })

  test('omit a time that the clock skips, and include a repeated time once', () => {
    const sunday = [slot(7, '02:30'), slot(7, '01:00')]
    expect(slotsOn('2026-03-29', sunday, BERLIN).map(({ time }) => time)).toEqual(['01:00'])
    expect(slotsOn('2026-10-25', sunday, BERLIN).map(({ instant }) => instant)).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
    ])
  })

  test('are free if they are in the future and no post of their channel is at that instant', () => {
    const slots = slotsOn('2026-11-23', [slot(1, '08:00'), slot(1, '09:00'), slot(1, '09:00', 'account')], 'UTC')
    const free = freeSlots(slots, [post('a', '2026-11-23T09:00:00.000Z')], ms('2026-11-23T08:00:00Z'))
    expect(free.map(({ channelId, time }) => [channelId, time])).toEqual([['account', '09:00']])
  })

  test('include the next one on the requested channels within four weeks', () => {
    const plan = {
      slots: [slot(1, '09:00'), slot(5, '12:00', 'account')],
      posts: [post('a', '2026-11-23T09:00:00.000Z')],
      timeZone: 'UTC',
      nowMs: ms('2026-11-20T12:00:00Z'),
    }
    expect(nextFreeSlot(['page'], plan)?.instant).toBe('2026-11-30T09:00:00.000Z')
    expect(nextFreeSlot(['account'], plan)?.instant).toBe('2026-11-27T12:00:00.000Z')
    expect(nextFreeSlot(['other'], plan)).toBeUndefined()
    const full = Array.from({ length: 5 }, (_, week) =>
      post(`p${week}`, new Date(ms('2026-11-23T09:00:00Z') + week * 7 * 86_400_000).toISOString()),
    )
    expect(nextFreeSlot(['page'], { ...plan, posts: full })).toBeUndefined()
  })
})

describe('the time of a new post', () => {
  const plan = { slots: [slot(5, '09:00'), slot(5, '18:00')], posts: [], timeZone: BERLIN }
  test.each([
    ['at the first free slot', '2026-11-27', '2026-11-20T09:00:00Z', '2026-11-27T09:00'],
    ['at a later one, once the first has passed', '2026-11-20', '2026-11-20T09:00:00Z', '2026-11-20T18:00'],
    ['at ten on a day without a slot', '2026-11-21', '2026-11-20T09:00:00Z', '2026-11-21T10:00'],
    ['at a whole hour, at least one hour ahead', '2026-11-21', '2026-11-21T09:20:00Z', '2026-11-21T12:00'],
    ['at the end of a day that is nearly over', '2026-11-21', '2026-11-21T21:30:00Z', '2026-11-21T23:59'],
    ['on 29 February', '2028-02-29', '2026-11-20T09:00:00Z', '2028-02-29T10:00'],
  ])('is %s', (_what, day, now, time) => expect(timeOn(day, { ...plan, nowMs: ms(now) })).toBe(time))

  test('does not exist on a day that has passed in the time zone', () => {
    expect(timeOn('2026-11-20', { ...plan, slots: [], nowMs: ms('2026-11-20T23:00:00Z') })).toBeUndefined()
  })
})

describe('posts that are close to one another', () => {
  test('are those less than an hour apart on one channel', () => {
    const posts = [
      post('a', '2026-11-20T09:00:00Z'),
      post('other', '2026-11-20T09:10:00Z', ['account']),
      post('b', '2026-11-20T09:59:59.999Z'),
      post('c', '2026-11-20T10:59:59.999Z', ['page', 'account']),
      post('d', '2026-11-20T11:30:00Z', ['account']),
      post('none'),
    ]
    expect([...findCrowded(posts)].toSorted()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('do not include failed posts', () => {
    const failed = post('b', '2026-11-20T09:01:00Z', ['page'], 'FAILED')
    expect(findCrowded([post('a', '2026-11-20T09:00:00Z'), failed]).size).toBe(0)
    expect(findCrowded([])).toEqual(new Set())
  })
})
