import type { Database } from '../../database/database.js'
import type { ChannelKey } from '../../http/snapshot.js'
import { type AskedChanges, type AudienceChanges, readAudienceChanges } from './change-log.store.js'

/** Reads the changes of an audience after a revision; `count` is about how many there are. */
export type ReadChanges = (channel: ChannelKey, since: number, count: number) => Promise<AudienceChanges>

/** About how many changes one statement reads, so that callers with few do not wait for those with many. */
const CHANGES_AT_ONCE = 1_000

interface Asked extends AskedChanges {
  resolve(changes: AudienceChanges): void
  reject(error: unknown): void
}

/**
 * Reads everything requested in one turn of the event loop with one statement: events change the lists of many channels at
 * once, and the requests for these share the select that reports it (access/snapshot.ts).
 */
export function createChangesReader(database: Database): ReadChanges {
  let asked: Asked[] = []
  let total = 0

  async function send(): Promise<void> {
    const sent = asked
    asked = []
    total = 0
    try {
      const changes = await readAudienceChanges(database, sent)
      for (const [index, { resolve }] of sent.entries()) resolve(changes[index]!)
    } catch (error) {
      for (const { reject } of sent) reject(error)
    }
  }

  return (channel, since, count) =>
    new Promise((resolve, reject) => {
      if (total > 0 && total + count > CHANGES_AT_ONCE) void send()
      if (asked.length === 0) setImmediate(() => asked.length > 0 && void send())
      asked.push({ channel, since, resolve, reject })
      total += count
    })
}
