import { useLocation } from 'preact-iso'
import { toSearch } from './address.ts'

/** The path at which the console is served, with a slash at its end: the server says so in <base>. */
export const BASE = new URL(document.baseURI).pathname

export type PageName = 'approvals' | 'calendar' | 'audience' | 'insights' | 'activity' | 'settings' | 'posts' | 'media'

/** Parts of a query; an empty or absent one is left out. */
export type Query = Record<string, string | number | undefined>

/** The address of a page of an organization, such as `/o/org_1/posts/post_2`. */
export function hrefOf(
  organizationId: string,
  page: PageName,
  rest: readonly string[] = [],
  query: Query = {},
): string {
  const path = ['o', organizationId, page, ...rest].map(encodeURIComponent).join('/')
  return `${BASE}${path}${toSearch(query)}`
}

/** The query of the address, and how to change it: every filter and every open thing is there. */
export function useUrlQuery() {
  const { path, query, route } = useLocation()
  return {
    query: query as Record<string, string | undefined>,
    /** Changes what is named. It makes no entry in the browser's history with `replace`, as for what is typed. */
    setQuery(changes: Query, { replace = false }: { replace?: boolean } = {}): void {
      const next = `${path}${toSearch({ ...query, ...changes })}`
      if (next !== location.pathname + location.search) route(next, replace)
    },
  }
}

/** True for an address that a browser, or a platform, fetches from the web. */
export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
