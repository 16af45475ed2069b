// Fixes the names and types of the published client. `tsc` compares the client with the declarations below.
import { expect, expectTypeOf, test } from 'vitest'
import type {
  AdAccount,
  AuditEntryPage,
  Caller,
  CampaignEntry,
  ChangeOptions,
  Channel,
  CreateOptions,
  DailyInsightsList,
  DecidedComment,
  ExplainRequest,
  Explanation,
  GetCampaignDailyInsightsQuery,
  ListChannelsQuery,
  ListDailyInsightsQuery,
  ListPostCommentsQuery,
  ListScheduledPostsQuery,
  ListSuperpowersQuery,
  Message,
  NewScheduledPost,
  OptOutKey,
  PostRaffles,
  PostWaitAnswer,
  RaffleExport,
  Rejection,
  RequestOptions,
  SavedSuperpower,
  ScheduledPost,
  ScheduledPostPatch,
  Source,
  SuperpowerReports,
  VersionedPost,
  VipUser,
  VipUserList,
  VipUserListQuery,
  Workspace,
} from './index.js'
import * as published from './index.js'

interface PublishedGreenroom {
  workspaces: {
    list: (options?: RequestOptions) => Promise<Workspace[]>
  }
  channels: {
    list: (query?: ListChannelsQuery, options?: RequestOptions) => Promise<Channel[]>
  }
  vipUsers: {
    list: (query: VipUserListQuery, options?: RequestOptions) => Promise<VipUserList>
    pages: (query: VipUserListQuery, options?: RequestOptions) => AsyncGenerator<VipUserList, void, undefined>
    listAll: (query: VipUserListQuery, options?: RequestOptions) => AsyncGenerator<VipUser, void, undefined>
  }
  adAccounts: {
    list: (options?: RequestOptions) => Promise<AdAccount[]>
  }
  campaigns: {
    dailyInsights: (
      adAccountId: string,
      query: ListDailyInsightsQuery,
      options?: RequestOptions,
    ) => Promise<DailyInsightsList>
    dailyInsightsPages: (
      adAccountId: string,
      query: ListDailyInsightsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<DailyInsightsList, void, undefined>
    dailyInsightsAll: (
      adAccountId: string,
      query: ListDailyInsightsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<CampaignEntry, void, undefined>
    getDailyInsights: (
      campaignId: string,
      query: GetCampaignDailyInsightsQuery,
      options?: RequestOptions,
    ) => Promise<CampaignEntry>
  }
  scheduledPosts: {
    create: (body: NewScheduledPost, options?: CreateOptions) => Promise<VersionedPost>
    list: (query?: ListScheduledPostsQuery, options?: RequestOptions) => Promise<ScheduledPost[]>
    pages: (
      query?: ListScheduledPostsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<ScheduledPost[], void, undefined>
    listAll: (
      query?: ListScheduledPostsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<ScheduledPost, void, undefined>
    get: (scheduledPostId: string, options?: RequestOptions) => Promise<VersionedPost>
    wait: (scheduledPostId: string, options?: RequestOptions) => Promise<PostWaitAnswer>
    update: (scheduledPostId: string, body: ScheduledPostPatch, options?: ChangeOptions) => Promise<VersionedPost>
    delete: (scheduledPostId: string, options?: ChangeOptions) => Promise<Message>
    submitForApproval: (scheduledPostId: string, options?: ChangeOptions) => Promise<VersionedPost>
    reject: (scheduledPostId: string, body: Rejection, options?: ChangeOptions) => Promise<VersionedPost>
    revert: (scheduledPostId: string, options?: ChangeOptions) => Promise<VersionedPost>
    approve: (scheduledPostId: string, options?: ChangeOptions) => Promise<VersionedPost>
    publish: (scheduledPostId: string, options?: RequestOptions) => Promise<VersionedPost>
    comments: (
      scheduledPostId: string,
      query?: ListPostCommentsQuery,
      options?: RequestOptions,
    ) => Promise<{ items: DecidedComment[]; nextCursor: string | null }>
    commentsAll: (
      scheduledPostId: string,
      query?: ListPostCommentsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<DecidedComment, void, undefined>
    superpowers: (scheduledPostId: string, options?: RequestOptions) => Promise<SuperpowerReports>
  }
  superpowers: {
    list: (query?: ListSuperpowersQuery, options?: RequestOptions) => Promise<SavedSuperpower[]>
    listAll: (
      query?: ListSuperpowersQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<SavedSuperpower, void, undefined>
    explain: (body: ExplainRequest, options?: RequestOptions) => Promise<Explanation>
  }
  raffles: {
    list: (scheduledPostId: string, options?: RequestOptions) => Promise<PostRaffles>
    export: (scheduledPostId: string, channelId: string, options?: RequestOptions) => Promise<RaffleExport>
  }
  caller: {
    get: (options?: RequestOptions) => Promise<Caller>
  }
}

type Signatures<Client> = {
  -readonly [Group in keyof Client]: {
    [Method in keyof Client[Group]]: Client[Group][Method] extends (...given: infer Given) => infer Answer
      ? [Given, Answer]
      : never
  }
}

test('the client of /v1 has the published groups and methods, with the same types', () => {
  type Groups = Omit<published.Greenroom, 'call' | 'pages' | 'items'>
  expectTypeOf<Signatures<Groups>>().toEqualTypeOf<Signatures<PublishedGreenroom>>()
})

test("a call of the API has its operation's types, and a post has its version", () => {
  const api = {} as published.GreenroomApi
  type Calls = [
    () => Promise<OptOutKey>,
    () => AsyncGenerator<Source, void, undefined>,
    () => AsyncGenerator<AuditEntryPage, void, undefined>,
    () => Promise<AsyncIterable<Uint8Array>>,
    () => Promise<VersionedPost>,
  ]
  const channel = { organizationId: 'o', channelId: 'c' }
  const post = { organizationId: 'o', scheduledPostId: 'p' }
  const calls = [
    () => api.call('addOptOut', { ...channel, fromId: 'f' }),
    () => api.items('listSources', { organizationId: 'o', query: { limit: 2 } }, { maxRetries: 0 }),
    () => api.pages('listAuditTrail', { organizationId: 'o' }),
    () => api.call('createBackup', { body: {} }),
    () => api.call('approveScheduledPost', post, { ifMatch: '"1"' }),
  ] as const
  expectTypeOf<typeof calls>().toEqualTypeOf<Readonly<Calls>>()
  // @ts-expect-error A parameter is missing.
  void (() => api.call('addOptOut', channel))
  // @ts-expect-error An approval must name the version that was read.
  void (() => api.call('approveScheduledPost', post))
  // @ts-expect-error `ifMatch` is only for posts.
  void (() => api.call('addOptOut', { ...channel, fromId: 'f' }, { ifMatch: '"1"' }))
  // @ts-expect-error A read creates nothing that a repeat could create twice.
  void (() => api.call('listPeople', {}, { idempotencyKey: 'mine' }))
})

interface Failed extends Error {
  readonly operation: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly requestId: string | undefined
}

test('the errors have the published fields', () => {
  expectTypeOf<published.GreenroomError>().toExtend<Failed>()
  expectTypeOf<published.ConflictError>().toExtend<Failed & { readonly conflicts: published.HashtagConflict[] }>()
  expectTypeOf<published.ValidationError>().toExtend<Failed & { readonly details: published.ValidationDetail[] }>()
  expectTypeOf<published.RateLimitError>().toExtend<Failed & { readonly retryAfterMs: number | undefined }>()
  expectTypeOf<published.ServerError>().toExtend<Failed & { readonly retryAfterMs: number | undefined }>()
  expectTypeOf<published.PermissionError>().toExtend<published.AuthenticationError>()
  const failure = { message: 'refused', operation: 'listKeys', status: 404 }
  const errors = Object.entries(published).filter(([name]) => name.endsWith('Error'))
  for (const [name, Kind] of errors) {
    const error = new (Kind as typeof published.NotFoundError)(failure)
    expect(error).toBeInstanceOf(published.GreenroomError)
    expect(error).toMatchObject({ ...failure, name })
    expect(error.stack).toMatch(new RegExp(`^${name}: refused`))
  }
  expect(Object.keys(published).toSorted()).toEqual([
    'AuthenticationError',
    'BadRequestError',
    'ConflictError',
    'ConnectionError',
    'Greenroom',
    'GreenroomApi',
    'GreenroomError',
    'NotFoundError',
    'NotModifiedError',
    'OrganizationInactiveError',
    'PagingError',
    'PermissionError',
    'PreconditionFailedError',
    'RateLimitError',
    'ServerError',
    'TimeoutError',
    'ValidationError',
  ])
})
