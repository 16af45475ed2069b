import type { ComponentChildren, ComponentProps } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { InvitationView, Me, SeveralAccounts } from '../interface/generated/types.ts'
import { ApiError, call, getMe, isSessionOver } from './api.ts'
import { secondStep } from './connection.ts'
import { askForPasskey, knowsPasskeys } from './factors/passkey.ts'
import { TextField } from './fields.tsx'
import { Form } from './forms.tsx'
import { lazyPage } from './lazy-page.tsx'
import { LinkButton } from './link-button.tsx'
import { ProviderButton, useSignInOptions } from './provider.tsx'
import { Refusal } from './refusal.tsx'
import { useStore } from './store.ts'
import { Button, Loading, Note, Problem } from './ui.tsx'
import { useAct } from './use-act.ts'
import { type Read, useRead } from './use-read.ts'
import { common, entrance as words } from './words.ts'

const ForgotPassword = lazyPage(() => import('./forgot-password.tsx'), { isPart: true })
const SecondStep = lazyPage(() => import('./factors/second-step.tsx'), { isPart: true })

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
  /** True if the content of the page must not be lost. */
  stays?: boolean
}

/** Asks for the first factor, and for the second if only that is missing. */
export function SignInForm(props: SignInProps) {
  const isHalfway = useStore(secondStep)
  if (!isHalfway) return <FirstStep {...props} />
  return <SecondStep onDone={props.onDone} />
}

function FirstStep({ onDone, mail, stays = false }: SignInProps) {
  const options = useSignInOptions()
  const [isForgotten, setIsForgotten] = useState(false)
  if (options === undefined) return <Loading lines={2} />
  if (isForgotten) return <ForgotPassword mail={mail ?? ''} onBack={() => setIsForgotten(false)} />
  return (
    <>
      {options.password && <PasswordForm onDone={onDone} mail={mail ?? ''} />}
      {options.password && knowsPasskeys && <PasskeyButton onDone={onDone} />}
      {options.passwordLink && (
        <Button kind="plain" onClick={() => setIsForgotten(true)}>
          {words.forgot.ask}
        </Button>
      )}
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
      const response = await askForPasskey(call('beginPasskeySignIn', {}))
      await call('finishPasskeySignIn', { body: { response } })
      await onDone()
    })
  return (
    <div class="form">
      <Button disabled={busy} onClick={() => void enter()}>
        {words.signIn.byPasskey}
      </Button>
      <Refusal error={error} />
    </div>
  )
}

function PasswordForm({ onDone, mail }: { onDone: () => Promise<void>; mail: string }) {
  const { busy, error, act } = useAct()
  const [several, setSeveral] = useState<SeveralAccounts['accounts']>([])
  const submit = (form: FormData, submitter: HTMLButtonElement | null) =>
    act(async () => {
      const [mail, password] = [String(form.get('mail')), String(form.get('password'))]
      const answer = await call('signIn', { body: { mail, password, organizationId: submitter?.value || undefined } })
      if ('accounts' in answer) return setSeveral(answer.accounts)
      await onDone().catch((thrown: unknown) => {
        throw isCookieLost(thrown) ? new Error(words.signIn.needsHttps) : thrown
      })
    })
  const isAsking = several.length > 0
  return (
    <Form error={error} onSubmit={submit}>
      <MailField required defaultValue={mail} readOnly={isAsking} />
      <PasswordField autocomplete="current-password" readOnly={isAsking} />
      {isAsking && <p role="status">{words.signIn.several}</p>}
      {several.map(({ organizationId, organizationName }) => (
        <Button key={organizationId} type="submit" value={organizationId} disabled={busy}>
          {organizationName}
        </Button>
      ))}
      {!isAsking && (
        <Button type="submit" kind="primary" disabled={busy}>
          {words.signIn.submit}
        </Button>
      )}
    </Form>
  )
}

const MailField = (field: Partial<ComponentProps<typeof TextField>>) => (
  <TextField label={words.signIn.mail} name="mail" type="email" autocomplete="username" {...field} />
)

export const PasswordField = (field: Partial<ComponentProps<typeof TextField>>) => (
  <TextField label={words.signIn.password} name="password" type="password" required {...field} />
)

/** Returns true if the browser dropped the session cookie after a successful sign-in, as it does over plain http. */
const isCookieLost = (error: unknown): boolean => isAnswered(error, 'session_missing') && location.protocol === 'http:'

/** Reads who is signed in before a link takes effect: null for nobody, undefined while loading. */
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
  /** Reopens the page without the link. */
  onFailed: () => void
}

interface AskingProps {
  title?: string
  error: unknown
  onRetry?: () => Promise<unknown>
}

/** Shown at sign-in while the session or the link is being read. */
export function Asking({ title = common.name, error, onRetry }: AskingProps) {
  return (
    <Entrance title={title}>{error ? <Problem error={error} onRetry={onRetry} /> : <Loading lines={2} />}</Entrance>
  )
}

interface QuestionProps {
  /** The person who is signed in. */
  before: { name: string; mail: string }
  question: string
  /** Why "Yes" was refused. */
  error?: unknown
  busy?: boolean
  onYes: () => void
  onNo: () => void
}

/** Asks before another person's sign-in replaces the current one in this browser. */
function ReplaceQuestion({ before: { name, mail }, question, error, busy, onYes, onNo }: QuestionProps) {
  return (
    <Entrance title={words.replaceTitle}>
      <p>
        {words.signedInAs({ name, mail })} {question}
      </p>
      <div class="actions">
        <Button kind="primary" onClick={onNo}>
          {words.stay}
        </Button>
        <LinkButton disabled={busy} onClick={onYes}>
          {words.replace}
        </LinkButton>
      </div>
      <Refusal error={error} />
    </Entrance>
  )
}

const isAnswered = (error: unknown, code: string): boolean => error instanceof ApiError && error.code === code

/**
 * Signs in by a link, but only once its button is clicked. If someone else is signed in here, the person is asked first; the
 * service would refuse it otherwise.
 */
export function LinkSignIn({ token, onDone, onFailed }: LinkProps) {
  const { busy, error, act } = useAct()
  const view = useRead({
    queryKey: ['sign-in-link', token],
    queryFn: () => call('readSignInLink', { body: { token } }),
    // While the link is being used, the answer would be that it has been used.
    enabled: !busy,
  })
  const enter = async (replace?: true): Promise<void> => {
    const hasEntered = await act(async () => {
      await call('signInByLink', { body: { token, replace } })
      await onDone()
    })
    // Someone else may have signed in since.
    if (!hasEntered) await view.refetch()
  }
  if (isAnswered(view.error, 'link_unusable') || isAnswered(error, 'link_unusable')) {
    const problem = (
      <Note kind="bad" role="alert">
        <p>{words.signIn.linkSpent}</p>
      </Note>
    )
    return <SigningIn title={words.signIn.title} problem={problem} onFailed={onFailed} />
  }
  if (view.data === undefined) {
    return <Asking title={words.signIn.title} error={view.error} onRetry={view.refetch} />
  }
  const { mail, replaces } = view.data
  if (replaces !== undefined) {
    return (
      <ReplaceQuestion
        before={replaces}
        question={words.linkAsks({ mail })}
        error={isAnswered(error, 'signed_in_already') ? undefined : error}
        busy={busy}
        onYes={() => void enter(true)}
        onNo={onFailed}
      />
    )
  }
  return (
    <Entrance title={words.signIn.title}>
      <p class="quiet">{words.signIn.linkLead}</p>
      <LinkButton kind="primary" disabled={busy} onClick={() => void enter()}>
        {words.signIn.as({ mail })}
      </LinkButton>
      <Refusal error={error} />
    </Entrance>
  )
}

/** Finishes a sign-in with the identity provider's answer. */
export function ProviderReturn({ query, onDone, onFailed }: Omit<LinkProps, 'token'> & { query: string }) {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    call('finishOidcSignIn', { body: { query } }).then(onDone).catch(setError)
  }, [query])
  const problem = error === undefined ? null : <Problem error={error} />
  return (
    <SigningIn title={problem ? words.provider.failed : words.signIn.title} problem={problem} onFailed={onFailed} />
  )
}

/** Shows that the person is being signed in, or why that failed, with a link to the form. */
function SigningIn({ title, problem, onFailed }: { title: string; problem: ComponentChildren; onFailed: () => void }) {
  return (
    <Entrance title={title}>
      {problem ? (
        <>
          {problem}
          <Button onClick={onFailed}>{words.signIn.title}</Button>
        </>
      ) : (
        <p role="status">{words.signIn.byLink}</p>
      )}
    </Entrance>
  )
}

/** Accepts an invitation. Asks first if someone else is signed in. */
export function Invitation(props: LinkProps) {
  const before = useSignedIn()
  const view = useRead({
    queryKey: ['invitation', props.token],
    queryFn: () => call('readInvitation', { body: { token: props.token } }),
    retry: false,
    staleTime: 60_000,
  })
  const [isAgreed, setIsAgreed] = useState(false)
  if (before.data === undefined) return <Asking error={before.error} onRetry={before.refetch} />
  const acceptance = <Acceptance {...props} view={view} />
  if (view.data === undefined || before.data === null || isAgreed) return acceptance
  const { mail, organizationName = '' } = view.data
  if (mail !== undefined && mail === before.data.person.mail) return acceptance
  return (
    <ReplaceQuestion
      before={before.data.person}
      question={words.invitationAsks({ mail, organization: organizationName })}
      onYes={() => setIsAgreed(true)}
      onNo={props.onFailed}
    />
  )
}

function Acceptance({ token, view, onDone }: LinkProps & { view: Read<InvitationView> }) {
  const options = useSignInOptions()
  if (view.data === undefined || options === undefined) {
    return <Asking title={words.invitation.title} error={view.error} />
  }
  const { kind, organizationName = '' } = view.data
  const provider = options.oidc && (
    <ProviderButton name={options.oidc.name} invitation={token} isPrimary={!options.password} />
  )
  return (
    <Entrance title={words.invitation.title}>
      {!options.password && kind === 'member' ? (
        <p class="quiet">{words.provider.invited({ organization: organizationName })}</p>
      ) : (
        <AcceptanceForm view={view.data} token={token} hasPassword={options.password} onDone={onDone} />
      )}
      {provider}
    </Entrance>
  )
}

interface AcceptanceFormProps extends Omit<LinkProps, 'onFailed'> {
  view: InvitationView
  hasPassword: boolean
}

/** Asks for a name and a password, or only for the password of an existing account. */
function AcceptanceForm({ view, token, hasPassword, onDone }: AcceptanceFormProps) {
  const { kind, mail, organizationName = '', hasAccount: known } = view
  const { busy, error, act } = useAct()
  const [saysKnown, setSaysKnown] = useState(false)
  // Only a link from an email reveals whether an account exists; otherwise the person says so.
  const mayChoose = kind === 'member' && known === undefined
  const hasAccount = mayChoose ? saysKnown : known === true
  const accept = (form: FormData) =>
    act(async () => {
      const [password, name, mail] = ['password', 'name', 'mail'].map((field) => form.get(field)?.toString())
      await call('acceptInvitation', { body: { token, password, name, mail } })
      await onDone()
    })
  return (
    <>
      <p class="quiet">{words.invitation.lead({ kind, organization: organizationName, hasAccount })}</p>
      <Form error={error} onSubmit={accept}>
        {!hasAccount && (
          <TextField label={words.invitation.personName} name="name" autocomplete="name" required maxLength={200} />
        )}
        {mail === undefined ? <MailField required /> : <MailField name={undefined} readOnly value={mail} />}
        {hasPassword && (
          <PasswordField
            autocomplete={hasAccount ? 'current-password' : 'new-password'}
            minLength={hasAccount ? undefined : 12}
            hint={hasAccount ? undefined : words.invitation.passwordHint}
          />
        )}
        <Button type="submit" kind="primary" disabled={busy}>
          {words.invitation.submit}
        </Button>
        {mayChoose && (
          <Button onClick={() => setSaysKnown(!saysKnown)}>
            {hasAccount ? words.invitation.haveNone : words.invitation.haveAccount}
          </Button>
        )}
      </Form>
    </>
  )
}
