import { describe, expect, test } from 'vitest'
import { type CallState, type OneCall, oneCall } from './one-call.js'

interface Row {
  state: CallState | undefined
  answer?: string
}

class Crash extends Error {}

/** A platform that counts its calls, and a row that survives the crash of a worker at one of its steps. */
class Stage {
  row: Row = { state: undefined }
  calls = 0
  steps = 0
  isHeld = true
  answer = async (): Promise<string> => 'id_1'

  run(crashAt = 0, options: Partial<OneCall<Row, string>> = {}): Promise<Row> {
    this.steps = 0
    const step = (): void => {
      if (++this.steps === crashAt) throw new Crash()
    }
    const save = async (row: Row): Promise<Row> => {
      step()
      this.row = row
      step()
      return row
    }
    return oneCall<Row, string>(this.row, {
      stateOf: ({ state }) => state,
      attempt: () => save({ state: 'attempting' }),
      isHeld: () => this.isHeld,
      call: async () => {
        step()
        this.calls++
        const answer = await this.answer()
        step()
        return answer
      },
      outcomeOf(error) {
        if (error instanceof Crash) throw error
        return (error as Error).message === 'no' ? 'refused' : 'unknown'
      },
      store: (_row, outcome) =>
        save(
          outcome.is === 'done'
            ? { state: 'done', answer: outcome.answer }
            : { state: outcome.is === 'not-held' ? undefined : outcome.is },
        ),
      search: () => save(this.calls > 0 ? { state: 'done', answer: 'found' } : { state: 'unknown' }),
      ...options,
    })
  }
}

test('makes a call and stores its response, and skips a finished row', async () => {
  const stage = new Stage()
  expect(await stage.run()).toEqual({ state: 'done', answer: 'id_1' })
  expect(await stage.run()).toEqual({ state: 'done', answer: 'id_1' })
  expect(stage.calls).toBe(1)
})

describe('a worker that dies at any step makes the call at most once', () => {
  test.each([1, 2, 3, 4, 5, 6])('step %i', async (crashAt) => {
    const stage = new Stage()
    await expect(stage.run(crashAt)).rejects.toThrow(Crash)
    for (let again = 0; again < 3; again++) await stage.run()
    expect(stage.calls).toBeLessThanOrEqual(1)
    // A call that was certainly not started is made by the next worker; any other is found, or stays unknown.
    expect(stage.row.state).toBe(crashAt === 2 || crashAt === 3 ? 'unknown' : 'done')
  })

  test('and without a search the row says that the outcome is unknown', async () => {
    const stage = new Stage()
    await expect(stage.run(4)).rejects.toThrow(Crash)
    const search = undefined as never
    expect(await stage.run(0, { search })).toEqual({ state: 'unknown' })
    expect(await stage.run(0, { search })).toEqual({ state: 'unknown' })
    expect(stage.calls).toBe(1)
  })
})

test.each([
  ['no', 'refused'],
  ['the connection was lost', 'unknown'],
] as const)('a call that fails with "%s" is stored as %s and not repeated', async (message, state) => {
  const stage = new Stage()
  stage.answer = async () => {
    throw new Error(message)
  }
  const search = undefined as never
  await stage.run(0, { search })
  await stage.run(0, { search })
  expect([stage.row.state, stage.calls]).toEqual([state, 1])
})

test('a worker that may have lost its lease makes no call', async () => {
  const stage = new Stage()
  stage.isHeld = false
  expect(await stage.run()).toEqual({ state: undefined })
  expect(stage.calls).toBe(0)
})

test('a postponed attempt makes no call', async () => {
  const stage = new Stage()
  expect(await stage.run(0, { attempt: async (row) => row })).toEqual({ state: undefined })
  expect(stage.calls).toBe(0)
})
