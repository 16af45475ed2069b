const CHARS_MAX = 300
/** Also stops at a chain of causes that loops. */
const ERRORS_MAX = 5

/** Describes an unexpected error in one line for a person: the first lines of its message and those of its causes. */
export function describeFault(error: unknown): string {
  const messages: string[] = []
  for (let at = error, read = 0; at !== undefined && at !== null && read < ERRORS_MAX; read++) {
    const { message, code, cause } = at as { message?: unknown; code?: unknown; cause?: unknown }
    const [line = ''] = String(message || code || at)
      .trim()
      .split('\n')
    const text = line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line.replace(/\.$/, '')
    if (text !== '' && !messages.some((other) => other.includes(text))) messages.push(text)
    at = cause
  }
  return messages.join(': ')
}
