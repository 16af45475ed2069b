import { useState } from 'preact/hooks'
import { ApiError } from './api.ts'
import { announce } from './ui.tsx'

/** These codes say that what the person saw has changed, or is decided already. */
const CONFLICTS = new Set(['post_changed', 'link_token_wrong'])

export const isConflict = (error: unknown): boolean => error instanceof ApiError && CONFLICTS.has(error.code)

/** Gives true when the change went through; its error is kept otherwise. */
export type Act = (work: () => Promise<unknown>, done?: string) => Promise<boolean>

interface ActOptions {
  /** Reads the newest state before the error is told. */
  onConflict?: () => unknown
  /** Runs after every change. */
  onSettled?: (() => unknown) | undefined
}

/**
 * Runs one change at a time, and keeps why the last one failed. `act` announces the sentence `done` when the change went
 * through.
 */
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
