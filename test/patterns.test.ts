// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources are quoted here.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { BOUNDED } from '../scripts/bounded-patterns.js'
import { complaints } from '../scripts/check-patterns.js'
import { findPatterns } from '../scripts/find-patterns.js'
import { isOptOut } from '../src/audience/opt-out.js'
import { toNormalForm } from '../src/interface/normal-form.js'
import { startProcessorTime } from './processor-time.js'

/** `npm run check` runs scripts/check-patterns.ts over the tree. These tests check what it finds and what it refuses. */

const read = (path: string): string => readFileSync(path, 'utf8')
const refusals = (text: string, path = 'src/example.ts'): string[] => complaints(findPatterns(path, text), [], read)

describe('a pattern that is not linear is refused', () => {
  test.each([
    // The four patterns that attacks have used.
    String.raw`/[ \t]+$/`,
    String.raw`/\/(\d+)(?:\?.*)?$/`,
    String.raw`/ +([+-]\d\d:?\d\d|Z)$/`,
    String.raw`/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu`,
    // An unanchored run before something optional.
    String.raw`/\s+$/`,
    String.raw`/ +x$/`,
    String.raw`/a+b/i`,
    String.raw`/<[^>]*>/`,
    String.raw`/\p{L}+$/u`,
    // Nested and adjacent quantifiers.
    String.raw`/^(a+)+$/`,
    String.raw`/^(?:\w+\s?)*$/`,
    String.raw`/^\d+\d+$/`,
    String.raw`/^\w*\d*x/`,
    String.raw`/^(?:\S*\s*)*;$/`,
    String.raw`/(x{1,30}){1,30}y/`,
    // Alternatives that match the same text, also when case is folded.
    String.raw`/^(a|aa)+$/`,
    String.raw`/^(?:k|\u212a)+$/iu`,
    String.raw`/^(?:a|[a-c])*d/`,
    // Lazy quantifiers go the other way, and just as far.
    String.raw`/^.*?,.*?,x$/s`,
    String.raw`/a.*?b.*?c/`,
    // Looks to the end of the text, from each place.
    String.raw`/(?=a+b)c/`,
    String.raw`/a(?=.*b)/g`,
    String.raw`/(?<=\s+)x/`,
    String.raw`/\B(?=(\d{3})+$)/g`,
    String.raw`/(\w+)\1$/`,
  ])('%s', (pattern) => {
    expect(refusals(`export const P = ${pattern}`)).toHaveLength(1)
  })

  test.each([
    ['in a template of constants', "const C = '[ ]'\nexport const P = new RegExp(`${C}+$`)"],
    ['by the source of another', "const C = /\\s+/\nexport const P = RegExp(`${C.source}$`, 'u')"],
    ['in a class', "class A { b = 'x'.replace(/ +x/, '') }"],
    ['as the text of a string method', "export const f = (t: string) => t.search('x+y')"],
    ['in the attribute of a field', 'export const F = () => <input pattern="(a+)+" />', 'src/example.tsx'],
    ['in SQL', "export const sql = `select 1 where name ~ ' +$'`", 'src/example.store.ts'],
    ['in a function of SQL', "select regexp_replace(lower(name), ' +$', '')", 'migrations/1.sql'],
  ])('%s', (_where, text, path?: string) => {
    expect(refusals(text, path)).toHaveLength(1)
  })

  test('a pattern that is known only at run time is refused', () => {
    expect(refusals('export const f = (t: string) => new RegExp(`^${t}$`)')[0]).toContain('not known before it runs')
  })
})

test.each([
  String.raw`/^[ \t]+/`,
  String.raw`/^[^?]*\/(\d+)(?:\?|$)/`,
  String.raw`/^[^\p{L}\p{N}]*(\p{L}+)[^\p{L}\p{N}]*$/u`,
  String.raw`/\s+/g`,
  String.raw`/={1,2}$/`,
  String.raw`/^[\w-]{1,64}$/`,
  String.raw`/\B(?=(?:\d{3}){1,6}$)/g`,
  String.raw`/"[^"]*"/g`,
])('%s is linear', (pattern) => {
  expect(refusals(`export const P = ${pattern}`)).toEqual([])
})

describe('the list of exceptions', () => {
  const path = 'src/example.ts'
  const found = findPatterns(path, 'export const P = / +$/')
  const entry = { path, pattern: ' +$', bound: 'Ten characters.', enforced: ['package.json', 'greenroom'] } as const

  test('excuses a pattern in one file', () => {
    expect(complaints(found, [{ ...entry, enforced: [...entry.enforced] }], read)).toEqual([])
  })

  test.each([
    ['for a pattern that no longer exists', { pattern: ' +x' }],
    ['for another file', { path: 'src/other.ts' }],
    ['without a bound', { bound: ' ' }],
    ['with a bound that is not in the named place', { enforced: ['package.json', 'no such text'] as [string, string] }],
  ])('refuses an entry %s', (_what, change) => {
    expect(complaints(found, [{ ...entry, enforced: [...entry.enforced], ...change }], read)).not.toEqual([])
  })

  test('gives each entry a bound that exists', () => {
    for (const { enforced, bound } of BOUNDED) {
      expect(read(enforced[0])).toContain(enforced[1])
      expect(bound).toMatch(/\.$/)
    }
  })
})

/** Returns the processor time of one call. */
function timeOf(run: () => unknown): number {
  const passed = startProcessorTime()
  run()
  return passed()
}

test('normal forms sort a long run of marks in less than quadratic time', () => {
  const marks = (count: number): string => `a${'\u0301\u0323'.repeat(count)}`
  // Inserting into the middle took 16 times as long for four times as many.
  const [few, many] = [marks(25_000), marks(100_000)].map((text) => timeOf(() => toNormalForm(text, 'NFKC')))
  expect(many!).toBeLessThan(few! * 8 + 50_000)
  for (const text of ['Ação', 'Cafe\u0301', '\u1E9B\u0323', `x${'\u0301'.repeat(29)}`])
    for (const form of ['NFC', 'NFD', 'NFKC'] as const) expect(toNormalForm(text, form)).toBe(text.normalize(form))
})

test.each([
  ['STOP', true],
  ['  “Stop!”  ', true],
  ['ｓｔｏｐ', true],
  ['Please stop', false],
  ['1 stop', false],
  ['', false],
  [`${'!'.repeat(8_000)}STOP`, true],
  [`${'! '.repeat(4_000)}a`, false],
  [`${' '.repeat(100_000)}stop${' '.repeat(100_000)}`, true],
])('checking %.20s for a request to stop takes linear time', (text, expected) => {
  expect(isOptOut(text)).toBe(expected)
})
