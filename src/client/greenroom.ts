import type { Caller } from '../interface/access.js'
import type { Flag, VipUser, VipUserList, VipUserQuery } from '../interface/audience.js'
import type { Channel, ChannelQuery, Workspace } from '../interface/channels.js'
import type { Message } from '../interface/errors.js'
import type {
  AdAccount,
  CampaignEntry,
  DailyInsightsList,
  DailyInsightsQuery,
  InsightsWindow,
} from '../interface/insights.js'
import type {
  NewScheduledPost,
  Rejection,
  ScheduledPost,
  ScheduledPostPatch,
  ScheduledPostQuery,
} from '../interface/posts.js'
import type { SavedSuperpower, SuperpowerQuery } from '../interface/superpowers.js'
import { type ChangeOptions, Group, PAGE_ROWS_MAX, path, type VersionedPost, versioned } from './group.js'
import { cursorAdvances, flatten, notAdvancing, walkByHeader, walkPages } from './pages.js'
import { newIdempotencyKey, type Runtime, systemRuntime } from './runtime.js'
import { type InterfaceVersion, Signer } from './signer.js'
import { type Answered, type RequestOptions, Transport, type TransportOptions } from './transport.js'

export interface GreenroomOptions extends TransportOptions {
  /** The interface's `{base_url}`, such as `http://127.0.0.1:8080/v1`. */
  baseUrl: string
  /** The id of an API key. */
  key: string
  secret: string
  /** `current` by default; `earlier` for a server of the earlier variant (interface 9.4). */
  interfaceVersion?: InterfaceVersion
}

/** The query of interface 4.1, where a flag may also be a boolean. */
export type VipUserListQuery = Omit<VipUserQuery, 'hasBirthday' | 'compact'> & {
  /** Only users with a known birthday. */
  hasBirthday?: boolean | Flag
  /** Rows have only conversationId, cuid and birthday. */
  compact?: boolean | Flag
}

export interface CreateOptions extends RequestOptions {
  /** Your own key, so that your own repeats create nothing either. By default the client generates one for its retries. */
  idempotencyKey?: string | undefined
}

/** Calls the interface with an API key. */
export class Greenroom {
  readonly workspaces: Workspaces
  readonly channels: Channels
  readonly vipUsers: VipUsers
  readonly adAccounts: AdAccounts
  readonly campaigns: Campaigns
  readonly scheduledPosts: ScheduledPosts
  readonly superpowers: Superpowers
  readonly caller: Callers

  constructor(options: GreenroomOptions, runtime: Runtime = systemRuntime) {
    const { baseUrl, key, secret, interfaceVersion = 'current' } = options
    const transport = new Transport(baseUrl, new Signer(key, secret, interfaceVersion, runtime), options, runtime)
    this.workspaces = new Workspaces(transport)
    this.channels = new Channels(transport)
    this.vipUsers = new VipUsers(transport, interfaceVersion)
    this.adAccounts = new AdAccounts(transport)
    this.campaigns = new Campaigns(transport)
    this.scheduledPosts = new ScheduledPosts(transport)
    this.superpowers = new Superpowers(transport)
    this.caller = new Callers(transport)
  }
}

export class Workspaces extends Group {
  /** The organization's workspaces, by name. */
  async list(options?: RequestOptions): Promise<Workspace[]> {
    return this.call('listWorkspaces', 'GET', '/workspaces', options, { shape: 'list' })
  }
}

export class Channels extends Group {
  /** The organization's channels, or those connected to one workspace, by name. */
  async list(query: ChannelQuery = {}, options?: RequestOptions): Promise<Channel[]> {
    return this.call('listChannels', 'GET', '/channels', options, { query, shape: 'list' })
  }
}

export class VipUsers extends Group {
  readonly #version: InterfaceVersion

  constructor(transport: Transport, version: InterfaceVersion) {
    super(transport)
    this.#version = version
  }

  /** One page, highest lifetime value first (interface 4.1). */
  async list(query: VipUserListQuery, options?: RequestOptions): Promise<VipUserList> {
    return this.call('listVipUsers', 'GET', '/vip-users', options, { query, shape: 'page' })
  }

  /** Every page from `offset` on, of the largest size unless `limit` is given. */
  pages(query: VipUserListQuery, options?: RequestOptions): AsyncGenerator<VipUserList, void, undefined> {
    // Compact pages have the largest size by default; the earlier variant documents no largest size.
    const isFull = query.compact === undefined || String(query.compact) === 'false'
    const limit = query.limit ?? (isFull && this.#version === 'current' ? PAGE_ROWS_MAX : undefined)
    return walkPages<VipUserList, number>({
      operation: 'listVipUsers',
      start: query.offset,
      read: (offset) => this.list({ ...query, limit, offset }, options),
      next: ({ nextOffset }) => nextOffset,
      advances: (next, offset = 0) => next > offset,
    })
  }

  /** Every user from `offset` on, page by page. */
  listAll(query: VipUserListQuery, options?: RequestOptions): AsyncGenerator<VipUser, void, undefined> {
    return flatten(this.pages(query, options), ({ items }) => items)
  }
}

export class AdAccounts extends Group {
  /** The organization's ad accounts, by name. */
  async list(options?: RequestOptions): Promise<AdAccount[]> {
    return this.call('listAdAccounts', 'GET', '/ad-accounts', options, { shape: 'list' })
  }
}

export class Campaigns extends Group {
  /** One page of an ad account's campaigns that delivered in the window, with their days (interface 4.2). */
  async dailyInsights(
    adAccountId: string,
    query: DailyInsightsQuery,
    options?: RequestOptions,
  ): Promise<DailyInsightsList> {
    const at = path`/ad-accounts/${adAccountId}/campaigns/daily-insights`
    return this.call('listDailyInsights', 'GET', at, options, { query, shape: 'page' })
  }

  /** Every page from `after` on, empty ones included. */
  dailyInsightsPages(
    adAccountId: string,
    query: DailyInsightsQuery,
    options?: RequestOptions,
  ): AsyncGenerator<DailyInsightsList, void, undefined> {
    return walkPages<DailyInsightsList, string>({
      operation: 'listDailyInsights',
      start: query.after,
      read: (after) => this.dailyInsights(adAccountId, { ...query, after }, options),
      next: ({ nextCursor }) => nextCursor,
      advances: cursorAdvances,
    })
  }

  /** Every campaign that delivered in the window, page by page. */
  dailyInsightsAll(
    adAccountId: string,
    query: DailyInsightsQuery,
    options?: RequestOptions,
  ): AsyncGenerator<CampaignEntry, void, undefined> {
    return flatten(this.dailyInsightsPages(adAccountId, query, options), ({ items }) => items)
  }

  /** The days of one campaign. */
  async getDailyInsights(campaignId: string, query: InsightsWindow, options?: RequestOptions): Promise<CampaignEntry> {
    const at = path`/campaigns/${campaignId}/daily-insights`
    return this.call('getCampaignDailyInsights', 'GET', at, options, { query })
  }
}

export class ScheduledPosts extends Group {
  /** Creates a post, as a DRAFT or WAITING_FOR_APPROVAL. The client's retries create no second one. */
  async create(body: NewScheduledPost, options: CreateOptions = {}): Promise<VersionedPost> {
    const { idempotencyKey = newIdempotencyKey(), ...others } = options
    const rest = { body, headers: { 'idempotency-key': idempotencyKey }, isIdempotent: true }
    return versioned(this.send('createScheduledPost', 'POST', '/scheduled-posts', others, rest))
  }

  /** One page of the posts, soonest first, those without a time last. */
  async list(query: ScheduledPostQuery = {}, options?: RequestOptions): Promise<ScheduledPost[]> {
    return (await this.#list(query, options)).body
  }

  #list(query: ScheduledPostQuery, options?: RequestOptions): Promise<Answered<ScheduledPost[]>> {
    return this.send('listScheduledPosts', 'GET', '/scheduled-posts', options, { query, shape: 'list' })
  }

  /**
   * Every page that has posts, from `offset` or `after` on, of the largest size unless `limit` is given. Walks by the server's
   * cursor: a post that is added or removed meanwhile moves no other one between pages.
   */
  async *pages(
    query: ScheduledPostQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<ScheduledPost[], void, undefined> {
    const { limit = PAGE_ROWS_MAX, offset: skipped = 0, after: start, ...filter } = query
    let seen = skipped
    for (let after = start; ; ) {
      const place = after === undefined ? { offset: seen } : { after }
      const { body, headers } = await this.#list({ ...filter, limit, ...place }, options)
      if (body.length === 0) return
      yield body
      seen += body.length
      const next = headers.get('x-next-cursor') ?? undefined
      if (next !== undefined && !cursorAdvances(next, after)) throw notAdvancing('listScheduledPosts', after, next)
      // A server without cursors, or a browser that may not read the header, goes on by offset until a page is empty.
      if (next === undefined && after !== undefined) return
      after = next
    }
  }

  /** Every post of `pages`. */
  listAll(query?: ScheduledPostQuery, options?: RequestOptions): AsyncGenerator<ScheduledPost, void, undefined> {
    return flatten(this.pages(query, options), (posts) => posts)
  }

  async get(scheduledPostId: string, options?: RequestOptions): Promise<VersionedPost> {
    return versioned(this.send('getScheduledPost', 'GET', path`/scheduled-posts/${scheduledPostId}`, options))
  }

  /**
   * Changes the given fields, or with `status: 'DRAFT'` takes a rejected post back to DRAFT (interface 3 and 4.3). A server of
   * the earlier variant answers a ScheduledPostDocument.
   */
  async update(scheduledPostId: string, body: ScheduledPostPatch, options?: ChangeOptions): Promise<VersionedPost> {
    return this.#change('updateScheduledPost', 'PATCH', path`/scheduled-posts/${scheduledPostId}`, options, body)
  }

  /**
   * Deletes a post that is neither published nor about to be. When an attempt had no answer and its retry finds no post,
   * it rejects with a NotFoundError that says so: the post may have been deleted, or never have existed.
   */
  async delete(scheduledPostId: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<Message> {
    const rest = { headers: { 'if-match': ifMatch } }
    return this.call('deleteScheduledPost', 'DELETE', path`/scheduled-posts/${scheduledPostId}`, options, rest)
  }

  async submitForApproval(scheduledPostId: string, options?: ChangeOptions): Promise<VersionedPost> {
    const at = path`/scheduled-posts/${scheduledPostId}/submit-for-approval`
    return this.#change('submitScheduledPostForApproval', 'POST', at, options)
  }

  /** The notes are the reason, and become the post's. */
  async reject(scheduledPostId: string, body: Rejection, options?: ChangeOptions): Promise<VersionedPost> {
    return this.#change('rejectScheduledPost', 'POST', path`/scheduled-posts/${scheduledPostId}/reject`, options, body)
  }

  /** Takes a SCHEDULED post back to DRAFT. */
  async revert(scheduledPostId: string, options?: ChangeOptions): Promise<VersionedPost> {
    return this.#change('revertScheduledPost', 'POST', path`/scheduled-posts/${scheduledPostId}/revert`, options)
  }

  /** Refused to every key: a human approves, on the operator's side. */
  async approve(scheduledPostId: string, options?: ChangeOptions): Promise<VersionedPost> {
    return this.#change('approveScheduledPost', 'POST', path`/scheduled-posts/${scheduledPostId}/approve`, options)
  }

  /** Refused to every key: the service publishes an approved post at its time. */
  async publish(scheduledPostId: string, options?: ChangeOptions): Promise<VersionedPost> {
    return this.#change('publishScheduledPost', 'POST', path`/scheduled-posts/${scheduledPostId}/publish`, options)
  }

  async #change(
    operation: string,
    method: 'PATCH' | 'POST',
    at: string,
    { ifMatch, ...options }: ChangeOptions = {},
    body?: object,
  ): Promise<VersionedPost> {
    return versioned(this.send(operation, method, at, options, { body, headers: { 'if-match': ifMatch } }))
  }
}

export class Callers extends Group {
  /** Who calls, and what they may do. */
  async get(options?: RequestOptions): Promise<Caller> {
    return this.call('getCaller', 'GET', '/whoami', options)
  }
}

export class Superpowers extends Group {
  /** One page of the saved superpowers that a post may name by creativeTemplateId, by name. */
  async list(query: SuperpowerQuery = {}, options?: RequestOptions): Promise<SavedSuperpower[]> {
    return (await this.#list(query, options)).body
  }

  /** Every one from `after` on, page by page. */
  listAll(query: SuperpowerQuery = {}, options?: RequestOptions): AsyncGenerator<SavedSuperpower, void, undefined> {
    return walkByHeader('listSuperpowers', query.after, (after) => this.#list({ after }, options))
  }

  #list(query: SuperpowerQuery, options?: RequestOptions): Promise<Answered<SavedSuperpower[]>> {
    return this.send('listSuperpowers', 'GET', '/superpowers', options, { query, shape: 'list' })
  }
}
