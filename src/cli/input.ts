import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { CliError, type Io, unreadableFile } from './io.js'

/** What stands in an option: the text itself, `@file`, or `-` for stdin. */
export async function readData({ stdin }: Io, data: string): Promise<Buffer> {
  if (data === '-') return buffer(stdin)
  if (!data.startsWith('@')) return Buffer.from(data)
  const file = data.slice(1)
  return readFile(file).catch((error) => {
    throw unreadableFile(file, error)
  })
}

/** The same for one JSON object; throws a CliError that names the option. */
export async function readJsonObject(io: Io, data: string, option: string): Promise<Record<string, unknown>> {
  const content = (await readData(io, data)).toString()
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new CliError(2, `${option} is not JSON: ${(error as Error).message}.`)
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw new CliError(2, `${option} must be one JSON object.`)
}

/**
 * An access token of the platform, from a file or stdin. Never from an argument: other users of the machine see the
 * arguments of a running program.
 */
export async function readAccessToken(io: Io, file: string | undefined): Promise<string> {
  const given =
    file === undefined
      ? await readSecret(io, 'Access token: ')
      : await readFile(file, 'utf8').catch((error) => {
          throw unreadableFile(file, error)
        })
  const token = given.trim()
  if (token === '') throw new CliError(2, 'The access token is empty.')
  return token
}

async function readSecret({ stdin, stderr }: Io, prompt: string): Promise<string> {
  if (!stdin.isTTY) return text(stdin)
  stderr.write(prompt)
  // The line is edited on a screen that nobody sees.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output, terminal: true })
  try {
    // Ctrl-C and the end of the input close it, and then the question is never answered.
    const closed = once(lines, 'close').then(() => Promise.reject(new CliError(2, 'No access token was given.')))
    return await Promise.race([lines.question(''), closed])
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** An instant as the API takes it: given as such, or from now on as `+90s`, `+5m`, `+2h` or `+3d`. */
export function toInstant({ clock }: Pick<Io, 'clock'>, given: string): string {
  const [, count, unit] = /^\+(\d{1,6})([smhd])$/.exec(given) ?? []
  if (count === undefined) return given
  return new Date(clock.now() + Number(count) * UNIT_MS[unit!]!).toISOString()
}
