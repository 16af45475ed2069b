/** Decides whether a regular expression's work grows no faster than its text. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'

// The checker's native program is an optional package for some systems; the JavaScript version gives the same answers
// everywhere.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/** A pattern may look at a text this many times, because the number does not grow with the text. */
const REPEATS_MAX = 2_000
const CHECK_TIMEOUT_MS = 120_000
/** On the checker's texts a growing pattern takes 100 ms or more of processor time, and a linear one only a few. */
const SLOW_MS = 30

/** Returns why a pattern is not linear, as the end of a sentence, or undefined. */
export function whyNotLinear(pattern: string, flags: string): string | undefined {
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') }
  let tree: AST.Pattern
  try {
    tree = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(pattern, 0, pattern.length, mode)
  } catch (error) {
    return `cannot be parsed: ${(error as Error).message}`
  }
  const shape = shapeOf(tree)
  const isAnchored = !flags.includes('m') && tree.alternatives.every(startsAtBeginning)
  // At most one run starts from one place, and each of its lengths leaves a bounded number of ways.
  if (shape.runs === 0 || (isAnchored && shape.runs === 1)) if (shape.ways <= REPEATS_MAX) return undefined
  // The checker judges one failing match. With `g`, a look to the end of the text can succeed at each character.
  if (shape.looksFar && !isAnchored) return 'looks ahead or behind over a text of any length, at each place'
  // The checker would try texts for a quarter of a second, and find less on a busy machine.
  if (shape.repeatsFar) return 'repeats a group of any length'
  // The checker does not know the flag v, which adds sets of characters to u.
  const verdict = checkSync(pattern, flags.replace('v', 'u'), { timeout: CHECK_TIMEOUT_MS })
  if (verdict.status === 'safe') return undefined
  if (verdict.status === 'unknown') return `cannot be judged: ${verdict.error.kind}`
  // The checker judges a pattern that is not an automaton by trying texts and counting its own steps, so Node has the
  // last word.
  const isTried = verdict.checker === 'fuzz' && verdict.complexity.type === 'polynomial'
  if (isTried && cpuMsOf(() => new RegExp(pattern, flags.replace(/[gy]/g, '')).test(verdict.attack.string)) < SLOW_MS) {
    return undefined
  }
  return `takes ${verdict.complexity.summary} for ${verdict.attack.pattern.slice(0, 120)}`
}

function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

interface Shape {
  /** The number of unbounded quantifiers; nested ones count as two. */
  runs: number
  /** The maximum number of ways in which the rest can match. */
  ways: number
  /** True if a lookahead or lookbehind has an unbounded quantifier. */
  looksFar: boolean
  /** True if a backreference repeats a group that has an unbounded quantifier. */
  repeatsFar: boolean
}

function shapeOf(pattern: AST.Pattern): Shape {
  const shape: Shape = { runs: 0, ways: 1, looksFar: false, repeatsFar: false }
  const visit = (node: AST.Element | AST.Alternative, repeats: number): void => {
    if (node.type === 'Alternative') for (const part of node.elements) visit(part, repeats)
    if (node.type === 'Backreference') {
      shape.runs = Number.POSITIVE_INFINITY
      if ([node.resolved].flat().some(hasRun)) shape.repeatsFar = true
    }
    if (node.type === 'Group' || node.type === 'CapturingGroup' || isLook(node)) {
      shape.ways *= node.alternatives.length ** repeats
      for (const part of node.alternatives) visit(part, repeats)
      if (isLook(node) && hasRun(node)) shape.looksFar = true
    }
    if (node.type !== 'Quantifier') return
    const { min, max, element } = node
    const isPlain = element.type === 'Character' || element.type === 'CharacterSet' || element.type === 'CharacterClass'
    if (max === Number.POSITIVE_INFINITY) shape.runs += isPlain && repeats === 1 ? 1 : 2
    else if (max > min) shape.ways *= (max - min + 1) ** repeats
    visit(element, repeats * Math.min(max, REPEATS_MAX))
  }
  shape.ways *= pattern.alternatives.length
  for (const part of pattern.alternatives) visit(part, 1)
  return shape
}

const isLook = (node: AST.Element | AST.Alternative): node is AST.LookaroundAssertion =>
  node.type === 'Assertion' && (node.kind === 'lookahead' || node.kind === 'lookbehind')

function hasRun(node: AST.Element | AST.Alternative): boolean {
  if (node.type === 'Alternative') return node.elements.some(hasRun)
  if (node.type === 'Quantifier') return node.max === Number.POSITIVE_INFINITY || hasRun(node.element)
  if (node.type === 'Group' || node.type === 'CapturingGroup' || isLook(node)) return node.alternatives.some(hasRun)
  return false
}

/** Returns whether a match can begin only at the start of the text. */
function startsAtBeginning({ elements: [first] }: AST.Alternative): boolean {
  if (first === undefined) return false
  if (first.type === 'Assertion') return first.kind === 'start'
  return (first.type === 'Group' || first.type === 'CapturingGroup') && first.alternatives.every(startsAtBeginning)
}
