import { expect, it } from 'vitest'
import { RateLimits } from './rate-limits.js'

it('a key is blocked until its time, and a shorter block does not end a longer one or replace its message', () => {
  const limits = new RateLimits()
  limits.block('a', { untilMs: 1000, words: 'Too many calls' })
  limits.block('a', { untilMs: 500, words: undefined })
  limits.block('c', { untilMs: 600, words: 'Slower' })
  expect(limits.findLast(['b', 'a', 'c'], 400)).toEqual({ key: 'a', untilMs: 1000, words: 'Too many calls' })
  expect(limits.findLast(['a', 'c'], 1000)).toBeUndefined()
  expect(limits.findLast(['b'], 0)).toBeUndefined()
})

it('memory is limited: the oldest of more than 10,000 keys is dropped', () => {
  const limits = new RateLimits()
  for (let key = 0; key <= 10_000; key++) limits.block(`key ${key}`, { untilMs: 1000, words: undefined })
  expect(limits.findLast(['key 0'], 0)).toBeUndefined()
  expect(limits.findLast(['key 1'], 0)).toMatchObject({ untilMs: 1000 })
  expect(limits.findLast(['key 10000'], 0)).toMatchObject({ untilMs: 1000 })
})
