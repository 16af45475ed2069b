import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { CheckChannels } from '../access/channel-rights.js'
import { holdChannelRoles } from '../access/hold-rights.js'
import type { Queryable } from '../database/database.js'
import { invalid } from '../http/detail.js'
import type { Permission, Principal } from '../http/principal.js'
import { claimIdempotencyKey, pruneIdempotencyKeys, storeAnswer } from './idempotency.store.js'

const KEPT_MS = 24 * 60 * 60 * 1000
const HEADER = 'Idempotency-Key'

export const idempotencyHeader = {
  [HEADER]: 'A repeat with the same key and body within 24 hours returns the first result and creates nothing.',
}

/** Reads the Idempotency-Key header; undefined without one. Throws validation_failed if it is empty or too long. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalid(HEADER, 'idempotencyKey.format', 'must be 1 to 255 printable ASCII characters')
}

/** A call that may come with an Idempotency-Key. */
export interface IdempotentCall {
  principal: Principal
  /** The permission that the caller needs in the channels of the call. */
  needed: Permission
  key: string | undefined
  body: unknown
  now: Date
}

/**
 * Returns the result of `work` to all repeats of the call within 24 hours. `work` runs only for the first call, in this
 * transaction, and again if that one failed. The channel rights that `work` checks are checked again, as they are now,
 * before a repeat gets its response. Rights are locked first, before any other lock. Throws validation_failed if the key
 * came with another body, and permission_missing.
 */
export async function answerOnce<Body>(
  tx: Queryable,
  { principal, needed, key, body, now }: IdempotentCall,
  work: (checkChannels: CheckChannels) => Promise<Body>,
): Promise<Body> {
  const { organizationId } = principal
  const checkChannels = await holdChannelRoles(tx, principal, needed)
  if (key === undefined) return work(checkChannels)
  const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const forgetUntil = new Date(now.getTime() - KEPT_MS)
  const first = await claimIdempotencyKey(tx, { organizationId, key, bodyHash, now, forgetUntil })
  if (first !== undefined) {
    for (const ids of first.checked) checkChannels(ids.map((id) => ({ channel_id: id })))
    if (first.body_hash !== bodyHash)
      throw invalid(HEADER, 'idempotencyKey.reused', 'was used with another body: use a new key')
    return first.answer as Body
  }
  const checked = new Map<string, string[]>()
  const answer = await work((channels) => {
    checkChannels(channels)
    const ids = channels.map(({ channel_id }) => channel_id)
    checked.set(JSON.stringify(ids), ids)
  })
  await storeAnswer(tx, { organizationId, key }, { answer, checked: [...checked.values()] })
  await pruneIdempotencyKeys(tx, organizationId, forgetUntil)
  return answer
}
