import { useLocation } from 'preact-iso'
import { toSearch } from './address.ts'
import { keptUnder, tabStorage } from './store.ts'

/** The console's base path, with a trailing slash; the server puts it in <base>. */
export const BASE = new URL(document.baseURI).pathname

export type PageName =
  | 'approvals'
  | 'inbox'
  | 'calendar'
  | 'audience'
  | 'insights'
  | 'activity'
  | 'settings'
  | 'posts'
  | 'media'

/** Query parameters; empty and absent ones are left out. */
export type Query = Record<string, string | number | undefined>

/** Returns the address of a page within an organization, such as `/o/org_1/posts/post_2`. */
export function hrefOf(
  organizationId: string,
  page: PageName,
  rest: readonly string[] = [],
  query: Query = {},
): string {
  const path = ['o', organizationId, page, ...rest].map(encodeURIComponent).join('/')
  return `${BASE}${path}${toSearch(query)}`
}

/** The address's query, which holds every filter and everything that is open, and a function to change it. */
export function useUrlQuery() {
  const { path, query, route } = useLocation()
  return {
    query: query as Record<string, string | undefined>,
    /** Changes only the named parameters. `replace` adds no history entry, for example while typing. */
    setQuery(changes: Query, { replace = false }: { replace?: boolean } = {}): void {
      const next = `${path}${toSearch({ ...query, ...changes })}`
      if (next !== location.pathname + location.search) route(next, replace)
    },
  }
}

/** The pages that link to posts. */
const POST_LISTS = ['approvals', 'inbox', 'calendar', 'activity'] as const satisfies PageName[]
type PostList = (typeof POST_LISTS)[number]

/** The page from which this tab opened a post, such as a week of the calendar with its filters. */
const cameFrom = keptUnder(tabStorage, 'came-from')

const listOf = (organizationId: string, url: string): PostList | undefined =>
  POST_LISTS.find((page) => url.split('?')[0] === hrefOf(organizationId, page))

/** Remembers the page that links to posts, for the way back. */
export function keepWayBack(organizationId: string, url: string): void {
  if (listOf(organizationId, url) !== undefined) cameFrom.set(url)
}

/** Returns the page from which this post was opened; the calendar if it was opened by a link. */
export function findWayBack(organizationId: string): { page: PostList; href: string } {
  const href = cameFrom.get() ?? ''
  const page = listOf(organizationId, href)
  return page === undefined ? { page: 'calendar', href: hrefOf(organizationId, 'calendar') } : { page, href }
}

/** Returns true for an address that can be fetched from the web. */
export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
