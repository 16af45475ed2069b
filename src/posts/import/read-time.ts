import type { ImportProblemCode } from '../../interface/generated/types.js'
import type { DateOrder } from '../../interface/post-import.js'
import { trimEnd } from '../../interface/trim.js'
import { readWallTime, toInstant } from '../../interface/wall-time.js'
import { parseIsoInstant } from '../../lib/dates.js'

/** Longer texts cannot be times. */
const TIME_CHARS_MAX = 100

/** The instant of a cell, with a sentence on how it was read if it is ambiguous. */
export type ReadTime =
  | { instant: string; readAs?: string }
  | { code: ImportProblemCode; message: string; choices?: Record<DateOrder, string> }

const UNREADABLE = {
  code: 'time_unreadable',
  message: 'Write the time as 2026-12-24 18:00, or with a zone as 2026-12-24T18:00Z.',
} as const

/** Days since 1900, as a spreadsheet stores a date; some count from 1904. */
const SERIAL_NUMBER = /^\d{5}(?:[.,]\d{1,20})?$/

/** Reads a date and time as people and spreadsheets write it, with a zone or on the wall clock of `timeZone`. */
export function readTime(cell: string, timeZone: string, order: DateOrder | undefined): ReadTime {
  if (cell.length > TIME_CHARS_MAX) return UNREADABLE
  if (SERIAL_NUMBER.test(cell)) {
    return {
      code: 'time_unreadable',
      message: 'This number is not a date: format the column as dates in the spreadsheet, and save the file again.',
    }
  }
  const ms = readIso(cell)
  if (ms !== undefined) return { instant: new Date(ms).toISOString() }
  const written = readWritten(cell)
  if (written === undefined) return UNREADABLE
  const { choices } = written
  const byOrder = order ?? 'DMY'
  if (order === undefined && choices.DMY !== undefined && choices.MDY !== undefined && choices.DMY !== choices.MDY) {
    const [day, month] = [choices.DMY, choices.MDY].map(describe)
    return {
      code: 'time_ambiguous',
      message: `${cell} can be ${day} or ${month}: write it as ${choices.DMY.replace('T', ' ')}, or set the order of the dates in the file, DMY or MDY (dateOrder).`,
      choices: { DMY: toInstant(choices.DMY, timeZone)!, MDY: toInstant(choices.MDY, timeZone)! },
    }
  }
  const local = choices[byOrder] ?? (order === undefined ? choices.MDY : undefined)
  const read = local === undefined ? undefined : readWallTime(local, timeZone)
  if (local === undefined || read === undefined) return UNREADABLE
  if (read.kind === 'once') {
    if (written.isYearFirst) return { instant: read.instant }
    return { instant: read.instant, readAs: `${cell} was read as ${describe(local)} in ${timeZone}.` }
  }
  if (read.kind === 'never') {
    return { code: 'time_never', message: `The clocks go forward then, and this time does not exist in ${timeZone}.` }
  }
  const instants = `${read.earlier} or ${read.later}`
  return {
    code: 'time_twice',
    message: `The clocks go back then: write which of the two times in ${timeZone} you mean, ${instants}.`,
  }
}

/** Returns the order of day and month in a file's dates, if one date shows it and none contradicts it. */
export function findDateOrder(cells: readonly string[]): DateOrder | undefined {
  const orders = new Set<DateOrder>()
  for (const cell of cells) {
    const written = cell.length > TIME_CHARS_MAX ? undefined : readWritten(cell.trim())
    if (written === undefined || !written.needsOrder) continue
    const { DMY, MDY } = written.choices
    if (DMY === undefined && MDY !== undefined) orders.add('MDY')
    else if (MDY === undefined && DMY !== undefined) orders.add('DMY')
  }
  const [order] = orders
  return orders.size === 1 ? order : undefined
}

function readIso(cell: string): number | undefined {
  const text = cell.replace(/^(\d{4}-\d\d-\d\d) +/, '$1T')
  const zone = /(?:[+-]\d\d:?\d\d|Z)$/.exec(text)?.[0] ?? ''
  return parseIsoInstant(trimEnd(text.slice(0, text.length - zone.length), ' ') + zone)
}

interface Written {
  /** The local time in each order of day and month, if that date exists. */
  choices: Partial<Record<DateOrder, string>>
  needsOrder: boolean
  isYearFirst: boolean
}

/** Spreadsheets also write narrow and fixed-width spaces. */
const SPACES = /[\u00a0\u2009\u202f]/g
const DATE = /^(\d{1,4})([-/.]) ?(\d{1,2})\2 ?(\d{1,4})(?=[T ,.])/
const TIME = /^(\d{1,2})(?:[:.h](\d\d)(?:[:.]00(?:[.,]0{1,9})?)?)? ?(h|(?:[ap])\.? ?m\.?)?$/i

/** Reads a local date and time such as `05/01/2027 18:00`, `5.1.2027 18:00` or `1/5/2027 6:00 PM`. */
function readWritten(cell: string): Written | undefined {
  const text = cell.replaceAll(SPACES, ' ')
  const [date = '', first = '', sign, second = '', third = ''] = DATE.exec(text) ?? []
  const time =
    date === ''
      ? undefined
      : readClock(
          text
            .slice(date.length)
            .replace(/^[.,T]/, '')
            .trim(),
        )
  if (time === undefined) return undefined
  const isYearFirst = first.length === 4
  const year = isYearFirst ? first : third.length === 2 ? `20${third}` : third
  if (year.length !== 4) return undefined
  const at = (day: string, month: string): string | undefined => {
    const local = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time}`
    return readWallTime(local, 'UTC') === undefined ? undefined : local
  }
  // A date with points has the day first in every country that writes points.
  const dayFirst = isYearFirst ? at(third, second) : at(first, second)
  const needsOrder = !isYearFirst && sign !== '.'
  const monthFirst = needsOrder ? at(second, first) : dayFirst
  const choices = { ...(dayFirst && { DMY: dayFirst }), ...(monthFirst && { MDY: monthFirst }) }
  return { choices, needsOrder, isYearFirst }
}

/** Returns the `HH:MM` of a 24-hour or 12-hour time; undefined if it is neither. */
function readClock(text: string): string | undefined {
  const [, hours, minutes, suffix = ''] = TIME.exec(text) ?? []
  if (hours === undefined || (minutes === undefined && suffix === '')) return undefined
  const half = suffix[0]?.toLowerCase()
  const hour = Number(hours)
  if (half !== 'a' && half !== 'p') return `${hours.padStart(2, '0')}:${minutes ?? '00'}`
  if (hour < 1 || hour > 12) return undefined
  return `${String((hour % 12) + (half === 'p' ? 12 : 0)).padStart(2, '0')}:${minutes ?? '00'}`
}

const formats = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats a local time as `5 January 2027, 18:00`. */
const describe = (local: string): string => `${formats.format(Date.parse(`${local}Z`))}, ${local.slice(-5)}`
