import { useEffect, useState } from 'preact/hooks'

let hasPainted = false

/**
 * False until the first paint, which can skip what may appear a moment later. On a slow phone, the browser's first time
 * format takes as long as all rows of a list.
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
