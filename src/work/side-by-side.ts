/** Work on rows that are due, several of them side by side. */
export interface SideBySide<Row> {
  max: number
  /**
   * Claims rows, `limit` at most. `held`: how many are held already of each organization. `after`: the one that had the
   * last turn.
   */
  claim(request: {
    limit: number
    held: ReadonlyMap<string, number>
    after: string
  }): Promise<(Row & { organization_id: string })[]>
  /** Works on one row, and gives the number of things that it did. */
  work(row: Row): Promise<number>
  /** Nothing is claimed any more. */
  stopping?: AbortSignal | undefined
  /** Ends when it is time to look for what has become due beside rows that take long. Without it that is when one ends. */
  tick?: (() => Promise<void>) | undefined
}

/**
 * Works until nothing is due, and gives the sum of what was done. A row that takes long, such as a page whose platform
 * is slow, holds up no other. Where one fails, waits for the others, and then rethrows the first failure.
 */
export async function workSideBySide<Row>({ max, claim, work, stopping, tick }: SideBySide<Row>): Promise<number> {
  const running = new Map<Promise<void>, string>()
  const failures: unknown[] = []
  let done = 0
  let after = ''
  const start = (row: Row & { organization_id: string }): void => {
    const run: Promise<void> = (async () => {
      try {
        // The sum is read after the wait: what others did meanwhile counts too.
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
