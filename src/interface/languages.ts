/**
 * The languages of the console and of emails, by ISO 639-1 code, with their texts in locales/. `locale` formats numbers and
 * times if the browser does not specify a region for the language.
 */
export const languages = {
  en: { name: 'English', locale: 'en-GB' },
  pt: { name: 'Português', locale: 'pt-BR' },
  es: { name: 'Español', locale: 'es-ES' },
  de: { name: 'Deutsch', locale: 'de-DE' },
} as const

export type Language = keyof typeof languages
export const LANGUAGES = Object.keys(languages) as Language[]

/** The other languages are translations of it. */
export const DEFAULT_LANGUAGE: Language = 'en'

/** The cookie that selects the console's document by language. It identifies no one. */
export const LANGUAGE_COOKIE = 'greenroom_language'

export const isLanguage = (value: string | undefined): value is Language =>
  LANGUAGES.some((language) => language === value)
