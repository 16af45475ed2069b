import { useEffect, useState } from 'preact/hooks'

/** A post that opens after a decision accepts none for this long: a second click or press was meant for the one before. */
const SETTLE_MS = 500

/** False until a post that opened because of a decision has been there for a moment. */
export function useSettled(isAtOnce: boolean, isThere: boolean): boolean {
  const [isSettled, setSettled] = useState(isAtOnce)
  useEffect(() => {
    if (!isThere || isSettled) return undefined
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isThere])
  return isSettled
}
