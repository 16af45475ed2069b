import { toNormalForm } from '../../interface/normal-form.ts'

/** A person who can be mentioned. */
export interface Mentionable {
  id: string
  name: string
}

/** A name being typed after the @ at `start`. */
export interface TypedName {
  start: number
  name: string
}

/** Matches an @ at the start of a word and up to two words after it, which end at the caret. */
const TYPED = /(?:^|[\s(])@([^\s@]*(?: [^\s@]*)?)$/u

/** Returns the name being typed before the caret, if any. */
export function typedName(text: string, caret: number): TypedName | undefined {
  const [, name] = TYPED.exec(text.slice(0, caret)) ?? []
  return name === undefined ? undefined : { start: caret - name.length - 1, name }
}

/** Returns the text in lower case and without accents. */
const plain = (text: string): string => toNormalForm(text, 'NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

const FOUND_MAX = 6

/** Returns the people with a word in their name that starts with the typed text. */
export function findPeople(people: readonly Mentionable[], typed: string): Mentionable[] {
  const prefix = plain(typed)
  return people.filter(({ name }) => ` ${plain(name)}`.includes(` ${prefix}`)).slice(0, FOUND_MAX)
}

/** Replaces what was typed with a person's name; returns the text and the new caret. */
export function insertMention(
  text: string,
  { start, name: typed }: TypedName,
  { name }: Mentionable,
): { text: string; caret: number } {
  const before = `${text.slice(0, start)}@${name} `
  const after = text.slice(start + 1 + typed.length).replace(/^ /, '')
  return { text: before + after, caret: before.length }
}

/** Returns the chosen people whose names are still in the text. */
export const stillMentioned = (text: string, chosen: readonly Mentionable[]): Mentionable[] =>
  chosen.filter(({ name }) => text.includes(`@${name}`))

/** Splits a text into parts and marks the names of mentioned people. */
export function splitMentions(text: string, names: readonly string[]): { text: string; isMention: boolean }[] {
  if (names.length === 0) return [{ text, isMention: false }]
  // Longest first: one name may start with another.
  const marks = names.map((name) => `@${name}`).toSorted((a, b) => b.length - a.length)
  const escaped = marks.map((mark) => mark.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'u'))
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isMention: marks.includes(part) }))
}
