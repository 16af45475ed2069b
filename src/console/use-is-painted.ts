import { useEffect, useState } from 'preact/hooks'

let hasPainted = false

/**
 * False until the first paint, which then need not wait for what a page can do without for a moment. The browser's first
 * format of a time alone takes a slow phone as long as all rows of a list.
 */
export function useIsPainted(): boolean {
  const [isPainted, setPainted] = useState(hasPainted)
  useEffect(() => {
    if (hasPainted) return
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        hasPainted = true
        setPainted(true)
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [])
  return isPainted
}
