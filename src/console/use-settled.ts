import { useEffect, useState } from 'preact/hooks'

/** A post that opens by itself accepts no decision for this long: a click or press of that moment was meant for another. */
const SETTLE_MS = 500

/** False until a post that opened by itself has been there for a moment. */
export function useSettled(isAtOnce: boolean, isThere: boolean): boolean {
  const [isSettled, setSettled] = useState(isAtOnce)
  useEffect(() => {
    if (!isThere || isSettled) return undefined
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isThere])
  return isSettled
}
