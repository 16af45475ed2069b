import { FIELDS, type PackedConversation } from '../fields.js'
import { toCompactJson, toFullJson } from '../vip-user.js'

/** The values by which rows are sorted. */
export interface EntryKey {
  id: string
  /** The lifetime value. */
  value: number
}

/** A conversation as a list caches it. */
export interface ListEntry extends EntryKey {
  /** 1 to 12, or NO_BIRTHDAY. */
  month: number
  /** The row as JSON. */
  full: string
  /** The row of compact mode as JSON. */
  compact: string
}

export const NO_BIRTHDAY = 255

const placeOf = (name: keyof typeof FIELDS): number => Object.keys(FIELDS).indexOf(name)
const ID = placeOf('conversationId')
const BIRTHDAY = placeOf('birthday')
const LIFETIME_VALUE = placeOf('lifetimeValue')

export function toEntry(values: PackedConversation): ListEntry {
  const birthday = values[BIRTHDAY] as string | null
  return {
    id: values[ID] as string,
    value: values[LIFETIME_VALUE] as number,
    // A birthday has the form YYYY-MM-DD or --MM-DD.
    month: birthday === null ? NO_BIRTHDAY : Number(birthday.slice(-5, -3)),
    full: toFullJson(values),
    compact: toCompactJson(values),
  }
}

/** Compares in list order: highest lifetime value first, then by the id's UTF-8 bytes, as the database sorts. */
export function compareEntries(a: EntryKey, b: EntryKey): number {
  if (a.value !== b.value) return a.value > b.value ? -1 : 1
  return compareByBytes(a.id, b.id)
}

/**
 * Compares by UTF-8 bytes. JavaScript compares strings by UTF-16 units, which gives the same order except for surrogates.
 */
function compareByBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const unitA = a.charCodeAt(index)
    const unitB = b.charCodeAt(index)
    if (unitA !== unitB) return byteRank(unitA) - byteRank(unitB)
  }
  return a.length - b.length
}

/** A surrogate is half of a character past U+FFFF, and therefore sorts after all other units. */
const byteRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
