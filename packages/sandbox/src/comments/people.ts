import { createHash } from 'node:crypto'
import type { SandboxPage } from '../model.js'

/** A person as seen by one page or account: the platform gives them a different id on each. */
export interface SandboxPerson {
  /** The id in comments. */
  id: string
  /** The id in messages. Only the answer to a private reply shows that both ids are of one person. */
  conversationId: string
  name: string
  username: string
  follows: boolean
  /** Milliseconds since the epoch; undefined until they write a message. */
  wroteAt: number | undefined
}

/** The people of the comment box. Any other name makes another person. */
export const PEOPLE = ['Ana', 'Bo', 'Chen', 'Dina', 'Emre', 'Fatou'] as const
/** These people read, but do not follow. */
const NOT_FOLLOWING: ReadonlySet<string> = new Set(['Chen'])

/** The people who comment on the pages and write to them, by name or by either id. */
export class People {
  readonly #byKey = new Map<string, SandboxPerson>()

  of({ id: pageId }: SandboxPage, name: string): SandboxPerson {
    const known = this.#byKey.get(`${pageId} ${name}`)
    if (known !== undefined) return known
    const person: SandboxPerson = {
      id: `92${digitsOf(`${pageId} ${name}`)}`,
      conversationId: `93${digitsOf(`${name} ${pageId}`)}`,
      name,
      username: name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '.'),
      follows: !NOT_FOLLOWING.has(name),
      wroteAt: undefined,
    }
    for (const key of [name, person.id, person.conversationId]) this.#byKey.set(`${pageId} ${key}`, person)
    return person
  }

  /** Finds a person by the id in comments or in messages. */
  find({ id: pageId }: SandboxPage, id: string): SandboxPerson | undefined {
    return this.#byKey.get(`${pageId} ${id}`)
  }
}

/** Fourteen digits that depend only on the text. */
const digitsOf = (text: string): string =>
  String(createHash('sha256').update(text).digest().readUIntBE(0, 6) % 10 ** 14).padStart(14, '0')
