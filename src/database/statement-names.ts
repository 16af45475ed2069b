import { createHash } from 'node:crypto'

/** Our own code has far fewer statements, even with those that are assembled from parts. */
const NAMED_MAX = 500

/**
 * Names under which a connection prepares the statements it meets: planning takes PostgreSQL longer than running, and most
 * statements are run repeatedly. A name is a hash of the text, so it never means another statement, even on a connection
 * that several processes share behind a pooler.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Returns undefined if there are enough names; the statement is then planned each time. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size === NAMED_MAX) return known
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
    this.#names.set(text, name)
    return name
  }
}
