import { expect } from 'vitest'

/**
 * How often a race or a property is tried: seldom in the quick suite, often where a `*.long.test.ts` runs the same file
 * again.
 */
export const runs = (quick: number, long: number): number => (inLongSuite() ? long : quick)

/** True where a `*.long.test.ts` runs the file again: for cases that cost too much for the quick suite. */
export const inLongSuite = (): boolean => expect.getState().testPath?.endsWith('.long.test.ts') === true
