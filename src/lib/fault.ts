const CHARS_MAX = 300
const CAUSES_MAX = 5

/** An unexpected error in one line for a person: what it says and what caused it, without the code around it. */
export function describeFault(error: unknown): string {
  const messages: string[] = []
  for (let at = error; at !== undefined && at !== null && messages.length < CAUSES_MAX; ) {
    const { message, code, cause } = at as { message?: string; code?: string; cause?: unknown }
    const [line = ''] = (message || code || String(at)).trim().split('\n')
    const told = line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line.replace(/\.$/, '')
    if (told !== '' && !messages.some((other) => other.includes(told))) messages.push(told)
    at = cause
  }
  return messages.join(': ')
}
