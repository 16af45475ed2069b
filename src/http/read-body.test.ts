import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readAtLeast } from './read-body.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Chunks of `bytes`, one each `everyMs`; endless if `count` is not given. */
async function* source(bytes: number, everyMs: number, count = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    yield new Uint8Array(bytes)
  }
}

/** How many bytes arrived, and when it ended; `workMs` is our work for each chunk. */
async function take(chunks: AsyncIterable<Uint8Array>, workMs = 0) {
  let bytes = 0
  const run = async (): Promise<string> => {
    for await (const chunk of readAtLeast(chunks, { freeMs: 30_000, bytesPerMs: 1.024 })) {
      bytes += chunk.length
      await new Promise((resolve) => setTimeout(resolve, workMs))
    }
    return 'ended'
  }
  const running = run().catch((error: { code: string }) => error.code)
  await vi.advanceTimersByTimeAsync(1_000_000)
  const result = await Promise.race([running, 'running'])
  return { result, bytes }
}

test('a byte now and then loses its place after half a minute', async () => {
  const { result, bytes } = await take(source(1, 5_000))
  expect(result).toBe('request_timeout')
  expect(bytes).toBeLessThan(10)
})

test('so does silence', async () => {
  expect(await take(source(1, 10_000_000))).toEqual({ result: 'request_timeout', bytes: 0 })
})

test('a slow body above the minimum rate does not, even if it pauses in between', async () => {
  expect(await take(source(20 * 1024, 15_000, 40))).toEqual({ result: 'ended', bytes: 800 * 1024 })
})

test('earlier bytes do not make up for a trickle', async () => {
  async function* burst(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(100 * 1024 * 1024)
    yield* source(1, 5_000)
  }
  expect((await take(burst())).result).toBe('request_timeout')
})

test('our own time does not count', async () => {
  expect(await take(source(1, 1, 10), 60_000)).toEqual({ result: 'ended', bytes: 10 })
})
