/** The program cannot start, for a reason that a person can fix. The message says what, and how. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
