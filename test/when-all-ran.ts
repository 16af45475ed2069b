import { afterAll, type RunnerTask } from 'vitest'

const isRun = (task: RunnerTask): boolean => task.mode === 'run' && (task.type !== 'suite' || task.tasks.every(isRun))

/** Checks what the tests of a suite did together, in any order; does nothing if only some of them ran. */
export function whenAllRan(check: () => void | Promise<void>): void {
  // biome-ignore lint/correctness/noEmptyPattern: vitest wants the fixtures first
  afterAll(async ({}, suite) => {
    if (suite.tasks.every(isRun)) await check()
  })
}
