import { useLocation } from 'preact-iso'
import { toSearch } from './address.ts'
import { keptUnder, tabStorage } from './store.ts'

/** The path at which the console is served, with a slash at its end: the server says so in <base>. */
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

/** The pages that lead to posts. */
const POST_LISTS = ['approvals', 'inbox', 'calendar', 'activity'] as const satisfies PageName[]
type PostList = (typeof POST_LISTS)[number]

/** Where a person came to a post from, such as a week of the calendar with its filters, in this tab. */
const cameFrom = keptUnder(tabStorage, 'came-from')

const listOf = (organizationId: string, url: string): PostList | undefined =>
  POST_LISTS.find((page) => url.split('?')[0] === hrefOf(organizationId, page))

/** Keeps the address of a page that leads to posts, for the way back from one of them. */
export function keepWayBack(organizationId: string, url: string): void {
  if (listOf(organizationId, url) !== undefined) cameFrom.set(url)
}

/** The page that the person came to this post from, with its address; the calendar for one who came by a link. */
export function findWayBack(organizationId: string): { page: PostList; href: string } {
  const href = cameFrom.get() ?? ''
  const page = listOf(organizationId, href)
  return page === undefined ? { page: 'calendar', href: hrefOf(organizationId, 'calendar') } : { page, href }
}

/** True for an address that a browser, or a platform, fetches from the web. */
export const isWebUrl = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)
