import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limit } from '../lib/limits.js'
import { DatabaseBusyError } from './database.js'
import { Places } from './places.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Work that runs until it is ended, and records that it has begun. */
function newWork(begun: string[]): { run: (name: string) => Promise<string>; end: (name: string) => void } {
  const ends = new Map<string, () => void>()
  return {
    run: (name) => {
      begun.push(name)
      return new Promise((resolve) => ends.set(name, () => resolve(name)))
    },
    end: (name) => ends.get(name)!(),
  }
}

test('an organization has a limited number of places, passed on in order; another organization does not wait', async () => {
  const begun: string[] = []
  const { run, end } = newWork(begun)
  const places = new Places(2)
  const running = ['a', 'b', 'c', 'd'].map((name) => places.run('org', () => run(name)))
  void places.run('other', () => run('of another'))
  expect(begun).toEqual(['a', 'b', 'of another'])
  end('b')
  expect(await running[1]).toBe('b')
  void places.run('org', () => run('late'))
  end('a')
  await running[0]
  expect(begun.slice(3)).toEqual(['c', 'd'])
})

test('failed work passes on its place', async () => {
  const places = new Places(1)
  const failing = places.run('org', () => Promise.reject(new Error('no')))
  const next = places.run('org', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('a caller who waits too long, or arrives when too many wait, is refused, and takes no place', async () => {
  const begun: string[] = []
  const { run, end } = newWork(begun)
  const places = new Places(1)
  const holding = places.run('org', () => run('holding'))
  const waiting = Array.from({ length: limit('changesWaiting') }, (_, index) =>
    places.run('org', () => run(`${index}`)),
  )
  const settled = Promise.allSettled(waiting)
  await expect(places.run('org', () => run('one too many'))).rejects.toThrow(DatabaseBusyError)
  vi.advanceTimersByTime(limit('changeWaitMs'))
  for (const result of await settled) expect(result).toMatchObject({ reason: expect.any(DatabaseBusyError) })
  end('holding')
  await holding
  expect(begun).toEqual(['holding'])
  const next = places.run('org', () => run('next'))
  end('next')
  expect(await next).toBe('next')
})
