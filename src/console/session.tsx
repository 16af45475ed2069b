import { type QueryClient, type QueryFunctionContext, useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Me, OwnOrganization, SeveralAccounts } from '../interface/people.ts'
import {
  ApiError,
  acceptInvitation,
  finishOidcSignIn,
  forgetAnswers,
  getMe,
  isSessionOver,
  readInvitation,
  signIn,
  signInByLink,
  signOut,
  signOutEverywhere,
} from './api.ts'
import { POLL_MS } from './clock.ts'
import { sessionEnded } from './connection.ts'
import { ProviderButton, takeProviderReturn, useSignInOptions } from './provider.tsx'
import { useStore } from './store.ts'
import { Dialog, Empty, Field, Loading, Problem } from './ui.tsx'
import { useRead } from './use-read.ts'
import { words } from './words.ts'

const MeContext = createContext<Me | undefined>(undefined)

/** The person who is signed in. */
export const useMe = (): Me => useContext(MeContext)!

const OrganizationContext = createContext<OwnOrganization | undefined>(undefined)
export const OrganizationProvider = OrganizationContext.Provider

/** The organization whose page is open, and what the person may do there. */
export function useOrganization(): OwnOrganization & { may: (permission: string) => boolean } {
  const organization = useContext(OrganizationContext)!
  return { ...organization, may: (permission) => organization.permissions.includes(permission) }
}

/** What a link brought in its fragment, which no server or log sees. It is taken out of the address at once. */
function takeToken(): { kind: 'sign-in' | 'invitation' | 'provider'; token: string } | undefined {
  const query = takeProviderReturn()
  if (query !== undefined) return { kind: 'provider', token: query }
  const [, kind, token] = /^#(sign-in|invitation)=(.+)$/.exec(location.hash) ?? []
  if (token === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  return { kind: kind as 'sign-in' | 'invitation', token }
}

const given = takeToken()
/** Whether the address brought one, so that who is signed in is not the question yet. */
export const hasToken = given !== undefined

/** Reads who is signed in; they may have signed in in another tab. */
async function readMe(client: QueryClient, signal?: AbortSignal): Promise<Me> {
  const me = await getMe({ signal })
  const before = client.getQueryData<Me | null>(['me'])
  if (before != null && before.person.id !== me.person.id) {
    // The next person must not see what the last one saw and typed: show nothing more before the reload.
    location.reload()
    await new Promise(() => {})
  }
  sessionEnded.set(false)
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
  // Asked for early, it is not asked for again when the first page is drawn.
  staleTime: 1_000,
}

/** Shows the pages to a person who is signed in, and the way in to everyone else, at the address where they are. */
export function Session({ children }: { children: ComponentChildren }) {
  const client = useQueryClient()
  const [token, setToken] = useState(given)
  const me = useRead({
    ...meQuery,
    enabled: token === undefined,
    // Rights may change; what they were decides what is offered, the service decides what happens.
    refetchInterval: POLL_MS,
  })
  const ended = useStore(sessionEnded)
  const go = async (): Promise<void> => {
    const me = await readMe(client)
    setToken(undefined)
    client.setQueryData(['me'], me)
    await client.invalidateQueries()
  }
  if (token?.kind === 'sign-in')
    return <LinkSignIn token={token.token} onDone={go} onFailed={() => setToken(undefined)} />
  if (token?.kind === 'provider')
    return <ProviderReturn query={token.token} onDone={go} onFailed={() => setToken(undefined)} />
  if (token?.kind === 'invitation') return <Invitation token={token.token} onDone={go} />
  if (me.data === null) {
    return (
      <Entrance title={words.signIn.title}>
        <SignInForm onDone={go} />
      </Entrance>
    )
  }
  if (me.data === undefined) {
    if (me.error) {
      return (
        <Entrance title={words.name}>
          <Problem error={me.error} onRetry={me.refetch} />
        </Entrance>
      )
    }
    return (
      <Entrance title={words.name}>
        <Loading lines={2} />
      </Entrance>
    )
  }
  return (
    <MeContext.Provider value={me.data}>
      {children}
      {ended && (
        <Dialog title={words.signIn.again} canClose={false} onClose={() => {}}>
          <p class="quiet">{words.signIn.againText}</p>
          <SignInForm onDone={go} mail={me.data.person.mail} stays />
        </Dialog>
      )}
    </MeContext.Provider>
  )
}

/** Ends the session here and forgets what was shown. */
export async function leave(everywhere = false): Promise<void> {
  const endSessionUrl = everywhere ? undefined : (await signOut()).endSessionUrl
  if (everywhere) await signOutEverywhere()
  forgetAnswers()
  location.assign(endSessionUrl ?? new URL('.', document.baseURI))
}

function Entrance({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = title === words.name ? words.name : `${title} · ${words.name}`
  }, [title])
  return (
    <main class="entrance">
      <div class="entrance-card">
        <p class="brand">{words.name}</p>
        {title !== words.name && <h1>{title}</h1>}
        {children}
      </div>
    </main>
  )
}

interface SignInProps {
  onDone: () => Promise<void>
  mail?: string
  /** Whether what is on the page must not be lost. */
  stays?: boolean
}

function SignInForm({ onDone, mail, stays = false }: SignInProps) {
  const options = useSignInOptions()
  if (options === undefined) return <Loading lines={2} />
  return (
    <>
      {options.password && <PasswordForm onDone={onDone} mail={mail ?? ''} />}
      {options.oidc && (
        <ProviderButton
          name={options.oidc.name}
          isPrimary={!options.password}
          {...(stays ? { stays: { onDone } } : {})}
        />
      )}
    </>
  )
}

function PasswordForm({ onDone, mail }: { onDone: () => Promise<void>; mail: string }) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [several, setSeveral] = useState<SeveralAccounts['accounts']>([])
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const { value: organizationId } = (event.submitter ?? {}) as HTMLButtonElement
    const which = organizationId ? { organizationId } : {}
    setBusy(true)
    setError(undefined)
    try {
      const answer = await signIn({ mail: String(form.get('mail')), password: String(form.get('password')), ...which })
      if ('accounts' in answer) return setSeveral(answer.accounts)
      await onDone()
    } catch (thrown) {
      setError(isCookieLost(thrown) ? new Error(words.signIn.needsHttps) : thrown)
    } finally {
      setBusy(false)
    }
  }
  const isAsking = several.length > 0
  return (
    <form onSubmit={onSubmit} class="form">
      {error !== undefined && <Problem error={error} />}
      <Field label={words.signIn.mail}>
        {(attributes) => (
          <input
            {...attributes}
            name="mail"
            type="email"
            autocomplete="username"
            required
            defaultValue={mail}
            readOnly={isAsking}
          />
        )}
      </Field>
      <Field label={words.signIn.password}>
        {(attributes) => (
          <input
            {...attributes}
            name="password"
            type="password"
            autocomplete="current-password"
            required
            readOnly={isAsking}
          />
        )}
      </Field>
      {isAsking && <p role="status">{words.signIn.several}</p>}
      {several.map(({ organizationId, organizationName }) => (
        <button key={organizationId} type="submit" class="button" value={organizationId} disabled={busy}>
          {organizationName}
        </button>
      ))}
      {!isAsking && (
        <button type="submit" class="button primary" disabled={busy}>
          {words.signIn.submit}
        </button>
      )}
    </form>
  )
}

/** Signed in, and not known at once: the browser has not kept the cookie, as over plain http. */
const isCookieLost = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && error.code === 'session_missing' && location.protocol === 'http:'

function LinkSignIn({ token, onDone, onFailed }: { token: string; onDone: () => Promise<void>; onFailed: () => void }) {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    signInByLink({ token }).then(onDone).catch(setError)
  }, [token])
  return (
    <Entrance title={words.signIn.title}>
      {error === undefined ? (
        <p role="status">{words.signIn.byLink}</p>
      ) : (
        <>
          <div class="notice notice-bad" role="alert">
            <p>{words.signIn.linkSpent}</p>
          </div>
          <button type="button" class="button" onClick={onFailed}>
            {words.signIn.title}
          </button>
        </>
      )}
    </Entrance>
  )
}

function ProviderReturn({
  query,
  onDone,
  onFailed,
}: {
  query: string
  onDone: () => Promise<void>
  onFailed: () => void
}) {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    finishOidcSignIn({ query }).then(onDone).catch(setError)
  }, [query])
  return (
    <Entrance title={error === undefined ? words.signIn.title : words.provider.failed}>
      {error === undefined ? (
        <p role="status">{words.signIn.byLink}</p>
      ) : (
        <>
          <Problem error={error} />
          <button type="button" class="button" onClick={onFailed}>
            {words.signIn.title}
          </button>
        </>
      )}
    </Entrance>
  )
}

function Invitation({ token, onDone }: { token: string; onDone: () => Promise<void> }) {
  const view = useRead({ queryKey: ['invitation', token], queryFn: () => readInvitation({ token }), retry: false })
  const options = useSignInOptions()
  const [saysKnown, setSaysKnown] = useState(false)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => (form.has(name) ? { [name]: String(form.get(name)) } : {})
    setBusy(true)
    setError(undefined)
    try {
      await acceptInvitation({ token, ...text('password'), ...text('name'), ...text('mail') })
      await onDone()
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  if (view.isPending || view.data === undefined || options === undefined) {
    return (
      <Entrance title={words.invitation.title}>
        {view.error ? <Problem error={view.error} /> : <Loading lines={2} />}
      </Entrance>
    )
  }
  const { kind, mail, organizationName = '' } = view.data
  // Only the link from a mail tells whether there is an account; with any other the person says it.
  const mayChoose = kind === 'member' && view.data.hasAccount === undefined
  const hasAccount = mayChoose ? saysKnown : view.data.hasAccount === true
  const provider = options.oidc && (
    <ProviderButton name={options.oidc.name} invitation={token} isPrimary={!options.password} />
  )
  if (!options.password && kind === 'member') {
    return (
      <Entrance title={words.invitation.title}>
        <p class="quiet">{words.provider.invited(organizationName)}</p>
        {provider}
      </Entrance>
    )
  }
  return (
    <Entrance title={words.invitation.title}>
      <p class="quiet">{words.invitation.lead(kind, organizationName, hasAccount)}</p>
      <form onSubmit={onSubmit} class="form">
        {error !== undefined && <Problem error={error} />}
        {!hasAccount && (
          <Field label={words.invitation.personName}>
            {(attributes) => <input {...attributes} name="name" autocomplete="name" required maxLength={200} />}
          </Field>
        )}
        <Field label={words.signIn.mail}>
          {(attributes) =>
            mail === undefined ? (
              <input {...attributes} name="mail" type="email" autocomplete="username" required />
            ) : (
              <input {...attributes} type="email" autocomplete="username" readOnly value={mail} />
            )
          }
        </Field>
        {options.password && (
          <Field label={words.signIn.password} hint={hasAccount ? undefined : words.invitation.passwordHint}>
            {(attributes) => (
              <input
                {...attributes}
                name="password"
                type="password"
                autocomplete={hasAccount ? 'current-password' : 'new-password'}
                required
                minLength={hasAccount ? undefined : 12}
              />
            )}
          </Field>
        )}
        <button type="submit" class="button primary" disabled={busy}>
          {words.invitation.submit}
        </button>
        {mayChoose && (
          <button type="button" class="button" onClick={() => setSaysKnown(!saysKnown)}>
            {hasAccount ? words.invitation.haveNone : words.invitation.haveAccount}
          </button>
        )}
      </form>
      {provider}
    </Entrance>
  )
}

/** The first page of a person who is in no organization. */
export function NoOrganization() {
  return <Empty title={words.noOrganizationTitle}>{words.noOrganization}</Empty>
}
