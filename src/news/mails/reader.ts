import { words as wordsIn } from '../../interface/generated/words/mails.js'
import type { MailWords } from '../../interface/generated/words/types.js'
import { DEFAULT_LANGUAGE, isLanguage, type Language, languages } from '../../interface/languages.js'

/** A person's language and time zone, as far as known. */
export interface ReaderRow {
  /** The person's choice. */
  language: Language | null
  /** The locale of the browser at the last sign-in. */
  browser_locale: string | null
  own_time_zone: string | null
  /** Null, as time_zone, for an owner of the server who is not a member anywhere. */
  organization_language: Language | null
  time_zone: string | null
}

/** The columns of ReaderRow, from a person `p` and an organization `o`. */
export const READER_COLUMNS =
  'p.language, p.browser_locale, p.own_time_zone, o.language as organization_language, o.time_zone'

/** Formats words, numbers and times for one person. */
export interface Reader {
  language: Language
  words: MailWords
  /** Formats an instant with its time zone. */
  instant(at: Date): string
  /** Formats the time of day with its time zone. */
  time(at: Date): string
}

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const INSTANT = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', ...TIME } as const

/**
 * Uses the language that the person chose, else the one in which they last saw the console, else the organization's.
 * Times are in the person's time zone, else in the organization's.
 */
export function toReader(row: ReaderRow): Reader {
  const shown = row.browser_locale?.split('-')[0]
  const language = row.language ?? (isLanguage(shown) ? shown : (row.organization_language ?? DEFAULT_LANGUAGE))
  const locale = row.browser_locale?.startsWith(`${language}-`) ? row.browser_locale : languages[language].locale
  const timeZone = row.own_time_zone ?? row.time_zone ?? 'UTC'
  const write = (at: Date, parts: Intl.DateTimeFormatOptions): string =>
    `${new Intl.DateTimeFormat(locale, { ...parts, timeZone }).format(at)} (${timeZone.replaceAll('_', ' ')})`
  return {
    language,
    words: wordsIn[language](new Intl.NumberFormat(locale).format),
    instant: (at) => write(at, INSTANT),
    time: (at) => write(at, TIME),
  }
}
