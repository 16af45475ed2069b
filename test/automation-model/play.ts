import { expect } from 'vitest'
import { seededRandom } from '../../packages/sandbox/src/lib/seeded-random.js'
import { createInbox, type Inbox } from '../../packages/sandbox/src/senders/meta.js'
import { decideWaiting } from '../../src/automation/decide.js'
import { makeEffects } from '../../src/automation/effects.js'
import { pollComments } from '../../src/automation/polls.js'
import type { AppContext } from '../../src/context.js'
import { createGraphClient } from '../../src/graph/graph-client.js'
import { gate } from '../gate.js'
import { operatorCall } from '../harness.js'
import { applyNext, Sender } from '../inbox.js'
import { withPoints } from '../points.js'
import { type PublisherTest, startPublisherTest } from '../publisher-harness.js'
import { PlatformLog } from './platform-log.js'
import { CHANNELS, type GivenPost, type Step, type Story } from './stories.js'
import { type WatchedPost, Witness } from './witness.js'

export interface Nodes {
  test: PublisherTest
  sender: Sender
  /** One context per process, on one database. */
  contexts: AppContext[]
  /** Running calls, including those of a process that died. */
  underWay: Set<Promise<unknown>>
}

const NODES = 3

/** Starts three nodes on one database, and the platform. */
export async function startNodes(onEnd?: (end: () => Promise<void>) => void): Promise<Nodes> {
  const test = await (onEnd === undefined ? startPublisherTest() : startPublisherTest({}, onEnd))
  const underWay = new Set<Promise<unknown>>()
  const sender = await Sender.create(test, 'META', { tenant: test.tenant })
  const contexts = Array.from({ length: NODES }, () => toNode(test, underWay))
  return { test, sender, contexts, underWay }
}

/** The nodes write no log, because thousands of stories would fill the memory with it. */
function toNode({ context, clock }: PublisherTest, underWay: Set<Promise<unknown>>): AppContext {
  const log = { ...context.log, debug() {}, info() {}, warn() {}, error() {} } as never
  const graph = createGraphClient(context.config.graph, { clock, log, wait: async () => {} })
  const noted = <T>(call: Promise<T>): Promise<T> => {
    underWay.add(call)
    const end = () => void underWay.delete(call)
    call.then(end, end)
    return call
  }
  return {
    ...{ ...context, log },
    graph: { ...graph, get: (...call) => noted(graph.get(...call)), post: (...call) => noted(graph.post(...call)) },
  }
}

/** Plays a story on the nodes, and fails if a rule of superpowers is broken. */
export async function play(nodes: Nodes, story: Story): Promise<void> {
  const stage = await Stage.open(nodes, story)
  for (const step of story.steps) {
    await stage.take(step)
    await stage.witness.look()
  }
  await stage.end()
}

class Killed extends Error {}

const SECOND_MS = 1000
/** The longest lease has ended after this time. */
const LEASES_MS = 121_000
/** A process may stall at these points without holding anything that others need. */
const STALL_POINTS = {
  anywhere: /^(before begin|after commit|(before|after) (GET|POST|with held|with due))/,
  attempt: /^before with held/,
  call: /^(before|after) POST/,
}
/** Between these points the platform may still be called: a switch flipped here comes too late. */
const TOO_LATE = /^(after with held|(before|after) POST)/

class Stage {
  readonly witness: Witness
  private readonly log: PlatformLog
  private turns = 0

  private constructor(
    private readonly nodes: Nodes,
    private readonly story: Story,
  ) {
    const { test } = nodes
    const { sandbox, context, tenant } = test
    this.log = new PlatformLog(sandbox, () => test.clock.now())
    const now = () => test.clock.now()
    this.witness = new Witness(context.database, tenant.organizationId, sandbox, this.log.posted, now)
  }

  static async open(nodes: Nodes, story: Story): Promise<Stage> {
    const { sandbox, context, clock } = nodes.test
    await context.database.execute(
      'delete from scheduled_posts; delete from automation_lanes; delete from incoming_comments',
    )
    for (const list of [sandbox.messages, sandbox.replies, sandbox.likes, sandbox.requests, sandbox.model.pages!]) {
      ;(list as unknown[]).length = 0
    }
    sandbox.faults.clear()
    clock.set(new Date(Math.ceil((clock.now() + LEASES_MS) / SECOND_MS) * SECOND_MS).toISOString())
    const stage = new Stage(nodes, story)
    await stage.operator('PATCH', '', { automation: 'on' })
    for (const type of CHANNELS) await stage.openChannel(type)
    for (const post of story.posts) await stage.publish(post)
    return stage
  }

  private get clock() {
    return this.nodes.test.clock
  }
  private get sandbox() {
    return this.nodes.test.sandbox
  }

  private operator(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) {
    const { test } = this.nodes
    const url = `/organizations/${test.tenant.organizationId}${path}`
    return operatorCall(test, 200, method, url, body === undefined ? {} : { body })
  }

  private async openChannel(type: (typeof CHANNELS)[number]): Promise<void> {
    const channelId = await this.nodes.test.channel(type)
    const { perHour, notice } = this.story
    const given = { automation: 'on', privateRepliesPerHour: perHour, automatedNotice: notice }
    await this.operator('PATCH', `/channels/${channelId}`, given)
    this.witness.channels.push({ channelId, type, mode: 'on', since: this.clock.now(), perHour, notice })
  }

  private async publish({ channel, mediaType, superpower, expiresInMs, expiresInSeconds }: GivenPost): Promise<void> {
    const { test } = this.nodes
    const { channelId, type } = this.witness.channels[channel]!
    const expirationMs = expiresInMs === undefined ? 0 : this.clock.now() + expiresInMs
    const expirationDate = expiresInSeconds ? Math.floor(expirationMs / 1000) : expirationMs
    const given = { ...superpower, expirationDate }
    const isVideo = mediaType === 'VIDEO' && type === 'FB_PAGE'
    const postId = await test.post({
      ...{ mediaType: isVideo ? 'VIDEO' : 'IMAGE', media: `https://cdn.example.com/a.${isVideo ? 'mp4' : 'jpg'}` },
      channels: [{ channelId, caption: `Post ${this.witness.posts.length}`, superpower: given }],
    })
    await test.runToEnd()
    const externalId = (await test.publications(postId))[0]!.external_id!
    const post: WatchedPost = {
      ...{
        postId,
        channelId,
        type,
        superpower: given,
        publishedAt: this.clock.now(),
        isStopped: false,
        isOffAtItsEnd: false,
      },
      pageId: channelId.slice(type.length + 1),
      objectId: this.sandbox.comments.requireObject(externalId).id,
    }
    this.witness.posts.push(post)
  }

  private post = (number: number): WatchedPost => this.witness.posts[number % this.witness.posts.length]!

  async take(step: Step): Promise<void> {
    this.turns += 1
    switch (step.do) {
      case 'comment':
        return await this.comment(step)
      case 'pour':
        return await this.pour(step)
      case 'deliver':
        return await this.deliverAgain(step)
      case 'work':
        return await this.work(step.nodes, step.dieAt)
      case 'stall':
        return await this.stall(step)
      case 'pass':
        return this.clock.advance(step.ms)
      case 'fault':
        return this.log.break(step.name, step.times)
      case 'calm':
        return this.log.calm()
      case 'switch':
        return await this.switch(step.channel, step.mode)
      case 'stop':
        return await this.stop(this.post(step.post))
      case 'human':
        return await this.human(step)
      case 'delete':
      case 'hide':
        return this.withComment(step.back, (id) => this.sandbox.comments[step.do as 'delete'](id))
      default:
        return await this.changeOptOut(step)
    }
  }

  /** Uses one of the latest comments of people. */
  private withComment<T>(back: number, use: (id: string) => T): T | undefined {
    const { made } = this.witness
    const id = made.at(-1 - (back % Math.max(1, made.length)))
    return id === undefined || this.sandbox.comments.find(id) === undefined ? undefined : use(id)
  }

  private async comment({ post: number, from, text, isAnonymous, beneath, hook }: Extract<Step, { do: 'comment' }>) {
    const post = this.post(number)
    const above = beneath === undefined ? undefined : this.sandbox.comments.of(post.objectId)[beneath]
    const parentId = above?.parentId ?? above?.id
    const id = await this.sandbox.comment({
      ...{ postId: post.objectId, pageId: post.pageId, from, text, isAnonymous, isDelivered: false },
      ...(parentId !== undefined && { parentId }),
    })
    this.witness.made.push(id)
    if (hook === 'once') await this.deliver([id])
    if (hook === 'twice') await this.deliver([id, id])
  }

  private async pour({ post: number, count, hopMs }: Extract<Step, { do: 'pour' }>): Promise<void> {
    const post = this.post(number)
    const ids: string[] = []
    for (let index = 0; index < count; index++) {
      const given = { postId: post.objectId, pageId: post.pageId, from: `Person ${index}`, text: 'the price, ok?' }
      ids.push(await this.sandbox.comment({ ...given, isDelivered: false }))
    }
    this.witness.made.push(...ids)
    await this.deliver(ids)
    for (let hop = 0; hop < count; hop++) {
      await this.workOn(this.nodes.contexts[hop % NODES]!)
      await this.witness.look()
      this.clock.advance(hopMs)
    }
    this.clock.advance(SECOND_MS - (this.clock.now() % SECOND_MS))
  }

  /**
   * Delivers comments by hooks, which the intake keeps until they are applied. The page's own comments are delivered too.
   */
  private async deliver(ids: readonly string[], isTogether = false): Promise<void> {
    const comments = ids.map((id) => this.sandbox.comments.require(id))
    // On Instagram only a single comment has a time of sending, which is the comment's time.
    const isGroup = isTogether && comments.every(({ pageId }) => this.isOfFacebook(pageId))
    const groups = isGroup ? this.groupByPage(comments) : comments.map((comment) => [comment])
    for (const group of groups) {
      const { pageId, at } = group[0]!
      const page = this.sandbox.comments.requirePage(pageId)
      await this.send(this.inbox(at).comments(page, group, { isTogether: isGroup }))
      for (const { id } of group) this.witness.delivered.add(id)
    }
  }

  private isOfFacebook = (pageId: string): boolean => this.sandbox.comments.requirePage(pageId).platform === 'facebook'

  private groupByPage<T extends { pageId: string }>(comments: readonly T[]): T[][] {
    const pageIds = [...new Set(comments.map(({ pageId }) => pageId))]
    return pageIds.map((pageId) => comments.filter((comment) => comment.pageId === pageId))
  }

  private inbox = (at: number): Inbox => createInbox({ url: '', secret: '' }, () => at, seededRandom(this.turns))

  private async send(deliveries: readonly { body: string }[]): Promise<void> {
    for (const { body } of deliveries) await this.nodes.sender.send(body)
  }

  /** Delivers comments of any age, including our own replies, again or for the first time, in any order. */
  private async deliverAgain({ which, isTogether }: Extract<Step, { do: 'deliver' }>): Promise<void> {
    const all = this.witness.posts.flatMap(({ objectId }) => this.sandbox.comments.of(objectId))
    if (all.length > 0)
      await this.deliver(
        which.map((number) => all[number % all.length]!.id),
        isTogether,
      )
  }

  private async switch(channel: number | 'organization', mode: 'off' | 'shadow' | 'on'): Promise<void> {
    const target = channel === 'organization' ? this.witness.organization : this.witness.channels[channel]!
    const path = 'channelId' in target ? `/channels/${target.channelId}` : ''
    await this.operator('PATCH', path, { automation: mode })
    if (mode !== target.mode && mode !== 'off') target.since = this.clock.now()
    target.mode = mode
  }

  private async stop(post: WatchedPost): Promise<void> {
    const path = `/scheduled-posts/${post.postId}/superpowers/${post.channelId}/stop`
    await this.operator('POST', path, { reason: 'Sold out' })
    post.isStopped = true
  }

  private async human({ back, where }: Extract<Step, { do: 'human' }>): Promise<void> {
    await this.withComment(back, (id) => this.sandbox.comments.answerAsHuman(id, where))
  }

  private async changeOptOut(step: Extract<Step, { do: 'optOut' | 'optIn' | 'writeStop' }>): Promise<void> {
    const { channelId, type } = this.witness.channels[step.channel]!
    const page = this.sandbox.comments.requirePage(channelId.slice(type.length + 1))
    const { id, conversationId } = this.sandbox.comments.people.of(page, step.from)
    const path = `/channels/${channelId}/opt-outs/${id}`
    if (step.do === 'optIn') {
      // A comment that asks for the opposite may be waiting.
      await this.work(1, undefined)
      await this.witness.look()
      await this.operator('DELETE', path)
      this.witness.optedOut.delete(`${channelId} ${id}`)
    } else if (step.do === 'optOut') {
      await this.operator('PUT', path)
      this.witness.optedOut.add(`${channelId} ${id}`)
    } else {
      await this.send(this.inbox(this.clock.now()).message(page, { personId: conversationId, text: 'Stop!' }))
      await this.applyHooks(this.nodes.contexts[0]!)
      await this.witness.look()
      this.witness.optedOut.add(`${channelId} ${conversationId}`)
    }
  }

  // Work.

  private async applyHooks(context: AppContext): Promise<void> {
    while ((await applyNext(context, this.nodes.test.tenant.organizationId)).applied > 0);
  }

  /** Reads, decides and acts until no work is due. */
  private async workOn(context: AppContext): Promise<void> {
    for (let round = 0; round < 30; round++) {
      await this.applyHooks(context)
      const polled = await pollComments(context)
      const decided = await decideWaiting(context)
      const made = await makeEffects(context)
      if (polled + decided + made === 0) return
    }
    throw new Error('the work of one moment does not end')
  }

  /** Runs this many nodes side by side; the first dies at the point. */
  private async work(count: number, dieAt: number | undefined): Promise<void> {
    const [first, ...others] = [...this.nodes.contexts.keys()].map(
      (index) => this.nodes.contexts[(index + this.turns) % NODES]!,
    )
    let passed = 0
    const dying = withPoints(first!, () => {
      if (dieAt !== undefined && passed++ >= dieAt) throw new Killed('the process was killed')
    })
    const works = [this.workOn(dying), ...others.slice(0, count - 1).map((context) => this.workOn(context))]
    await Promise.all(
      works.map((work) =>
        work.catch((error) => {
          if (!(error instanceof Killed)) throw error
        }),
      ),
    )
    await this.settled()
  }

  /** Waits for the calls that dead processes have sent: they still arrive. */
  private async settled(): Promise<void> {
    while (this.nodes.underWay.size > 0) await Promise.allSettled([...this.nodes.underWay])
    await this.nodes.test.context.database.query('select 1')
  }

  /** Stalls one node for this long while another works. */
  private async stall({ where, at, ms, isSwitchedOff }: Extract<Step, { do: 'stall' }>): Promise<void> {
    const [arrival, end] = [gate(), gate()]
    // There are only a few attempts and calls.
    const place = where === 'anywhere' ? at : at % 3
    let passed = 0
    const stands: string[] = []
    const standing = withPoints(this.nodes.contexts[this.turns % NODES]!, async (name) => {
      const isThere =
        STALL_POINTS.anywhere.test(name) && (stands.length > 0 || (STALL_POINTS[where].test(name) && passed++ >= place))
      if (!isThere) return
      stands.push(name)
      arrival.open()
      await end.opened
    })
    const work = this.workOn(standing)
    await Promise.race([work, arrival.opened])
    if (stands.length > 0) {
      await this.standStill(stands)
      await this.witness.look()
      this.clock.advance(ms)
      if (isSwitchedOff && !stands.some((name) => TOO_LATE.test(name))) await this.switch('organization', 'off')
      await this.workOn(this.nodes.contexts[(this.turns + 1) % NODES]!)
      await this.witness.look()
      end.open()
    }
    await work
    await this.witness.look(stands.length > 0)
  }

  /** Waits until everything that a process does in parallel has stalled. */
  private async standStill(stands: readonly string[]): Promise<void> {
    for (let before = -1, same = 0; same < 5; before = stands.length) {
      await this.settled()
      same = stands.length === before ? same + 1 : 0
    }
  }

  // The end.

  /** Finishes all planned work, with everything on and nothing broken, and checks it. */
  async end(): Promise<void> {
    this.log.calm()
    await this.switch('organization', 'on')
    for (const index of CHANNELS.keys()) await this.switch(index, 'on')
    await this.witness.look()
    for (let round = 0; round < 2; round++) {
      await this.work(2, undefined)
      this.clock.advance(31 * 60_000)
    }
    for (let round = 0; ; round++) {
      await this.work(1, undefined)
      await this.witness.look()
      const next = await this.nextWork()
      if (next === null) break
      expect(round, 'the effects do not end').toBeLessThan(400)
      const ms = Math.max(SECOND_MS, next.getTime() - this.clock.now())
      this.clock.advance(Math.ceil(ms / SECOND_MS) * SECOND_MS)
    }
    // Our own last replies are also read.
    this.clock.advance(31 * 60_000)
    await this.work(1, undefined)
    await this.witness.look()
    await this.witness.checkEnd()
  }

  private async nextWork(): Promise<Date | null> {
    const { rows } = await this.nodes.test.context.database.query<{ next: Date | null }>(
      'select min(coalesce(leased_until, next_attempt_at)) as next from automation_lanes',
    )
    return rows[0]!.next
  }
}
