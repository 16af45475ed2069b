import { hasPurchasesOfSource, listRemovalTimes } from '../../audience/live/forget.store.js'
import { findForgotten } from '../../audience/live/forgotten-ids.store.js'
import { keyOf } from '../../audience/live/ids.store.js'
import type { Queryable } from '../../database/database.js'
import { keyOfBody } from '../decoders/index.js'
import type { Decoded, Fact } from '../facts.js'
import { RETRIED, type WaitingDelivery } from '../inbox/inbox.store.js'
import {
  findArrival,
  hashBody,
  insertKnownBodies,
  type KnownBody,
  listKnownBodies,
  updateShopId,
} from '../inbox/known-bodies.store.js'

// Topics and ids of deliveries are not signed. What a body takes away is applied only while nothing speaks against it; the
// rest is a problem, and a human who retries it decides.

type Claiming = WaitingDelivery & { decoded: Decoded | undefined }
interface Scope {
  organizationId: string
  sourceId: string
  now: Date
}

/** The reasons why deliveries of one source are not applied as they are. Those that are applied are known from now on. */
export async function findDoubts<Delivery extends Claiming>(
  tx: Queryable,
  { organizationId, sourceId, now }: Scope,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<Delivery, string>> {
  const source = [organizationId, sourceId] as const
  const doubts = new Map<Delivery, string>()
  const shopId = await shopOf(tx, source, deliveries)
  const claiming = deliveries.flatMap((delivery) => {
    const topic = delivery.decoded?.claim
    return topic === undefined ? [] : [{ delivery, topic, body_hash: hashBody(organizationId, bodyOf(delivery)) }]
  })
  if (claiming.length > 0) {
    const hashes = claiming.map(({ body_hash }) => body_hash)
    const known = await listKnownBodies(tx, source, hashes)
    const accepted: KnownBody[] = []
    for (const { delivery, topic, body_hash } of claiming) {
      const topics = [...known, ...accepted].flatMap((body) => (body.body_hash === body_hash ? [body.topic] : []))
      const doubt = isRetried(delivery)
        ? undefined
        : (ofAnotherShop(delivery, shopId) ??
          ofAnotherTopic(topics, topic) ??
          (topics.includes(topic) ? await ofTheSame(tx, source, delivery) : undefined))
      if (doubt === undefined) accepted.push({ body_hash, topic })
      else doubts.set(delivery, doubt)
    }
    await insertKnownBodies(tx, source, accepted, now)
  }
  for (const delivery of deliveries) {
    const doubt = isRetried(delivery) ? undefined : await ofAnOldRestoration(tx, source, delivery, deliveries)
    if (doubt !== undefined) doubts.set(delivery, doubt)
  }
  return doubts
}

const bodyOf = ({ body }: WaitingDelivery): Buffer => Buffer.from(body, 'base64')
const isRetried = ({ headers }: WaitingDelivery): boolean => headers[RETRIED] !== undefined
const factsOf = <T extends Fact['type']>({ decoded }: Claiming, type: T) =>
  (decoded?.facts ?? []).flatMap(({ fact }) => (fact.type === type ? [fact as Fact & { type: T }] : []))

/** An order tells the shop; requests about privacy name one, and are compared with it. */
async function shopOf(
  tx: Queryable,
  source: readonly [string, string],
  deliveries: readonly Claiming[],
): Promise<string | undefined> {
  const known = deliveries[0]?.shop_id ?? undefined
  if (known !== undefined) return known
  const first = deliveries.find((each) => each.decoded?.shopId !== undefined && factsOf(each, 'purchase').length > 0)
  const shopId = first?.decoded?.shopId
  if (shopId !== undefined) await updateShopId(tx, source, shopId)
  return shopId
}

const RETRY = 'If it is right, retry it: then it is applied.'

const ofAnotherShop = ({ decoded }: Claiming, shopId: string | undefined): string | undefined =>
  shopId === undefined || decoded?.shopId === undefined || decoded.shopId === shopId
    ? undefined
    : `It is about the shop ${decoded.shopId}, and the orders of this source are of the shop ${shopId}, so nothing was deleted. ${RETRY}`

const ofAnotherTopic = (topics: readonly string[], topic: string): string | undefined =>
  topics.length === 0 || topics.includes(topic)
    ? undefined
    : `The same body came before as ${topics[0]}, and the signature does not cover the topic, so nothing was applied. ${RETRY}`

/** The same request was applied before. Repeated, it would undo what a human or the shop has done since. */
async function ofTheSame(
  tx: Queryable,
  [organizationId, sourceId]: readonly [string, string],
  delivery: Claiming,
): Promise<string | undefined> {
  const ids = factsOf(delivery, 'forget').flatMap((fact) => fact.ids)
  const forgotten = await findForgotten(tx, organizationId, ids)
  if (ids.some((outside) => !forgotten.has(keyOf(outside)))) {
    return `The same request was applied before, and the person was readmitted since, so nothing was deleted. ${RETRY}`
  }
  if (factsOf(delivery, 'forgetSource').length > 0 && (await hasPurchasesOfSource(tx, organizationId, sourceId))) {
    return `The same request was applied before, and the shop has sent orders since, so nothing was deleted. ${RETRY}`
  }
  return undefined
}

/** An order that is restored has changed. One whose bytes came before it was removed is an older delivery of it. */
async function ofAnOldRestoration(
  tx: Queryable,
  source: readonly [string, string],
  delivery: Claiming,
  deliveries: readonly Claiming[],
): Promise<string | undefined> {
  const [restored] = factsOf(delivery, 'orderRestored')
  if (restored === undefined) return undefined
  const arrivedAt = (await findArrival(tx, source, keyOfBody('order', bodyOf(delivery))))?.getTime()
  if (arrivedAt === undefined) return undefined
  const removedAt = deliveries
    .flatMap((each) => factsOf(each, 'orderRemoved'))
    .filter(({ orderId }) => orderId === restored.orderId)
    .map(({ at }) => at)
  const times = [...removedAt, ...(await listRemovalTimes(tx, source, restored.orderId))]
  return times.some((at) => at >= arrivedAt)
    ? `The same body came as an order before the order was deleted, and the signature does not cover the topic, so nothing was applied. ${RETRY}`
    : undefined
}
