import { isLanguage, LANGUAGE_COOKIE, type Language } from '../interface/languages.ts'
import { BASE } from './navigation.ts'
import { tabStorage } from './store.ts'
import { leaveUnasked } from './use-leave-guard.ts'

const YEAR_SECONDS = 31_536_000

/** Returns the page's language, which the server puts in <html>. */
const shownLanguage = (): Language => (isLanguage(document.documentElement.lang) ? document.documentElement.lang : 'en')

/** Sets the language that the server uses for this browser; null restores the browser's own settings. */
function keepLanguage(language: Language | null): void {
  const end = language === null ? 0 : YEAR_SECONDS
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: supported Firefox and Safari versions lack CookieStore.
  document.cookie = `${LANGUAGE_COOKIE}=${language ?? ''}; Path=${BASE}; Max-Age=${end}; SameSite=Lax${secure}`
}

/** Reloads the page in the chosen language. Drafts are kept. */
export function changeLanguage(language: Language | null): void {
  keepLanguage(language)
  leaveUnasked()
  location.reload()
}

/**
 * Reloads the page in the person's saved language if this browser does not know it yet. It tries only once per tab, since
 * the browser may refuse cookies.
 */
export function followLanguage(language: Language | null): void {
  if (language === null || language === shownLanguage() || tabStorage.get('language') === language) return
  tabStorage.set('language', language)
  keepLanguage(language)
  location.reload()
}
