import { trimEnd } from '../../interface/trim.js'
import { isBareDate, parseIsoInstant } from '../../lib/dates.js'
import { limit } from '../../lib/limits.js'
import { hasTooManyValues } from '../delivery-json.js'
import {
  type ExternalId,
  ID_CHARS_MAX,
  idTextOf,
  isPlaceholder,
  isPlausibleInstant,
  type ProfileFields,
} from '../facts.js'

// Shared by decoders: untrusted JSON, decimals, instants and ids.

export const DEPTH_MAX = 64
const NAME_CHARS_MAX = limit('nameChars')
const VALUES_MAX = limit('deliveryValues')
const PICTURE_CHARS_MAX = limit('pictureChars')
const SHOWN_CHARS = 60
/** For amounts, currencies and instants, including surrounding spaces. */
const SHORT_CHARS_MAX = 100

/** This many consecutive digits may be a whole number beyond a double's range. */
const MANY_DIGITS = /\d{16}/

/**
 * Parses JSON of any depth. Whole numbers beyond 2^53 become texts of their digits, so that no id loses its last ones.
 * Throws for bytes that are not JSON, and for more values than a delivery may have.
 */
export function parseJson(bytes: Buffer): unknown {
  if (hasTooManyValues(bytes)) throw new Unreadable(`It has more than ${VALUES_MAX} values.`)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const value: unknown = JSON.parse(text)
  return MANY_DIGITS.test(text) ? JSON.parse(quoteBigIntegers(text)) : value
}

/** Throws Unreadable for an item that is nested too deeply for a person or a recursive function. */
export function checkDepth(item: unknown): void {
  if (depthOf(item) > DEPTH_MAX) throw new Unreadable(`It is nested deeper than ${DEPTH_MAX} levels.`)
}

/** Parses a delivery that is one item. Throws what parseJson and checkDepth throw. */
export function readWhole(bytes: Buffer): unknown {
  const value = parseJson(bytes)
  checkDepth(value)
  return value
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const isNumberPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e || code === 0x45 || code === 0x65

/**
 * Quotes whole numbers beyond 2^53. The text must be JSON. It is walked once: a regular expression backtracks, and takes
 * hours for some deliveries.
 */
function quoteBigIntegers(text: string): string {
  let quoted = ''
  let copied = 0
  let index = 0
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) {
      index = endOfText(text, index)
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = index
      while (index < text.length && isNumberPart(text.charCodeAt(index))) index += 1
      const number = text.slice(start, index)
      if (number.length < 16 || /[.eE]/.test(number) || Number.isSafeInteger(Number(number))) continue
      quoted += `${text.slice(copied, start)}"${number}"`
      copied = index
    } else {
      index += 1
    }
  }
  return quoted + text.slice(copied)
}

/** Returns the index after the text that begins here. */
function endOfText(json: string, start: number): number {
  let index = start + 1
  for (; json.charCodeAt(index) !== QUOTE; index += 1) if (json.charCodeAt(index) === BACKSLASH) index += 1
  return index + 1
}

/** Walks level by level, with only the objects of one level in memory. */
export function depthOf(value: unknown): number {
  let level: object[] = isNested(value) ? [value] : []
  let depth = 1
  while (level.length > 0 && depth <= DEPTH_MAX) {
    depth += 1
    const next: object[] = []
    for (const item of level) {
      for (const part of Array.isArray(item) ? item : Object.values(item)) if (isNested(part)) next.push(part)
    }
    level = next
  }
  return depth
}

const isNested = (value: unknown): value is object => value !== null && typeof value === 'object'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Returns the value as an object; empty for anything else. */
export const asObject = (value: unknown): Json => (isObject(value) ? value : {})

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The reason for a problem of an item. */
export class Unreadable extends Error {}

/** Returns the text of any error as a reason that can be stored: JSON.parse's errors quote the delivery. */
export const reasonOf = (error: unknown): string => (error as Error).message.toWellFormed().replaceAll('\0', '�')

/** Objects already shown: all items of a delivery may show the same one, such as its time. */
const shownObjects = new WeakMap<object, string>()

/** Formats a value for people. */
export function shown(value: unknown): string {
  if (!isNested(value))
    return shorten(JSON.stringify(typeof value === 'string' ? beginning(value) : value) ?? String(value))
  const before = shownObjects.get(value)
  if (before !== undefined) return before
  const text = shorten(textOf(value))
  shownObjects.set(value, text)
  return text
}

/** One character more than is shown, so that truncation is visible. */
const beginning = (text: string): string => text.slice(0, SHOWN_CHARS + 1)

const shorten = (text: string): string =>
  (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text).toWellFormed().replaceAll('\\u0000', '�')

function textOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '(nested too deep)'
  }
}

/** Returns whether a value is what senders write for nothing: no value, or an empty text. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.length <= SHORT_CHARS_MAX && value.trim() === '')

/** Returns the first of the values that is not nothing. */
export const firstGiven = (...values: readonly unknown[]): unknown => values.find((value) => !isNothing(value))

/** Returns a short text without surrounding spaces; empty for a longer one, and for anything else. */
const readShort = (value: unknown): string =>
  typeof value === 'string' && value.length <= SHORT_CHARS_MAX ? value.trim() : ''

/**
 * Returns an id as text, such as an order's; undefined if there is none. Throws Unreadable for one that cannot be stored.
 */
export function readId(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const text = idTextOf(value)
  if (text === undefined) {
    throw new Unreadable(`${name} must be a string of at most ${ID_CHARS_MAX} characters, not ${shown(value)}.`)
  }
  return text || undefined
}

/** Returns an external id of a kind; undefined for a placeholder. */
export function readOutsideId(kind: ExternalId['kind'], value: unknown, name: string): ExternalId | undefined {
  const id = readId(value, name)
  return id === undefined || isPlaceholder(id) ? undefined : { kind, id }
}

const DECIMAL = /^(\d{1,15})(?:\.(\d{1,10}))?$/

/**
 * Returns an amount of money as a decimal, such as `598.94`. Throws Unreadable if it is negative, is not a number, or does
 * not fit a decimal of 15 digits and 10 places.
 */
export function readAmount(value: unknown, name: string): string {
  const text = typeof value === 'number' ? plain(value) : readShort(value)
  const [, whole, places = ''] = DECIMAL.exec(text) ?? []
  if (whole === undefined) {
    throw new Unreadable(`${name} must be a non-negative amount, such as 12.50, not ${shown(value)}.`)
  }
  const short = trimEnd(places, '0')
  return `${whole.replace(/^0+(?=\d)/, '')}${short === '' ? '' : `.${short}`}`
}

/**
 * Formats a double as the shortest decimal that represents it. The residue of summing doubles, as in 59.940000000000005, is
 * rounded away.
 */
const plain = (value: number): string => {
  const text = String(value)
  return /e-|\.\d{11}/.test(text) ? value.toFixed(10) : text
}

/** The same with a sign: a tax that a shop rounded, or an adjustment, may be negative. */
export function readSigned(value: unknown, name: string): string {
  const text = typeof value === 'number' ? plain(value) : readShort(value)
  if (!text.startsWith('-')) return readAmount(value, name)
  const amount = readAmount(text.slice(1), name)
  return amount === '0' ? amount : `-${amount}`
}

const SCALE = 10
const toScaled = (text: string): bigint => {
  const [whole = '0', places = ''] = text.split('.')
  return BigInt(whole + places.padEnd(SCALE, '0'))
}

/** Adds decimals exactly, including negative ones. */
export function add(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, text) => total + toScaled(text), 0n)
  const digits = (sum < 0n ? -sum : sum).toString().padStart(SCALE + 1, '0')
  return readSigned(`${sum < 0n ? '-' : ''}${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`, 'amount')
}

export const negate = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)

/** Subtracts decimals exactly; never returns less than 0. */
export function subtract(amount: string, ...others: readonly string[]): string {
  const rest = add([amount, ...others.map(negate)])
  return rest.startsWith('-') ? '0' : rest
}

/** Returns a currency code. Throws Unreadable. */
export function readCurrency(value: unknown, name: string): string {
  const text = readShort(value).toUpperCase()
  if (!/^[A-Z]{3}$/.test(text)) {
    throw new Unreadable(`${name} must be a three-letter currency code, such as EUR, not ${shown(value)}.`)
  }
  return text
}

/** Below this, a number for an instant is in seconds. */
const SECONDS_MAX = 100_000_000_000

/**
 * Parses an instant to milliseconds: ISO 8601, or seconds or milliseconds as a number or text. Undefined if it is not an
 * instant.
 */
export function parseInstant(value: unknown): number | undefined {
  const number =
    typeof value === 'number'
      ? value
      : typeof value === 'string' && /^\d{9,16}$/.test(value)
        ? Number(value)
        : Number.NaN
  if (Number.isFinite(number)) return Math.trunc(Math.abs(number) < SECONDS_MAX ? number * 1000 : number)
  return parseTextInstant(readShort(value))
}

/** An ISO 8601 instant without a zone, or `2026-11-20 09:00` as shops export it. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/
/** `2026-11-20 09:00:00 -0500`, `Fri, 20 Nov 2026 09:00:00 GMT`, or `November 20, 2026 9:00 am`. */
const WRITTEN = /^(?:\d{4}-\d\d-\d\d |[A-Za-z]{3}, |[A-Za-z]{3,9} \d{1,2}, \d{4}\b)/
const ZONE = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/

/** Without a zone it is UTC: the meaning of a delivery must not depend on the zone of the server's machine. */
function parseTextInstant(text: string): number | undefined {
  const [, date, time = '00:00'] = WITHOUT_ZONE.exec(text) ?? []
  if (date !== undefined) return parseIsoInstant(`${date}T${time}Z`)
  const written = WRITTEN.test(text) ? Date.parse(ZONE.test(text) ? text : `${text} UTC`) : Number.NaN
  const instant = parseIsoInstant(text) ?? written
  return Number.isFinite(instant) ? instant : undefined
}

/** The same within plausible bounds. Throws Unreadable. */
export function readInstant(value: unknown, name: string, receivedAt: number): number {
  const at = parseInstant(value)
  if (at === undefined || !isPlausibleInstant(at, receivedAt)) {
    throw new Unreadable(`${name} must be a time between 2004 and one day from now, not ${shown(value)}.`)
  }
  return at
}

/**
 * Returns the first readable instant, or `receivedAt` if none is given. Throws Unreadable if some are given and none is
 * readable.
 */
export function readFirstInstant(values: readonly unknown[], name: string, receivedAt: number): number {
  const given = values.filter((value) => !isNothing(value))
  const readable = given.map(parseInstant).find((at) => at !== undefined && isPlausibleInstant(at, receivedAt))
  if (readable !== undefined) return readable
  return given.length === 0 ? receivedAt : readInstant(given[0], name, receivedAt)
}

/** Returns a string of a profile, shortened to what is stored; undefined if there is none. */
function readText(value: unknown, charsMax: number): string | undefined {
  if (typeof value !== 'string') return undefined
  // Leaves room for leading spaces: the whole text may be long, and every item of a delivery may have the same one.
  const text = value
    .slice(0, 2 * charsMax)
    .trim()
    .replaceAll('\0', '')
    .toWellFormed()
  return text === '' ? undefined : text.slice(0, charsMax).toWellFormed()
}

export const readName = (value: unknown): string | undefined => readText(value, NAME_CHARS_MAX)

export function readPicture(value: unknown): string | undefined {
  const text = readText(value, PICTURE_CHARS_MAX + 1)
  return text !== undefined && text.length <= PICTURE_CHARS_MAX && /^https?:\/\//i.test(text) ? text : undefined
}

/** Returns `YYYY-MM-DD` or `--MM-DD`; undefined for another form. */
export function readBirthday(value: unknown): string | undefined {
  const [date] = /^(?:\d{4}|-)-\d{2}-\d{2}/.exec(readShort(value)) ?? []
  if (date === undefined) return undefined
  return isBareDate(date.startsWith('--') ? `2000${date.slice(1)}` : date) ? date : undefined
}

/** Returns the fields that are known. */
export const knownFields = (fields: { [Name in keyof ProfileFields]: string | undefined }): ProfileFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
