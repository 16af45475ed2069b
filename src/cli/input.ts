import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { CliError, type Io, unreadableFile } from './io.js'

/** Reads the value of an option: the text itself, the file in `@file`, or stdin for `-`. */
export async function readData({ stdin }: Io, data: string): Promise<Buffer> {
  if (data === '-') return buffer(stdin)
  if (!data.startsWith('@')) return Buffer.from(data)
  const file = data.slice(1)
  return readFile(file).catch((error) => {
    throw unreadableFile(file, error)
  })
}

/** Reads an option whose value is a JSON object or a list of objects. Throws a CliError that names the option. */
export async function readJson(io: Io, data: string, option: string, isList: boolean): Promise<unknown> {
  // Programs on Windows start files with U+FEFF, which JSON does not allow.
  const content = (await readData(io, data)).toString().replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (error) {
    throw new CliError(2, `${option} is not JSON: ${(error as Error).message}.`)
  }
  if (value !== null && typeof value === 'object' && Array.isArray(value) === isList) return value
  throw new CliError(2, `${option} must be one JSON ${isList ? 'list' : 'object'}.`)
}

export const readJsonObject = (io: Io, data: string, option: string): Promise<Record<string, unknown>> =>
  readJson(io, data, option, false) as Promise<Record<string, unknown>>

/** Collects the values of a repeatable option. */
export const addTo = (value: string, values: string[] = []): string[] => [...values, value]

/** Reads one secret from a file, or from stdin if no file is named. */
export async function readSecret(io: Io, file: string | undefined, question: SecretQuestion): Promise<string> {
  if (file === undefined) return (await readSecrets(io, [question]))[0]!
  return checkSecret((await readData(io, `@${file}`)).toString(), question.noun)
}

export interface SecretQuestion {
  /** The prompt on a terminal. */
  prompt: string
  /** The name of the secret in messages. */
  noun: string
}

/**
 * Reads secrets from stdin. On a terminal it asks for them one by one, without echo. Elsewhere each line is a secret, or the
 * whole input if only one is read. Secrets are never arguments, because other users of the machine can see those of a
 * running program.
 */
export async function readSecrets({ stdin, stderr }: Io, questions: SecretQuestion[]): Promise<string[]> {
  if (!stdin.isTTY) {
    const given = questions.length === 0 ? '' : await text(stdin)
    const lines = questions.length === 1 ? [given] : given.split('\n')
    return questions.map(({ noun }, index) => checkSecret(lines[index] ?? '', noun))
  }
  // Without an output the line editor echoes nothing.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: stdin, output, terminal: true })
  const lines = terminal[Symbol.asyncIterator]()
  try {
    const secrets: string[] = []
    for (const { prompt, noun } of questions) {
      stderr.write(`${prompt}: `)
      // Ctrl-C and the end of the input stop the loop.
      const { value, done } = await lines.next()
      stderr.write('\n')
      if (done) throw new CliError(2, `No ${noun} was given.`)
      secrets.push(checkSecret(value, noun))
    }
    return secrets
  } finally {
    terminal.close()
  }
}

function checkSecret(given: string, noun: string): string {
  const secret = given.trim()
  if (secret === '') throw new CliError(2, `The ${noun} is empty.`)
  return secret
}

/** Asks a question on a terminal and returns the line typed. Returns undefined if stdin is not a terminal or has ended. */
export async function ask({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  if (!stdin.isTTY) return undefined
  const terminal = createInterface({ input: stdin, output: stderr as Writable })
  try {
    stderr.write(`${question} `)
    const { value, done } = await terminal[Symbol.asyncIterator]().next()
    return done ? undefined : value
  } finally {
    terminal.close()
  }
}

/**
 * Asks a yes-or-no question on a terminal. Anything except `y` or `yes` means no. Returns undefined if stdin is not a
 * terminal.
 */
export async function confirm(io: Io, question: string): Promise<boolean | undefined> {
  if (!io.stdin.isTTY) return undefined
  return /^\s*y(es)?\s*$/i.test((await ask(io, `${question} [y/N]`)) ?? '')
}

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns an instant for the API: the given one, or one relative to now (`+90s`, `+5m`, `+2h`, `+3d`). */
export function toInstant({ clock }: Pick<Io, 'clock'>, given: string): string {
  const [, count, unit] = /^\+(\d{1,6})([smhd])$/.exec(given) ?? []
  if (count === undefined) return given
  return new Date(clock.now() + Number(count) * UNIT_MS[unit!]!).toISOString()
}

/** The help of `--organization` for commands that also accept a key. */
export const ORGANIZATION_HELP = 'in this organization, with a token instead of a key'

/** Parses a whole number. */
export function toWholeNumber(given: string): number {
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw new InvalidArgumentError('It must be a whole number.')
}

/** Returns the given id. Throws if it is empty (often an unset shell variable) or cannot be part of a path. */
export function toId(given: string): string {
  if (given.trim() === '') throw new CliError(2, 'An id is empty.')
  if (given === '.' || given === '..') throw new CliError(2, `${given} is not an id.`)
  return given
}

/** Returns the fields that have a value. */
export const definedOnly = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
