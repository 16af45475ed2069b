import { isLanguage, LANGUAGE_COOKIE, type Language } from '../interface/languages.ts'
import { BASE } from './navigation.ts'
import { tabStorage } from './store.ts'
import { leaveUnasked } from './use-leave-guard.ts'

const YEAR_SECONDS = 31_536_000

/** The language of this page: the server says so in <html>. */
const shownLanguage = (): Language => (isLanguage(document.documentElement.lang) ? document.documentElement.lang : 'en')

/** Lets the server know which language this browser gets; null leaves it to the settings of the browser. */
function keepLanguage(language: Language | null): void {
  const end = language === null ? 0 : YEAR_SECONDS
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox and Safari have no CookieStore in every version that is in use.
  document.cookie = `${LANGUAGE_COOKIE}=${language ?? ''}; Path=${BASE}; Max-Age=${end}; SameSite=Lax${secure}`
}

/** Loads the page in the language that the person has just chosen. What is typed elsewhere on it is kept as a draft. */
export function changeLanguage(language: Language | null): void {
  keepLanguage(language)
  leaveUnasked()
  location.reload()
}

/**
 * Loads the page in the language that the person once chose, if this browser was not told of it. It tries so once for
 * each tab: a browser may keep no cookies.
 */
export function followLanguage(language: Language | null): void {
  if (language === null || language === shownLanguage() || tabStorage.get('language') === language) return
  tabStorage.set('language', language)
  keepLanguage(language)
  location.reload()
}
