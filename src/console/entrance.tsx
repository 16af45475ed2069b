import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, lazy } from 'preact-iso'
import type { Me, SeveralAccounts } from '../interface/people.ts'
import {
  ApiError,
  acceptInvitation,
  beginPasskeySignIn,
  finishOidcSignIn,
  finishPasskeySignIn,
  getMe,
  isSessionOver,
  readInvitation,
  signIn,
  signInByLink,
} from './api.ts'
import { secondStep } from './connection.ts'
import { words } from './entrance.words.ts'
import { askForPasskey, knowsPasskeys } from './factors/passkey.ts'
import { ProviderButton, useSignInOptions } from './provider.tsx'
import { useStore } from './store.ts'
import { Field, Loading, Problem } from './ui.tsx'
import { useAct } from './use-act.ts'
import { useRead } from './use-read.ts'
import { common } from './words.ts'

const SecondStep = lazy(() => import('./factors/second-step.tsx'))

export function Entrance({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = title === common.name ? common.name : `${title} · ${common.name}`
  }, [title])
  return (
    <main class="entrance">
      <div class="entrance-card">
        <p class="brand">{common.name}</p>
        {title !== common.name && <h1>{title}</h1>}
        {children}
      </div>
    </main>
  )
}

interface SignInProps {
  onDone: () => Promise<void>
  mail?: string
  /** True if what is on the page must not be lost. */
  stays?: boolean
}

/** Asks for the first factor, and for the second when that is what is missing. */
export function SignInForm(props: SignInProps) {
  const isHalfway = useStore(secondStep)
  if (!isHalfway) return <FirstStep {...props} />
  return (
    <ErrorBoundary>
      <SecondStep onDone={props.onDone} />
    </ErrorBoundary>
  )
}

function FirstStep({ onDone, mail, stays = false }: SignInProps) {
  const options = useSignInOptions()
  if (options === undefined) return <Loading lines={2} />
  return (
    <>
      {options.password && <PasswordForm onDone={onDone} mail={mail ?? ''} />}
      {options.password && knowsPasskeys && <PasskeyButton onDone={onDone} />}
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

function PasskeyButton({ onDone }: { onDone: () => Promise<void> }) {
  const { busy, error, act } = useAct()
  const enter = (): Promise<boolean> =>
    act(async () => {
      await finishPasskeySignIn({ response: await askForPasskey(beginPasskeySignIn) })
      await onDone()
    })
  return (
    <div class="form">
      {error !== undefined && <Problem error={error} />}
      <button type="button" class="button" disabled={busy} onClick={() => void enter()}>
        {words.signIn.byPasskey}
      </button>
    </div>
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

/** Reads who is signed in before a link takes effect: null for no one, undefined while it is not known. */
function useSignedIn() {
  return useRead<Me | null, string[]>({
    queryKey: ['signed-in-before'],
    queryFn: () =>
      getMe().catch((error: unknown) => {
        if (isSessionOver(error)) return null
        throw error
      }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

interface LinkProps {
  token: string
  onDone: () => Promise<void>
  /** Leads to the page as it is without the link. */
  onFailed: () => void
}

/** Stands at the entrance while it is not known who is signed in, or what a link is for. */
export function Asking({ error, onRetry }: { error: unknown; onRetry: () => Promise<unknown> }) {
  return (
    <Entrance title={common.name}>
      {error ? <Problem error={error} onRetry={onRetry} /> : <Loading lines={2} />}
    </Entrance>
  )
}

interface QuestionProps {
  question: string
  onYes: () => void
  onNo: () => void
}

/** Asks a person who is signed in whether another one takes their place in this browser. */
function ReplaceQuestion({ question, onYes, onNo }: QuestionProps) {
  const before = useSignedIn()
  if (!before.data) return <Asking error={before.error} onRetry={before.refetch} />
  const { name, mail } = before.data.person
  return (
    <Entrance title={words.replaceTitle}>
      <p>
        {words.signedInAs(name, mail)} {question}
      </p>
      <div class="actions">
        <button type="button" class="button primary" onClick={onNo}>
          {words.stay}
        </button>
        <button type="button" class="button" onClick={onYes}>
          {words.replace}
        </button>
      </div>
    </Entrance>
  )
}

/** Signs in by a link. Where the browser has the session of another person, the service refuses, and they are asked first. */
export function LinkSignIn({ token, onDone, onFailed }: LinkProps) {
  const [error, setError] = useState<unknown>()
  const enter = (replace: boolean): void => {
    setError(undefined)
    signInByLink({ token, ...(replace ? { replace } : {}) })
      .then(onDone)
      .catch(setError)
  }
  useEffect(() => enter(false), [token])
  if (error instanceof ApiError && error.code === 'signed_in_already') {
    return <ReplaceQuestion question={words.linkAsks} onYes={() => enter(true)} onNo={onFailed} />
  }
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

export function ProviderReturn({
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

/** Takes up an invitation; asks first where it is for another person than the one who is signed in. */
export function Invitation(props: LinkProps) {
  const before = useSignedIn()
  const view = useInvitation(props.token)
  const [isAgreed, setIsAgreed] = useState(false)
  if (before.data === undefined) return <Asking error={before.error} onRetry={before.refetch} />
  if (view.data === undefined || before.data === null || isAgreed) return <Acceptance {...props} />
  const { mail, organizationName = '' } = view.data
  if (mail !== undefined && mail === before.data.person.mail) return <Acceptance {...props} />
  return (
    <ReplaceQuestion
      question={words.invitationAsks(mail, organizationName)}
      onYes={() => setIsAgreed(true)}
      onNo={props.onFailed}
    />
  )
}

const useInvitation = (token: string) =>
  useRead({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation({ token }),
    retry: false,
    staleTime: 60_000,
  })

function Acceptance({ token, onDone }: LinkProps) {
  const view = useInvitation(token)
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
