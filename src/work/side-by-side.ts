/** Work on due rows, several at a time. */
export interface SideBySide<Row> {
  max: number
  /**
   * Claims up to `limit` rows. `held` is how many of each organization are already held. `after` is the one that had the
   * last turn.
   */
  claim(request: {
    limit: number
    held: ReadonlyMap<string, number>
    after: string
  }): Promise<(Row & { organization_id: string })[]>
  /** Works on one row, and returns the number of things it did. */
  work(row: Row): Promise<number>
  /** Once aborted, nothing more is claimed. */
  stopping?: AbortSignal | undefined
  /** Ends when it is time to look for newly due rows next to slow ones. If omitted, that is when one row ends. */
  tick?: (() => Promise<void>) | undefined
}

/**
 * Works until nothing is due, and returns the total of what was done. A slow row, such as a page on a slow platform, does
 * not hold up the others. If one fails, waits for the others, then rethrows the first failure.
 */
export async function workSideBySide<Row>({ max, claim, work, stopping, tick }: SideBySide<Row>): Promise<number> {
  const running = new Map<Promise<void>, string>()
  const failures: unknown[] = []
  let done = 0
  let after = ''
  const start = (row: Row & { organization_id: string }): void => {
    const run: Promise<void> = (async () => {
      try {
        // The sum is read after the wait, so that what others did in the meantime counts too.
        const own = await work(row)
        done += own
      } catch (error) {
        failures.push(error)
      }
    })().finally(() => running.delete(run))
    running.set(run, row.organization_id)
    after = row.organization_id
  }
  for (;;) {
    const limit = failures.length > 0 || stopping?.aborted ? 0 : max - running.size
    if (limit > 0) {
      try {
        for (const row of await claim({ limit, held: countOf(running.values()), after })) start(row)
      } catch (error) {
        failures.push(error)
      }
    }
    if (running.size === 0) break
    await Promise.race([...running.keys(), ...(tick === undefined ? [] : [tick()])])
  }
  if (failures.length > 0) throw failures[0]
  return done
}

function countOf(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
