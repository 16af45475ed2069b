/**
 * The languages of the console and of mails, by their codes of ISO 639-1. The texts of each are in locales/. `locale` writes
 * numbers and times for a person whose browser names no region for the language.
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

/** The cookie that tells the server which document of the console a browser gets. It identifies no one. */
export const LANGUAGE_COOKIE = 'greenroom_language'

export const isLanguage = (value: string | undefined): value is Language =>
  LANGUAGES.some((language) => language === value)
