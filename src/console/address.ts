/** The address of the console's API. */
const ROOT = new URL('api', document.baseURI).href

/** A path below an organization's. */
export const at = (organizationId: string, ...parts: string[]): string =>
  ['/organizations', encodeURIComponent(organizationId), ...parts.map(encodeURIComponent)].join('/')

/** The query as it stands in an address; an empty or absent part of it is left out. */
export function toSearch(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/** The address of an operation. */
export const urlOf = (path: string, query?: object, root: string = ROOT): string => `${root}${path}${toSearch(query)}`
