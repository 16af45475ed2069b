import type { Queryable } from '../../database/database.js'
import type { SourceTrust } from '../../interface/generated/types.js'
import { newId } from '../../lib/ids.js'
import type { ExternalId, Fact, FoundFact, FoundProblem } from '../facts.js'
import { insertOptOuts } from '../opt-outs.store.js'
import {
  type ConversationKey,
  findConversations,
  findConversationsById,
  insertConversations,
  insertWantedProfiles,
  type KnownConversation,
  moveConversations,
  updateLastMessages,
} from './conversations.store.js'
import { findForgotten, SOME_CHANNEL } from './forgotten-ids.store.js'
import {
  findPeopleOf,
  holdChannels,
  insertLinks,
  keyOf,
  type LinkedId,
  listPagesOfAccounts,
  listTakenCuids,
  metaKind,
} from './ids.store.js'
import type { LiveAudience } from './live-audiences.store.js'
import { type Buyer, upsertFields, upsertPurchases, upsertRefunds, upsertRemovals } from './purchases.store.js'
import { addPurchases, refreshPeople } from './refresh.store.js'
import { toFieldRows, toPurchaseRows, toRefundRows, toRemovalRows } from './rows.js'
import { leaveOutUntrusted } from './trust.js'

/** The source of facts, in an organization whose audience is locked (lockLiveAudience). */
export interface FactScope {
  organizationId: string
  sourceId: string
  live: LiveAudience
  now: Date
  /** Collects the items of facts that name an erased id. */
  leftOut?: Set<string>
  /** The trust in the source; full by default. */
  trust?: SourceTrust
  /** Called for each fact that is left out because the source is not trusted with it. */
  onUntrusted?: () => void
}

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>
type Found<T extends Fact['type']> = { item: string; fact: Of<T> }

/** The kind of an id that names a conversation of any channel. */
const CONVERSATION = 'conversation'
/** People created by a message have a cuid of this form; an import replaces it. */
const MADE_HERE = /^person_[A-Za-z0-9_-]{22}$/

/**
 * Applies facts to the audience, in a handful of statements whatever their number. Facts of erased people are silently left
 * out; facts that cannot be applied are returned with the reason. Facts about people as a whole (erasure, data requests,
 * comments) are the caller's job.
 */
export async function applyFacts(
  tx: Queryable,
  scope: FactScope,
  found: readonly FoundFact[],
): Promise<FoundProblem[]> {
  const { organizationId } = scope
  const known = await leaveOutUntrusted(tx, scope, await leaveOutForgotten(tx, scope, found))
  const of = <T extends Fact['type']>(type: T) => known.filter(({ fact }) => fact.type === type) as Found<T>[]
  const people = await findPeopleOf(tx, organizationId, distinct(known.flatMap(({ fact }) => idsOf(fact))))
  const problems: FoundProblem[] = []
  const touched = new Set<string>()

  const links = await linkIds(tx, scope, of('link'), { people, problems })
  await linkConversations(tx, scope, of('linkConversation'), { people, problems, touched })
  await applyMessages(tx, scope, of('message'), { people, problems, touched })

  const purchases = await upsertPurchases(tx, organizationId, scope.sourceId, toPurchaseRows(facts(of('purchase'))))
  const buyers: Buyer[] = [
    ...links,
    ...purchases.buyers,
    ...(await upsertRemovals(
      tx,
      organizationId,
      scope.sourceId,
      toRemovalRows([...facts(of('orderRemoved')), ...facts(of('orderRestored'))]),
    )),
    ...(await upsertRefunds(tx, organizationId, scope.sourceId, toRefundRows(facts(of('refund'))))),
    ...(await upsertFields(
      tx,
      organizationId,
      scope.sourceId,
      toFieldRows([...facts(of('profile')), ...facts(of('appOpen'))]),
    )),
  ]
  // A refund does not name a person: its order does, and may have arrived earlier.
  const unknown = buyers.filter((buyer) => !people.has(keyOf(buyer)))
  const others = await findPeopleOf(tx, organizationId, unknown as ExternalId[])
  const cuidOf = (buyer: Buyer): string | undefined =>
    people.get(keyOf(buyer)) ?? others.get(keyOf(buyer)) ?? (buyer.kind === 'userId' ? buyer.id : undefined)
  for (const buyer of buyers) {
    const cuid = cuidOf(buyer)
    if (cuid !== undefined) touched.add(cuid)
  }
  await refreshPeople(tx, organizationId, scope.live, touched)
  const added = purchases.added.flatMap(({ id_kind: kind, id, ...purchase }) => {
    const cuid = cuidOf({ kind: kind!, id: id! })
    const isSale = !purchase.is_test && !purchase.is_cancelled && purchase.payment !== 'none'
    const counts = isSale && purchase.currency === scope.live.currency
    return cuid === undefined || !counts || touched.has(cuid) ? [] : [{ ...purchase, cuid }]
  })
  await addPurchases(tx, organizationId, scope.live, added)
  return problems
}

const facts = <F extends { fact: unknown }>(found: readonly F[]): F['fact'][] => found.map(({ fact }) => fact)

const distinct = (ids: readonly ExternalId[]): ExternalId[] => [
  ...new Map(ids.map((outside) => [keyOf(outside), outside])).values(),
]

/** Returns the ids that a fact names. */
function idsOf(fact: Fact): readonly ExternalId[] {
  switch (fact.type) {
    case 'link':
    case 'forget':
    case 'dataRequest':
      return fact.ids
    case 'message':
      return conversationIds(fact)
    case 'linkConversation':
      return fact.channelId === undefined
        ? [fact.who, { kind: CONVERSATION, id: fact.conversationId }]
        : [fact.who, ...conversationIds(fact as ConversationKey)]
    case 'profile':
    case 'appOpen':
      return [fact.who]
    case 'purchase':
      return fact.who === undefined ? [] : [fact.who]
    case 'comment':
      return fact.personId === undefined ? [] : [{ kind: metaKind(fact.channelId), id: fact.personId }]
    default:
      return []
  }
}

const conversationIds = ({ channelId, conversationId }: ConversationKey): ExternalId[] => [
  { kind: metaKind(channelId), id: conversationId },
  { kind: CONVERSATION, id: conversationId },
]

/** Returns the ids of a fact that may be erased: a conversation named without its channel may belong to any. */
const forgettableIdsOf = (fact: Fact): readonly ExternalId[] =>
  fact.type === 'linkConversation' && fact.channelId === undefined
    ? [...idsOf(fact), { kind: SOME_CHANNEL, id: fact.conversationId }]
    : idsOf(fact)

/** Leaves out facts that name an erased id. */
async function leaveOutForgotten(
  tx: Queryable,
  { organizationId, leftOut }: FactScope,
  found: readonly FoundFact[],
): Promise<readonly FoundFact[]> {
  const ids = distinct(found.flatMap(({ fact }) => forgettableIdsOf(fact)))
  const forgotten = await findForgotten(tx, organizationId, ids)
  if (forgotten.size === 0) return found
  const isForgotten = ({ fact }: FoundFact): boolean =>
    forgettableIdsOf(fact).some((outside) => forgotten.has(keyOf(outside)))
  const orders = new Set<string>()
  for (const each of found) {
    if (!isForgotten(each)) continue
    leftOut?.add(each.item)
    if (each.fact.type === 'purchase') orders.add(each.fact.orderId)
  }
  // A refund does not name a person; its order does.
  return found.filter((each) => !(isForgotten(each) || (each.fact.type === 'refund' && orders.has(each.fact.orderId))))
}

interface Links {
  /** The links by keyOf; new ones are added. */
  people: Map<string, string>
  problems: FoundProblem[]
}

/** People whose values may have changed are added to `touched`. */
interface Touching extends Links {
  touched: Set<string>
}

/**
 * Links ids without a person to the person of the first id that has one. Two people are never merged. Returns the ids that
 * were linked.
 */
async function linkIds(
  tx: Queryable,
  { organizationId, sourceId, now }: FactScope,
  found: readonly Found<'link'>[],
  { people, problems }: Links,
): Promise<Buyer[]> {
  // A further cuid is an id without a person only while it has neither a conversation nor an id.
  const later = found.flatMap(({ fact }) =>
    fact.ids.slice(1).flatMap(({ kind, id }) => (kind === 'userId' ? [id] : [])),
  )
  const taken = new Set(await listTakenCuids(tx, organizationId, later))
  const isTaken = (outside: ExternalId, index: number): boolean =>
    outside.kind === 'userId' && (index === 0 || taken.has(outside.id))
  const made: LinkedId[] = []
  for (const { item, fact } of found) {
    const owners = fact.ids.map(
      (outside, index) => people.get(keyOf(outside)) ?? (isTaken(outside, index) ? outside.id : undefined),
    )
    const cuid = owners.find((owner) => owner !== undefined)
    const others = owners.findIndex((owner) => owner !== undefined && owner !== cuid)
    if (cuid === undefined) {
      problems.push({ item, reason: 'None of the ids belongs to a person yet: send a userId too.' })
      continue
    }
    if (others >= 0) {
      problems.push({ item, reason: joinsTwo(fact.ids[others]!) })
    }
    fact.ids.forEach((outside, index) => {
      // A cuid needs no link to itself.
      if (owners[index] !== undefined || (outside.kind === 'userId' && outside.id === cuid)) return
      people.set(keyOf(outside), cuid)
      taken.add(cuid)
      made.push({ ...outside, cuid })
    })
  }
  await insertLinks(tx, organizationId, made, { sourceId, at: now })
  return made
}

const joinsTwo = ({ kind }: { kind: string }): string =>
  `The ${kind} already belongs to another person, and people are never merged: unlink it from one of them, or leave it.`

/** Assigns conversations to the named people, unless they have a person who was not created here. */
async function linkConversations(
  tx: Queryable,
  { organizationId, sourceId, now }: FactScope,
  found: readonly Found<'linkConversation'>[],
  { people, problems, touched }: Touching,
): Promise<void> {
  if (found.length === 0) return
  const named = found.filter(({ fact }) => fact.channelId !== undefined)
  const stored = [
    ...(await findConversations(tx, organizationId, facts(named) as ConversationKey[])),
    ...(await findConversationsById(
      tx,
      organizationId,
      found.flatMap(({ fact }) => (fact.channelId === undefined ? [fact.conversationId] : [])),
    )),
  ]
  // Looking each one up in a list would take time that grows with the square of a delivery's size.
  const byId = new Map<string, KnownConversation[]>()
  for (const conversation of stored) {
    const same = byId.get(conversation.conversationId)
    if (same === undefined) byId.set(conversation.conversationId, [conversation])
    else same.push(conversation)
  }
  const links: LinkedId[] = []
  const moves = new Map<string, KnownConversation>()
  for (const { item, fact } of found) {
    const cuid = people.get(keyOf(fact.who)) ?? (fact.who.kind === 'userId' ? fact.who.id : undefined)
    if (cuid === undefined) {
      problems.push({ item, reason: 'The id that should own the conversation has no person yet: send a userId.' })
      continue
    }
    const kind = fact.channelId === undefined ? CONVERSATION : metaKind(fact.channelId)
    const own = { kind, id: fact.conversationId } as ExternalId
    const owner = people.get(keyOf(own))
    if (owner !== undefined && owner !== cuid && !MADE_HERE.test(owner)) {
      problems.push({ item, reason: joinsTwo(own) })
      continue
    }
    people.set(keyOf(own), cuid)
    links.push({ ...own, cuid })
    for (const conversation of byId.get(fact.conversationId) ?? []) {
      const isMeant = fact.channelId === undefined || conversation.channelId === fact.channelId
      if (!isMeant || conversation.cuid === cuid) continue
      if (!MADE_HERE.test(conversation.cuid)) {
        problems.push({ item, reason: joinsTwo({ kind: CONVERSATION }) })
        continue
      }
      const meta = { kind: metaKind(conversation.channelId), id: conversation.conversationId }
      people.set(keyOf(meta), cuid)
      links.push({ ...meta, cuid })
      moves.set(keyOf({ kind: conversation.channelId, id: conversation.conversationId }), { ...conversation, cuid })
      touched.add(cuid)
    }
  }
  await insertLinks(tx, organizationId, lastOfEach(links), { sourceId, at: now })
  await moveConversations(tx, organizationId, [...moves.values()])
}

const lastOfEach = (links: readonly LinkedId[]): LinkedId[] => [
  ...new Map(links.map((link) => [keyOf(link), link])).values(),
]

/** A message updates the time of the last one, and creates the conversation if there is none. */
async function applyMessages(
  tx: Queryable,
  { organizationId, sourceId, now }: FactScope,
  found: readonly Found<'message'>[],
  { people, problems, touched }: Touching,
): Promise<void> {
  if (found.length === 0) return
  const named = [...new Set(found.map(({ fact }) => fact.channelId))]
  const channels = new Set(await holdChannels(tx, organizationId, named))
  const others = named.filter((channelId) => !channels.has(channelId))
  const pages = new Set(await listPagesOfAccounts(tx, organizationId, others))
  const newest = new Map<string, ConversationKey & { lastMessageAt: number | null }>()
  for (const { item, fact } of found) {
    const { channelId, conversationId, at, isEcho } = fact
    if (pages.has(channelId)) continue
    if (!channels.has(channelId)) {
      problems.push({ item, reason: `The organization has no channel ${channelId}: create it, then retry.` })
      continue
    }
    const key = keyOf({ kind: channelId, id: conversationId })
    const before = newest.get(key)?.lastMessageAt ?? null
    newest.set(key, { channelId, conversationId, lastMessageAt: isEcho ? before : Math.max(before ?? 0, at) })
  }
  const stored = await findConversations(tx, organizationId, [...newest.values()])
  const isStored = new Set(
    stored.map(({ channelId, conversationId }) => keyOf({ kind: channelId, id: conversationId })),
  )
  const fresh: (KnownConversation & { lastMessageAt: number | null })[] = []
  for (const [key, conversation] of newest) {
    if (isStored.has(key)) continue
    const [own, anywhere] = conversationIds(conversation)
    const cuid = people.get(keyOf(own!)) ?? people.get(keyOf(anywhere!)) ?? newId('person')
    people.set(keyOf(own!), cuid)
    fresh.push({ ...conversation, cuid })
    touched.add(cuid)
  }
  await insertConversations(tx, organizationId, fresh)
  await insertLinks(
    tx,
    organizationId,
    fresh.map(({ channelId, conversationId, cuid }) => ({ kind: metaKind(channelId), id: conversationId, cuid })),
    { sourceId, at: now },
  )
  const optOuts = found.flatMap(({ fact: { channelId, conversationId: personId, isOptOut } }) =>
    isOptOut === true && channels.has(channelId) ? [{ channelId, personId, source: 'message' as const }] : [],
  )
  await insertOptOuts(tx, organizationId, optOuts, now)
  await insertWantedProfiles(tx, organizationId, fresh, now)
  await updateLastMessages(
    tx,
    organizationId,
    [...newest].flatMap(([key, conversation]) =>
      isStored.has(key) && conversation.lastMessageAt !== null
        ? [conversation as ConversationKey & { lastMessageAt: number }]
        : [],
    ),
  )
}
