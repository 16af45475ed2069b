/** Of our own code there are far fewer; some are put together, of not so many parts. */
const NAMED_MAX = 500

/**
 * Names under which a connection prepares the statements that it meets: to plan one takes PostgreSQL longer than to run it,
 * and most are run again and again.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Undefined: there are enough, this one is planned each time. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size === NAMED_MAX) return known
    const name = `s${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }
}
