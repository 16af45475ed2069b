import { useEffect, useState } from 'preact/hooks'
import { now } from './clock.ts'

/** Returns the time in milliseconds since the epoch, updated every minute. */
export function useNow(): number {
  const [value, setValue] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => setValue(now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return value
}
