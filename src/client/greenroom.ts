import { API_ROUTES, V1_ROUTES } from '../interface/generated/routes.js'
import type { ListVipUsersQuery, VipUser, VipUserList } from '../interface/generated/types.js'
import { Client } from './client.js'
import { type Runtime, systemRuntime } from './runtime.js'
import { Bearer, type InterfaceVersion, Signer } from './signer.js'
import { type RequestOptions, Transport, type TransportOptions } from './transport.js'

export interface KeyOptions extends TransportOptions {
  /** The interface's `{base_url}`, such as `http://127.0.0.1:8080/v1`. */
  baseUrl: string
  /** The id of an API key. */
  key: string
  secret: string
}

export interface GreenroomOptions extends KeyOptions {
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

/** The largest page of whole rows (interface 8). The earlier variant documents none. */
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
    /** Creates a post, as a DRAFT or WAITING_FOR_APPROVAL. The client's retries create no second one. */
    create: this.method('createScheduledPost'),
    /** One page of the posts, soonest first, those without a time last. */
    list: this.method('listScheduledPosts'),
    /**
     * Every page that has posts, from `offset` or `after` on, of the largest size unless `limit` is given. Walks by the
     * server's cursor: a post that is added or removed meanwhile moves no other one between pages.
     */
    pages: this.walk('listScheduledPosts'),
    /** Every post of `pages`. */
    listAll: this.walkItems('listScheduledPosts'),
    get: this.method('getScheduledPost'),
    /** Says why a post that is due is not out yet; `wait` is null while it waits for nothing. */
    wait: this.method('getScheduledPostWait'),
    /**
     * Changes the given fields, or with `status: 'DRAFT'` takes a rejected post back to DRAFT (interface 3 and 4.3). A
     * server of the earlier variant answers a ScheduledPostDocument.
     */
    update: this.method('updateScheduledPost'),
    /**
     * Deletes a post that is neither published nor about to be. When an attempt had no answer and its retry finds no post,
     * it rejects with a NotFoundError that says so: the post may have been deleted, or never have existed.
     */
    delete: this.method('deleteScheduledPost'),
    submitForApproval: this.method('submitScheduledPostForApproval'),
    /** The notes are the reason, and become the post's. */
    reject: this.method('rejectScheduledPost'),
    /** Takes a SCHEDULED post back to DRAFT. */
    revert: this.method('revertScheduledPost'),
    /** Refused to every key: a human approves. */
    approve: this.method('approveScheduledPost'),
    /** Refused to every key: the service publishes an approved post at its time. */
    publish: this.method('publishScheduledPost'),
    /** One page of the comments that were seen, newest first, with what superpowers decided about each. */
    comments: this.method('listPostComments'),
    /** Every one from `after` on, page by page. */
    commentsAll: this.walkItems('listPostComments'),
    /** The counts of what its superpowers did, by channel. */
    superpowers: this.method('getSuperpowerReport'),
  }

  readonly superpowers = {
    /** One page of the saved superpowers that a post may name by creativeTemplateId, by name. */
    list: this.method('listSuperpowers'),
    /** Every one from `after` on, page by page. */
    listAll: this.walkItems('listSuperpowers'),
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

  constructor(options: GreenroomOptions, runtime: Runtime = systemRuntime) {
    const { baseUrl, key, secret, interfaceVersion = 'current' } = options
    const transport = new Transport(baseUrl, new Signer(key, secret, interfaceVersion, runtime), options, runtime)
    super(transport, V1_ROUTES, interfaceVersion === 'current' ? PAGE_ROWS_MAX : undefined)
  }
}

export interface TokenOptions extends TransportOptions {
  /** The path of the API, such as `http://127.0.0.1:8080/api`. */
  baseUrl: string
  /** The token of an operator or of a person. */
  token: string
}

/** The API makes pages of its own largest size where it is asked for more. */
const API_PAGE_ROWS_MAX = 1_000

/** Calls everything beside the interface, with a token, or with a key that holds the permission `api`. */
export class GreenroomApi extends Client<typeof API_ROUTES> {
  constructor(options: TokenOptions | KeyOptions, runtime: Runtime = systemRuntime) {
    const authorization =
      'token' in options ? new Bearer(options.token) : new Signer(options.key, options.secret, 'current', runtime)
    super(new Transport(options.baseUrl, authorization, options, runtime), API_ROUTES, API_PAGE_ROWS_MAX)
  }
}
