/** The languages of the console and of mails, by their codes of ISO 639-1; each but the first is a translation of it. */
export const LANGUAGES = ['en', 'pt', 'es', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

export const DEFAULT_LANGUAGE: Language = 'en'

/** The locale of numbers and times for a person whose browser names no region for the language. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', pt: 'pt-BR', es: 'es-ES', de: 'de-DE' }

/** The cookie that tells the server which document of the console a browser gets. It identifies no one. */
export const LANGUAGE_COOKIE = 'greenroom_language'

export const isLanguage = (value: string | undefined): value is Language =>
  LANGUAGES.some((language) => language === value)
