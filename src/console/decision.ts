import { useEffect, useRef, useState } from 'preact/hooks'
import { isConflict, useAct } from './use-act.ts'
import { useNow } from './use-now.ts'
import type { Read } from './use-read.ts'

/**
 * Keeps showing the version that a person opened. A newer one is only known (`isNewer`) until they ask for it (`show`), so
 * that their decision is about what they have seen.
 */
export function useSeen<Version extends { etag: string }>(latest: Version | undefined) {
  const [seen, setSeen] = useState<Version>()
  useEffect(() => {
    if (seen === undefined && latest !== undefined) setSeen(latest)
  }, [latest])
  const shown = seen ?? latest
  const isNewer = shown !== undefined && latest !== undefined && latest.etag !== shown.etag
  return { shown, isNewer, show: setSeen }
}

export type Verdict = 'approved' | 'returned'

export type Decision = Omit<ReturnType<typeof useDecision>, 'shown'>

interface DecisionOptions<Version> {
  latest: Pick<Read<Version>, 'data' | 'refetch'>
  /** True where this version can only be returned, because its time has passed. */
  isLate: (version: Version, nowMs: number) => boolean
  /** False while nothing may be decided. */
  isOpen?: boolean
  approve: (version: Version) => Promise<unknown>
  giveBack: (version: Version, notes: string) => Promise<unknown>
  onDecided: (verdict: Verdict, version: Version) => unknown
  onSettled?: () => unknown
}

/**
 * A decision about the version that is shown: approve it, or return it with notes. What changed meanwhile is said, not
 * overwritten. `asks` is the question that is open, and `notes` the draft of the notes, also while that question is closed.
 */
export function useDecision<Version extends { etag: string }>(options: DecisionOptions<Version>) {
  const { latest, isLate, isOpen = true, approve, giveBack, onDecided, onSettled } = options
  const nowMs = useNow()
  const { shown, isNewer, show } = useSeen(latest.data)
  const { busy, error, act, forgetError } = useAct({ onConflict: () => latest.refetch(), onSettled })
  const [asks, setAsks] = useState<Verdict>()
  const notes = useRef('')
  const late = shown !== undefined && isLate(shown, nowMs)
  const canReturn = shown !== undefined && isOpen && !isNewer && !busy
  const canApprove = canReturn && !late
  const decide = async (verdict: Verdict, call: (version: Version) => Promise<unknown>): Promise<void> => {
    setAsks(undefined)
    if (shown === undefined) return
    await act(async () => {
      await call(shown)
      await onDecided(verdict, shown)
    })
  }
  return {
    shown,
    isNewer,
    showNewest: () => {
      forgetError()
      show(latest.data)
    },
    isLate: late,
    nowMs,
    canApprove,
    canReturn,
    // That there is a newer version says why the decision was refused.
    error: isNewer && isConflict(error) ? undefined : error,
    asks,
    ask: setAsks,
    notes,
    approve: () => (canApprove ? decide('approved', approve) : Promise.resolve()),
    giveBack: (text: string) => decide('returned', (version) => giveBack(version, text)),
  }
}
