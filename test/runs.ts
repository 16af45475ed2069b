import { expect } from 'vitest'

/**
 * How often to try a race or a property: a few times in the quick suite, many times when a `*.long.test.ts` runs the
 * file.
 */
export const runs = (quick: number, long: number): number => (inLongSuite() ? long : quick)

/** Returns whether a `*.long.test.ts` runs the file, for cases that cost too much in the quick suite. */
export const inLongSuite = (): boolean => expect.getState().testPath?.endsWith('.long.test.ts') === true
