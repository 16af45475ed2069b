import { foldCase } from '../interface/normal-form.js'

// The words of a text are runs of letters, digits and their marks. Chinese, Japanese, Thai, Lao, Khmer and Burmese put no
// spaces between words: there each letter counts as a word, and Node's dictionaries (ICU) say where words begin.

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}'
const PART = new RegExp(`([${UNSPACED}][${UNSPACED}\\p{M}]*)|[^${UNSPACED}]+`, 'gu')
const LETTER = /\P{M}\p{M}*|\p{M}+/gu
/** Signs that repeat the word before them, and are not part of it. */
const REPETITIONS = /[\u0E46\u0EC6\u17D7]/g
/** The dictionaries' time grows with the square of the text. No run without punctuation is this long. */
const PIECE = /.{1,256}/gsu

const dictionaries = new Intl.Segmenter('en', { granularity: 'word' })

/**
 * A shorter phrase is found only at word boundaries, because one or two letters occur inside many other words (กา, kettle,
 * in กาแฟ, coffee). A longer one hardly occurs by chance, and is found anywhere: the dictionaries do not know names, and
 * split misspelled text in the wrong places, for Thai one time in six.
 */
const LONG_PHRASE_WORDS = 4

interface Word {
  text: string
  /** False inside a word of a script without spaces. */
  begins: boolean
}

/** Returns the words of a text in the form in which they are compared. */
export const toWords = (text: string): string[] =>
  [...partsOf(text)].flatMap(({ text, isUnspaced }) => (isUnspaced ? text.match(LETTER)! : [text]))

function* partsOf(text: string): Generator<{ text: string; isUnspaced: boolean }> {
  for (const [word] of foldCase(text).replace(REPETITIONS, ' ').matchAll(WORD)) {
    for (const [part, unspaced] of word.matchAll(PART)) yield { text: part, isUnspaced: unspaced !== undefined }
  }
}

const cutIntoWords = (text: string): Word[] =>
  [...partsOf(text)].flatMap(({ text, isUnspaced }) => {
    if (!isUnspaced) return [{ text, begins: true }]
    const beginnings = findBeginnings(text)
    return [...text.matchAll(LETTER)].map(({ 0: letter, index }) => ({ text: letter, begins: beginnings.has(index) }))
  })

function findBeginnings(text: string): Set<number> {
  const beginnings = new Set<number>()
  for (const { 0: piece, index: at } of text.matchAll(PIECE)) {
    for (const { index } of dictionaries.segment(piece)) beginnings.add(at + index)
  }
  return beginnings
}

/**
 * Returns a function that says whether the words of a phrase follow one another in the text. A phrase without words is never
 * found. However many phrases are checked, and however similar their words, each check takes time only for its own words.
 */
export function createPhraseFinder(text: string): (phrase: readonly string[]) => boolean {
  let words: Word[] | undefined
  let short: Set<string> | undefined
  let start: State | undefined
  return (phrase) => {
    if (phrase.length === 0) return false
    words ??= cutIntoWords(text)
    if (phrase.length < LONG_PHRASE_WORDS) {
      short ??= listShortPhrases(words)
      return short.has(phrase.join(' '))
    }
    start ??= toSuffixAutomaton(words.map(({ text }) => text))
    return phrase.reduce<State | undefined>((state, word) => state?.next.get(word), start) !== undefined
  }
}

/** Returns the phrases as texts of their words, separated by spaces. */
function listShortPhrases(words: readonly Word[]): Set<string> {
  const phrases = new Set<string>()
  for (const [at, { begins }] of words.entries()) {
    if (!begins) continue
    let phrase = ''
    for (let end = at; end < words.length && end - at < LONG_PHRASE_WORDS - 1; end++) {
      phrase += `${end === at ? '' : ' '}${words[end]!.text}`
      if (words[end + 1]?.begins !== false) phrases.add(phrase)
    }
  }
  return phrases
}

/** A state of a suffix automaton: every run of words, and nothing else, leads on from its start. */
interface State {
  next: Map<string, State>
  link: State | undefined
  length: number
}

/** Builds the automaton of Blumer et al., 1985: states and steps are proportional to the number of words. */
function toSuffixAutomaton(words: readonly string[]): State {
  const start: State = { next: new Map(), link: undefined, length: 0 }
  let last = start
  for (const word of words) {
    const added: State = { next: new Map(), link: start, length: last.length + 1 }
    let state: State | undefined = last
    for (; state !== undefined && !state.next.has(word); state = state.link) state.next.set(word, added)
    if (state !== undefined) added.link = splitAt(state, word)
    last = added
  }
  return start
}

/** Returns the state to which `word` leads only from `from`, splitting it off if longer runs lead there too. */
function splitAt(from: State, word: string): State {
  const found = from.next.get(word)!
  if (found.length === from.length + 1) return found
  const split: State = { next: new Map(found.next), link: found.link, length: from.length + 1 }
  found.link = split
  for (let state: State | undefined = from; state?.next.get(word) === found; state = state.link) {
    state.next.set(word, split)
  }
  return split
}
