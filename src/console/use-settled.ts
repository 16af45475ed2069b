import { useEffect, useState } from 'preact/hooks'

/** A post that opens automatically ignores decisions for this long: a click at that moment was meant for another post. */
const SETTLE_MS = 500

/** False until a post that opened automatically has been shown for a moment. */
export function useSettled(isAtOnce: boolean, isThere: boolean): boolean {
  const [isSettled, setSettled] = useState(isAtOnce)
  useEffect(() => {
    if (!isThere || isSettled) return undefined
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [isThere])
  return isSettled
}
