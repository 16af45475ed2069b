import { toNormalForm } from '../interface/normal-form.js'

/** The words of a text in the form in which they are compared: NFKC, lower case, letters, digits and their marks. */
export const toWords = (text: string): string[] =>
  toNormalForm(toNormalForm(text, 'NFKC').toLowerCase(), 'NFKC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/**
 * Tells of phrases whether their words stand in `words` one after the other. No words stand nowhere. However many phrases
 * are asked for, and however alike their words are, each takes no longer than its own words.
 */
export function createPhraseFinder(words: readonly string[]): (phrase: readonly string[]) => boolean {
  const distinct = new Set(words)
  let start: State | undefined
  return (phrase) => {
    if (phrase.length <= 1) return phrase.length === 1 && distinct.has(phrase[0]!)
    if (!phrase.every((word) => distinct.has(word))) return false
    start ??= toSuffixAutomaton(words)
    return phrase.reduce<State | undefined>((state, word) => state?.next.get(word), start) !== undefined
  }
}

/** A state of a suffix automaton: from its start every run of the words leads on, and nothing else does. */
interface State {
  next: Map<string, State>
  link: State | undefined
  length: number
}

/** Blumer et al., 1985: as many states and steps as there are words, times a constant. */
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

/** The state to which `word` leads from `from` alone: it is split where longer runs lead to it as well. */
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
