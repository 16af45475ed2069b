import { QueryClient, QueryClientProvider } from '@tanstack/preact-query'
import type { FunctionComponent } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import type { Me, OwnOrganization } from '../interface/generated/types.ts'
import { trimEnd } from '../interface/trim.ts'
import { ApiError } from './api.ts'
import { readEarly } from './audience/queries.ts'
import { early } from './early.ts'
import { FactorRequired } from './factors/factor-required.tsx'
import { lazyPage } from './lazy-page.tsx'
import { BASE, hrefOf, type PageName } from './navigation.ts'
import { OrganizationProvider, showTo, useMe } from './organization.ts'
import { hasToken, meQuery, NoOrganization, Session } from './session.tsx'
import { Shell } from './shell.tsx'
import { preferences } from './store.ts'
import { formatInstant } from './times.ts'
import { Announcer, Button, Empty, Page } from './ui.tsx'
import { revisionQuery } from './use-revision.ts'
import { common, shell as words } from './words.ts'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Polling retries anyway, and a refusal would be the same the second time.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status > 0 && error.status < 500),
      retryDelay: 700,
      refetchOnWindowFocus: true,
      // The browser may consider itself offline although the service runs on this machine.
      networkMode: 'always',
    },
  },
})

const PAGES = {
  approvals: lazyPage(() => import('./approvals/approvals.tsx')),
  inbox: lazyPage(() => import('./inbox/inbox.tsx')),
  calendar: lazyPage(() => import('./calendar/calendar.tsx')),
  audience: lazyPage(() => import('./audience/audience.tsx')),
  insights: lazyPage(() => import('./insights/insights.tsx')),
  activity: lazyPage(() => import('./activity/activity.tsx')),
  settings: lazyPage(() => import('./settings/settings.tsx')),
  posts: lazyPage(() => import('./posts/post.tsx')),
  media: lazyPage(() => import('./media/media-page.tsx')),
} satisfies Record<PageName, FunctionComponent>

const isPage = (name: string | undefined): name is PageName => name !== undefined && Object.hasOwn(PAGES, name)

const [below, organizationId = '', named] = location.pathname.slice(BASE.length).split('/')

/** Resolves when the page of the address and its first data have loaded, so that everything is drawn at once. */
export async function readFirst(): Promise<void> {
  if (below !== 'o' || !isPage(named) || hasToken) return
  const query = Object.fromEntries(new URLSearchParams(location.search))
  const read = async (): Promise<void> => {
    // Read the revision first: data read before it may be older and would be read again.
    await client.prefetchQuery(revisionQuery(organizationId))
    const audience = named === 'audience' ? [readEarly(client, organizationId, query)] : []
    await Promise.allSettled([client.prefetchQuery(meQuery), ...audience])
  }
  // The browser takes as long to format its first date as to draw all rows of a page, so do it while waiting for answers.
  // Safari has no requestIdleCallback.
  ;(globalThis.requestIdleCallback ?? setTimeout)(() => formatInstant(0, 'UTC', 'date'))
  const [page] = await Promise.all([PAGES[named].preload(), early.then(read)])
  const me = client.getQueryData<Me>(meQuery.queryKey)
  const organization = me?.organizations.find(({ id }) => id === organizationId)
  if (me === undefined || organization === undefined || isRefused(me, organization)) return
  await page.readFirst?.(client, showTo(me, organization), query)
}

/** Signs a program in; it belongs to no organization. */
const Device = lazyPage(() => import('./tokens/device.tsx'))

/** The page behind a review link: no navigation, no session. */
const Outside = lazyPage(() => import('./outside/outside.tsx'))

export function App() {
  const [isOutside] = useState(() => location.pathname === `${BASE}review`)
  return (
    <QueryClientProvider client={client}>
      <LocationProvider scope={BASE}>
        {isOutside ? (
          <Crashes>
            <Outside />
          </Crashes>
        ) : (
          <Session>
            <Pages />
          </Session>
        )}
        <Announcer />
      </LocationProvider>
    </QueryClientProvider>
  )
}

function Pages() {
  const below = `${BASE}o/:organizationId/`
  return (
    <Router>
      <Route path={`${below}:page/:rest*`} component={OrganizationPage} />
      <Route path={`${BASE}device`} component={Device} />
      <Route default component={Start} />
    </Router>
  )
}

/** Redirects to the organization that was last open here, or to the first active one. */
function Start() {
  const { organizations } = useMe()
  const { route, path } = useLocation()
  const last =
    organizations.find(({ id }) => id === preferences.get('organization')) ??
    organizations.find(({ active }) => active) ??
    organizations[0]
  const isStart = `${trimEnd(path, '/')}/` === BASE
  useEffect(() => {
    if (isStart && last !== undefined) route(hrefOf(last.id, 'approvals'), true)
  }, [isStart, last])
  if (last === undefined) return <NoOrganization />
  return isStart ? null : <NotFound />
}

function NotFound() {
  return (
    <main class="entrance">
      <div class="entrance-card">
        <Empty title={words.notFoundTitle}>
          <p>{words.notFound}</p>
          <a href={BASE}>{words.toStart}</a>
        </Empty>
      </div>
    </main>
  )
}

/** Returns true if the organization requires a second factor that this session lacks. */
const isRefused = ({ session }: Me, { requireSecondFactor }: OwnOrganization): boolean =>
  requireSecondFactor && !session.secondFactor

function OrganizationPage({ organizationId, page }: { organizationId?: string; page?: string }) {
  const me = useMe()
  const organization = me.organizations.find(({ id }) => id === organizationId)
  const Content: FunctionComponent | undefined = isPage(page) ? PAGES[page] : undefined
  useEffect(() => {
    if (organization !== undefined) preferences.set('organization', organization.id)
  }, [organization?.id])
  if (organization === undefined || Content === undefined) return <NotFound />
  const needsFactor = isRefused(me, organization)
  const shown = showTo(me, organization)
  return (
    // The service refuses every call for this organization, so only the person's own account is offered.
    <OrganizationProvider value={needsFactor ? { ...shown, permissions: [], channels: [] } : shown}>
      <Shell>
        <Crashes key={`${organizationId} ${page}`}>
          {needsFactor && page !== 'settings' ? <FactorRequired /> : <Content />}
        </Crashes>
      </Shell>
    </OrganizationProvider>
  )
}

/** Replaces a page that throws with a note. The navigation stays. */
function Crashes({ children }: { children: preact.ComponentChildren }) {
  const [error] = useErrorBoundary()
  if (error === undefined) return <>{children}</>
  return (
    <Page title={words.crashedTitle}>
      <p>{words.crashed}</p>
      <Button onClick={() => location.reload()}>{common.tryAgain}</Button>
    </Page>
  )
}
