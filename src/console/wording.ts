import { type Language, LOCALES } from '../interface/languages.ts'

// The words of every language are made with these.

/** A format is made at its first use, because on a slow phone making one takes as long as a page of the console. */
export function lazily<Format extends object>(make: () => Format): () => Format {
  let made: Format | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface Wording {
  language: Language
  /** Stands between the thousands, in the locales of `separated` alone. */
  separator: string
  separated: readonly string[]
  /** The first whole number that is written with a separator. */
  separatedFrom: number
}

/** The locale in which a person reads the language, and its numbers and lists. */
export function makeWording({ language, separator, separated, separatedFrom }: Wording) {
  // The region is the browser's: an American and a Briton write dates in different orders.
  const known = (globalThis as { navigator?: { languages?: readonly string[] } }).navigator?.languages ?? []
  const locale = known.find((one) => one.startsWith(`${language}-`)) ?? LOCALES[language]
  const numbers = lazily(() => new Intl.NumberFormat(locale))
  const lists = lazily(() => new Intl.ListFormat(locale))
  const isSimple = separated.includes(locale)
  return {
    locale,
    /** Whole numbers without Intl where it can be, whose first use in a page takes longer than the page. */
    number: (value: number): string => {
      if (!Number.isInteger(value) || !isSimple) return numbers().format(value)
      return Math.abs(value) < separatedFrom
        ? String(value)
        : String(value).replace(/\B(?=(?:\d{3}){1,6}$)/g, separator)
    },
    list: (items: string[]): string => lists().format(items),
  }
}
