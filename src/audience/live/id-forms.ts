import { createTurns } from '../../lib/turns.js'
import { ID_CHARS_MAX, idOfGlobalId, idTextOf } from '../facts.js'

// How senders write an id into the body of a delivery, and the search for it. The usual forms are searched as text,
// anywhere. JSON allows endless others, such as 12e2 for 1200 and \u0031 for 1: values in one of those are parsed as a
// decoder would.

/** If an id has at least this length, any body that contains it names it; a shorter one may be part of another value. */
const LONG_BYTES = 8

const escaped = (text: string, which: RegExp, hex: (code: string) => string): string =>
  text.replaceAll(which, (unit) => `\\u${hex(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
const lower = (code: string): string => code
const upper = (code: string): string => code.toUpperCase()
const same = (text: string): string => text

// Without the flag `u`, so that both halves of a surrogate pair are escaped, as in JSON.
const NOT_ASCII = /[\u007f-\uffff]/g
const OF_HTML = /[<>&'+]/g

/**
 * Returns the forms of an id: as it is, as JSON text, and in a form. PHP escapes slashes and writes `é` as `\u00e9`; other
 * writers use capital letters there, or escape what HTML would interpret.
 */
export function formsOf(id: string): string[] {
  const json = JSON.stringify(id).slice(1, -1)
  const texts = [id, json, json.replaceAll('\\"', '\\u0022')]
  const slashes = [same, (text: string) => text.replaceAll('/', '\\/')]
  const letters = [same, ...[lower, upper].map((hex) => (text: string) => escaped(text, NOT_ASCII, hex))]
  const html = [same, ...[lower, upper].map((hex) => (text: string) => escaped(text, OF_HTML, hex))]
  const written = texts.flatMap((text) =>
    slashes.flatMap((slash) => letters.flatMap((letter) => html.map((tag) => tag(letter(slash(text)))))),
  )
  const inForm = encodeURIComponent(id.toWellFormed())
  return [...new Set([...written, inForm, inForm.replaceAll('%20', '+')])]
}

const BEFORE = new Set(Buffer.from('"\'\\:[(,/= \t\r\n>&'))
const AFTER = new Set(Buffer.from('"\'\\,]})/ \t\r\n<;&?'))

/**
 * Returns whether a body has one of the forms. A short one counts only as a whole value: `17` occurs somewhere in most
 * bodies.
 */
export const holdsForm = (body: Buffer, forms: readonly Buffer[]): boolean =>
  forms.some((form) => {
    for (let at = body.indexOf(form); at >= 0; at = body.indexOf(form, at + 1)) {
      const end = at + form.length
      const isWhole = (at === 0 || BEFORE.has(body[at - 1]!)) && (end === body.length || AFTER.has(body[end]!))
      if (form.length >= LONG_BYTES || isWhole) return true
    }
    return false
  })

const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39
/** Characters of an unusually written number; a number of digits only is found as text. */
const OF_ODD_NUMBERS = new Set(Buffer.from('.+-eE'))
/** A character takes six bytes as `\uXXXX`; a longer text is not an id. */
const TEXT_BYTES_MAX = ID_CHARS_MAX * 6 + 2
/** A longer number is not an id: it has digits after a point that no double keeps. */
const NUMBER_BYTES_MAX = 2_000
/** Bytes examined before the clock is checked: at most a few thousand values. */
const STEP_BYTES = 4_096

/**
 * Returns whether a value of a JSON body is one of the ids, written in an unusual form: a string with escapes or non-ASCII
 * blanks; a number with a point, an exponent or a minus. The bytes are walked once, whatever the number of ids, and only
 * such values are parsed. Yields to other work: 16 MiB of `-1,` take a second.
 */
export async function holdsOddValue(body: Buffer, ids: ReadonlySet<string>): Promise<boolean> {
  let index = 0
  let lookAt = 0
  const turn = createTurns()
  while (index < body.length) {
    if (index >= lookAt) {
      await turn()
      lookAt = index + STEP_BYTES
    }
    const start = index
    let isOdd = false
    if (body[index] === QUOTE) {
      for (index += 1; index < body.length && body[index] !== QUOTE; index += 1) {
        if (body[index] === BACKSLASH) index += 1
        else if (body[index]! < 0x80) continue
        isOdd = true
      }
      index += 1
      if (!isOdd || index - start > TEXT_BYTES_MAX) continue
      if (isOne(parseText(body.toString('utf8', start, index)), ids)) return true
    } else if (body[index] === MINUS || isDigit(body[index])) {
      for (; isDigit(body[index]) || OF_ODD_NUMBERS.has(body[index]!); index += 1) isOdd ||= !isDigit(body[index])
      if (!isOdd || index - start > NUMBER_BYTES_MAX) continue
      if (isOne(Number(body.toString('latin1', start, index)), ids)) return true
    } else {
      index += 1
    }
  }
  return false
}

function parseText(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isOne(value: unknown, ids: ReadonlySet<string>): boolean {
  const text = idTextOf(value)
  return (text !== undefined && ids.has(text)) || ids.has(idOfGlobalId(value) ?? '')
}

/** Returns whether bytes are compressed, in which case they cannot be searched. */
export const isPacked = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b
