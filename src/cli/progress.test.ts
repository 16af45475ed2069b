import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { countWhile, describeProgress, startProgress } from './progress.js'

const MB = 1_000_000

test.each([
  [{ bytes: 0, totalBytes: 40 * MB, elapsedMs: 0 }, '0 %, 0.0 of 40.0 MB, 0.0 MB/s'],
  [{ bytes: 10 * MB, totalBytes: 40 * MB, elapsedMs: 2_000 }, '25 %, 10.0 of 40.0 MB, 5.0 MB/s, 0:06 left'],
  [{ bytes: MB, totalBytes: 10_000 * MB, elapsedMs: 1_000 }, '0 %, 1.0 of 10000.0 MB, 1.0 MB/s, 2:46:39 left'],
  // The first file has grown since; the second is empty.
  [{ bytes: 50 * MB, totalBytes: 40 * MB, elapsedMs: 10_000 }, '100 %, 50.0 of 40.0 MB, 5.0 MB/s, 0:00 left'],
  [{ bytes: 0, totalBytes: 0, elapsedMs: 0 }, '0 %, 0.0 of 0.0 MB, 0.0 MB/s'],
  [{ bytes: 10 * MB, totalBytes: undefined, elapsedMs: 4_000 }, '10.0 MB sent, 2.5 MB/s'],
  [
    { bytes: 40 * MB, totalBytes: 40 * MB, elapsedMs: 4_000, allSent: true },
    '40.0 MB sent, waiting for the server to finish',
  ],
])('progress %j is printed correctly', (state, text) => {
  expect(describeProgress({ allSent: false, ...state })).toBe(text)
})

test('a bar leaves Ctrl-C to the program: it installs no signal handlers', async () => {
  const before = process.listenerCount('SIGINT')
  const stderr = Object.assign(new PassThrough().resume(), { isTTY: true })
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, clock: { now: () => 0 } }
  const bar = await startProgress(io, 10)
  expect(process.listenerCount('SIGINT')).toBe(before)
  bar.stop()
  const during = await countWhile(io, 'users', false, async () => process.listenerCount('SIGINT'))
  expect(during).toBe(before)
})
