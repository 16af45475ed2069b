import { expect } from 'vitest'
import type { Fact } from '../../src/audience/facts.js'
import type { VipUser } from '../../src/interface/audience.js'
import type { PersonDetails } from '../../src/interface/intake.js'
import { operatorCall, startTestApp, Tenant, type TestApp } from '../harness.js'
import { Sender } from '../inbox.js'
import { keyOf, type Line, Model, NAMES, type Said, toCents } from './model.js'
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
} from './stories.js'

/** Steps are so far apart, and never at the minute of an event. */
const STEP_MS = 150_000 + 7

/** Two nodes on one database. */
export async function startNodes(): Promise<[TestApp, TestApp]> {
  const first = await startTestApp()
  return [first, await startTestApp({}, undefined, first.context.database)]
}

/** Plays a story on both nodes, and fails where the service tells another audience than the model. */
export async function play(nodes: readonly [TestApp, TestApp], { before, steps }: Story): Promise<void> {
  const stage = await Stage.open(nodes, before)
  for (const step of steps) await stage.take(step)
  await stage.check()
}

class Stage {
  private readonly model = new Model(BEGINS_AT)
  /** The facts of deliveries that wait. */
  private waiting: Said[] = []
  private deliveries = 0
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
      const lines = before.slice(channel * 3, channel * 3 + 3).flatMap((cents, person): Line[] => {
        const line = { conversationId: CONVERSATIONS[person]!, cuid: PEOPLE[person]! }
        return cents === null ? [] : [{ ...line, lifetimeValue: cents / 100 }]
      })
      await stage.importInto(channel, lines)
      stage.model.begin(stage.channels[channel]!, lines)
    }
    const types = { app: 'EVENTS', site: 'EVENTS', shop: 'SHOPIFY', woo: 'WOOCOMMERCE', meta: 'META' } as const
    for (const [name, type] of Object.entries(types)) {
      stage.senders.set(name as SourceName, await Sender.create(nodes[0], type, { tenant }))
    }
    await stage.operator(200, 'PATCH', '', { currency: 'EUR' })
    await stage.apply(1)
    return stage
  }

  /** Both clocks stand at one time. */
  private setClock(at: number): void {
    for (const { clock } of this.nodes) clock.set(new Date(at).toISOString())
  }

  private get node(): TestApp {
    return this.nodes[this.turns % 2]!
  }

  private operator(status: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
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
        return await this.apply(step.workers)
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
        await this.sayAlone('customers/redact', { customer: { id: Number(step.who.id) } })
        return this.model.redact(step.who)
      case 'forgetShop':
        await this.sayAlone('shop/redact', {})
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

  /** Sends all at once to both nodes; what is doubled comes to each of them. */
  private async send({ spoken, isDoubled, inOne }: Extract<Step, { do: 'send' }>): Promise<void> {
    const topics = [...new Set(spoken.map(({ source, topic }) => `${source} ${topic}`))]
    const groups = inOne
      ? topics.map((each) => spoken.filter(({ source, topic }) => `${source} ${topic}` === each))
      : spoken.map((each) => [each])
    const sent = groups.flatMap((group) => this.pack(group))
    const copies = isDoubled ? [...sent, ...sent] : sent
    await Promise.all(
      copies.map(({ source, topic, payload, id }, index) =>
        this.senders
          .get(source)!
          .on(this.nodes[(index + this.turns) % 2]!)
          .send(payload, { topic, id }),
      ),
    )
    for (const { source, facts } of spoken) {
      for (const fact of facts) this.waiting.push({ source, fact: this.withChannel(fact) })
    }
  }

  private withChannel = (fact: Fact): Fact =>
    fact.type === 'message' ? { ...fact, channelId: this.channels[Number(fact.channelId)]! } : fact

  /** The deliveries of what one source says: shops send each thing by itself. No two have the same bytes. */
  private pack(group: Spoken[]): { source: SourceName; topic: string; payload: object; id: string }[] {
    const { source, topic } = group[0]!
    const delivery = (payload: object) => ({ source, topic, payload, id: `d${++this.deliveries}` })
    if (source === 'shop' || source === 'woo') {
      return group.map(({ payload }) => delivery({ ...payload, nonce: this.deliveries }))
    }
    if (source !== 'meta') return [delivery({ batch: group.map(({ payload }) => payload), nonce: this.deliveries })]
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
    return [delivery({ object: 'page', entry, nonce: this.deliveries })]
  }

  /** Lets so many workers apply all that waits, side by side. */
  private async apply(workers: number): Promise<void> {
    const sender = this.senders.get('app')!
    await Promise.all(this.nodes.slice(0, workers).map((node) => sender.on(node).apply()))
    this.model.apply(this.waiting)
    this.waiting = []
  }

  /** A request of the shop to forget comes when nothing else waits: before and after are not the same. */
  private async sayAlone(topic: string, payload: object): Promise<void> {
    await this.apply(2)
    await this.senders.get('shop')!.send({ ...payload, nonce: this.turns }, { topic, id: `d${++this.deliveries}` })
    await this.apply(1)
  }

  async check(): Promise<void> {
    await this.apply(2)
    await this.checkProblems()
    const found = new Map<string, PersonDetails>()
    for (const cuid of [...ALL_CUIDS, ...(await this.listMadeCuids())]) {
      this.turns += 1
      const told = (await this.readPerson(cuid)) as PersonDetails | undefined
      const own = told?.conversations[0]
      const known = cuid.startsWith('person_') ? `made ${own?.channelId} ${own?.conversationId}` : cuid
      if (told !== undefined) found.set(cuid, told)
      expect(told === undefined ? undefined : this.shapeOf(told), `person ${cuid}`).toEqual(
        sorted(this.model.person(known)),
      )
    }
    for (const channelId of this.channels) await this.checkList(channelId, [...found.values()])
  }

  private async checkProblems(): Promise<void> {
    if (this.model.hasConflict) return
    for (const sender of this.senders.values()) expect(await sender.problems()).toEqual([])
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

  /** The person in the words of the model. */
  private shapeOf(told: PersonDetails) {
    expect(told.purchasesTotal).toBe(told.purchases.length)
    const names = new Map([...this.senders].map(([name, { source }]) => [source.id, name]))
    return sorted({
      conversations: told.conversations.map((each) => ({
        place: `${each.channelId} ${each.conversationId}`,
        value: toCents(each.lifetimeValue),
        bought: each.lastPurchaseTimestamp,
        messaged: each.lastUserMessageTimestamp,
        opened: each.lastAppOpenTimestamp,
        ...(!this.model.blurred.has(told.cuid) && { names: NAMES.map((name) => each[name] ?? '').join(' ') }),
      })),
      purchases: told.purchases.map(({ sourceId, orderId, amount, refunded, at, state }) => ({
        ...{ place: `${names.get(sourceId)} ${orderId}`, cents: toCents(amount), refunded: toCents(refunded) },
        ...{ at: Date.parse(at), state },
      })),
      links: told.links.map(keyOf),
      fields: told.fields.map(({ field, value, at }) => `${field} ${value} ${Date.parse(at)}`),
    })
  }

  /** The list of a channel has the people as they are told of, the greatest value first. */
  private async checkList(channelId: string, people: readonly PersonDetails[]): Promise<void> {
    const conversations = people
      .flatMap((person) => person.conversations)
      .filter((each) => each.channelId === channelId)
    const path = `/vip-users?workspaceId=${this.workspaceId}&mediumId=${channelId}&scope=all`
    for (const node of this.nodes) {
      const { items } = (await this.tenant.on(node).get(200, path)).body as { items: VipUser[] }
      const rows = items.map((item) => {
        const told = conversations.find(({ conversationId }) => conversationId === item.conversationId)!
        const { opening: _, lifetimeValue: __, channelId: ___, purchased: ____, refunded: _____, ...shown } = told
        expect(item).toEqual(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)))
        return told.lifetimeValue
      })
      expect(rows).toEqual(conversations.map(({ lifetimeValue }) => lifetimeValue).toSorted((a, b) => b - a))
    }
  }
}

/** Lists whose order means nothing, in one order. */
function sorted<T extends Record<string, unknown[]>>(lists: T | undefined): T | undefined {
  if (lists === undefined) return undefined
  const inOrder = (list: unknown[]) => list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, inOrder(list)])) as T
}
