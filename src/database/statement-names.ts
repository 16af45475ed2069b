import { createHash } from 'node:crypto'

/** Our own code has far fewer statements. Some are put together, of not so many parts. */
const NAMED_MAX = 500

/**
 * Names under which a connection prepares the statements that it meets: to plan one takes PostgreSQL longer than to run it,
 * and most are run again and again. A name is a hash of its text, so that on a connection that several processes share,
 * behind a pooler, it never means another statement.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Undefined: there are enough, this one is planned each time. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size === NAMED_MAX) return known
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    this.#names.set(text, name)
    return name
  }
}
