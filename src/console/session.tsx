import { type QueryClient, type QueryFunctionContext, useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Me } from '../interface/generated/types.ts'
import { getMe, isSessionOver } from './api.ts'
import { POLL_MS } from './clock.ts'
import { confirmation } from './confirmation.ts'
import { secondStep, sessionEnded } from './connection.ts'
import { Asking, Entrance, Invitation, LinkSignIn, ProviderReturn, SignInForm } from './entrance.tsx'
import type { ConfirmDialog } from './factors/confirm-dialog.tsx'
import { followLanguage } from './language.ts'
import { MeProvider } from './organization.ts'
import { takeProviderReturn } from './provider.tsx'
import { keptUnder, tabStorage, useStore } from './store.ts'
import { Dialog, Empty } from './ui.tsx'
import { leaveUnasked } from './use-leave-guard.ts'
import { FALLBACK_MS, useRead } from './use-read.ts'
import { entrance as words } from './words.ts'

interface Given {
  kind: 'sign-in' | 'invitation' | 'provider'
  token: string
}

/** The fragment of an unused link. */
const keptLink = keptUnder(tabStorage, 'link')

function readLink(fragment: string): Given | undefined {
  const [, kind, token] = /^#(sign-in|invitation)=(.+)$/.exec(fragment) ?? []
  return token === undefined ? undefined : { kind: kind as Given['kind'], token }
}

/**
 * Removes a link's token from the address immediately. It is in the fragment, which no server or log sees. This tab keeps it
 * until the link is used or dismissed, so that the page can be reloaded.
 */
function takeToken(): Given | undefined {
  const query = takeProviderReturn()
  if (query !== undefined) return { kind: 'provider', token: query }
  const link = readLink(location.hash)
  if (link === undefined) return undefined
  keptLink.set(location.hash)
  history.replaceState(null, '', location.pathname + location.search)
  return link
}

/** Returns the reloaded page's link, but not that of another page that was open in this tab. */
function takeKeptLink(): Given | undefined {
  const [loaded] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (loaded?.type === 'navigate') keptLink.set(undefined)
  return readLink(keptLink.get() ?? '')
}

/** How often to refetch a person without an organization. */
const ME_MS = 20_000

const given = takeToken() ?? takeKeptLink()
/** True if the address contained a token, which decides who is signed in. */
export const hasToken = given !== undefined

/** Reads who is signed in, which may have changed in another tab. */
async function readMe(client: QueryClient, signal?: AbortSignal): Promise<Me> {
  const me = await getMe({ signal })
  const before = client.getQueryData<Me | null>(['me'])
  if (before != null && before.person.id !== me.person.id) {
    // The next person must not see the last one's data and drafts: show nothing more before the reload.
    leaveUnasked()
    location.reload()
    await new Promise(() => {})
  }
  sessionEnded.set(false)
  secondStep.set(false)
  return me
}

export const meQuery = {
  queryKey: ['me'],
  /** Null if nobody is signed in. As an error it would be cleared by each poll, and the sign-in form with it. */
  queryFn: async ({ signal, client }: QueryFunctionContext): Promise<Me | null> => {
    try {
      return await readMe(client, signal)
    } catch (error) {
      // When a session ends, the page and its input stay.
      if (isSessionOver(error) && client.getQueryData(['me']) == null) return null
      throw error
    }
  },
  // Read early; do not read it again when the first page renders, however late.
  staleTime: POLL_MS,
}

/** The token of the link that opened the page, or of one pasted in later. */
function useToken() {
  const [token, setToken] = useState(given)
  // Pasting a link into the address of an open tab only changes the fragment and loads nothing.
  useEffect(() => {
    const follow = (): void => {
      const pasted = takeToken()
      if (pasted !== undefined) setToken(pasted)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return [token, setToken] as const
}

/** Shows the pages to people who are signed in, and the sign-in form to everyone else, without changing the address. */
export function Session({ children }: { children: ComponentChildren }) {
  const client = useQueryClient()
  const [token, setToken] = useToken()
  const me = useRead({
    ...meQuery,
    enabled: token === undefined,
    // Permissions may change: they decide what is offered, while the service decides what happens. Within an organization
    // the revision reports changes; only this poll notices a sign-in in another tab.
    refetchInterval: ({ state }) => {
      if (state.data == null || state.error !== null) return POLL_MS
      return state.data.organizations.length > 0 ? FALLBACK_MS : ME_MS
    },
  })
  const ended = useStore(sessionEnded)
  const withoutToken = (): void => {
    keptLink.set(undefined)
    setToken(undefined)
  }
  const go = async (): Promise<void> => {
    // The link has been used; if someone else has signed in, the page reloads.
    keptLink.set(undefined)
    const me = await readMe(client).catch((error: unknown) => {
      // The sign-in form asks for the second factor.
      if (secondStep.get()) return client.getQueryData<Me>(['me']) ?? null
      throw error
    })
    withoutToken()
    client.setQueryData(['me'], me)
    if (!secondStep.get()) await client.invalidateQueries()
  }
  // Only for a page that has just loaded; later it may contain input.
  const isRead = me.data != null
  useEffect(() => {
    if (me.data != null) followLanguage(me.data.person.language)
  }, [isRead])
  if (token?.kind === 'provider') return <ProviderReturn query={token.token} onDone={go} onFailed={withoutToken} />
  if (token !== undefined) {
    const LinkPage = token.kind === 'sign-in' ? LinkSignIn : Invitation
    // A newly pasted link starts with fresh state.
    return <LinkPage key={token.token} token={token.token} onDone={go} onFailed={withoutToken} />
  }
  if (me.data === null) {
    return (
      <Entrance title={words.signIn.title}>
        <SignInForm onDone={go} />
      </Entrance>
    )
  }
  if (me.data === undefined) return <Asking error={me.error} onRetry={me.refetch} />
  return (
    <MeProvider value={me.data}>
      {children}
      {ended && (
        <Dialog title={words.signIn.again} canClose={false} onClose={() => {}}>
          <p class="quiet">{words.signIn.againText}</p>
          <SignInForm onDone={go} mail={me.data.person.mail} stays />
        </Dialog>
      )}
      <Confirming />
    </MeProvider>
  )
}

/** Shows the confirmation dialog while a call waits for it. */
function Confirming() {
  const question = useStore(confirmation)
  const [dialog, setDialog] = useState<{ Content: typeof ConfirmDialog }>()
  useEffect(() => {
    if (question === undefined || dialog !== undefined) return
    import('./factors/confirm-dialog.tsx').then((file) => setDialog({ Content: file.ConfirmDialog }), question.fail)
  }, [question])
  if (question === undefined || dialog === undefined) return null
  return <dialog.Content onAnswer={question.answer} />
}

/** The start page of people without an organization. */
export function NoOrganization() {
  return <Empty title={words.noOrganizationTitle}>{words.noOrganization}</Empty>
}
