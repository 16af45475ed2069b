import { useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { announce } from './ui.tsx'

/** Codes for data that has changed or was already decided since it was shown. */
const CONFLICTS = new Set(['post_changed', 'link_token_wrong'])

export const isConflict = (error: unknown): boolean => error instanceof ApiError && CONFLICTS.has(error.code)

/** Resolves to true if the change succeeded; otherwise the error is kept. */
export type Act = (work: () => Promise<unknown>, done?: string) => Promise<boolean>

interface ActOptions {
  /** Loads the newest state before the error is shown. */
  onConflict?: () => unknown
  /** Runs after every change. */
  onSettled?: (() => unknown) | undefined
}

/** Runs one change at a time and keeps the last error. `act` announces `done` on success. */
export function useAct({ onConflict, onSettled }: ActOptions = {}) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const act: Act = async (work, done) => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      if (done !== undefined) announce(done)
      return true
    } catch (thrown) {
      if (isConflict(thrown)) await onConflict?.()
      setError(thrown)
      return false
    } finally {
      setBusy(false)
      await onSettled?.()
    }
  }
  return { busy, error, act, forgetError: () => setError(undefined) }
}
