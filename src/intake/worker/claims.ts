import { hasPurchasesOfSource, listRemovalTimes } from '../../audience/live/forget.store.js'
import { findForgotten } from '../../audience/live/forgotten-ids.store.js'
import { keyOf } from '../../audience/live/ids.store.js'
import type { Queryable } from '../../database/database.js'
import type { Claim } from '../decoders/in-parts.js'
import { keyOfBody } from '../decoders/index.js'
import type { Fact } from '../facts.js'
import { RETRIED, type WaitingDelivery } from '../inbox/inbox.store.js'
import {
  findArrival,
  insertKnownBodies,
  type KnownBody,
  listKnownBodies,
  updateShopId,
} from '../inbox/known-bodies.store.js'

// Topics and ids of deliveries are not signed. A removal is applied only if nothing contradicts it; otherwise it becomes a
// problem, and a human who retries it decides.

/** A part of a delivery; one that removes something is the delivery's only part. */
interface Claiming {
  delivery: Pick<WaitingDelivery, 'headers' | 'shop_id'> & { claim: Claim | undefined }
  facts: readonly Fact[]
}
interface Scope {
  organizationId: string
  sourceId: string
  now: Date
}

/**
 * Returns for each part the reason why its delivery is not applied as it is, if there is one. Applied bodies are known from
 * then on.
 */
export async function findDoubts(
  tx: Queryable,
  { organizationId, sourceId, now }: Scope,
  parts: readonly Claiming[],
): Promise<(string | undefined)[]> {
  const source = [organizationId, sourceId] as const
  const shopId = await shopOf(tx, source, parts)
  const hashes = parts.flatMap((part) => (claimOf(part)?.topic === undefined ? [] : [claimOf(part)!.bodyHash]))
  const known = hashes.length === 0 ? [] : await listKnownBodies(tx, source, hashes)
  const accepted: KnownBody[] = []
  const doubts: (string | undefined)[] = []
  for (const part of parts) {
    const claim = claimOf(part)
    const doubt =
      claim === undefined || part.delivery.headers[RETRIED] !== undefined
        ? undefined
        : ((await checkRestoration(tx, source, part, parts)) ??
          (await ofClaim(tx, source, { part, claim, shopId, known: [...known, ...accepted] })))
    if (doubt === undefined && claim?.topic !== undefined) {
      accepted.push({ body_hash: claim.bodyHash, topic: claim.topic })
    }
    doubts.push(doubt)
  }
  await insertKnownBodies(tx, source, accepted, now)
  return doubts
}

const claimOf = ({ delivery }: Claiming): Claim | undefined => delivery.claim
const factsOf = <T extends Fact['type']>({ facts }: Claiming, type: T) =>
  facts.flatMap((fact) => (fact.type === type ? [fact as Fact & { type: T }] : []))

interface Compared {
  part: Claiming
  claim: Claim
  shopId: string | undefined
  known: readonly KnownBody[]
}

async function ofClaim(
  tx: Queryable,
  source: readonly [string, string],
  { part, claim, shopId, known }: Compared,
): Promise<string | undefined> {
  const { topic, bodyHash } = claim
  if (topic === undefined) return undefined
  const topics = known.flatMap((body) => (body.body_hash === bodyHash ? [body.topic] : []))
  return (
    checkShop(claim, shopId) ??
    checkTopic(topics, topic) ??
    (topics.includes(topic) ? await checkRepeat(tx, source, part) : undefined)
  )
}

/** An order states the shop; privacy requests name one, and are compared with it. */
async function shopOf(
  tx: Queryable,
  source: readonly [string, string],
  parts: readonly Claiming[],
): Promise<string | undefined> {
  const known = parts[0]?.delivery.shop_id ?? undefined
  if (known !== undefined) return known
  const first = parts.find((part) => claimOf(part)?.shopId !== undefined && factsOf(part, 'purchase').length > 0)
  const shopId = first && claimOf(first)?.shopId
  if (shopId !== undefined) await updateShopId(tx, source, shopId)
  return shopId
}

const RETRY = 'If it is correct, retry it to apply it.'

const checkShop = (claim: Claim, shopId: string | undefined): string | undefined =>
  shopId === undefined || claim.shopId === undefined || claim.shopId === shopId
    ? undefined
    : `It is about the shop ${claim.shopId}, but the orders of this source are from the shop ${shopId}, so nothing was deleted. ${RETRY}`

const checkTopic = (topics: readonly string[], topic: string): string | undefined =>
  topics.length === 0 || topics.includes(topic)
    ? undefined
    : `The same body arrived earlier as ${topics[0]}, and the signature does not cover the topic, so nothing was applied. ${RETRY}`

/** The same request was applied before. Repeating it would undo what a human or the shop has done since. */
async function checkRepeat(
  tx: Queryable,
  [organizationId, sourceId]: readonly [string, string],
  part: Claiming,
): Promise<string | undefined> {
  const ids = factsOf(part, 'forget').flatMap((fact) => fact.ids)
  const forgotten = await findForgotten(tx, organizationId, ids)
  if (ids.some((outside) => !forgotten.has(keyOf(outside)))) {
    return `The same request was applied earlier, and the person has been readmitted since, so nothing was deleted. ${RETRY}`
  }
  if (factsOf(part, 'forgetSource').length > 0 && (await hasPurchasesOfSource(tx, organizationId, sourceId))) {
    return `The same request was applied earlier, and the shop has sent orders since, so nothing was deleted. ${RETRY}`
  }
  return undefined
}

/** A restored order has changed. If the same bytes came before it was removed, this is an older delivery. */
async function checkRestoration(
  tx: Queryable,
  source: readonly [string, string],
  part: Claiming,
  parts: readonly Claiming[],
): Promise<string | undefined> {
  const [restored] = factsOf(part, 'orderRestored')
  if (restored === undefined) return undefined
  const arrivedAt = (await findArrival(tx, source, keyOfBody('order', claimOf(part)!.bodyHash)))?.getTime()
  if (arrivedAt === undefined) return undefined
  const removedAt = parts
    .flatMap((each) => factsOf(each, 'orderRemoved'))
    .filter(({ orderId }) => orderId === restored.orderId)
    .map(({ at }) => at)
  const times = [...removedAt, ...(await listRemovalTimes(tx, source, restored.orderId))]
  return times.some((at) => at >= arrivedAt)
    ? `The same body arrived as an order before the order was deleted, and the signature does not cover the topic, so nothing was applied. ${RETRY}`
    : undefined
}
