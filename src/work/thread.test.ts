import { expect, onTestFinished, test } from 'vitest'
import type { TestJob } from '../../test/programs/thread-jobs.js'
import { programAt } from '../lib/program.js'
import type { Wait } from '../lib/wait.js'
import { createThread, type Thread, ThreadError, type ThreadFailure, type ThreadOptions } from './thread.js'

const PROGRAM = programAt(new URL('../../test/programs/thread-jobs.js', import.meta.url))
const never: Wait = (_ms, signal) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

function startThread(options: Partial<ThreadOptions> = {}): Thread<TestJob, unknown> {
  const thread = createThread<TestJob, unknown>(PROGRAM, {
    ...{ timeoutMs: 1_000, memoryMb: 64, jobsMax: 10, wait: never },
    ...options,
  })
  onTestFinished(() => thread.stop())
  return thread
}

const failureOf = async (run: Promise<unknown>): Promise<ThreadFailure> => {
  const error = await run.then(
    () => expect.fail('the job returned a result'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ThreadError)
  return (error as ThreadError).failure
}

test('a job returns its result, transfers its buffers, and throws its errors with their code', async () => {
  const thread = startThread()
  const bytes = new Uint8Array([1, 2, 3])
  expect(await thread.run({ does: 'echo', bytes }, { transfer: [bytes.buffer] })).toEqual(new Uint8Array([1, 2, 3]))
  expect(bytes.byteLength).toBe(0)
  await expect(thread.run({ does: 'fail' })).rejects.toThrow(
    expect.objectContaining({ message: 'no such thing', code: 'NOTHING' }),
  )
  const first = await thread.run({ does: 'thread' })
  expect(await thread.run({ does: 'thread' })).toBe(first)
})

/** Creates waits that end when a test calls `pass`. */
function createWaits() {
  const waits: { ms: number; pass(): void }[] = []
  const wait: Wait = (ms, signal) =>
    new Promise((pass, reject) => {
      waits.push({ ms, pass })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return { waits, wait }
}

test.each([
  'loop',
  'never',
] as const)('a job that does not end (%s) times out, and the next jobs get a new thread', async (does) => {
  const { waits, wait } = createWaits()
  const thread = startThread({ wait })
  const before = await thread.run({ does: 'thread' })
  waits.length = 0
  const failure = failureOf(thread.run({ does }, { timeoutMs: 5_000 }))
  const next = thread.run({ does: 'thread' })
  let passed = 0
  for (let step = 0; step < 5; step++) {
    await expect.poll(() => waits.length).toBeGreaterThan(step)
    passed += waits[step]!.ms
    waits[step]!.pass()
  }
  expect(await failure).toBe('timeout')
  expect(passed).toBe(5_000)
  expect(await next).not.toBe(before)
})

test.each([
  ['fill', 'memory'],
  ['parse', 'memory'],
  ['exit', 'ended'],
  ['crash', 'ended'],
] as const)('only the job that ends its thread (%s) fails', async (does, failure) => {
  const thread = startThread()
  const ended = failureOf(thread.run({ does }))
  const next = thread.run({ does: 'thread' })
  expect(await ended).toBe(failure)
  expect(await next).toEqual(expect.any(Number))
})

test('only the job that cannot be sent fails, and a missing program fails every job', async () => {
  const thread = startThread()
  await expect(thread.run({ does: 'echo', bytes: (() => {}) as never })).rejects.toThrow('could not be cloned')
  expect(await thread.run({ does: 'thread' })).toEqual(expect.any(Number))
  const missing = createThread(programAt(new URL('../../test/programs/no-such-program.js', import.meta.url)), {
    ...{ timeoutMs: 1_000, memoryMb: 64, jobsMax: 10, wait: never },
  })
  expect(await failureOf(missing.run({}))).toBe('start')
  expect(await failureOf(missing.run({}))).toBe('start')
})

test('the number of waiting jobs is limited', async () => {
  const thread = startThread({ jobsMax: 2 })
  const taken = [thread.run({ does: 'thread' }), thread.run({ does: 'thread' })]
  expect(await failureOf(thread.run({ does: 'thread' }))).toBe('full')
  await Promise.all(taken)
  expect(await thread.run({ does: 'thread' })).toEqual(expect.any(Number))
})

test('a stopped thread fails its remaining jobs and accepts no others', async () => {
  const thread = startThread()
  await thread.run({ does: 'thread' })
  const remaining = [thread.run({ does: 'never' }), thread.run({ does: 'thread' })].map(failureOf)
  await thread.stop()
  expect(await Promise.all(remaining)).toEqual(['stopped', 'stopped'])
  expect(await failureOf(thread.run({ does: 'thread' }))).toBe('stopped')
})

test('an idle thread ends after a while, and the next job gets a new one', async () => {
  const thread = startThread({ idleMs: 0 })
  const before = await thread.run({ does: 'thread' })
  await expect.poll(() => thread.run({ does: 'thread' })).not.toBe(before)
})
