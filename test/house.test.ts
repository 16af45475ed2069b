import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { measure } from '../scripts/measure.js'

const measures = measure()
const placesOver = (all: { place: string; lines: number }[], max: number): string[] =>
  all.filter(({ lines }) => lines > max).map(({ place, lines }) => `${place}: ${lines} lines`)

test('no function is longer than 120 lines, and at most 15 are longer than 70', () => {
  expect(placesOver(measures.functions, 120)).toEqual([])
  expect(placesOver(measures.functions, 70).length).toBeLessThanOrEqual(15)
})

test('no file of src is longer than 500 lines', () => {
  // The table of errors is as long as what it lists.
  const isTable = (place: string) => place.startsWith('src/errors.ts')
  expect(placesOver(measures.files, 500).filter((place) => !isTable(place))).toEqual([])
})

test('comments are sentences, and their lines have at most 125 characters', () => {
  expect(measures.fragments).toEqual([])
  expect(measures.longComments).toEqual([])
})

/** Words and phrases that make readers stumble, each with its replacement. */
const PHRASES: Record<string, string> = {
  anew: 'again',
  whoever: 'anyone who, or the name of the role',
  somebody: 'someone, or the name of the role',
  anybody: 'anyone',
  'nobody knows': 'it is unknown',
  'lets? go of': 'release',
  'how things stand': 'the state',
  'brings? to light': 'show',
  'comes? to be': 'become',
  'its time is over': 'overdue, or expired',
  'save as csv': 'export CSV',
  'last in the app': 'last app open',
  'what it was told': 'deliveries',
}

test('sources and documents do not contain phrases that make readers stumble', () => {
  const banned = new RegExp(`\\b(${Object.keys(PHRASES).join('|')})\\b`, 'i')
  const paths = execFileSync(
    'git',
    [
      'ls-files',
      '--',
      'src',
      'locales/en.json',
      'migrations',
      'packages',
      'test',
      'bench',
      'scripts',
      'docs',
      'README.md',
      'CONTRIBUTING.md',
      '.ci',
      'deploy',
    ],
    { encoding: 'utf8' },
  )
  const found = paths
    .split('\n')
    .filter(
      (path) => /\.(ts|tsx|mjs|cjs|md|css|yml|yaml)$|^\.ci\/|^locales\//.test(path) && path !== 'test/house.test.ts',
    )
    .flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line, index) => ({ place: `${path}:${index + 1}`, phrase: banned.exec(line)?.[0] }))
        .filter(({ phrase }) => phrase !== undefined),
    )
  expect(found).toEqual([])
})
