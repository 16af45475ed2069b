import { useEffect, useState } from 'preact/hooks'
import { isConflict, useAct } from './use-act.ts'
import { useNow } from './use-now.ts'
import type { Read } from './use-read.ts'

export type Verdict = 'approved' | 'returned'

export type Decision = Omit<ReturnType<typeof useDecision>, 'shown'>

interface DecisionOptions<Version, Answer> {
  latest: Pick<Read<Version>, 'data' | 'refetch'>
  /** True if the version's time has passed, so that it can only be returned. */
  isLate: (version: Version, nowMs: number) => boolean
  /** False while no decision is possible. */
  isOpen?: boolean
  /** False while something is missing that the person must see before approving. */
  isComplete?: boolean
  approve: (version: Version) => Promise<Answer>
  giveBack: (version: Version, notes: string) => Promise<Answer>
  onDecided: (verdict: Verdict, answer: Answer, version: Version) => unknown
  onSettled?: () => unknown
}

/**
 * A decision about the version on screen: approve, or return with notes. Later changes are reported, not overwritten. `asks`
 * is the question that is open.
 */
export function useDecision<Version extends { etag: string }, Answer>(options: DecisionOptions<Version, Answer>) {
  const { latest, isLate, isOpen = true, isComplete = true, approve, giveBack, onDecided, onSettled } = options
  const nowMs = useNow()
  const newest = latest.data
  const [seen, setSeen] = useState<Version>()
  // Keep the opened version until the person asks for a newer one, so that they decide about what they have seen.
  useEffect(() => {
    if (seen === undefined && newest !== undefined) setSeen(newest)
  }, [newest])
  const shown = seen ?? newest
  const isNewer = shown !== undefined && newest !== undefined && newest.etag !== shown.etag
  const { busy, error, act, forgetError } = useAct({ onConflict: () => latest.refetch(), onSettled })
  const [asks, setAsks] = useState<Verdict>()
  const late = shown !== undefined && isLate(shown, nowMs)
  const canReturn = shown !== undefined && isOpen && !isNewer && !busy
  const canApprove = canReturn && !late && isComplete
  /** Resolves to whether the decision was made. */
  const decide = async (verdict: Verdict, call: (version: Version) => Promise<Answer>): Promise<boolean> => {
    setAsks(undefined)
    if (shown === undefined) return false
    return act(async () => {
      await onDecided(verdict, await call(shown), shown)
    })
  }
  return {
    shown,
    isNewer,
    showNewest: () => {
      forgetError()
      setSeen(newest)
    },
    isLate: late,
    nowMs,
    canApprove,
    canReturn,
    // The note about the newer version already explains the refusal.
    error: isNewer && isConflict(error) ? undefined : error,
    asks,
    ask: setAsks,
    approve: () => (canApprove ? decide('approved', approve) : Promise.resolve(false)),
    giveBack: (text: string) => decide('returned', (version) => giveBack(version, text)),
  }
}
