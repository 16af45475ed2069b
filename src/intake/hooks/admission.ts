import type { LRUCache } from 'lru-cache'
import { ApiError } from '../../errors.js'
import type { Context } from '../../http/context.js'
import type { RawHead } from '../../http/raw-routes.js'
import type { Refusal } from '../../interface/generated/types.js'
import { limit } from '../../lib/limits.js'
import { createLru } from '../../lib/lru.js'
import type { NewDelivery } from '../inbox/inbox.store.js'
import type { Intake } from '../intake.js'
import type { Budget, KnownSource } from './known-sources.js'

/** The most that is read before it is known whose it is. */
export const UNKNOWN_BYTES_MAX = limit('keylessDeliveryBytes')
const ACCEPTED_MAX = 10_000

export interface Hooks {
  context: Pick<Context, 'clock' | 'config' | 'database' | 'failedAttempts'>
  intake: Intake
  /** Keys and sources with accepted deliveries: they continue from an address where others fail. */
  accepted: LRUCache<string, true>
}

export const createHooks = (context: Hooks['context'], intake: Intake): Hooks => ({
  context,
  intake,
  accepted: createLru(ACCEPTED_MAX),
})

/** Throws too_many_failures for an address that must wait, unless a delivery with this name was accepted before. */
export function checkAddress({ context, accepted }: Hooks, ip: string, name: string | undefined): void {
  if (name === undefined || !accepted.has(name)) context.failedAttempts.check(ip)
}

/** Counts a failed attempt against its address; throws too_many_failures if the address must wait. */
export function countFailure({ context, accepted }: Hooks, ip: string, name: string | undefined): void {
  const { failedAttempts } = context
  if (name !== undefined) accepted.delete(name)
  failedAttempts.check(ip)
  failedAttempts.note(ip)
}

/** Counts a refusal at its source. */
export function refuse({ intake }: Hooks, source: KnownSource, reason: Refusal['reason'], error: Error): Error {
  intake.activity.noteRefusal(source, reason)
  intake.countRefusal(reason)
  return error
}

/** Charges a source, even for what is refused afterwards. Throws too_many_deliveries, with the actual time to wait. */
export function charge(
  hooks: Hooks,
  source: KnownSource,
  what: keyof Pick<Budget, 'deliveries' | 'bytes' | 'events'>,
  many: number,
): void {
  const waitMs = source.budget[what].take(hooks.context.clock.now(), many)
  if (waitMs === 0) return
  throw tooMany(hooks, source, Math.ceil(waitMs / 1000))
}

const tooMany = (hooks: Hooks, source: KnownSource, retryAfterSeconds: number): Error =>
  refuse(hooks, source, 'limit', new ApiError('too_many_deliveries', { retryAfterSeconds }))

export const toDelivery = ({ clock }: Pick<Context, 'clock'>, { organizationId, sourceId }: KnownSource) => ({
  organizationId,
  sourceId,
  receivedAt: new Date(clock.now()),
})

/** Stores a delivery. Throws too_many_deliveries while the source's inbox is full. */
export async function store(
  hooks: Hooks,
  source: KnownSource,
  delivery: Pick<NewDelivery, 'key' | 'topic' | 'headers' | 'body'>,
): Promise<void> {
  const { context, intake } = hooks
  const { waiting } = source.budget
  const waitSeconds = waiting.findWait(delivery.body.length)
  if (waitSeconds !== undefined) throw tooMany(hooks, source, waitSeconds)
  await intake.inbox.store({ ...delivery, ...toDelivery(context, source) })
  waiting.add(delivery.body.length)
  intake.activity.noteDelivery(source)
}

export const textHeader = ({ headers }: RawHead, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
