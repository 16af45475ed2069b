import { useEffect, useState } from 'preact/hooks'
import type { SignInOptions } from '../interface/generated/types.ts'
import { beginOidcSignIn, getMe, getSignInOptions } from './api.ts'
import { BASE } from './navigation.ts'
import { Refusal } from './refusal.tsx'
import { tabStorage } from './store.ts'
import { Button } from './ui.tsx'
import { useRead } from './use-read.ts'
import { entrance as words } from './words.ts'

const CALLBACK = `${BASE}sign-in/callback`
const RETURN = 'return'
/** How often to check whether the person has signed in in the other window. */
const LOOK_MS = 1_500

/** The available sign-in methods; undefined while loading. */
export function useSignInOptions(): SignInOptions | undefined {
  const options = useRead({ queryKey: ['sign-in-options'], queryFn: () => getSignInOptions(), staleTime: 60_000 })
  // If this read fails, the answer to a password explains what is wrong.
  return options.data ?? (options.error ? { password: true, passwordLink: false, passkey: true } : undefined)
}

/** Removes the identity provider's answer from the address, and restores the page where the person was. */
export function takeProviderReturn(): string | undefined {
  if (location.pathname !== CALLBACK) return undefined
  const query = location.search
  const path = tabStorage.get(RETURN)
  tabStorage.set(RETURN, undefined)
  history.replaceState(null, '', path?.startsWith(BASE) ? path : BASE)
  return query
}

interface ProviderButtonProps {
  name: string
  invitation?: string
  stays?: { onDone: () => Promise<void> }
  isPrimary: boolean
}

/**
 * Opens the identity provider. With `stays` it uses another window, so that typed input here is kept, and calls `onDone`
 * when the person has signed in there.
 */
export function ProviderButton({ name, invitation, stays, isPrimary }: ProviderButtonProps) {
  const [error, setError] = useState<unknown>()
  const [phase, setPhase] = useState<'ready' | 'leaving' | 'elsewhere'>('ready')
  useEffect(() => {
    if (phase !== 'elsewhere' || stays === undefined) return undefined
    const timer = setInterval(() => {
      // 401 until then.
      getMe().then(stays.onDone, () => {})
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [phase])
  const onClick = async (): Promise<void> => {
    setError(undefined)
    setPhase('leaving')
    // Open it before awaiting anything: browsers block windows that do not come from a click.
    const other = stays === undefined ? null : window.open('', '_blank')
    if (other !== null) other.opener = null
    try {
      const { url } = await beginOidcSignIn(invitation === undefined ? {} : { invitation })
      if (other === null) {
        if (invitation === undefined) tabStorage.set(RETURN, location.pathname + location.search + location.hash)
        location.assign(url)
      } else {
        other.location.assign(url)
        setPhase('elsewhere')
      }
    } catch (thrown) {
      other?.close()
      setError(thrown)
      setPhase('ready')
    }
  }
  return (
    <div class="form">
      <Button kind={isPrimary ? 'primary' : ''} disabled={phase === 'leaving'} onClick={() => void onClick()}>
        {words.provider.signIn({ name })}
      </Button>
      <Refusal error={error} />
      {phase === 'elsewhere' && <p role="status">{words.provider.elsewhere}</p>}
    </div>
  )
}
