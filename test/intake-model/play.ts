import { expect } from 'vitest'
import type { Fact } from '../../src/audience/facts.js'
import type { PersonDetails, VipUser } from '../../src/interface/generated/types.js'
import { operatorCall, randomDigits, startTestApp, Tenant, type TestApp } from '../harness.js'
import { applyNext, redactionOf, Sender, SHOP_REDACTION } from '../inbox.js'
import { withPoints } from '../points.js'
import { type Delivery, keyOf, type Line, Model, NAMES, toCents } from './model.js'
import {
  ALL_CUIDS,
  BEGINS_AT,
  CONVERSATIONS,
  type ImportedLine,
  PEOPLE,
  type SourceName,
  type Spoken,
  type Step,
  type Story,
  toPurchaseLine,
} from './stories.js'

/** The time between steps, which never falls on the minute of an event. */
const STEP_MS = 150_000 + 7

/** Two nodes on one database. */
export async function startNodes(): Promise<[TestApp, TestApp]> {
  const first = await startTestApp()
  return [first, await startTestApp({}, undefined, first.context.database)]
}

/** Plays a story on both nodes, and fails if the service's audience differs from the model's. */
export async function play(nodes: readonly [TestApp, TestApp], { before, steps }: Story): Promise<void> {
  const stage = await Stage.open(nodes, before)
  for (const step of steps) await stage.take(step)
  await stage.check()
}

/** A delivery as a sender sends it. */
interface Sent extends Delivery {
  source: SourceName
  topic: string
  id: string
}

class Killed extends Error {}

class Stage {
  private readonly model = new Model(BEGINS_AT)
  /** All sent deliveries, in order. */
  private readonly sent: Sent[] = []
  private turns = 0
  private readonly senders = new Map<SourceName, Sender>()
  private readonly channels: string[] = []
  private workspaceId = ''

  private constructor(
    private readonly nodes: readonly [TestApp, TestApp],
    private readonly tenant: Tenant,
  ) {}

  static async open(nodes: readonly [TestApp, TestApp], before: Story['before']): Promise<Stage> {
    const stage = new Stage(nodes, await Tenant.create(nodes[0]))
    const { tenant } = stage
    stage.setClock(BEGINS_AT)
    stage.workspaceId = await tenant.workspace()
    for (const channel of [0, 1]) {
      stage.channels.push(await tenant.channel([stage.workspaceId]))
      stage.model.channels.add(stage.channels[channel]!)
      const lines = before.slice(channel * 3, channel * 3 + 3).flatMap((cents, person): Line[] => {
        const line = { conversationId: CONVERSATIONS[person]!, cuid: PEOPLE[person]! }
        return cents === null ? [] : [{ ...line, lifetimeValue: cents / 100 }]
      })
      await stage.importInto(channel, lines)
      stage.model.begin(stage.channels[channel]!, lines)
    }
    stage.channels.push(`FB_PAGE_${randomDigits(15)}`)
    const types = { app: 'EVENTS', site: 'EVENTS', shop: 'SHOPIFY', woo: 'WOOCOMMERCE', meta: 'META' } as const
    for (const [name, type] of Object.entries(types)) {
      stage.senders.set(name as SourceName, await Sender.create(nodes[0], type, { tenant }))
    }
    await stage.operator(200, 'PATCH', '', { currency: 'EUR' })
    await stage.apply(1)
    return stage
  }

  /** Sets both clocks to one time. */
  private setClock(at: number): void {
    for (const { clock } of this.nodes) clock.set(new Date(at).toISOString())
  }

  private get node(): TestApp {
    return this.nodes[this.turns % 2]!
  }

  private operator(status: number, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    const url = `/organizations/${this.tenant.organizationId}${path}`
    return operatorCall(this.node, status, method, url, body === undefined ? {} : { body })
  }

  private async importInto(channel: number, lines: readonly object[]): Promise<void> {
    const url = `/organizations/${this.tenant.organizationId}/channels/${this.channels[channel]}/conversations`
    const body = lines.map((line) => JSON.stringify(line)).join('\n')
    const reply = await operatorCall(this.node, 200, 'POST', url, {
      ...{ headers: { 'content-type': 'application/x-ndjson' }, body },
    })
    expect(reply.body.rejected).toEqual([])
  }

  async take(step: Step): Promise<void> {
    this.turns += 1
    this.setClock(BEGINS_AT + this.turns * STEP_MS)
    switch (step.do) {
      case 'send':
        return await this.send(step)
      case 'apply':
        await this.die(step.dieAt)
        return await this.apply(step.workers)
      case 'repeat':
        return await this.repeat(step.back)
      case 'retry':
        return await this.retry()
      case 'openChannel':
        return await this.openChannel()
      case 'purchases':
        return await this.importPurchases(step)
      case 'check':
        return await this.check()
      case 'import':
        return await this.import(step.channel, step.lines)
      case 'erase':
        await this.operator(this.model.erase(step.cuid) ? 200 : 404, 'DELETE', `/people/${step.cuid}`)
        return
      case 'readmit':
        this.model.readmit(step.cuid)
        await this.operator(200, 'POST', `/people/${step.cuid}/readmit`)
        return
      case 'currency':
        this.model.currency = step.currency
        await this.operator(200, 'PATCH', '', { currency: step.currency })
        return await this.apply(1)
      case 'redact':
        await this.sayAlone('shop', 'customers/redact', redactionOf({ id: Number(step.who.id) }), step.dieAt)
        return this.model.redact(step.who)
      case 'deleteUser':
        await this.sayAlone('meta', 'data-deletion', { user_id: step.conversationId }, step.dieAt)
        return this.model.deleteUser(step.conversationId)
      case 'forgetShop':
        await this.sayAlone('shop', 'shop/redact', SHOP_REDACTION, step.dieAt)
        return this.model.forgetSource('shop')
      case 'link':
        await this.operator(this.model.linkByHand(step.cuid, step.who), 'POST', `/people/${step.cuid}/links`, step.who)
        return
      case 'unlink': {
        const status = this.model.unlinkByHand(step.cuid, step.who)
        await this.operator(status, 'DELETE', `/people/${step.cuid}/links/${step.who.kind}/${step.who.id}`)
      }
    }
  }

  private async import(channel: number, given: readonly ImportedLine[]): Promise<void> {
    const lines = given.map(({ person, ...fields }): Line => {
      const named = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
      return { conversationId: CONVERSATIONS[person]!, cuid: PEOPLE[person]!, ...named }
    })
    await this.importInto(channel, lines)
    this.model.importLines(this.channels[channel]!, lines, this.nodes[0].clock.now())
  }

  /** Repeating an import changes nothing, as when its response was lost. */
  private async importPurchases({ source, lines }: Extract<Step, { do: 'purchases' }>): Promise<void> {
    const given = lines.map((line) => toPurchaseLine(source, line))
    const path = `/organizations/${this.tenant.organizationId}/sources/${this.senders.get(source)!.source.id}/purchases`
    const body = given.map(({ line }) => JSON.stringify(line)).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const report = await operatorCall(this.node, 200, 'POST', path, { headers, body })
    expect(report.body.rejected).toEqual([])
    this.model.importPurchases(
      source,
      given.flatMap(({ facts }) => facts),
    )
  }

  private async openChannel(): Promise<void> {
    const channelId = this.channels[2]!
    if (this.model.channels.has(channelId)) return
    this.model.channels.add(channelId)
    const body = { type: 'FB_PAGE', platformId: channelId.replace('FB_PAGE_', ''), name: 'Opened' }
    await this.operator(201, 'POST', '/channels', body)
    await this.operator(200, 'PUT', `/workspaces/${this.workspaceId}/channels/${channelId}`)
  }

  /** Problems that name a forgotten person are erased once nothing waits; until then they can be retried. */
  private async retry(): Promise<void> {
    await this.apply(1)
    for (const sender of this.senders.values()) {
      for (const { id } of await sender.problems()) {
        await this.operator(200, 'POST', `/sources/${sender.source.id}/problems/${id}/retry`)
      }
    }
    this.model.waiting.push(...this.model.retry())
  }

  /** Sends all at once to both nodes; doubled deliveries go to each of them. */
  private async send({ spoken, isDoubled, inOne, isAppliedDuring }: Extract<Step, { do: 'send' }>): Promise<void> {
    const topics = [...new Set(spoken.map(({ source, topic }) => `${source} ${topic}`))]
    const groups = inOne
      ? topics.map((each) => spoken.filter(({ source, topic }) => `${source} ${topic}` === each))
      : spoken.map((each) => [each])
    const sent = groups.flatMap((group) => this.pack(group))
    const copies = isDoubled ? [...sent, ...sent] : sent
    const arrived = copies.map((each, index) => this.deliver(each, index))
    if (isAppliedDuring) {
      await Promise.all([...arrived, this.applyOn(0), this.applyOn(1)])
      return await this.apply(1)
    }
    await Promise.all(arrived)
  }

  private async repeat(back: number): Promise<void> {
    const before = this.sent.at(-1 - (back % Math.max(1, this.sent.length)))
    if (before !== undefined) await this.deliver(before, 0)
  }

  private async deliver(delivery: Sent, index: number): Promise<void> {
    const { source, text, topic, id, isKeyed } = delivery
    const { waiting } = this.model
    if (!isKeyed) waiting.push({ ...delivery })
    else if (!waiting.includes(delivery) && !this.model.isKnown(delivery)) waiting.push(delivery)
    const node = this.nodes[(index + this.turns) % 2]!
    await this.senders.get(source)!.on(node).send(text, { topic, id })
  }

  private withChannel = (fact: Fact): Fact =>
    fact.type === 'message' ? { ...fact, channelId: this.channels[Number(fact.channelId)]! } : fact

  /** Makes one source's deliveries: shops send each item separately. No two have the same bytes. */
  private pack(group: Spoken[]): Sent[] {
    const { source, topic } = group[0]!
    const delivery = (payload: object, said: readonly Spoken[]): Sent => {
      const id = `d${this.sent.length}`
      const sent = {
        ...{ source, topic, id, text: JSON.stringify({ ...payload, nonce: id }), isKeyed: true },
        facts: said.flatMap(({ facts }) => facts.map(this.withChannel)),
        isBroken: said.some(({ isBroken }) => isBroken),
      }
      this.sent.push(sent)
      return sent
    }
    if (source === 'shop' || source === 'woo') return group.map((spoken) => delivery(spoken.payload, [spoken]))
    if (source !== 'meta') return [delivery({ batch: group.map(({ payload }) => payload) }, group)]
    const entry = group.map(({ payload }) => {
      const { page, person, timestamp, message } = payload as {
        page: number
        person: object
        timestamp: number
        message: { is_echo: boolean }
      }
      const ownId = this.channels[page]!.replace('FB_PAGE_', '')
      const [sender, recipient] = message.is_echo ? [{ id: ownId }, person] : [person, { id: ownId }]
      return { id: ownId, time: timestamp, messaging: [{ sender, recipient, timestamp, message }] }
    })
    return [delivery({ object: 'page', entry }, group)]
  }

  private applyOn(node: number): Promise<void> {
    return this.senders.get('app')!.on(this.nodes[node]!).apply()
  }

  /** Runs this many workers side by side until nothing waits. */
  private async apply(workers: number): Promise<void> {
    await Promise.all(this.nodes.slice(0, workers).map((_, node) => this.applyOn(node)))
    this.model.apply()
  }

  /** Kills a worker in the middle of a turn while another is ready to work. */
  private async die(at: number | undefined): Promise<void> {
    if (at === undefined) return
    let passed = 0
    const { context } = this.node
    const dying = withPoints({ ...context, log: { ...context.log, error: () => {} } as never }, () => {
      if (passed++ >= at) throw new Killed('the process was killed')
    })
    const killed = applyNext(dying, this.tenant.organizationId).catch((error) => {
      if (!(error instanceof Killed)) throw error
    })
    await Promise.all([killed, this.applyOn((this.turns + 1) % 2)])
  }

  /** A request to forget is sent when nothing else waits, because its order would matter. */
  private async sayAlone(
    source: 'shop' | 'meta',
    topic: string,
    payload: object,
    dieAt: number | undefined,
  ): Promise<void> {
    await this.apply(2)
    const sender = this.senders.get(source)!
    // No two are the same, because an applied request is not applied again.
    const given = JSON.stringify(payload) + ' '.repeat(this.turns)
    if (topic === 'data-deletion') await sender.askForDeletion(given)
    else await sender.send(given, { topic, id: `alone${this.turns}` })
    await this.die(dieAt)
    await this.apply(1)
  }

  async check(): Promise<void> {
    await this.apply(2)
    await this.checkProblems()
    const found = new Map<string, PersonDetails>()
    for (const cuid of [...ALL_CUIDS, ...(await this.listMadeCuids())]) {
      this.turns += 1
      const person = (await this.readPerson(cuid)) as PersonDetails | undefined
      const own = person?.conversations[0]
      const known = cuid.startsWith('person_') ? `made ${own?.channelId} ${own?.conversationId}` : cuid
      if (person !== undefined) found.set(cuid, person)
      expect(person === undefined ? undefined : this.shapeOf(person), `person ${cuid}`).toEqual(
        sorted(this.model.person(known)),
      )
    }
    for (const channelId of this.model.channels) await this.checkList(channelId, [...found.values()])
  }

  private async checkProblems(): Promise<void> {
    for (const [name, sender] of this.senders) {
      const bodies = (await sender.problems()).map(({ body }) => body)
      const sent = this.model.problems.filter(({ source }) => source === name).map(({ text }) => text)
      // Only the events' known fields are stored, in another order and without what distinguishes deliveries here.
      const isEvents = sender.source.type === 'EVENTS'
      const [found, known] = isEvents ? [bodies.map(toComparable), sent.map(toComparable)] : [bodies, sent]
      expect(found.sort(), `problems of ${name}`).toEqual(known.sort())
    }
  }

  private async listMadeCuids(): Promise<string[]> {
    const { rows } = await this.node.context.database.query<{ cuid: string }>(
      `select cuid from conversations where organization_id = $1 and cuid like 'person\\_%'`,
      [this.tenant.organizationId],
    )
    return rows.map(({ cuid }) => cuid)
  }

  private async readPerson(cuid: string): Promise<unknown> {
    const isKnown = this.model.person(cuid) !== undefined || cuid.startsWith('person_')
    const { body } = await this.operator(isKnown ? 200 : 404, 'GET', `/people/${cuid}`)
    return isKnown ? body : undefined
  }

  /** Returns the person in the form of the model. */
  private shapeOf(person: PersonDetails) {
    expect(person.purchasesTotal).toBe(person.purchases.length)
    const names = new Map([...this.senders].map(([name, { source }]) => [source.id, name]))
    return sorted({
      conversations: person.conversations.map((each) => ({
        place: `${each.channelId} ${each.conversationId}`,
        value: toCents(each.lifetimeValue),
        bought: each.lastPurchaseTimestamp,
        messaged: each.lastUserMessageTimestamp,
        opened: each.lastAppOpenTimestamp,
        ...(!this.model.blurred.has(person.cuid) && { names: NAMES.map((name) => each[name] ?? '').join(' ') }),
      })),
      purchases: person.purchases.map(({ sourceId, orderId, amount, refunded, at, state }) => ({
        ...{ place: `${names.get(sourceId)} ${orderId}`, cents: toCents(amount), refunded: toCents(refunded) },
        ...{ at: Date.parse(at), state },
      })),
      links: person.links.map(keyOf),
      fields: person.fields.map(({ field, value, at }) => `${field} ${value} ${Date.parse(at)}`),
    })
  }

  /** Checks that a channel's list has the same people, the greatest value first. */
  private async checkList(channelId: string, people: readonly PersonDetails[]): Promise<void> {
    const conversations = people
      .flatMap((person) => person.conversations)
      .filter((each) => each.channelId === channelId)
    const path = `/vip-users?workspaceId=${this.workspaceId}&mediumId=${channelId}&scope=all`
    for (const node of this.nodes) {
      const { items } = (await this.tenant.on(node).get(200, path)).body as { items: VipUser[] }
      const rows = items.map((item) => {
        const own = conversations.find(({ conversationId }) => conversationId === item.conversationId)!
        const { opening: _, lifetimeValue: __, channelId: ___, purchased: ____, refunded: _____, ...shown } = own
        expect(item).toEqual(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)))
        return own.lifetimeValue
      })
      expect(rows).toEqual(conversations.map(({ lifetimeValue }) => lifetimeValue).toSorted((a, b) => b - a))
    }
  }
}

/** Lists whose order has no meaning, in one order. */
function sorted<T extends Record<string, unknown[]>>(lists: T | undefined): T | undefined {
  if (lists === undefined) return undefined
  const inOrder = (list: unknown[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, inOrder(list)])) as T
}

/** Returns the text of a delivery without its nonce, and with its keys in one order. A text that is not kept is empty. */
function toComparable(text: string): string {
  if (text === '') return text
  return JSON.stringify(JSON.parse(text), (key, value) => {
    if (key === 'nonce') return undefined
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value
  })
}
