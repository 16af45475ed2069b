import type { Database } from './database.js'

/** Reads one value by its key. It tells of every write that was acknowledged before the call. */
export type SharedRead<Key, Value> = (key: Key) => Promise<Value>

interface Waiting<Key, Value> {
  key: Key
  value(): Promise<Value>
  resolve(value: Value): void
  reject(error: unknown): void
}

/** So that a connection that hangs does not hold up every read. */
const IN_FLIGHT_MAX = 2
/** Values kept while nothing is written: a bound on memory, not a tuning. */
const REMEMBERED_MAX = 10_000

/**
 * Makes one query of the reads that wait together: `readMany` gets their keys, each once, and gives the values in the same
 * order. A read that comes after a query was sent waits for the next one, because the one on its way may not see what the
 * caller has been told of. On the embedded engine a value stays good while nothing is written, and costs no query.
 */
export function createSharedRead<Key, Value>(
  database: Database,
  readMany: (database: Database, keys: Key[]) => Promise<Value[]>,
  idOf: (key: Key) => string,
): SharedRead<Key, Value> {
  let waiting = new Map<string, Waiting<Key, Value>>()
  let inFlight = 0
  let sendsSoon = false
  const remembered = new Map<string, Promise<Value>>()
  let rememberedAt: number | undefined

  function join(id: string, key: Key): Promise<Value> {
    const joined = waiting.get(id)
    if (joined !== undefined) return joined.value()
    const value = new Promise<Value>((resolve, reject) => {
      waiting.set(id, { key, resolve, reject, value: () => value })
    })
    sendSoon()
    return value
  }

  /** Once what the sockets have brought is read: the requests that came together then go together. */
  function sendSoon(): void {
    if (sendsSoon || inFlight === IN_FLIGHT_MAX || waiting.size === 0) return
    sendsSoon = true
    setImmediate(() => {
      sendsSoon = false
      void send()
    })
  }

  async function send(): Promise<void> {
    const batch = [...waiting.values()]
    waiting = new Map()
    inFlight += 1
    try {
      const values = await readMany(
        database,
        batch.map(({ key }) => key),
      )
      batch.forEach(({ resolve }, index) => {
        resolve(values[index]!)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      inFlight -= 1
      sendSoon()
    }
  }

  return (key) => {
    const id = idOf(key)
    if (database.writes === undefined) return join(id, key)
    const writes = database.writes()
    if (writes !== rememberedAt || remembered.size >= REMEMBERED_MAX) remembered.clear()
    rememberedAt = writes
    let value = remembered.get(id)
    if (value === undefined) {
      value = join(id, key)
      remembered.set(id, value)
      // A failure is not worth remembering.
      value.catch(() => {
        if (remembered.get(id) === value) remembered.delete(id)
      })
    }
    return value
  }
}
