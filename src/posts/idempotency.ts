import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Queryable } from '../database/database.js'
import { invalid } from '../http/detail.js'
import { claimIdempotencyKey, pruneIdempotencyKeys, storeAnswer } from './idempotency.store.js'

const KEPT_MS = 24 * 60 * 60 * 1000
const HEADER = 'Idempotency-Key'

/** The Idempotency-Key header; undefined without one. Throws validation_failed when it is empty or too long. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalid(HEADER, 'idempotencyKey.format', 'must be 1 to 255 printable ASCII characters')
}

/**
 * Gives the result of `work` to all repeats of the call within 24 hours; `work` runs for the first alone, in this
 * transaction, and again when that one failed. Throws validation_failed when the key came with another body.
 */
export async function answerOnce<Body>(
  tx: Queryable,
  { organizationId, key, body, now }: { organizationId: string; key: string | undefined; body: unknown; now: Date },
  work: () => Promise<Body>,
): Promise<Body> {
  if (key === undefined) return work()
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const forgetUntil = new Date(now.getTime() - KEPT_MS)
  const first = await claimIdempotencyKey(tx, { organizationId, key, bodyHash, now, forgetUntil })
  if (first !== undefined) {
    if (first.body_hash !== bodyHash)
      throw invalid(HEADER, 'idempotencyKey.reused', 'was used with another body: take a new key')
    return first.answer as Body
  }
  const answer = await work()
  await storeAnswer(tx, { organizationId, key }, answer)
  await pruneIdempotencyKeys(tx, organizationId, forgetUntil)
  return answer
}
