import { toNormalForm } from '../../interface/normal-form.ts'

/** A person whom a message can mention. */
export interface Mentionable {
  id: string
  name: string
}

/** A name that is being typed after an @, which stands at `start`. */
export interface TypedName {
  start: number
  name: string
}

/** An @ at the beginning of a word, and what follows it up to the caret: two words at most. */
const TYPED = /(?:^|[\s(])@([^\s@]*(?: [^\s@]*)?)$/u

/** The name that is being typed before the caret; undefined where there is none. */
export function typedName(text: string, caret: number): TypedName | undefined {
  const [, name] = TYPED.exec(text.slice(0, caret)) ?? []
  return name === undefined ? undefined : { start: caret - name.length - 1, name }
}

/** Compares without case and accents. */
const plain = (text: string): string => toNormalForm(text, 'NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

const FOUND_MAX = 6

/** The people of whose name a word begins with what was typed. */
export function findPeople(people: readonly Mentionable[], typed: string): Mentionable[] {
  const begun = plain(typed)
  return people.filter(({ name }) => ` ${plain(name)}`.includes(` ${begun}`)).slice(0, FOUND_MAX)
}

/** The text with the name of a person in place of what was typed, and where the caret stands after it. */
export function insertMention(
  text: string,
  { start, name: typed }: TypedName,
  { name }: Mentionable,
): { text: string; caret: number } {
  const before = `${text.slice(0, start)}@${name} `
  const after = text.slice(start + 1 + typed.length).replace(/^ /, '')
  return { text: before + after, caret: before.length }
}

/** The people among those who were chosen whose names still stand in the text. */
export const stillMentioned = (text: string, chosen: readonly Mentionable[]): Mentionable[] =>
  chosen.filter(({ name }) => text.includes(`@${name}`))

/** The parts of a text; those that are the name of a person whom it mentions are marked. */
export function splitMentions(text: string, names: readonly string[]): { text: string; isMention: boolean }[] {
  if (names.length === 0) return [{ text, isMention: false }]
  // The longest first: a name may begin with another one.
  const marks = names.map((name) => `@${name}`).toSorted((a, b) => b.length - a.length)
  const escaped = marks.map((mark) => mark.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'u'))
    .filter((part) => part !== '')
    .map((part) => ({ text: part, isMention: marks.includes(part) }))
}
