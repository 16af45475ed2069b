/** The base address of the console's API. */
const ROOT = new URL('api', document.baseURI).href

/** Returns a path within an organization. */
export const at = (organizationId: string, ...parts: string[]): string =>
  ['/organizations', encodeURIComponent(organizationId), ...parts.map(encodeURIComponent)].join('/')

/** Returns the query string, without empty or absent parameters. */
export function toSearch(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** Returns the URL of an operation. */
export const urlOf = (path: string, query?: object, root: string = ROOT): string => `${root}${path}${toSearch(query)}`
