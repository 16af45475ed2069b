const BROWSERS: readonly [RegExp, string][] = [
  [/Edg/, 'Edge'],
  [/OPR/, 'Opera'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iOS'],
  [/iPad/, 'iPadOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

const UNKNOWN_BROWSER = 'an unknown browser'

/**
 * Describes a browser and its system in our own words, such as `Chrome on Windows`. So no text of a caller reaches an email,
 * and a new version is the same browser.
 */
export function describeBrowser(userAgent = ''): string {
  const browser = nameIn(BROWSERS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  return [browser ?? UNKNOWN_BROWSER, ...(system === undefined ? [] : [system])].join(' on ')
}

/** Returns the names in such a description; undefined for unknown ones. */
export function namesOfBrowser(description: string): [browser: string | undefined, system: string | undefined] {
  const [browser, system] = description.split(' on ')
  return [browser === UNKNOWN_BROWSER ? undefined : browser, system]
}

const nameIn = (names: readonly [RegExp, string][], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]
