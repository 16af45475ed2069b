import { words as wordsIn } from '../../interface/generated/words/mails.js'
import type { MailWords } from '../../interface/generated/words/types.js'
import { DEFAULT_LANGUAGE, isLanguage, type Language, languages } from '../../interface/languages.js'

/** All that is known about how a person reads. */
export interface ReaderRow {
  /** As the person chose it. */
  language: Language | null
  /** As the browser of the last sign-in had it. */
  browser_locale: string | null
  own_time_zone: string | null
  /** Null for an owner of the server who is a member nowhere, like time_zone. */
  organization_language: Language | null
  time_zone: string | null
}

/** The columns of ReaderRow, of a person `p` and an organization `o`. */
export const READER_COLUMNS =
  'p.language, p.browser_locale, p.own_time_zone, o.language as organization_language, o.time_zone'

/** Writes words, numbers and times as one person reads them. */
export interface Reader {
  language: Language
  words: MailWords
  /** An instant with the name of its time zone. */
  instant(at: Date): string
  /** The same without the day. */
  time(at: Date): string
}

const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const INSTANT = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', ...TIME } as const

/**
 * The language that the person chose, else the one in which the console was last shown to them, else the organization's.
 * Times are in the zone of the person, else in the organization's.
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
