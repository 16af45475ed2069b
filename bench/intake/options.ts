/** Reads the options of the command line, and prints the one line of each part. */
import { parseArgs } from 'node:util'
import { type Engine, print } from '../shared.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    postgres: { type: 'boolean' },
    embedded: { type: 'boolean' },
    quick: { type: 'boolean' },
    minutes: { type: 'string' },
    conversations: { type: 'string' },
  },
})

export const QUICK = values.quick ?? false
/** The requested parts; undefined if none is named. */
export const ONLY = values.only?.split(',')
export const ENGINES = (['PostgreSQL', 'embedded'] as const).filter((engine) =>
  values.postgres === values.embedded ? true : engine === (values.postgres ? 'PostgreSQL' : 'embedded'),
)
/** The minutes that the part `memory` takes. */
export const MINUTES = numberOf('minutes', QUICK ? 2 : 30)
/** The number of conversations in the large audience of the part `million`. */
export const conversationsOf = (engine: Engine): number =>
  numberOf('conversations', QUICK || engine === 'embedded' ? 100_000 : 1_000_000)

function numberOf(name: 'minutes' | 'conversations', fallback: number): number {
  const value = Number(values[name] ?? fallback)
  if (value > 0) return value
  throw new Error(`--${name} takes a number above 0, not ${values[name]}.`)
}

export type Goal = { least: number } | { most: number }

/** Prints a part's result and goal, and whether the goal was met. */
export function report(part: string, result: string, [value, goal]: [number, Goal], details: string): void {
  const isMet = 'least' in goal ? value >= goal.least : value <= goal.most
  const bound = 'least' in goal ? `at least ${goal.least}` : `at most ${goal.most}`
  print(`${part}: ${result} (goal: ${bound}; ${isMet ? 'met' : 'missed'}). ${details}\n`)
}
