/**
 * Returns a function that runs the work once for all callers that ask while it runs, and gives them its result for `keptMs`
 * more milliseconds. A failure is not kept.
 */
export function shared<T>(work: () => Promise<T>, now: () => number, keptMs: number): () => Promise<T> {
  let result: Promise<T> | undefined
  let endedAt: number | undefined

  const run = async (): Promise<T> => {
    endedAt = undefined
    try {
      const value = await work()
      endedAt = now()
      return value
    } catch (error) {
      result = undefined
      throw error
    }
  }

  return () => {
    // A clock may be set back.
    if (endedAt !== undefined && Math.abs(now() - endedAt) >= keptMs) result = undefined
    result ??= run()
    return result
  }
}
