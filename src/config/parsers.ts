import { resolve } from 'node:path'
import { trimEnd } from '../interface/trim.js'
import { Mistake, type Parser } from './setting.js'

export const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export const text: Parser<string> = (given) => given

/** Makes a parser from `read`, which returns undefined for invalid text. */
export const reading =
  <Value>(read: (given: string) => Value | undefined, mistake: string): Parser<Value> =>
  (given) => {
    const value = read(given)
    if (value === undefined) throw new Mistake(mistake)
    return value
  }

/** Accepts text that matches the pattern. */
export const matching = (pattern: RegExp, mistake: string): Parser<string> =>
  reading((given) => (pattern.test(given) ? given : undefined), mistake)

export const integer =
  (min: number, max: number): Parser<number> =>
  (given) => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    if (value >= min && value <= max) return value
    throw new Mistake(`must be a whole number from ${min} to ${max}, not "${given}".`)
  }

export const mebibytes =
  (min: number, max: number): Parser<number> =>
  (given) =>
    integer(min, max)(given) * 1024 * 1024

/** Parses days into milliseconds. */
export const days =
  (min = 1, max = 3_650): Parser<number> =>
  (given) =>
    integer(min, max)(given) * UNIT_MS.d!

export const choice =
  <Value extends string>(...values: readonly Value[]): Parser<Value> =>
  (given) => {
    const value = values.find((candidate) => candidate === given)
    if (value === undefined) throw new Mistake(`must be ${values.join(', ')}, not "${given}".`)
    return value
  }

export const onOff: Parser<boolean> = (given) => choice('on', 'off')(given) === 'on'

/** Parses items separated by commas that satisfy `isItem`. */
export const list =
  (isItem: (item: string) => boolean, mistake: string): Parser<readonly string[]> =>
  (given) => {
    const items = splitList(given)
    if (!items.every(isItem)) throw new Mistake(mistake)
    return Object.freeze(items)
  }

export const splitList = (given: string): string[] =>
  given
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** The message does not repeat the value, because the URL of a database or mail server contains a password. */
export const url =
  (...protocols: readonly string[]): Parser<string> =>
  (given) => {
    if (URL.canParse(given) && protocols.includes(new URL(given).protocol)) return given
    throw new Mistake(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
  }

/** Parses the URL of a server and drops a trailing slash. */
export const serverUrl =
  (mistake: string): Parser<string> =>
  (given) => {
    if (!isServerUrl(url('https:', 'http:')(given))) throw new Mistake(mistake)
    return trimEnd(given, '/')
  }

/** Returns whether `/v1` can be appended to the URL: it has no query and no password. */
export function isServerUrl(given: string): boolean {
  const parsed = URL.canParse(given) ? new URL(given) : undefined
  if (parsed === undefined || /[?#]/.test(given) || parsed.username !== '' || parsed.password !== '') return false
  return ['http:', 'https:'].includes(parsed.protocol)
}

/** Returns whether a part of a URL is validly percent-encoded. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Parses the base URL of an API and drops a trailing slash. */
export const baseUrl: Parser<string> = (given) => trimEnd(url('https:', 'http:')(given), '/')

export const directory: Parser<string> = (given) => resolve(given)

/** A bearer token that callers send. */
export const token = matching(
  /^[\x21-\x7e]{16,}$/,
  'must be 16 or more visible ASCII characters: make one with `openssl rand -hex 32`.',
)
