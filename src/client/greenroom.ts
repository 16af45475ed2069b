import { API_ROUTES, V1_ROUTES } from '../interface/generated/routes.js'
import type { ListVipUsersQuery, VipUser, VipUserList } from '../interface/generated/types.js'
import { Client } from './client.js'
import { type Runtime, systemRuntime } from './runtime.js'
import { Bearer, type InterfaceVersion, Signer } from './signer.js'
import { type RequestOptions, Transport, type TransportOptions } from './transport.js'

export interface KeyOptions extends TransportOptions {
  /** The interface's `{base_url}`, for example `http://127.0.0.1:8080/v1`. */
  baseUrl: string
  /** The id of an API key. */
  key: string
  secret: string
}

export interface GreenroomOptions extends KeyOptions {
  /** Defaults to `current`. Use `earlier` for a server of the earlier variant (interface 9.4). */
  interfaceVersion?: InterfaceVersion
}

/** The query of interface 4.1. Flags may also be booleans. */
export type VipUserListQuery = Omit<ListVipUsersQuery, 'hasBirthday' | 'compact'> & {
  /** Only users with a known birthday. */
  hasBirthday?: boolean | 'true' | 'false'
  /** Rows have only conversationId, cuid and birthday. */
  compact?: boolean | 'true' | 'false'
}

/** The largest page of full rows (interface 8). The earlier variant documents none. */
const PAGE_ROWS_MAX = 200

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
    list: this.method('listVipUsers') as (query: VipUserListQuery, options?: RequestOptions) => Promise<VipUserList>,
    /** Every page from `offset` on, of the largest size unless `limit` is given. */
    pages: this.walk('listVipUsers') as (
      query: VipUserListQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<VipUserList, void, undefined>,
    /** Every user from `offset` on, page by page. */
    listAll: this.walkItems('listVipUsers') as (
      query: VipUserListQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<VipUser, void, undefined>,
  }

  readonly adAccounts = {
    /** The organization's ad accounts, by name. */
    list: this.method('listAdAccounts'),
  }

  readonly campaigns = {
    /** One page of an ad account's campaigns that delivered in the window, with their days (interface 4.2). */
    dailyInsights: this.method('listDailyInsights'),
    /** Every page from `after` on, empty ones included. */
    dailyInsightsPages: this.walk('listDailyInsights'),
    /** Every campaign that delivered in the window, page by page. */
    dailyInsightsAll: this.walkItems('listDailyInsights'),
    /** The days of one campaign. */
    getDailyInsights: this.method('getCampaignDailyInsights'),
  }

  readonly scheduledPosts = {
    /** Creates a post, as DRAFT or WAITING_FOR_APPROVAL. Retries by the client do not create a second one. */
    create: this.method('createScheduledPost'),
    /** One page of the posts, soonest first. Posts without a time come last. */
    list: this.method('listScheduledPosts'),
    /**
     * Every page of posts from `offset` or `after` on, of the largest size unless `limit` is given. Uses the server's
     * cursor, so posts that are added or removed during the walk do not move others between pages.
     */
    pages: this.walk('listScheduledPosts'),
    /** Every post of `pages`. */
    listAll: this.walkItems('listScheduledPosts'),
    get: this.method('getScheduledPost'),
    /** Returns why a due post is not published yet. `wait` is null if it waits for nothing. */
    wait: this.method('getScheduledPostWait'),
    /**
     * Changes the given fields. With `status: 'DRAFT'`, returns a rejected post to DRAFT (interface 3 and 4.3). A server of
     * the earlier variant answers with a ScheduledPostDocument.
     */
    update: this.method('updateScheduledPost'),
    /**
     * Deletes a post that is neither published nor about to be. If an attempt had no response and its retry does not find
     * the post, rejects with a NotFoundError that says so: the post may have been deleted by the first attempt, or may never
     * have existed.
     */
    delete: this.method('deleteScheduledPost'),
    submitForApproval: this.method('submitScheduledPostForApproval'),
    /** Rejects a post. The notes are the reason, and replace those of the post. */
    reject: this.method('rejectScheduledPost'),
    /** Returns a SCHEDULED post to DRAFT. */
    revert: this.method('revertScheduledPost'),
    /** Refused for every key, because only a person can approve. */
    approve: this.method('approveScheduledPost'),
    /** Refused for every key, because the service publishes approved posts at their time. */
    publish: this.method('publishScheduledPost'),
    /** One page of the comments on a post, newest first, with what superpowers decided about each. */
    comments: this.method('listPostComments'),
    /** Every comment from `after` on, page by page. */
    commentsAll: this.walkItems('listPostComments'),
    /** The number of actions of its superpowers, by channel. */
    superpowers: this.method('getSuperpowerReport'),
  }

  readonly superpowers = {
    /** One page of the saved superpowers, by name. Posts refer to them by creativeTemplateId. */
    list: this.method('listSuperpowers'),
    /** Every saved superpower from `after` on, page by page. */
    listAll: this.walkItems('listSuperpowers'),
    /** Decides comments like a superpower, and returns its parts that are not executed. Nothing is stored or sent. */
    explain: this.method('explainSuperpower'),
  }

  /** The raffles of published posts. */
  readonly raffles = {
    /** The raffles of a post, by channel. */
    list: this.method('listRaffles'),
    /** A drawn raffle, for verification. It contains no names. */
    export: this.method('exportRaffle'),
  }

  readonly caller = {
    /** The caller and its permissions. */
    get: this.method('getCaller'),
  }

  constructor(options: GreenroomOptions, runtime: Runtime = systemRuntime) {
    const { baseUrl, key, secret, interfaceVersion = 'current' } = options
    const transport = new Transport(baseUrl, new Signer(key, secret, interfaceVersion, runtime), options, runtime)
    super(transport, V1_ROUTES, interfaceVersion === 'current' ? PAGE_ROWS_MAX : undefined)
  }
}

export interface TokenOptions extends TransportOptions {
  /** The base path of the API, for example `http://127.0.0.1:8080/api`. */
  baseUrl: string
  /** The token of an operator or of a person. */
  token: string
}

/** The API limits larger pages to this size. */
const API_PAGE_ROWS_MAX = 1_000

/** Calls /api with a token, or with a key that has the permission `api`. */
export class GreenroomApi extends Client<typeof API_ROUTES> {
  constructor(options: TokenOptions | KeyOptions, runtime: Runtime = systemRuntime) {
    const authorization =
      'token' in options ? new Bearer(options.token) : new Signer(options.key, options.secret, 'current', runtime)
    super(new Transport(options.baseUrl, authorization, options, runtime), API_ROUTES, API_PAGE_ROWS_MAX)
  }
}
