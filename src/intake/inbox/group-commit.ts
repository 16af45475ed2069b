import { type Database, DatabaseBusyError, DatabaseUnavailableError } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { limit } from '../../lib/limits.js'
import { insertDataDeletion } from './data-deletions.store.js'
import { insertDeliveries, type NewDelivery } from './inbox.store.js'

/** Stores deliveries; those that arrive during a commit share the next one. */
export interface Inbox {
  /** Resolves when the delivery is durably stored. */
  store(delivery: NewDelivery): Promise<void>
  /** The same for a data deletion request, whose state can be looked up by its code from then on. */
  storeDataDeletion(delivery: NewDelivery, code: string): Promise<void>
}

const GROUP_MAX = 500
const WAITING_BYTES_MAX = limit('inboxWaitingBytes')
const RETRY_SECONDS = 5

interface Waiting {
  delivery: NewDelivery
  resolve(): void
  reject(error: unknown): void
}

const bytesOf = (group: readonly Waiting[]): number =>
  group.reduce((bytes, { delivery }) => bytes + delivery.body.length, 0)

/** Nothing can be stored now: trying each delivery of a group would mean one wait for a connection after another. */
const isOutage = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError && !(error instanceof DatabaseBusyError)

/**
 * Runs one insert at a time, with everything that has arrived in the meantime. A commit waits for the disk, so the more
 * deliveries arrive at once, the more share the wait. `onStored` is called after each commit, with the bytes of the bodies.
 */
export function createInbox(database: Database, onStored: (bytes: number) => void): Inbox {
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let isStoring = false

  async function storeAll(): Promise<void> {
    isStoring = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP_MAX)
      try {
        await storeGroup(group.map(({ delivery }) => delivery))
        for (const { resolve } of group) resolve()
        onStored(bytesOf(group))
      } catch (error) {
        if (group.length === 1 || isOutage(error)) for (const { reject } of group) reject(error)
        else await storeEach(group)
      }
      waitingBytes -= bytesOf(group)
    }
    isStoring = false
  }

  const storeGroup = (deliveries: readonly NewDelivery[]): Promise<void> => insertDeliveries(database, deliveries)

  /** One delivery that the database refuses does not affect the others. */
  async function storeEach(group: readonly Waiting[]): Promise<void> {
    let outage: unknown
    for (const { delivery, resolve, reject } of group) {
      if (outage !== undefined) {
        reject(outage)
        continue
      }
      await storeGroup([delivery]).then(resolve, (error) => {
        if (isOutage(error)) outage = error
        reject(error)
      })
    }
    onStored(bytesOf(group))
  }

  return {
    store(delivery) {
      if (waitingBytes + delivery.body.length > WAITING_BYTES_MAX) {
        throw new ApiError('busy', { retryAfterSeconds: RETRY_SECONDS })
      }
      waitingBytes += delivery.body.length
      return new Promise((resolve, reject) => {
        waiting.push({ delivery, resolve, reject })
        if (!isStoring) void storeAll()
      })
    },
    async storeDataDeletion(delivery, code) {
      const { organizationId, sourceId, receivedAt: at } = delivery
      await database.transaction(async (tx) => {
        await insertDeliveries(tx, [delivery])
        await insertDataDeletion(tx, { organizationId, sourceId, code, at })
      })
      onStored(delivery.body.length)
    },
  }
}
