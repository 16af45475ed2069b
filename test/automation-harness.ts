import { expect } from 'vitest'
import type { GivenComment } from '../packages/sandbox/src/comments/comments.js'
import type { SandboxPage } from '../packages/sandbox/src/model.js'
import { decideWaiting } from '../src/automation/decide.js'
import { makeEffects } from '../src/automation/effects.js'
import { pollComments } from '../src/automation/polls.js'
import type { ChannelType, DecidedComment, Superpower, SuperpowerReport } from '../src/interface/generated/types.js'
import type { ConfigChanges } from './config.js'
import { operatorCall, type Reply } from './harness.js'
import { type PublisherTest, startPublisherTest } from './publisher-harness.js'

/** Returns a superpower with one group that answers every comment, or only comments with the values. */
export const answering = (group: NonNullable<Superpower['conditionGroups']>[number] = {}, more: Superpower = {}) => ({
  ...more,
  conditionGroups: [
    { privateReplies: [{ text: 'Here is your link' }], publicReplies: [{ text: 'Sent, @[mention_user]!' }], ...group },
  ],
})

/** A post that is published on one channel, with its superpower switched on. */
export interface PublishedPost {
  postId: string
  channelId: string
  /** The platform's id of the page or account. */
  pageId: string
  /** The platform's id of the published post. */
  externalId: string
}

/** The number of rounds in which minutes pass. */
const ROUNDS = 6

/** The whole app beside a sandbox, with what superpowers need. */
export class AutomationTest {
  private constructor(readonly publisher: PublisherTest) {}

  static async start(config: ConfigChanges = {}): Promise<AutomationTest> {
    return new AutomationTest(await startPublisherTest(config))
  }

  get clock() {
    return this.publisher.clock
  }
  get sandbox() {
    return this.publisher.sandbox
  }
  get context() {
    return this.publisher.context
  }

  /** Calls the organization as the operator. */
  operator(status: number, method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    const { tenant } = this.publisher
    return operatorCall(this.publisher, status, method, `/organizations/${tenant.organizationId}${path}`, { body })
  }

  switch(channelId: string, automation: 'off' | 'shadow' | 'on'): Promise<Reply> {
    return this.operator(200, 'PATCH', `/channels/${channelId}`, { automation })
  }

  /** Publishes a post with the superpower on a new channel that has superpowers switched on. */
  async publish(
    superpower: Superpower,
    { type = 'FB_PAGE', mediaType = 'IMAGE', automation = 'on', page, channelId: given }: PublishOptions = {},
  ): Promise<PublishedPost> {
    const { publisher } = this
    const channelId = given ?? (await publisher.channel(type, page))
    if (given === undefined) await this.switch(channelId, automation)
    const postId = await publisher.post({
      ...{
        mediaType,
        media: mediaType === 'VIDEO' ? 'https://cdn.example.com/summer.mp4' : 'https://cdn.example.com/a.jpg',
      },
      channels: [
        { channelId, caption: `Summer ${publisher.clock.now()} ${Math.floor(performance.now())}`, superpower },
      ],
    })
    await publisher.runToEnd()
    const [publication] = await publisher.publications(postId)
    expect(publication).toMatchObject({ state: 'PUBLISHED' })
    const pageId = channelId.slice(`${type}_`.length)
    return { postId, channelId, pageId, externalId: publication!.external_id! }
  }

  /** Makes a person comment on a post. */
  comment(post: PublishedPost, from: string, text: string, more: Partial<GivenComment> = {}): Promise<string> {
    return this.sandbox.comment({ postId: post.externalId, from, text, ...more })
  }

  /** Reads, decides and acts until no work is due. */
  async work(): Promise<void> {
    for (;;) {
      const polled = await pollComments(this.context)
      const decided = await decideWaiting(this.context)
      const made = await makeEffects(this.context)
      if (polled + decided + made === 0) return
    }
  }

  /** Moves the clock on by minutes and does everything due in a few rounds; a process need not look every minute. */
  minute(count = 1, rounds = Math.min(count, ROUNDS)): Promise<void> {
    return this.pass(count, () => this.work(), rounds)
  }

  /** Moves the clock on by minutes, in rounds of whole minutes. */
  async pass(count: number, round: () => Promise<void>, rounds = Math.min(count, ROUNDS)): Promise<void> {
    for (let index = 0; index < rounds; index++) {
      const minutes = Math.floor(((index + 1) * count) / rounds) - Math.floor((index * count) / rounds)
      this.clock.advance(minutes * 60_000)
      await round()
    }
  }

  /** Returns the ledger of a post, oldest comment first. */
  async ledger({ postId }: PublishedPost): Promise<DecidedComment[]> {
    const items: DecidedComment[] = []
    for (let after = ''; ; ) {
      const path = `/scheduled-posts/${postId}/comments?limit=200${after}`
      const { body } = await this.publisher.tenant.get(200, path)
      items.push(...(body.items as DecidedComment[]))
      if (body.nextCursor === null) return items.reverse()
      after = `&after=${encodeURIComponent(body.nextCursor)}`
    }
  }

  async report({ postId, channelId }: PublishedPost): Promise<SuperpowerReport> {
    const { body } = await this.publisher.tenant.get(200, `/scheduled-posts/${postId}/superpowers`)
    return (body.items as SuperpowerReport[]).find((item) => item.channelId === channelId)!
  }
}

interface PublishOptions {
  type?: ChannelType
  mediaType?: 'IMAGE' | 'VIDEO'
  automation?: 'off' | 'shadow' | 'on'
  page?: Partial<SandboxPage>
  /** An existing channel to publish on. */
  channelId?: string
}

/** Returns the state and reason of each effect of a comment, in short. */
export const effectsOf = ({ effects }: DecidedComment): string[] =>
  effects.map(({ effect, state, reason }) => [effect, state, reason].filter((part) => part !== null).join(' '))
