import { createHash } from 'node:crypto'
import type { SandboxPage } from '../model.js'

/** A person as one page or account knows them: the platform gives them another id on each. */
export interface SandboxPerson {
  /** In comments. */
  id: string
  /** In messages. Only the answer to a private reply tells that both are of one person. */
  conversationId: string
  name: string
  username: string
  follows: boolean
  /** Milliseconds since the epoch; undefined while they have written no message. */
  wroteAt: number | undefined
}

/** The people of the comment box. Any other name is one of a further person. */
export const PEOPLE = ['Ana', 'Bo', 'Chen', 'Dina', 'Emre', 'Fatou'] as const
/** They read and do not follow. */
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

  /** By an id in comments or in messages. */
  find({ id: pageId }: SandboxPage, id: string): SandboxPerson | undefined {
    return this.#byKey.get(`${pageId} ${id}`)
  }
}

/** Fourteen digits, the same for the same text. */
const digitsOf = (text: string): string =>
  String(createHash('sha256').update(text).digest().readUIntBE(0, 6) % 10 ** 14).padStart(14, '0')
