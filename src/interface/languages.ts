/** The languages of the console and of mails, as ISO 639-1 codes. The first one is the original of the others. */
export const LANGUAGES = ['en', 'pt', 'es', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

export const DEFAULT_LANGUAGE: Language = 'en'

/** The locale for numbers and times if the browser does not specify a region for the language. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', pt: 'pt-BR', es: 'es-ES', de: 'de-DE' }

/** The cookie that selects the console's document by language. It identifies no one. */
export const LANGUAGE_COOKIE = 'greenroom_language'

export const isLanguage = (value: string | undefined): value is Language =>
  LANGUAGES.some((language) => language === value)
