import type { ExternalId, Fact } from '../../src/audience/facts.js'

/**
 * The audience as plain lists, in whole cents: the result that the service must reach, in whatever order the deliveries
 * came.
 */

/** One delivery of a sender. */
export interface Delivery {
  source: string
  /** The text as it was sent. */
  text: string
  facts: Fact[]
  /** True if it has an item that cannot be read. */
  isBroken: boolean
  /** True if a repeat of it is recognized. */
  isKeyed: boolean
}

/** A value and its time. */
interface Timed {
  value: string | null
  at: number
}

interface Order {
  source: string
  /** The newest version; undefined if only a refund has arrived. */
  newest?: Of<'purchase'>
  buyer?: string
  refunds: Map<string, { at: number; cents: number; isAll: boolean }>
}

interface Conversation {
  channelId: string
  conversationId: string
  cuid: string
  opening: number
  since: number | null
  openingPurchase: number | null
  messaged: number | null
  opened: number | null
  names: Map<string, Timed>
}

/** A line of an import. */
export interface Line {
  conversationId: string
  cuid: string
  lifetimeValue?: number
  lifetimeValueAt?: number
  lastPurchaseTimestamp?: number
  lastUserMessageTimestamp?: number
  lastAppOpenTimestamp?: number
  firstName?: string | null
  userName?: string | null
}

type Of<T extends Fact['type']> = Extract<Fact, { type: T }>

export const NAMES = ['firstName', 'lastName', 'userName'] as const
export const keyOf = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`
const REFUND_OF_FILE = 'export'
const cuidKey = (cuid: string): string => `userId ${cuid}`
export const toCents = (amount: string | number): number => Math.round(Number(amount) * 100)
const newestOf = (times: readonly (number | null | undefined)[]): number | null =>
  times.reduce<number | null>((newest, at) => (at == null || (newest !== null && newest >= at) ? newest : at), null)
const isNewer = (a: Timed, b: Timed | undefined): boolean =>
  b === undefined || a.at > b.at || (a.at === b.at && (a.value ?? '') > (b.value ?? ''))

export class Model {
  currency: string | null = 'EUR'
  /** Deliveries with an item that cannot be read or applied. */
  problems: Delivery[] = []
  /** Deliveries that are not applied yet. */
  readonly waiting: Delivery[] = []
  readonly channels = new Set<string>()
  private readonly kept = new Set<Delivery>()
  /** Erasures look through bodies once more when everything that was waiting has been applied. */
  private readonly erasures: { isMeant: (delivery: Delivery) => boolean; waiting: readonly Delivery[] }[] = []
  /** People who lost an id: a name from it may keep or lose the time of its repeats, depending on the batches. */
  readonly blurred = new Set<string>()
  readonly conversations = new Map<string, Conversation>()
  readonly links = new Map<string, string>()
  private readonly orders = new Map<string, Order>()
  private readonly fields = new Map<string, Map<string, Timed>>()
  /** The keys of forgotten ids, each with the person it was forgotten with. */
  private readonly forgotten = new Map<string, string>()

  constructor(private readonly liveSince: number) {}

  /** Applies everything that waits. */
  apply(): void {
    const deliveries = this.waiting.splice(0)
    const order = ['link', 'linkConversation', 'message']
    const place = ({ type }: Fact): number => (order.includes(type) ? order.indexOf(type) : order.length)
    const said = deliveries.flatMap((delivery) => delivery.facts.map((fact) => ({ delivery, fact })))
    const failed = new Set(deliveries.filter(({ isBroken }) => isBroken))
    for (const { delivery, fact } of said.toSorted((a, b) => place(a.fact) - place(b.fact))) {
      if (!this.applyOne(delivery.source, fact)) failed.add(delivery)
    }
    const namesForgotten = ({ facts }: Delivery): boolean => facts.some((fact) => this.isLeftOut(fact))
    for (const delivery of failed) this.problems.push(namesForgotten(delivery) ? withoutBody(delivery) : delivery)
    for (const delivery of deliveries) {
      if (delivery.isKeyed && !namesForgotten(delivery) && !this.isErased(delivery)) this.kept.add(delivery)
    }
    // Problems, including those added since, are searched once nothing from before the erasure is waiting.
    for (const { isMeant } of this.erasures.splice(0)) this.problems = this.problems.filter((each) => !isMeant(each))
    this.refresh()
  }

  isKnown(delivery: Delivery): boolean {
    return this.kept.has(delivery)
  }

  /** Returns the deliveries to apply once more. */
  retry(): Delivery[] {
    return this.problems.splice(0).map((delivery) => ({ ...delivery, isKeyed: false }))
  }

  /** False if it cannot be applied. */
  private applyOne(source: string, fact: Fact): boolean {
    if (this.isLeftOut(fact)) return true
    if (fact.type === 'link') return this.link(fact)
    if (fact.type === 'linkConversation') return this.linkConversation(fact)
    if (fact.type === 'message') return this.message(fact)
    if (fact.type === 'purchase') this.purchase(source, fact)
    else if (fact.type === 'refund') this.refund(source, fact)
    else if (fact.type === 'appOpen') this.setField(fact.who, 'lastAppOpen', { value: null, at: fact.at })
    else if (fact.type === 'profile') {
      for (const [field, value] of Object.entries(fact.fields)) this.setField(fact.who, field, { value, at: fact.at })
    }
    return true
  }

  /** Imports the purchases of a file. */
  importPurchases(source: string, facts: readonly Fact[]): void {
    for (const fact of facts) this.applyOne(source, fact)
  }

  private setField(who: ExternalId, field: string, given: Timed): void {
    const own = this.fields.get(keyOf(who)) ?? new Map<string, Timed>()
    if (isNewer(given, own.get(field))) own.set(field, given)
    this.fields.set(keyOf(who), own)
  }

  private link({ ids }: Of<'link'>): boolean {
    const owners = ids.map(
      (each, index) =>
        this.links.get(keyOf(each)) ??
        (each.kind === 'userId' && (index === 0 || this.isTaken(each.id)) ? each.id : undefined),
    )
    const cuid = owners.find((owner) => owner !== undefined)
    if (cuid === undefined) return false
    for (const [index, each] of ids.entries()) {
      if (owners[index] === undefined && keyOf(each) !== cuidKey(cuid)) this.links.set(keyOf(each), cuid)
    }
    return owners.every((owner) => owner === undefined || owner === cuid)
  }

  /** Returns whether the cuid is a person: it has a conversation or an id. */
  private isTaken(cuid: string): boolean {
    return this.conversationsOf(cuid).length > 0 || [...this.links.values()].includes(cuid)
  }

  private linkConversation({ who, conversationId }: Of<'linkConversation'>): boolean {
    const cuid = this.links.get(keyOf(who)) ?? who.id
    const key = `conversation ${conversationId}`
    const owner = this.links.get(key)
    if (owner !== undefined && owner !== cuid) return false
    this.links.set(key, cuid)
    let isApplied = true
    for (const conversation of this.conversations.values()) {
      if (conversation.conversationId !== conversationId || conversation.cuid === cuid) continue
      if (conversation.cuid.startsWith('made ')) {
        conversation.cuid = cuid
        this.links.set(`meta:${conversation.channelId} ${conversationId}`, cuid)
      } else isApplied = false
    }
    return isApplied
  }

  private message({ channelId, conversationId, at, isEcho }: Of<'message'>): boolean {
    if (!this.channels.has(channelId)) return false
    const key = `${channelId} ${conversationId}`
    const own = `meta:${channelId} ${conversationId}`
    let conversation = this.conversations.get(key)
    if (conversation === undefined) {
      const cuid = this.links.get(own) ?? this.links.get(`conversation ${conversationId}`) ?? `made ${key}`
      this.links.set(own, cuid)
      conversation = newConversation({ channelId, conversationId, cuid })
      this.conversations.set(key, conversation)
    }
    if (!isEcho) conversation.messaged = newestOf([conversation.messaged, at])
    return true
  }

  private orderOf(source: string, orderId: string): Order {
    const order = this.orders.get(`${source} ${orderId}`) ?? { source, refunds: new Map() }
    this.orders.set(`${source} ${orderId}`, order)
    return order
  }

  private purchase(source: string, given: Of<'purchase'>): void {
    const order = this.orderOf(source, given.orderId)
    const rank = ({ versionAt, isCancelled, amount, currency, at, isTest }: Of<'purchase'>) =>
      [versionAt, isCancelled, String(toCents(amount)).padStart(9, '0'), currency, at, order.buyer, isTest].join(' ')
    if (order.newest === undefined || rank(given) > rank(order.newest)) order.newest = given
    if (given.who !== undefined) order.buyer = keyOf(given.who)
  }

  private refund(source: string, { orderId, refundId, amount, at }: Of<'refund'>): void {
    const { refunds } = this.orderOf(source, orderId)
    const before = refunds.get(refundId)
    refunds.set(refundId, {
      at: Math.min(before?.at ?? at, at),
      cents: Math.max(before?.cents ?? 0, toCents(amount ?? 0)),
      isAll: before?.isAll === true || amount === undefined,
    })
  }

  /** Names are registers: the newest stays, even if its id is unlinked. */
  refresh(): void {
    for (const conversation of this.conversations.values()) {
      const known = this.fieldsOf(conversation.cuid)
      for (const name of NAMES) {
        const newest = known.get(name)
        const stored = conversation.names.get(name)
        if (newest !== undefined && isNewer(newest, stored)) conversation.names.set(name, newest)
      }
      conversation.opened = newestOf([conversation.opened, known.get('lastAppOpen')?.at])
    }
  }

  importLines(channelId: string, lines: readonly Line[], now: number): void {
    const merged = new Map<string, Line>()
    for (const line of lines) {
      if (this.isForgotten(cuidKey(line.cuid)) || this.isForgotten(`meta:${channelId} ${line.conversationId}`)) continue
      merged.set(line.conversationId, { ...merged.get(line.conversationId), ...line })
    }
    for (const line of merged.values()) this.importLine(channelId, line, now)
    this.refresh()
  }

  private importLine(channelId: string, line: Line, now: number): void {
    const { conversationId, cuid } = line
    const key = `${channelId} ${conversationId}`
    const conversation = this.conversations.get(key) ?? newConversation({ channelId, conversationId, cuid })
    this.conversations.set(key, conversation)
    conversation.cuid = cuid
    const own = `meta:${channelId} ${conversationId}`
    if (this.links.has(own)) this.links.set(own, cuid)
    if (line.lifetimeValue !== undefined) {
      conversation.opening = toCents(line.lifetimeValue)
      conversation.since = line.lifetimeValueAt ?? now
    }
    conversation.openingPurchase = line.lastPurchaseTimestamp ?? conversation.openingPurchase
    conversation.messaged = line.lastUserMessageTimestamp ?? conversation.messaged
    conversation.opened = line.lastAppOpenTimestamp ?? conversation.opened
    for (const name of ['firstName', 'userName'] as const) {
      const value = line[name]
      if (typeof value === 'string') conversation.names.set(name, { value, at: now })
      else if (value === null) conversation.names.delete(name)
    }
  }

  /** Values from before the first source include everything until then. */
  begin(channelId: string, lines: readonly Line[]): void {
    this.importLines(channelId, lines, this.liveSince)
    for (const conversation of this.conversations.values()) {
      if (conversation.opening === 0) conversation.since = null
    }
  }

  /** False if nothing is known of the person. */
  erase(cuid: string): boolean {
    if ([...this.forgotten].some(([key]) => key === cuidKey(cuid))) return true
    if (this.person(cuid) === undefined) return false
    const ids = [
      cuidKey(cuid),
      ...[...this.links].flatMap(([key, owner]) => (owner === cuid ? [key] : [])),
      ...this.conversationsOf(cuid).map((each) => `meta:${each.channelId} ${each.conversationId}`),
    ]
    for (const key of ids) this.forgetId(key, cuid)
    for (const [key, conversation] of this.conversations) {
      if (conversation.cuid === cuid) this.conversations.delete(key)
    }
    return true
  }

  /** A shop's request forgets the id and its person, if there is one. */
  redact(who: ExternalId): void {
    const owner = this.links.get(keyOf(who))
    if (owner !== undefined) this.erase(owner)
    this.forgetId(keyOf(who), owner ?? 'no one')
  }

  /** A Meta user who asks for it is forgotten by the id of their conversations, on every channel. */
  deleteUser(conversationId: string): void {
    const isMeant = (key: string): boolean => key.startsWith('meta:') && key.endsWith(` ${conversationId}`)
    const owners = [...this.links].flatMap(([key, owner]) => (isMeant(key) ? [owner] : []))
    const talking = [...this.conversations.values()].filter((each) => each.conversationId === conversationId)
    const cuids = [...new Set([...owners, ...talking.map(({ cuid }) => cuid)])].sort()
    for (const cuid of cuids) this.erase(cuid)
    this.forgetId(`meta:* ${conversationId}`, cuids[0] ?? 'no one')
  }

  /** Returns whether it names a forgotten person. */
  private isLeftOut(fact: Fact): boolean {
    return namedBy(fact).some((key) => this.isForgotten(key))
  }

  private isForgotten(key: string): boolean {
    return this.forgotten.has(key) || this.forgotten.has(key.replace(/^meta:\S+/, 'meta:*'))
  }

  /** Deletes the matching deliveries, so that they are no longer recognized or retried. */
  private forgetBodies(isMeant: (delivery: Delivery) => boolean): void {
    this.problems = this.problems.filter((delivery) => !isMeant(delivery))
    for (const delivery of this.kept) if (isMeant(delivery)) this.kept.delete(delivery)
    if (this.waiting.length > 0) this.erasures.push({ isMeant, waiting: [...this.waiting] })
  }

  /** Returns whether it was waiting when its body had to be erased. */
  private isErased(delivery: Delivery): boolean {
    return this.erasures.some(({ isMeant, waiting }) => waiting.includes(delivery) && isMeant(delivery))
  }

  private forgetId(key: string, cuid: string): void {
    const id = new RegExp(`(?<![\\w.-])${key.slice(key.indexOf(' ') + 1)}(?![\\w.-])`)
    this.forgetBodies(({ text }) => id.test(text))
    if (!this.forgotten.has(key)) this.forgotten.set(key, cuid)
    this.links.delete(key)
    this.fields.delete(key)
    for (const [place, order] of this.orders) {
      if (order.buyer === key) this.orders.delete(place)
    }
  }

  readmit(cuid: string): void {
    if (this.forgotten.get(cuidKey(cuid)) !== cuid) return
    for (const [key, owner] of this.forgotten) {
      if (owner === cuid) this.forgotten.delete(key)
    }
  }

  forgetSource(source: string): void {
    for (const [place, order] of this.orders) {
      if (order.source === source) this.orders.delete(place)
    }
    this.forgetBodies((delivery) => delivery.source === source)
  }

  /** Returns the status of the response. */
  linkByHand(cuid: string, who: ExternalId): number {
    if (this.person(cuid) === undefined) return 404
    if (this.isForgotten(keyOf(who))) return 409
    const owner = this.links.get(keyOf(who))
    if ((owner ?? (who.kind === 'userId' ? who.id : undefined)) === cuid) return 200
    if (owner !== undefined || (who.kind === 'userId' && this.isTaken(who.id))) return 409
    this.links.set(keyOf(who), cuid)
    this.refresh()
    return 200
  }

  unlinkByHand(cuid: string, who: ExternalId): number {
    if (this.links.get(keyOf(who)) !== cuid) return 404
    this.links.delete(keyOf(who))
    this.blurred.add(cuid)
    return 200
  }

  private idsOf(cuid: string): string[] {
    const own = this.links.has(cuidKey(cuid)) ? [] : [cuidKey(cuid)]
    return [...own, ...[...this.links].flatMap(([key, owner]) => (owner === cuid ? [key] : []))]
  }

  private conversationsOf(cuid: string): Conversation[] {
    return [...this.conversations.values()].filter((conversation) => conversation.cuid === cuid)
  }

  private fieldsOf(cuid: string): Map<string, Timed> {
    const newest = new Map<string, Timed>()
    for (const key of this.idsOf(cuid)) {
      for (const [field, given] of this.fields.get(key) ?? []) {
        if (isNewer(given, newest.get(field))) newest.set(field, given)
      }
    }
    return newest
  }

  /** Orders with a known version, with the change of each and its time. */
  private ordersOf(cuid: string) {
    const ids = new Set(this.idsOf(cuid))
    return [...this.orders].flatMap(([place, { newest, buyer, refunds }]) => {
      if (newest === undefined || buyer === undefined || !ids.has(buyer)) return []
      let left = toCents(newest.amount)
      const changes = [{ at: newest.at, cents: left }]
      const inOrder = [...refunds].sort(([a, x], [b, y]) => x.at - y.at || (a < b ? -1 : 1))
      const centsOf = ([id, { cents, isAll }]: (typeof inOrder)[number]): number =>
        id === REFUND_OF_FILE ? 0 : isAll ? toCents(newest.amount) : cents
      const refunded = inOrder.reduce((sum, refund) => sum + centsOf(refund), 0)
      for (const [id, { at, cents, isAll }] of inOrder) {
        // A file has only the sum of all refunds.
        const asked = isAll ? left : id === REFUND_OF_FILE ? Math.max(0, cents - refunded) : cents
        const taken = Math.min(left, asked)
        left -= taken
        changes.push({ at, cents: -taken })
      }
      const cents = toCents(newest.amount)
      return [{ place, newest, cents, refunded: cents - left, changes }]
    })
  }

  private counts = ({ newest }: { newest: Of<'purchase'> }): boolean =>
    newest.currency === this.currency && !newest.isTest && !newest.isCancelled

  private valueOf({ cuid, opening, since }: Conversation): number {
    return this.ordersOf(cuid)
      .filter(this.counts)
      .flatMap(({ changes }) => changes)
      .reduce((sum, { at, cents }) => (since === null || at > since ? sum + cents : sum), opening)
  }

  /** Returns the person as the service should describe them; undefined if nothing is known. */
  person(cuid: string) {
    const conversations = this.conversationsOf(cuid)
    const orders = this.ordersOf(cuid)
    const fields = this.fieldsOf(cuid)
    const links = [...this.links].flatMap(([key, owner]) => (owner === cuid ? [key] : []))
    if (conversations.length + orders.length + fields.size + links.length === 0) return undefined
    const openings = conversations.map(({ since }) => since)
    const opened = openings.length === 0 || openings.includes(null) ? -1 : Math.min(...(openings as number[]))
    const stateOf = ({ isTest, isCancelled, currency, at }: Of<'purchase'>, isRefunded: boolean): string =>
      isTest
        ? 'test'
        : isCancelled
          ? 'cancelled'
          : this.currency === null
            ? 'no_currency'
            : currency !== this.currency
              ? 'other_currency'
              : at <= opened
                ? 'before_opening'
                : isRefunded
                  ? 'refunded'
                  : 'counted'
    const bought = newestOf(
      orders.filter((order) => this.counts(order) && order.refunded < order.cents).map(({ newest }) => newest.at),
    )
    return {
      conversations: conversations.map((each) => ({
        place: `${each.channelId} ${each.conversationId}`,
        value: this.valueOf(each),
        bought: newestOf([each.openingPurchase, bought]),
        messaged: each.messaged,
        opened: each.opened,
        ...(!this.blurred.has(cuid) && {
          names: NAMES.map((name) => each.names.get(name)?.value ?? '').join(' '),
        }),
      })),
      purchases: orders.map(({ place, newest, cents, refunded }) => ({
        ...{
          place,
          cents,
          refunded: Math.min(cents, refunded),
          at: newest.at,
          state: stateOf(newest, cents > 0 && refunded >= cents),
        },
      })),
      links,
      fields: [...fields].map(([field, { value, at }]) => `${field} ${value} ${at}`),
    }
  }
}

/** Returns a problem of a delivery that names a forgotten person: it cannot be read again. */
const withoutBody = (delivery: Delivery): Delivery => ({ ...delivery, text: '', facts: [], isBroken: true })

const newConversation = (ids: Pick<Conversation, 'channelId' | 'conversationId' | 'cuid'>): Conversation => ({
  ...ids,
  ...{ opening: 0, since: null, openingPurchase: null, messaged: null, opened: null, names: new Map() },
})

/** Returns the keys of the ids in a fact. */
function namedBy(fact: Fact): string[] {
  switch (fact.type) {
    case 'link':
      return fact.ids.map(keyOf)
    case 'message':
      return [`meta:${fact.channelId} ${fact.conversationId}`, `conversation ${fact.conversationId}`]
    case 'linkConversation':
      return [keyOf(fact.who), `conversation ${fact.conversationId}`]
    case 'profile':
    case 'appOpen':
      return [keyOf(fact.who)]
    case 'purchase':
      return fact.who === undefined ? [] : [keyOf(fact.who)]
    default:
      return []
  }
}
