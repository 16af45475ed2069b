// Holds the names and the types of the published client: `tsc` compares the client with the declarations below.
import { expect, expectTypeOf, test } from 'vitest'
import type {
  AdAccount,
  AdAccountDeletion,
  AdAccountPatch,
  AudienceExport,
  AudienceList,
  AuditEntry,
  AuditEntryPage,
  Caller,
  CampaignEntry,
  ChangedVipMarks,
  ChangeOptions,
  Channel,
  ChannelDeletion,
  ChannelPatch,
  ChannelPostingSlot,
  ConnectedAdAccount,
  Connection,
  CreateOptions,
  DailyInsightsList,
  DecidedComment,
  DeletedConversation,
  DeletedDiscussionMessage,
  DeletedMedia,
  DeletedSavedText,
  DeletedSegment,
  DeletedSuperpower,
  DeleteOrganizationQuery,
  DiscussionChange,
  DiscussionMessage,
  DiscussionMessagePatch,
  EntryLink,
  ExplainRequest,
  Explanation,
  ExportAudienceQuery,
  ExportOptions,
  FoundPerson,
  GetCampaignDailyInsightsQuery,
  Grants,
  ImportOptions,
  ImportReport,
  Invitation,
  IssuedInvitation,
  IssuedKey,
  IssuedOperatorToken,
  Key,
  KeyPatch,
  LinkedPerson,
  ListAudienceQuery,
  ListAuditTrailQuery,
  ListChannelsQuery,
  ListDailyInsightsQuery,
  ListDiscussionMessagesQuery,
  ListedPerson,
  ListMediaQuery,
  ListOrganizationsQuery,
  ListPostCommentsQuery,
  ListScheduledPostHistoryQuery,
  ListScheduledPostsQuery,
  ListSourcesQuery,
  ListSuperpowersQuery,
  ListWebhookDeliveriesQuery,
  Media,
  MediaPage,
  Member,
  MemberPatch,
  Message,
  NewAdAccount,
  NewBackup,
  NewChannel,
  NewDiscussionMessage,
  NewInvitation,
  NewKey,
  NewOperatorToken,
  NewOrganization,
  NewPersonLink,
  NewSavedText,
  NewScheduledPost,
  NewSegment,
  NewSource,
  NewSuperpower,
  NewWebhook,
  NewWorkspace,
  OperatorToken,
  OptOut,
  OptOutKey,
  Organization,
  OrganizationChannel,
  OrganizationDeletion,
  OrganizationPatch,
  PersonalToken,
  PersonDetails,
  PersonErasure,
  PersonPatch,
  PersonReadmission,
  PersonVipMark,
  PostChange,
  PostImport,
  PostImportReport,
  PostingSlots,
  PostRaffles,
  PostSeries,
  PostWaitAnswer,
  PurchaseImportReport,
  RaffleExport,
  RaffleRedraw,
  RaffleRedrawRequest,
  RecurrenceRule,
  Rejection,
  RemovedMember,
  RemoveMemberQuery,
  RequestOptions,
  Retry,
  Rotation,
  RotationStep,
  SavedSuperpower,
  SavedText,
  SavedTextPatch,
  ScheduledPost,
  ScheduledPostPatch,
  SearchPeopleQuery,
  SecondFactorReset,
  SecretRotation,
  Segment,
  SegmentPatch,
  SeriesOfPost,
  ServerHealth,
  Session,
  ShownWebhookDelivery,
  Source,
  SourceDeletion,
  SourcePatch,
  SourceProblem,
  SourceWithSecrets,
  StoppedSeries,
  StoppedSuperpower,
  SuperpowerPatch,
  SuperpowerReports,
  SuperpowerStop,
  UpdatedPerson,
  Upload,
  VersionedPost,
  VipMark,
  VipMarksChange,
  VipUser,
  VipUserList,
  VipUserListQuery,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookPatch,
  WebhookWithSecret,
  Workspace,
  WorkspaceDeletion,
  WorkspacePatch,
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
    publish: (scheduledPostId: string, options?: ChangeOptions) => Promise<VersionedPost>
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

interface PublishedGreenroomOperator {
  organizations: {
    create: (body: NewOrganization, options?: RequestOptions) => Promise<Organization>
    list: (query?: ListOrganizationsQuery, options?: RequestOptions) => Promise<Organization[]>
    listAll: (query?: ListOrganizationsQuery, options?: RequestOptions) => AsyncGenerator<Organization, void, undefined>
    update: (organizationId: string, body: OrganizationPatch, options?: RequestOptions) => Promise<Organization>
    delete: (
      organizationId: string,
      query: DeleteOrganizationQuery,
      options?: RequestOptions,
    ) => Promise<OrganizationDeletion>
  }
  keys: {
    issue: (organizationId: string, body?: NewKey, options?: RequestOptions) => Promise<IssuedKey>
    list: (organizationId: string, options?: RequestOptions) => Promise<Key[]>
    update: (organizationId: string, keyId: string, body: KeyPatch, options?: RequestOptions) => Promise<Key>
    revoke: (organizationId: string, keyId: string, options?: RequestOptions) => Promise<Key>
  }
  operatorTokens: {
    issue: (body: NewOperatorToken, options?: RequestOptions) => Promise<IssuedOperatorToken>
    list: (options?: RequestOptions) => Promise<OperatorToken[]>
    revoke: (name: string, options?: RequestOptions) => Promise<OperatorToken>
  }
  workspaces: {
    create: (organizationId: string, body: NewWorkspace, options?: RequestOptions) => Promise<Workspace>
    list: (organizationId: string, options?: RequestOptions) => Promise<Workspace[]>
    update: (
      organizationId: string,
      workspaceId: string,
      body: WorkspacePatch,
      options?: RequestOptions,
    ) => Promise<Workspace>
    delete: (organizationId: string, workspaceId: string, options?: RequestOptions) => Promise<WorkspaceDeletion>
  }
  channels: {
    create: (organizationId: string, body: NewChannel, options?: RequestOptions) => Promise<Channel>
    list: (organizationId: string, options?: RequestOptions & ListChannelsQuery) => Promise<OrganizationChannel[]>
    update: (
      organizationId: string,
      channelId: string,
      body: ChannelPatch,
      options?: RequestOptions,
    ) => Promise<Channel>
    delete: (
      organizationId: string,
      channelId: string,
      options?: RequestOptions & { force?: boolean | undefined },
    ) => Promise<ChannelDeletion>
    connect: (
      organizationId: string,
      workspaceId: string,
      channelId: string,
      options?: RequestOptions,
    ) => Promise<Connection>
    disconnect: (
      organizationId: string,
      workspaceId: string,
      channelId: string,
      options?: RequestOptions,
    ) => Promise<Connection>
    postingSlots: (organizationId: string, options?: RequestOptions) => Promise<ChannelPostingSlot[]>
    setPostingSlots: (
      organizationId: string,
      channelId: string,
      body: PostingSlots,
      options?: RequestOptions,
    ) => Promise<PostingSlots>
  }
  optOuts: {
    list: (
      organizationId: string,
      channelId: string,
      query?: { limit?: number; after?: string },
      options?: RequestOptions,
    ) => Promise<{ items: OptOut[]; nextCursor: string | null }>
    listAll: (
      organizationId: string,
      channelId: string,
      query?: { limit?: number; after?: string },
      options?: RequestOptions,
    ) => AsyncGenerator<OptOut, void, undefined>
    add: (organizationId: string, channelId: string, fromId: string, options?: RequestOptions) => Promise<OptOutKey>
    remove: (organizationId: string, channelId: string, fromId: string, options?: RequestOptions) => Promise<OptOutKey>
  }
  adAccounts: {
    create: (organizationId: string, body: NewAdAccount, options?: RequestOptions) => Promise<ConnectedAdAccount>
    list: (organizationId: string, options?: RequestOptions) => Promise<ConnectedAdAccount[]>
    update: (
      organizationId: string,
      adAccountId: string,
      body: AdAccountPatch,
      options?: RequestOptions,
    ) => Promise<ConnectedAdAccount>
    delete: (organizationId: string, adAccountId: string, options?: RequestOptions) => Promise<AdAccountDeletion>
  }
  vips: {
    mark: (
      organizationId: string,
      workspaceId: string,
      channelId: string,
      conversationId: string,
      options?: RequestOptions,
    ) => Promise<VipMark>
    unmark: (
      organizationId: string,
      workspaceId: string,
      channelId: string,
      conversationId: string,
      options?: RequestOptions,
    ) => Promise<VipMark>
    change: (
      organizationId: string,
      workspaceId: string,
      channelId: string,
      body: VipMarksChange,
      options?: RequestOptions,
    ) => Promise<ChangedVipMarks>
    listOfPerson: (organizationId: string, cuid: string, options?: RequestOptions) => Promise<PersonVipMark[]>
  }
  audience: {
    list: (organizationId: string, query: ListAudienceQuery, options?: RequestOptions) => Promise<AudienceList>
    export: (organizationId: string, query: ExportAudienceQuery, options?: RequestOptions) => Promise<AudienceExport>
  }
  segments: {
    list: (organizationId: string, options?: RequestOptions) => Promise<Segment[]>
    create: (organizationId: string, body: NewSegment, options?: RequestOptions) => Promise<Segment>
    update: (
      organizationId: string,
      segmentId: string,
      body: SegmentPatch,
      options?: RequestOptions,
    ) => Promise<Segment>
    delete: (organizationId: string, segmentId: string, options?: RequestOptions) => Promise<DeletedSegment>
  }
  conversations: {
    import: (organizationId: string, channelId: string, body: Upload, options: ImportOptions) => Promise<ImportReport>
    export: (organizationId: string, channelId: string, options?: ExportOptions) => Promise<AsyncIterable<Uint8Array>>
    delete: (
      organizationId: string,
      channelId: string,
      conversationId: string,
      options?: RequestOptions,
    ) => Promise<DeletedConversation>
  }
  people: {
    erase: (organizationId: string, cuid: string, options?: RequestOptions) => Promise<PersonErasure>
    readmit: (organizationId: string, cuid: string, options?: RequestOptions) => Promise<PersonReadmission>
    get: (organizationId: string, cuid: string, options?: RequestOptions) => Promise<PersonDetails>
    search: (
      organizationId: string,
      query: SearchPeopleQuery,
      options?: RequestOptions,
    ) => Promise<{ items: FoundPerson[]; nextCursor: string | null }>
    searchAll: (
      organizationId: string,
      query: SearchPeopleQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<FoundPerson, void, undefined>
    link: (organizationId: string, cuid: string, body: NewPersonLink, options?: RequestOptions) => Promise<LinkedPerson>
    unlink: (
      organizationId: string,
      cuid: string,
      kind: string,
      id: string,
      options?: RequestOptions,
    ) => Promise<LinkedPerson>
  }
  sources: {
    create: (organizationId: string, body: NewSource, options?: RequestOptions) => Promise<SourceWithSecrets>
    list: (
      organizationId: string,
      query?: ListSourcesQuery,
      options?: RequestOptions,
    ) => Promise<{ items: Source[]; nextCursor: string | null }>
    listAll: (
      organizationId: string,
      query?: ListSourcesQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<Source, void, undefined>
    get: (organizationId: string, sourceId: string, options?: RequestOptions) => Promise<Source>
    update: (organizationId: string, sourceId: string, body: SourcePatch, options?: RequestOptions) => Promise<Source>
    delete: (organizationId: string, sourceId: string, options?: RequestOptions) => Promise<SourceDeletion>
    importPurchases: (
      organizationId: string,
      sourceId: string,
      body: Upload,
      options: RequestOptions & { contentType: 'text/csv' | 'application/x-ndjson' },
    ) => Promise<PurchaseImportReport>
    rotateSecret: (
      organizationId: string,
      sourceId: string,
      body?: SecretRotation,
      options?: RequestOptions,
    ) => Promise<SourceWithSecrets>
    problems: (
      organizationId: string,
      sourceId: string,
      query?: ListSourcesQuery,
      options?: RequestOptions,
    ) => Promise<{ items: SourceProblem[]; nextCursor: string | null }>
    problemsAll: (
      organizationId: string,
      sourceId: string,
      query?: ListSourcesQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<SourceProblem, void, undefined>
    retry: (
      organizationId: string,
      sourceId: string,
      problemId: string,
      options?: RequestOptions,
    ) => Promise<{ id: string }>
    dismiss: (
      organizationId: string,
      sourceId: string,
      problemId: string,
      options?: RequestOptions,
    ) => Promise<{ id: string }>
  }
  media: {
    upload: (organizationId: string, body: Upload, options?: RequestOptions) => Promise<Media>
    uploadSmallPicture: (
      organizationId: string,
      mediaId: string,
      body: Upload,
      options?: RequestOptions,
    ) => Promise<Media>
    list: (organizationId: string, query?: ListMediaQuery, options?: RequestOptions) => Promise<MediaPage>
    listAll: (
      organizationId: string,
      query?: ListMediaQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<Media, void, undefined>
    delete: (organizationId: string, mediaId: string, options?: RequestOptions) => Promise<DeletedMedia>
  }
  scheduledPosts: {
    get: (organizationId: string, scheduledPostId: string, options?: RequestOptions) => Promise<VersionedPost>
    wait: (organizationId: string, scheduledPostId: string, options?: RequestOptions) => Promise<PostWaitAnswer>
    approve: (
      organizationId: string,
      scheduledPostId: string,
      options: ChangeOptions & { ifMatch: string },
    ) => Promise<VersionedPost>
    retry: (
      organizationId: string,
      scheduledPostId: string,
      body: Retry,
      options?: ChangeOptions,
    ) => Promise<VersionedPost>
    history: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListScheduledPostHistoryQuery,
      options?: RequestOptions,
    ) => Promise<PostChange[]>
    historyAll: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListScheduledPostHistoryQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<PostChange, void, undefined>
    comments: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListPostCommentsQuery,
      options?: RequestOptions,
    ) => Promise<{ items: DecidedComment[]; nextCursor: string | null }>
    commentsAll: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListPostCommentsQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<DecidedComment, void, undefined>
    superpowers: (
      organizationId: string,
      scheduledPostId: string,
      options?: RequestOptions,
    ) => Promise<SuperpowerReports>
    stopSuperpower: (
      organizationId: string,
      scheduledPostId: string,
      channelId: string,
      body: SuperpowerStop,
      options?: RequestOptions,
    ) => Promise<StoppedSuperpower>
    import: (organizationId: string, body: PostImport, options?: CreateOptions) => Promise<PostImportReport>
    repeat: (
      organizationId: string,
      scheduledPostId: string,
      body: RecurrenceRule,
      options?: CreateOptions,
    ) => Promise<PostSeries>
    series: (organizationId: string, scheduledPostId: string, options?: RequestOptions) => Promise<SeriesOfPost>
    stopSeries: (organizationId: string, seriesId: string, options?: RequestOptions) => Promise<StoppedSeries>
  }
  savedTexts: {
    create: (organizationId: string, body: NewSavedText, options?: RequestOptions) => Promise<SavedText>
    list: (organizationId: string, options?: RequestOptions) => Promise<SavedText[]>
    update: (
      organizationId: string,
      savedTextId: string,
      body: SavedTextPatch,
      options?: RequestOptions,
    ) => Promise<SavedText>
    delete: (organizationId: string, savedTextId: string, options?: RequestOptions) => Promise<DeletedSavedText>
  }
  discussions: {
    list: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListDiscussionMessagesQuery,
      options?: RequestOptions,
    ) => Promise<{ items: DiscussionMessage[]; nextCursor: string | null }>
    listAll: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListDiscussionMessagesQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<DiscussionMessage, void, undefined>
    create: (
      organizationId: string,
      scheduledPostId: string,
      body: NewDiscussionMessage,
      options?: RequestOptions,
    ) => Promise<DiscussionMessage>
    update: (
      organizationId: string,
      scheduledPostId: string,
      messageId: string,
      body: DiscussionMessagePatch,
      options?: RequestOptions,
    ) => Promise<DiscussionMessage>
    delete: (
      organizationId: string,
      scheduledPostId: string,
      messageId: string,
      options?: RequestOptions,
    ) => Promise<DeletedDiscussionMessage>
    resolve: (
      organizationId: string,
      scheduledPostId: string,
      messageId: string,
      options?: RequestOptions,
    ) => Promise<DiscussionMessage>
    reopen: (
      organizationId: string,
      scheduledPostId: string,
      messageId: string,
      options?: RequestOptions,
    ) => Promise<DiscussionMessage>
    history: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListDiscussionMessagesQuery,
      options?: RequestOptions,
    ) => Promise<{ items: DiscussionChange[]; nextCursor: string | null }>
    historyAll: (
      organizationId: string,
      scheduledPostId: string,
      query?: ListDiscussionMessagesQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<DiscussionChange, void, undefined>
  }
  superpowers: {
    create: (organizationId: string, body: NewSuperpower, options?: RequestOptions) => Promise<SavedSuperpower>
    list: (organizationId: string, query?: ListSuperpowersQuery, options?: RequestOptions) => Promise<SavedSuperpower[]>
    listAll: (
      organizationId: string,
      query?: ListSuperpowersQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<SavedSuperpower, void, undefined>
    update: (
      organizationId: string,
      creativeTemplateId: string,
      body: SuperpowerPatch,
      options?: RequestOptions,
    ) => Promise<SavedSuperpower>
    delete: (organizationId: string, creativeTemplateId: string, options?: RequestOptions) => Promise<DeletedSuperpower>
    explain: (organizationId: string, body: ExplainRequest, options?: RequestOptions) => Promise<Explanation>
  }
  raffles: {
    list: (organizationId: string, scheduledPostId: string, options?: RequestOptions) => Promise<PostRaffles>
    redraw: (
      organizationId: string,
      scheduledPostId: string,
      channelId: string,
      body: RaffleRedrawRequest,
      options?: RequestOptions,
    ) => Promise<RaffleRedraw>
    export: (
      organizationId: string,
      scheduledPostId: string,
      channelId: string,
      options?: RequestOptions,
    ) => Promise<RaffleExport>
  }
  members: {
    list: (organizationId: string, options?: RequestOptions) => Promise<Member[]>
    update: (organizationId: string, personId: string, body: MemberPatch, options?: RequestOptions) => Promise<Member>
    grants: (organizationId: string, personId: string, options?: RequestOptions) => Promise<Grants>
    remove: (
      organizationId: string,
      personId: string,
      query?: RemoveMemberQuery,
      options?: RequestOptions,
    ) => Promise<RemovedMember>
  }
  invitations: {
    create: (organizationId: string, body: NewInvitation, options?: RequestOptions) => Promise<IssuedInvitation>
    list: (organizationId: string, options?: RequestOptions) => Promise<Invitation[]>
    revoke: (organizationId: string, invitationId: string, options?: RequestOptions) => Promise<{ id: string }>
  }
  users: {
    list: (options?: RequestOptions) => Promise<ListedPerson[]>
    grants: (personId: string, options?: RequestOptions) => Promise<Grants>
    update: (personId: string, body: PersonPatch, options?: RequestOptions) => Promise<UpdatedPerson>
    delete: (personId: string, query?: RemoveMemberQuery, options?: RequestOptions) => Promise<RemovedMember>
    inviteOwner: (options?: RequestOptions) => Promise<EntryLink>
    createSignInLink: (personId: string, options?: RequestOptions) => Promise<EntryLink>
    sessions: (personId: string, options?: RequestOptions) => Promise<Session[]>
    endSessions: (personId: string, options?: RequestOptions) => Promise<{ ended: number }>
    tokens: (personId: string, options?: RequestOptions) => Promise<PersonalToken[]>
    revokeToken: (personId: string, tokenId: string, options?: RequestOptions) => Promise<{ id: string }>
    resetSecondFactors: (personId: string, options?: RequestOptions) => Promise<SecondFactorReset>
  }
  webhooks: {
    list: (organizationId: string, options?: RequestOptions) => Promise<Webhook[]>
    create: (organizationId: string, body: NewWebhook, options?: RequestOptions) => Promise<WebhookWithSecret>
    update: (
      organizationId: string,
      webhookId: string,
      body: WebhookPatch,
      options?: RequestOptions,
    ) => Promise<Webhook>
    delete: (organizationId: string, webhookId: string, options?: RequestOptions) => Promise<Webhook>
    rotateSecret: (organizationId: string, webhookId: string, options?: RequestOptions) => Promise<WebhookWithSecret>
    test: (organizationId: string, webhookId: string, options?: RequestOptions) => Promise<WebhookDelivery>
    deliveries: (
      organizationId: string,
      query?: ListWebhookDeliveriesQuery,
      options?: RequestOptions,
    ) => Promise<WebhookDeliveryPage>
    deliveriesAll: (
      organizationId: string,
      query?: ListWebhookDeliveriesQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<WebhookDelivery, void, undefined>
    delivery: (
      organizationId: string,
      webhookId: string,
      deliveryId: string,
      options?: RequestOptions,
    ) => Promise<ShownWebhookDelivery>
    resend: (
      organizationId: string,
      webhookId: string,
      deliveryId: string,
      options?: RequestOptions,
    ) => Promise<WebhookDelivery>
  }
  audit: {
    listServer: (query?: ListAuditTrailQuery, options?: RequestOptions) => Promise<AuditEntryPage>
    list: (organizationId: string, query?: ListAuditTrailQuery, options?: RequestOptions) => Promise<AuditEntryPage>
    pages: (
      organizationId: string,
      query?: ListAuditTrailQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<AuditEntryPage, void, undefined>
    listAll: (
      organizationId: string,
      query?: ListAuditTrailQuery,
      options?: RequestOptions,
    ) => AsyncGenerator<AuditEntry, void, undefined>
  }
  server: {
    health: (options?: RequestOptions) => Promise<ServerHealth>
  }
  masterKey: {
    rotate: (body: Rotation, options?: RequestOptions) => Promise<RotationStep>
  }
  backups: {
    create: (backup?: NewBackup, options?: RequestOptions) => Promise<AsyncIterable<Uint8Array>>
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

test('both clients have the groups and methods that are published, with the same types', () => {
  expectTypeOf<Signatures<published.Greenroom>>().toEqualTypeOf<Signatures<PublishedGreenroom>>()
  expectTypeOf<Signatures<published.GreenroomOperator>>().toEqualTypeOf<Signatures<PublishedGreenroomOperator>>()
})

interface Failed extends Error {
  readonly operation: string
  readonly status: number | undefined
  readonly code: string | undefined
  readonly requestId: string | undefined
}

test('the errors have the fields that are published', () => {
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
    'GreenroomError',
    'GreenroomOperator',
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
