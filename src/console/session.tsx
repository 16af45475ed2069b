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

/** The fragment of a link that is not used yet. */
const keptLink = keptUnder(tabStorage, 'link')

function readLink(fragment: string): Given | undefined {
  const [, kind, token] = /^#(sign-in|invitation)=(.+)$/.exec(fragment) ?? []
  return token === undefined ? undefined : { kind: kind as Given['kind'], token }
}

/**
 * Takes the token of a link out of the address at once. It stands in the fragment, which no server or log sees. This tab
 * keeps it until the link is used or left, so that the page can be loaded again.
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

/** The link of the page that is loaded again. One of another page that was open in this tab is left. */
function takeKeptLink(): Given | undefined {
  const [loaded] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (loaded?.type === 'navigate') keptLink.set(undefined)
  return readLink(keptLink.get() ?? '')
}

/** A person without an organization is asked about again after this time. */
const ME_MS = 20_000

const given = takeToken() ?? takeKeptLink()
/** True where the address brought a token, so that it decides who is signed in. */
export const hasToken = given !== undefined

/** Reads who is signed in; they may have signed in in another tab. */
async function readMe(client: QueryClient, signal?: AbortSignal): Promise<Me> {
  const me = await getMe({ signal })
  const before = client.getQueryData<Me | null>(['me'])
  if (before != null && before.person.id !== me.person.id) {
    // The next person must not see what the last one saw and typed: show nothing more before the reload.
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
  /** Null where nobody is signed in. Not an error: each poll would drop it, and with it the form to sign in. */
  queryFn: async ({ signal, client }: QueryFunctionContext): Promise<Me | null> => {
    try {
      return await readMe(client, signal)
    } catch (error) {
      // When a session ends, the page stays, with what was typed.
      if (isSessionOver(error) && client.getQueryData(['me']) == null) return null
      throw error
    }
  },
  // Asked for early, it is not asked for again when the first page is drawn, however slowly its program comes.
  staleTime: POLL_MS,
}

/** The token of the link that the page was opened with, or of one that was pasted in later. */
function useToken() {
  const [token, setToken] = useState(given)
  // Pasting a link into the address of an open tab loads nothing, and changes only the fragment.
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

/** Shows the pages to a person who is signed in, and the way in to everyone else, at the address where they are. */
export function Session({ children }: { children: ComponentChildren }) {
  const client = useQueryClient()
  const [token, setToken] = useToken()
  const me = useRead({
    ...meQuery,
    enabled: token === undefined,
    // Rights may change; what they were decides what is offered, the service decides what happens. In an organization its
    // revision tells of changes; a sign-in in another tab is noticed by this alone.
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
    // It has been used: when another person has signed in, the page is loaded again.
    keptLink.set(undefined)
    const me = await readMe(client).catch((error: unknown) => {
      // The form to sign in asks for the second factor.
      if (secondStep.get()) return client.getQueryData<Me>(['me']) ?? null
      throw error
    })
    withoutToken()
    client.setQueryData(['me'], me)
    if (!secondStep.get()) await client.invalidateQueries()
  }
  // Only when the page has just come: later it may hold what the person types.
  const isRead = me.data != null
  useEffect(() => {
    if (me.data != null) followLanguage(me.data.person.language)
  }, [isRead])
  if (token?.kind === 'provider') return <ProviderReturn query={token.token} onDone={go} onFailed={withoutToken} />
  if (token !== undefined) {
    const LinkPage = token.kind === 'sign-in' ? LinkSignIn : Invitation
    // A link that is pasted in takes over nothing of the one before.
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

/** Shows the question whether it is still the same person, while a call waits for the answer. */
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

/** The first page of a person who is in no organization. */
export function NoOrganization() {
  return <Empty title={words.noOrganizationTitle}>{words.noOrganization}</Empty>
}
