import { DEFAULT_LANGUAGE, isLanguage, LANGUAGE_COOKIE, type Language } from '../interface/languages.js'

interface LanguageHeaders {
  cookie?: string | undefined
  'accept-language'?: string | undefined
}

/** Returns the language that the person chose in this browser, or else the supported one that the browser prefers. */
export const languageOf = (headers: LanguageHeaders): Language => findLanguage(headers) ?? DEFAULT_LANGUAGE

/**
 * Returns the locale for the console, such as `pt-BR`, or only the language if the browser names no region for it. Undefined
 * for a browser that prefers none of ours.
 */
export function localeOf(headers: LanguageHeaders, language = findLanguage(headers)): string | undefined {
  const region = tagsOf(headers)
    .filter((tag) => /^[a-z]{2}-([a-z]{2}|\d{3})$/i.test(tag))
    .find((tag) => tag.slice(0, 2).toLowerCase() === language)
    ?.slice(3)
  return language && (region === undefined ? language : `${language}-${region.toUpperCase()}`)
}

function findLanguage(headers: LanguageHeaders): Language | undefined {
  const chosen = new RegExp(`(?:^|;)[ \\t]*${LANGUAGE_COOKIE}=(\\w+)`).exec(headers.cookie ?? '')?.[1]
  if (isLanguage(chosen)) return chosen
  return tagsOf(headers)
    .map((tag) => tag.split('-')[0]!.toLowerCase())
    .find(isLanguage)
}

/** Returns the tags that the browser accepts, such as `pt-BR`, preferred ones first. */
const tagsOf = (headers: LanguageHeaders): string[] =>
  (headers['accept-language'] ?? '')
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
