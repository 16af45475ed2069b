import { expect, onTestFinished, test } from 'vitest'
import { gate } from '../../test/gate.js'
import { DatabaseUnavailableError } from '../database/database.js'
import { type LoopOptions, startLoop } from './loop.js'

/** A wait that the test ends by hand. */
function handWait() {
  let end = (): void => {}
  let waits = 0
  return {
    waits: () => waits,
    end: () => end(),
    wait: (_ms: number, signal?: AbortSignal) => {
      waits++
      return new Promise<void>((resolve, reject) => {
        end = resolve
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

function start(work: Parameters<typeof startLoop>[0], options: Partial<LoopOptions> = {}) {
  const lines: string[] = []
  const note = (level: string) => (fields: unknown, message?: string) =>
    void lines.push(
      `${level} ${message ?? fields} ${message === undefined ? '' : (fields as { err: Error }).err.message}`,
    )
  const log = { info: note('info'), warn: note('warn'), error: note('error') } as LoopOptions['log']
  const clock = handWait()
  const loop = startLoop(work, { name: 'sending', log, everyMs: 1_000, wait: clock.wait, ...options })
  onTestFinished(() => loop.stop())
  const poll = async () => {
    await turn()
    clock.end()
    await turn()
  }
  return { loop, lines, poll, clock }
}

test('an error does not end the loop, and is logged once until the work succeeds again', async () => {
  const outcomes: (Error | undefined)[] = [
    new Error('first'),
    new Error('second'),
    new DatabaseUnavailableError(new Error('away')),
    undefined,
    undefined,
    new Error('third'),
  ]
  let runs = 0
  const { lines, poll } = start(async () => {
    const error = outcomes[runs++]
    if (error !== undefined) throw error
  })
  for (let i = 1; i < outcomes.length; i++) await poll()
  expect(runs).toBe(outcomes.length)
  expect(lines).toEqual(['error sending failed first', 'info sending works again ', 'error sending failed third'])
})

test('an unavailable database is not logged', async () => {
  const { lines, poll } = start(async () => {
    throw new DatabaseUnavailableError(new Error('away'))
  })
  await poll()
  expect(lines).toEqual([])
})

test('a nudge runs the work at once, and does not delay the next poll', async () => {
  const reasons: string[] = []
  const { loop, poll, clock } = start(async (reason) => void reasons.push(reason))
  await turn()
  loop.nudge()
  await turn()
  expect([reasons, clock.waits()]).toEqual([['poll', 'nudge'], 1])
  await poll()
  expect([reasons, clock.waits()]).toEqual([['poll', 'nudge', 'poll'], 2])
})

test('a nudge during the work makes it run once more, never twice at a time', async () => {
  const first = gate()
  let running = 0
  let runs = 0
  const { loop } = start(async () => {
    expect(++running).toBe(1)
    if (runs++ === 0) await first.opened
    running--
  })
  loop.nudge()
  loop.nudge()
  await turn()
  expect(runs).toBe(1)
  first.open()
  await turn()
  expect(runs).toBe(2)
})

test('a stop waits for the running work, signals it, and starts no other', async () => {
  const end = gate()
  let runs = 0
  let told: AbortSignal | undefined
  const { loop, lines } = start(async (_reason, signal) => {
    runs++
    told = signal
    await end.opened
    throw signal.reason
  })
  let isStopped = false
  loop.nudge()
  const stopping = loop.stop().then(() => {
    isStopped = true
  })
  await turn()
  expect([told?.aborted, isStopped]).toEqual([true, false])
  end.open()
  await stopping
  loop.nudge()
  await turn()
  expect([runs, lines]).toEqual([1, []])
})
