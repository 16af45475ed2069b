import type { LinkedPost, PostsForReview } from '../src/interface/generated/types.js'
import { type Member, type Reply, send, type TestApp } from './harness.js'

interface Sent {
  body?: object | undefined
  etag?: string | undefined
}

/** The holder of a review link, who calls with its token. */
export class Holder {
  constructor(
    readonly app: TestApp,
    readonly token: string,
    readonly id = '',
    readonly path = '',
  ) {}

  /** Creates a link to these posts and returns its holder. */
  static async of(
    maker: Member,
    organizationId: string,
    scheduledPostIds: readonly string[],
    more: object = {},
  ): Promise<Holder> {
    const { body } = await maker.call(201, 'POST', `/organizations/${organizationId}/review-links`, {
      body: { name: 'Anna', scheduledPostIds, ...more },
    })
    return new Holder(maker.test, body.token, body.id, body.path)
  }

  /** Returns the same holder, calling another app on the same database. */
  on = (app: TestApp): Holder => new Holder(app, this.token, this.id, this.path)

  call(status: number, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, sent: Sent = {}): Promise<Reply> {
    return send(this.app.app, status, method, `/api/review${path}`, {
      body: sent.body,
      headers: this.headers(sent.etag),
    })
  }

  /** Makes a call with several valid answers. */
  ask(method: 'GET' | 'POST', path: string, etag?: string) {
    return this.app.app.inject({ method, url: `/api/review${path}`, headers: this.headers(etag) })
  }

  async posts(): Promise<LinkedPost[]> {
    return ((await this.call(200, 'GET', '/posts')).body as PostsForReview).posts
  }

  async post(number = 1): Promise<LinkedPost> {
    return (await this.posts()).find((post) => post.number === number)!
  }

  async states(): Promise<string[]> {
    return (await this.posts()).map(({ state }) => state)
  }

  async approve(number = 1, status = 200): Promise<Reply> {
    const { etag = '"x"' } = await this.post(number)
    return this.call(status, 'POST', `/posts/${number}/approve`, { etag })
  }

  async giveBack(number = 1, notes = 'Another picture'): Promise<Reply> {
    const { etag } = await this.post(number)
    return this.call(200, 'POST', `/posts/${number}/return`, { etag, body: { notes } })
  }

  private headers(etag: string | undefined): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, ...(etag === undefined ? {} : { 'if-match': etag }) }
  }
}
