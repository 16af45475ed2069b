import type { In, PageWords } from '../interface/generated/words/types.ts'
import { type Language, languages } from '../interface/languages.ts'

declare global {
  /** Set by the file of texts that the document loads first (build/translate.ts). It has one language. */
  var wordsOfPage: Readonly<Partial<Record<Language, In<PageWords>>>>
}

/** Creates a format on first use: on a slow phone that takes as long as a page of the console. */
export function lazily<Format extends object>(make: () => Format): () => Format {
  let made: Format | undefined
  return () => {
    made ??= make()
    return made
  }
}

const [[language, makeWords]] = Object.entries(globalThis.wordsOfPage) as [[Language, In<PageWords>]]

// The region comes from the browser: American and British dates differ.
const known = (globalThis as { navigator?: { languages?: readonly string[] } }).navigator?.languages ?? []
/** The locale for texts, numbers and lists. */
export const locale: string = known.find((one) => one.startsWith(`${language}-`)) ?? languages[language].locale

/** Thousands separators and decimal points, for locales whose whole numbers follow no other rule. */
const SIGNS: readonly [locales: string, thousands: string, point: string][] = [
  ['en-GB en-US en-AU en-CA en-IE en-NZ', ',', '.'],
  ['de-DE pt-BR es-ES es-AR es-CL es-CO', '.', ','],
]
const [, thousands, point] = SIGNS.find(([locales]) => locales.split(' ').includes(locale)) ?? []
/** Spanish separates thousands only from ten thousand. */
const separatedFrom = language === 'es' ? 10_000 : 1_000

const numbers = lazily(() => new Intl.NumberFormat(locale))
const lists = lazily(() => new Intl.ListFormat(locale))

/** Formats whole numbers without Intl if possible: its first use in a page takes longer than the page. */
export function number(value: number): string {
  if (!Number.isInteger(value) || thousands === undefined) return numbers().format(value)
  return Math.abs(value) < separatedFrom ? String(value) : String(value).replace(/\B(?=(?:\d{3}){1,6}$)/g, thousands)
}

/** Formats an amount without its currency, with cents if there are any. */
export function money(value: number): string {
  const [whole = '0', cents = '00'] = Math.abs(value).toFixed(2).split('.')
  // Larger amounts keep their plain form.
  if (!/^\d{1,15}$/.test(whole)) return String(value)
  const rest = cents === '00' ? '' : `${point ?? numbers().format(1.5)[1]}${cents}`
  return `${value < 0 ? '−' : ''}${number(Number(whole))}${rest}`
}

export const list = (items: readonly string[]): string => lists().format(items)

export const pageWords = makeWords(number)
