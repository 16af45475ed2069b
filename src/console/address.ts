/** The address of the console's API. */
const ROOT = new URL('console/api', document.baseURI).href

/** A path below an organization's. */
export const at = (organizationId: string, ...parts: string[]): string =>
  ['/organizations', encodeURIComponent(organizationId), ...parts.map(encodeURIComponent)].join('/')

/** The address of an operation; an empty or absent part of the query is left out. */
export function urlOf(path: string, query: object = {}, root: string = ROOT): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search =
    given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
  return `${root}${path}${search}`
}
