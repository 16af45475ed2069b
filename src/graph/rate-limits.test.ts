import { expect, it } from 'vitest'
import { RateLimits } from './rate-limits.js'

it('a key is blocked until its time, and a shorter block does not end a longer one', () => {
  const limits = new RateLimits()
  limits.block('a', 1000)
  limits.block('a', 500)
  expect(limits.blockedMs(['b', 'a'], 400)).toBe(600)
  expect(limits.blockedMs(['a'], 1000)).toBe(0)
  expect(limits.blockedMs(['b'], 0)).toBe(0)
})

it('memory is bounded: the oldest of more than 10,000 keys is forgotten', () => {
  const limits = new RateLimits()
  for (let key = 0; key <= 10_000; key++) limits.block(`key ${key}`, 1000)
  expect(limits.blockedMs(['key 0'], 0)).toBe(0)
  expect(limits.blockedMs(['key 1'], 0)).toBe(1000)
  expect(limits.blockedMs(['key 10000'], 0)).toBe(1000)
})
