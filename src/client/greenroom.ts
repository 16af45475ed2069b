import { V1_ROUTES } from '../interface/generated/routes.js'
import type {
  ListScheduledPostsQuery,
  ListSuperpowersQuery,
  ListVipUsersQuery,
  NewScheduledPost,
  SavedSuperpower,
  ScheduledPost,
  VipUser,
  VipUserList,
} from '../interface/generated/types.js'
import { type ChangeOptions, Client, PAGE_ROWS_MAX, type VersionedPost, versioned } from './client.js'
import { cursorAdvances, flatten, notAdvancing, walkPages } from './pages.js'
import { newIdempotencyKey, type Runtime, systemRuntime } from './runtime.js'
import { type InterfaceVersion, Signer } from './signer.js'
import { type RequestOptions, Transport, type TransportOptions } from './transport.js'

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
export type VipUserListQuery = Omit<ListVipUsersQuery, 'hasBirthday' | 'compact'> & {
  /** Only users with a known birthday. */
  hasBirthday?: boolean | 'true' | 'false'
  /** Rows have only conversationId, cuid and birthday. */
  compact?: boolean | 'true' | 'false'
}

export interface CreateOptions extends RequestOptions {
  /** Your own key, so that your own repeats create nothing either. By default the client generates one for its retries. */
  idempotencyKey?: string | undefined
}

/** Calls the interface with an API key. */
export class Greenroom extends Client<typeof V1_ROUTES> {
  readonly workspaces = {
    /** The organization's workspaces, by name. */
    list: this.method('listWorkspaces'),
  }

  readonly channels = {
    /** The organization's channels, or those connected to one workspace, by name. */
    list: this.method('listChannels'),
  }

  readonly vipUsers = {
    /** One page, highest lifetime value first (interface 4.1). */
    list: (query: VipUserListQuery, options?: RequestOptions) => this.call('listVipUsers', { query }, options),
    /** Every page from `offset` on, of the largest size unless `limit` is given. */
    pages: (query: VipUserListQuery, options?: RequestOptions) => this.#pagesOfVips(query, options),
    /** Every user from `offset` on, page by page. */
    listAll: (query: VipUserListQuery, options?: RequestOptions): AsyncGenerator<VipUser, void, undefined> =>
      flatten(this.#pagesOfVips(query, options), ({ items }) => items),
  }

  readonly adAccounts = {
    /** The organization's ad accounts, by name. */
    list: this.method('listAdAccounts'),
  }

  readonly campaigns = {
    /** One page of an ad account's campaigns that delivered in the window, with their days (interface 4.2). */
    dailyInsights: this.method('listDailyInsights'),
    /** Every page from `after` on, empty ones included. */
    dailyInsightsPages: this.pagesMethod('listDailyInsights'),
    /** Every campaign that delivered in the window, page by page. */
    dailyInsightsAll: this.allItemsMethod('listDailyInsights'),
    /** The days of one campaign. */
    getDailyInsights: this.method('getCampaignDailyInsights'),
  }

  readonly scheduledPosts = {
    /** Creates a post, as a DRAFT or WAITING_FOR_APPROVAL. The client's retries create no second one. */
    create: async (body: NewScheduledPost, options: CreateOptions = {}): Promise<VersionedPost> => {
      const { idempotencyKey = newIdempotencyKey(), ...others } = options
      const special = { headers: { 'idempotency-key': idempotencyKey }, isIdempotent: true }
      return versioned(await this.send('createScheduledPost', { body }, others, special))
    },
    /** One page of the posts, soonest first, those without a time last. */
    list: this.method('listScheduledPosts'),
    /**
     * Every page that has posts, from `offset` or `after` on, of the largest size unless `limit` is given. Walks by the
     * server's cursor: a post that is added or removed meanwhile moves no other one between pages.
     */
    pages: (query?: ListScheduledPostsQuery, options?: RequestOptions) => this.#pagesOfPosts(query, options),
    /** Every post of `pages`. */
    listAll: (
      query?: ListScheduledPostsQuery,
      options?: RequestOptions,
    ): AsyncGenerator<ScheduledPost, void, undefined> => flatten(this.#pagesOfPosts(query, options), (posts) => posts),
    get: this.postMethod('getScheduledPost'),
    /** Says why a post that is due is not out yet; `wait` is null while it waits for nothing. */
    wait: this.method('getScheduledPostWait'),
    /**
     * Changes the given fields, or with `status: 'DRAFT'` takes a rejected post back to DRAFT (interface 3 and 4.3). A
     * server of the earlier variant answers a ScheduledPostDocument.
     */
    update: this.postMethod('updateScheduledPost'),
    /**
     * Deletes a post that is neither published nor about to be. When an attempt had no answer and its retry finds no post,
     * it rejects with a NotFoundError that says so: the post may have been deleted, or never have existed.
     */
    delete: (scheduledPostId: string, { ifMatch, ...options }: ChangeOptions = {}) =>
      this.call('deleteScheduledPost', { scheduledPostId }, options, { headers: { 'if-match': ifMatch } }),
    submitForApproval: this.postMethod('submitScheduledPostForApproval'),
    /** The notes are the reason, and become the post's. */
    reject: this.postMethod('rejectScheduledPost'),
    /** Takes a SCHEDULED post back to DRAFT. */
    revert: this.postMethod('revertScheduledPost'),
    /** Refused to every key: a human approves, on the operator's side. */
    approve: this.postMethod('approveScheduledPost'),
    /** Refused to every key: the service publishes an approved post at its time. */
    publish: this.postMethod('publishScheduledPost'),
    /** One page of the comments that were seen, newest first, with what superpowers decided about each. */
    comments: this.method('listPostComments'),
    /** Every one from `after` on, page by page. */
    commentsAll: this.allItemsMethod('listPostComments'),
    /** The counts of what its superpowers did, by channel. */
    superpowers: this.method('getSuperpowerReport'),
  }

  readonly superpowers = {
    /** One page of the saved superpowers that a post may name by creativeTemplateId, by name. */
    list: this.method('listSuperpowers'),
    /** Every one from `after` on, page by page. */
    listAll: (
      { after: start }: ListSuperpowersQuery = {},
      options?: RequestOptions,
    ): AsyncGenerator<SavedSuperpower, void, undefined> => {
      const read = (after: string | undefined) => this.send('listSuperpowers', { query: { after } }, options)
      const next = ({ headers }: Awaited<ReturnType<typeof read>>) => headers.get('x-next-cursor')
      return flatten(walkPages({ operation: 'listSuperpowers', start, read, next }), ({ body }) => body)
    },
    /** Decides comments as it would, and tells what of it is not executed. Nothing is stored or sent. */
    explain: this.method('explainSuperpower'),
  }

  /** The raffles of posts that are out. */
  readonly raffles = {
    /** The raffles of a post, by channel. */
    list: this.method('listRaffles'),
    /** A drawn raffle, to verify: it names nobody. */
    export: this.method('exportRaffle'),
  }

  readonly caller = {
    /** The caller, and what the caller may do. */
    get: this.method('getCaller'),
  }

  readonly #version: InterfaceVersion

  constructor(options: GreenroomOptions, runtime: Runtime = systemRuntime) {
    const { baseUrl, key, secret, interfaceVersion = 'current' } = options
    const transport = new Transport(baseUrl, new Signer(key, secret, interfaceVersion, runtime), options, runtime)
    super(transport, V1_ROUTES)
    this.#version = interfaceVersion
  }

  #pagesOfVips(query: VipUserListQuery, options?: RequestOptions) {
    // Compact pages have the largest size by default; the earlier variant documents no largest size.
    const isFull = query.compact === undefined || String(query.compact) === 'false'
    const limit = query.limit ?? (isFull && this.#version === 'current' ? PAGE_ROWS_MAX : undefined)
    return walkPages<VipUserList, number>({
      operation: 'listVipUsers',
      start: query.offset,
      read: (offset) => this.call('listVipUsers', { query: { ...query, limit, offset } }, options),
      next: ({ nextOffset }) => nextOffset,
      advances: (next, offset = 0) => next > offset,
    })
  }

  async *#pagesOfPosts(
    query: ListScheduledPostsQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<ScheduledPost[], void, undefined> {
    const { limit = PAGE_ROWS_MAX, offset: skipped = 0, after: start, ...filter } = query
    let seen = skipped
    for (let after = start; ; ) {
      const place = after === undefined ? { offset: seen } : { after }
      const { body, headers } = await this.send(
        'listScheduledPosts',
        { query: { ...filter, limit, ...place } },
        options,
      )
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
}
