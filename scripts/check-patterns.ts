/**
 * `npx tsx scripts/check-patterns.ts` checks every shipped regular expression. Its work must not grow faster than its
 * text, because most texts come from strangers and one thread answers everyone. The script reads literals, `RegExp(…)` of
 * known texts, `pattern` attributes, and patterns in SQL. It fails if a pattern is not linear or cannot be read, unless
 * bounded-patterns.ts lists it, and if an entry of that list no longer applies.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { BOUNDED, type Bounded } from './bounded-patterns.js'
import { type Found, findPatterns } from './find-patterns.js'
import { whyNotLinear } from './linear-pattern.js'

const SHIPPED = ['src', 'packages', 'bin', 'scripts', 'migrations', 'docs/recipes']

/** Lists complaints about patterns and about entries of the list; an empty list means that all is well. */
export function complaints(found: Found[], bounded: Bounded[], read: (path: string) => string): string[] {
  const used = new Set<Bounded>()
  const verdicts = new Map<string, string | undefined>()
  const all: string[] = []
  for (const { path, line, pattern, flags } of found) {
    const entry = bounded.find((one) => one.path === path && one.pattern === (pattern ?? flags))
    if (entry !== undefined) {
      used.add(entry)
      continue
    }
    const key = `${flags}/${pattern}`
    if (!verdicts.has(key))
      verdicts.set(key, pattern === undefined ? 'is not known before it runs' : whyNotLinear(pattern, flags))
    const why = verdicts.get(key)
    if (why !== undefined) all.push(`${path}:${line}: /${pattern ?? flags}/ ${why}`)
  }
  for (const entry of bounded) {
    const { path, pattern, bound, enforced } = entry
    if (!used.has(entry)) all.push(`${path}: /${pattern}/ is in bounded-patterns.ts, but not in the file`)
    if (bound.trim() === '') all.push(`${path}: /${pattern}/ has no bound for its text in bounded-patterns.ts`)
    const [place, text] = enforced
    if (!read(place).includes(text)) all.push(`${path}: /${pattern}/ is bounded by ${place}, which has no "${text}"`)
  }
  return all
}

/** Returns the patterns of all shipped files. */
export function shippedPatterns(): Found[] {
  const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...SHIPPED], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(?:ts|tsx|mjs|cjs|sql)$/.test(path) && !/\.test\.tsx?$/.test(path))
  return paths.flatMap((path) => findPatterns(path, readFileSync(path, 'utf8')))
}

if (import.meta.filename === process.argv[1]) {
  const found = shippedPatterns()
  const all = complaints(found, BOUNDED, (path) => readFileSync(path, 'utf8'))
  if (all.length === 0) process.stdout.write(`${found.length} regular expressions are linear or bounded\n`)
  else {
    process.stderr.write(`${all.join('\n')}\n`)
    process.exitCode = 1
  }
}
