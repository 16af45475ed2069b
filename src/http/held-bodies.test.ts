import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { HeldBodies, type Holder } from './held-bodies.js'

const MEMORY = { strangers: 100, senders: 100, callers: 100 }

/** A body of a holder, and whether it had to end. */
function createStage() {
  const held = new HeldBodies(MEMORY, 40)
  return (group: Holder['group'], id: string) => {
    const request = {} as IncomingMessage
    const body = {
      ended: false,
      ...held.hold(request, { group, id }, () => {
        body.ended = true
      }),
      release: () => held.release(request),
    }
    return body
  }
}

test('one holder can use a part of the memory: their oldest arriving bodies end for the next ones', () => {
  const hold = createStage()
  const [arrived, first, second, third] = Array.from({ length: 4 }, () => hold('strangers', 'a'))
  arrived!.take(10)
  arrived!.complete()
  for (const body of [first!, second!, third!]) body.take(15)
  expect([arrived, first, second, third].map((body) => body!.ended)).toEqual([false, true, false, false])
  const other = hold('strangers', 'b')
  other.take(40)
  expect([second!.ended, third!.ended, other.ended]).toEqual([false, false, false])
})

test('a body ends itself if no other can', () => {
  const hold = createStage()
  const [arrived, late] = [hold('callers', 'a'), hold('callers', 'a')]
  arrived.take(40)
  arrived.complete()
  late.take(1)
  expect([arrived.ended, late.ended]).toEqual([false, true])
  // Bytes that still arrive for it use no memory.
  late.take(1_000)
  arrived.release()
  const next = hold('callers', 'a')
  next.take(40)
  expect(next.ended).toBe(false)
})

test('strangers at many addresses end one another, but no known caller', () => {
  const hold = createStage()
  const caller = hold('callers', 'key')
  caller.take(40)
  const strangers = Array.from({ length: 30 }, (_, index) => hold('strangers', `address ${index}`))
  for (const [index, stranger] of strangers.entries()) stranger.take(index === 3 ? 39 : 5)
  expect(strangers[3]!.ended).toBe(true)
  expect(caller.ended).toBe(false)
  expect(strangers.filter(({ ended }) => !ended).length).toBeLessThanOrEqual(20)
  const [first] = strangers
  expect(first!.ended).toBe(true)
  expect(strangers.at(-1)!.ended).toBe(false)
})

test('a body that is expected but of which nothing has arrived does not end for others', () => {
  const hold = createStage()
  const [silent, one, other] = Array.from({ length: 3 }, () => hold('senders', 'a'))
  one!.take(30)
  other!.take(30)
  expect([silent!.ended, one!.ended, other!.ended]).toEqual([false, true, false])
})
