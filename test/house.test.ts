import { expect, test } from 'vitest'
import { measure } from '../scripts/measure.js'
import { prose } from '../scripts/prose.js'

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

test('lines of comments have at most 125 characters', () => {
  expect(measures.longComments).toEqual([])
})

const texts = prose([
  ...['src', 'locales/en.json', 'packages', 'test', 'bench', 'scripts', 'docs', '.ci', 'deploy', '*.md'],
  ...[':!test/house.test.ts', ':!packages/*/node_modules'],
])

test('comments are sentences: they do not begin with a word that makes a fragment', () => {
  const fragment = /^(What|Of|Whether|Who|Whose|Whom|Which|Where|By(?! default\b)|Tells)\b/
  const found = texts.filter(({ text, isComment }) => isComment && fragment.test(text))
  expect(found.map(({ place, text }) => `${place}: ${text.slice(0, 80)}`)).toEqual([])
})

/** Words and phrases that make readers stumble, as regular expressions, each with its replacement. */
const PHRASES: Record<string, string> = {
  // Words of another register.
  anew: 'again',
  whoever: 'anyone who, or the name of the role',
  somebody: 'someone, or the name of the role',
  anybody: 'anyone',
  '(?<!\\b(leaves?|left) [^.]{0,30})alone': 'only',
  'in place of': 'instead of',
  'for good': 'permanently',
  '(?<=[a-z,] )meanwhile': 'until then, or while …',
  'any more(?! than)': 'no longer',
  'again by itself': 'again automatically',
  'brings? along': 'includes, or installs',
  'lets? go of': 'release',
  // Telling and saying.
  told: 'reported, notified, or distinguished',
  tells: 'says, reports, returns',
  '(is|are|unless) said': 'reported, or stated',
  'nobody knows': 'it is unknown',
  'brings? to light': 'show',
  'what it was told': 'deliveries',
  // Being.
  'stands(?! (for|in for)\\b)': 'is',
  'lies? (in|at|on|below|between)': 'is',
  'how things stand': 'the state',
  'comes? to be': 'become',
  '(?<!\\bthere )(is|are) no(?! (longer|more|less|faster|older|newer|later|earlier|larger|smaller|other|reason)\\b)':
    'is not a',
  // Order and connection.
  '(?<=\\. )where (a|an|the|one|it|there|no)': 'if',
  'another \\w{1,20} than': 'a different … from',
  'by default that of': 'defaults to',
  'such an? one': 'name it',
  'so long(?! (as|that)\\b)': 'this long',
  'its time is over': 'overdue, or expired',
  // Names of the interface that have changed.
  'save as csv': 'export CSV',
  'last in the app': 'last app open',
}

test('texts do not contain phrases that make readers stumble', () => {
  const banned = new RegExp(`\\b(${Object.keys(PHRASES).join('|')})\\b`, 'gi')
  const found = texts.flatMap(({ place, text }) => text.match(banned)?.map((phrase) => `${place}: ${phrase}`) ?? [])
  expect(found).toEqual([])
})
