import type {
  AuditEntry,
  AuditPage,
  AuditQuery,
  Caller,
  IssuedKey,
  IssuedOperatorToken,
  Key,
  NewKey,
  NewOperatorToken,
  NewOrganization,
  OperatorToken,
  Organization,
  OrganizationDeletion,
  OrganizationDeletionQuery,
  OrganizationPatch,
  OrganizationQuery,
  Rotation,
  RotationStep,
} from '../interface/access.js'
import type {
  DeletedConversation,
  ImportReport,
  PersonErasure,
  PersonReadmission,
  VipMark,
} from '../interface/audience.js'
import type { NewBackup } from '../interface/backup.js'
import type {
  Channel,
  ChannelDeletion,
  ChannelPatch,
  ChannelQuery,
  Connection,
  NewChannel,
  NewWorkspace,
  PlatformToken,
  Workspace,
  WorkspaceDeletion,
  WorkspacePatch,
} from '../interface/channels.js'
import type { ConnectedAdAccount, NewAdAccount } from '../interface/insights.js'
import type { DeletedMedia, Media, MediaPage, MediaQuery } from '../interface/media.js'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
  WebhookPut,
  WebhookWithSecret,
} from '../interface/notifications.js'
import type {
  EntryLink,
  Grants,
  Invitation,
  IssuedInvitation,
  ListedPerson,
  Member,
  MemberPatch,
  MemberRemovalQuery,
  NewInvitation,
  PersonPatch,
  RemovedMember,
  Session,
  UpdatedPerson,
} from '../interface/people.js'
import type { PostChange, PostHistoryQuery, Retry } from '../interface/posts.js'
import type { SecondFactorReset } from '../interface/second-factors.js'
import type {
  DeletedSuperpower,
  NewSuperpower,
  SavedSuperpower,
  SuperpowerPatch,
  SuperpowerQuery,
} from '../interface/superpowers.js'
import { type ChangeOptions, Group, PAGE_ROWS_MAX, path, type VersionedPost, versioned } from './group.js'
import { cursorAdvances, flatten, walkByHeader, walkPages } from './pages.js'
import { type Runtime, systemRuntime } from './runtime.js'
import { Bearer } from './signer.js'
import { type Patience, type RequestOptions, Transport, type TransportOptions, type Upload } from './transport.js'

export interface GreenroomOperatorOptions extends TransportOptions {
  /** The operator's base path, such as `http://127.0.0.1:8080/operator`. */
  baseUrl: string
  token: string
}

export interface ImportOptions extends RequestOptions {
  contentType: 'application/x-ndjson' | 'text/csv'
  /** The VIP workspace of the field `vip`; required when a line has it. */
  workspaceId?: string | undefined
  /** Judges every line as an import does, and changes nothing. */
  dryRun?: boolean | undefined
  /** Of a CSV: the field for each column that is called otherwise; '' leaves the column out. */
  columns?: Readonly<Record<string, string>> | undefined
  /** How many rejected lines are listed: 100 by default, at most 10,000. */
  rejects?: number | undefined
}

export interface ExportOptions extends RequestOptions {
  /** The VIP workspace of the field `vip`, which the lines lack without it. */
  workspaceId?: string | undefined
}

/** Calls the operator's side with its token. */
export class GreenroomOperator {
  readonly organizations: OperatorOrganizations
  readonly keys: OperatorKeys
  readonly operatorTokens: OperatorTokens
  readonly workspaces: OperatorWorkspaces
  readonly channels: OperatorChannels
  readonly adAccounts: OperatorAdAccounts
  readonly vips: OperatorVips
  readonly conversations: OperatorConversations
  readonly people: OperatorPeople
  readonly media: OperatorMedia
  readonly scheduledPosts: OperatorScheduledPosts
  readonly superpowers: OperatorSuperpowers
  readonly members: OperatorMembers
  readonly invitations: OperatorInvitations
  readonly users: OperatorUsers
  readonly webhook: OperatorWebhook
  readonly audit: OperatorAudit
  readonly masterKey: OperatorMasterKey
  readonly backups: OperatorBackups
  readonly caller: OperatorCallers

  constructor(options: GreenroomOperatorOptions, runtime: Runtime = systemRuntime) {
    const transport = new Transport(options.baseUrl, new Bearer(options.token), options, runtime)
    this.organizations = new OperatorOrganizations(transport)
    this.keys = new OperatorKeys(transport)
    this.operatorTokens = new OperatorTokens(transport)
    this.workspaces = new OperatorWorkspaces(transport)
    this.channels = new OperatorChannels(transport)
    this.adAccounts = new OperatorAdAccounts(transport)
    this.vips = new OperatorVips(transport)
    this.conversations = new OperatorConversations(transport)
    this.people = new OperatorPeople(transport)
    this.media = new OperatorMedia(transport)
    this.scheduledPosts = new OperatorScheduledPosts(transport)
    this.superpowers = new OperatorSuperpowers(transport)
    this.members = new OperatorMembers(transport)
    this.invitations = new OperatorInvitations(transport)
    this.users = new OperatorUsers(transport)
    this.webhook = new OperatorWebhook(transport)
    this.audit = new OperatorAudit(transport)
    this.masterKey = new OperatorMasterKey(transport)
    this.backups = new OperatorBackups(transport)
    this.caller = new OperatorCallers(transport)
  }
}

export class OperatorOrganizations extends Group {
  async create(body: NewOrganization, options?: RequestOptions): Promise<Organization> {
    return this.call('createOrganization', 'POST', '/organizations', options, { body })
  }

  /** One page, oldest first. */
  async list(query: OrganizationQuery = {}, options?: RequestOptions): Promise<Organization[]> {
    return (await this.#list(query, options)).body
  }

  /** Every one from `after` on, page by page. */
  listAll(query: OrganizationQuery = {}, options?: RequestOptions): AsyncGenerator<Organization, void, undefined> {
    return walkByHeader('listOrganizations', query.after, (after) => this.#list({ ...query, after }, options))
  }

  #list(query: OrganizationQuery, options?: RequestOptions) {
    return this.send<Organization[]>('listOrganizations', 'GET', '/organizations', options, { query, shape: 'list' })
  }

  /** Renames, activates or deactivates it. */
  async update(organizationId: string, body: OrganizationPatch, options?: RequestOptions): Promise<Organization> {
    return this.call('updateOrganization', 'PATCH', path`/organizations/${organizationId}`, options, { body })
  }

  /** Deletes a deactivated organization, whose name confirms it. Repeat it while `done` is false. */
  async delete(
    organizationId: string,
    query: OrganizationDeletionQuery,
    options?: RequestOptions,
  ): Promise<OrganizationDeletion> {
    return this.call('deleteOrganization', 'DELETE', path`/organizations/${organizationId}`, options, { query })
  }
}

export class OperatorKeys extends Group {
  /** The only answer that has the secret. */
  async issue(organizationId: string, body: NewKey = {}, options?: RequestOptions): Promise<IssuedKey> {
    return this.call('issueKey', 'POST', path`/organizations/${organizationId}/keys`, options, { body })
  }

  /** Oldest first, revoked ones included. */
  async list(organizationId: string, options?: RequestOptions): Promise<Key[]> {
    return this.call('listKeys', 'GET', path`/organizations/${organizationId}/keys`, options, { shape: 'list' })
  }

  /** From now on the key is refused. Idempotent. */
  async revoke(organizationId: string, keyId: string, options?: RequestOptions): Promise<Key> {
    return this.call('revokeKey', 'DELETE', path`/organizations/${organizationId}/keys/${keyId}`, options)
  }
}

export class OperatorTokens extends Group {
  /** The only answer that has the token. A name is given once. */
  async issue(body: NewOperatorToken, options?: RequestOptions): Promise<IssuedOperatorToken> {
    return this.call('issueOperatorToken', 'POST', '/operator-tokens', options, { body })
  }

  /** Oldest first, revoked ones included; that of the server's environment is not among them. */
  async list(options?: RequestOptions): Promise<OperatorToken[]> {
    return this.call('listOperatorTokens', 'GET', '/operator-tokens', options, { shape: 'list' })
  }

  /** From now on the token is refused. Idempotent. */
  async revoke(name: string, options?: RequestOptions): Promise<OperatorToken> {
    return this.call('revokeOperatorToken', 'DELETE', path`/operator-tokens/${name}`, options)
  }
}

export class OperatorWorkspaces extends Group {
  async create(organizationId: string, body: NewWorkspace, options?: RequestOptions): Promise<Workspace> {
    const at = path`/organizations/${organizationId}/workspaces`
    return this.call('createWorkspace', 'POST', at, options, { body })
  }

  /** By name. */
  async list(organizationId: string, options?: RequestOptions): Promise<Workspace[]> {
    return this.call('listOrganizationWorkspaces', 'GET', path`/organizations/${organizationId}/workspaces`, options, {
      shape: 'list',
    })
  }

  /** Renames it. */
  async update(
    organizationId: string,
    workspaceId: string,
    body: WorkspacePatch,
    options?: RequestOptions,
  ): Promise<Workspace> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}`
    return this.call('updateWorkspace', 'PATCH', at, options, { body })
  }

  /** Deletes it with its VIP marks and connections. Repeat it while `done` is false. */
  async delete(organizationId: string, workspaceId: string, options?: RequestOptions): Promise<WorkspaceDeletion> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}`
    return this.call('deleteWorkspace', 'DELETE', at, options)
  }
}

export class OperatorChannels extends Group {
  async create(organizationId: string, body: NewChannel, options?: RequestOptions): Promise<Channel> {
    return this.call('createChannel', 'POST', path`/organizations/${organizationId}/channels`, options, { body })
  }

  /** By name; with `workspaceId` those connected to that workspace. */
  async list(organizationId: string, options: RequestOptions & ChannelQuery = {}): Promise<Channel[]> {
    const { workspaceId, ...rest } = options
    const at = path`/organizations/${organizationId}/channels`
    return this.call('listOrganizationChannels', 'GET', at, rest, { query: { workspaceId }, shape: 'list' })
  }

  /** Renames the channel, or connects it to its platform; a token of null disconnects it. */
  async update(
    organizationId: string,
    channelId: string,
    body: ChannelPatch,
    options?: RequestOptions,
  ): Promise<Channel> {
    const at = path`/organizations/${organizationId}/channels/${channelId}`
    return this.call('updateChannel', 'PATCH', at, options, { body })
  }

  /**
   * Deletes the channel with its conversations. Repeat it while `done` is false. With `force` also while posts are about to
   * be published on it, which then fail there.
   */
  async delete(
    organizationId: string,
    channelId: string,
    { force, ...options }: RequestOptions & { force?: boolean | undefined } = {},
  ): Promise<ChannelDeletion> {
    const at = path`/organizations/${organizationId}/channels/${channelId}`
    return this.call('deleteChannel', 'DELETE', at, options, { query: { force } })
  }

  /** Connects the channel to a workspace. Idempotent. */
  async connect(
    organizationId: string,
    workspaceId: string,
    channelId: string,
    options?: RequestOptions,
  ): Promise<Connection> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}/channels/${channelId}`
    return this.call('connectChannel', 'PUT', at, options)
  }

  /** Disconnects the channel from a workspace, which removes the workspace's VIP marks on it. Idempotent. */
  async disconnect(
    organizationId: string,
    workspaceId: string,
    channelId: string,
    options?: RequestOptions,
  ): Promise<Connection> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}/channels/${channelId}`
    return this.call('disconnectChannel', 'DELETE', at, options)
  }
}

export class OperatorAdAccounts extends Group {
  async create(organizationId: string, body: NewAdAccount, options?: RequestOptions): Promise<ConnectedAdAccount> {
    return this.call('createAdAccount', 'POST', path`/organizations/${organizationId}/ad-accounts`, options, { body })
  }

  /** By name. */
  async list(organizationId: string, options?: RequestOptions): Promise<ConnectedAdAccount[]> {
    return this.call('listOrganizationAdAccounts', 'GET', path`/organizations/${organizationId}/ad-accounts`, options, {
      shape: 'list',
    })
  }

  /** Connects the account to the ad platform; null disconnects it. */
  async connect(
    organizationId: string,
    adAccountId: string,
    body: PlatformToken,
    options?: RequestOptions,
  ): Promise<ConnectedAdAccount> {
    const at = path`/organizations/${organizationId}/ad-accounts/${adAccountId}`
    return this.call('connectAdAccount', 'PATCH', at, options, { body })
  }
}

export class OperatorVips extends Group {
  /** Marks a conversation as a VIP of a workspace. Idempotent. */
  async mark(
    organizationId: string,
    workspaceId: string,
    channelId: string,
    conversationId: string,
    options?: RequestOptions,
  ): Promise<VipMark> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}/channels/${channelId}/vips/${conversationId}`
    return this.call('markVip', 'PUT', at, options)
  }

  /** Removes the mark. Idempotent. */
  async unmark(
    organizationId: string,
    workspaceId: string,
    channelId: string,
    conversationId: string,
    options?: RequestOptions,
  ): Promise<VipMark> {
    const at = path`/organizations/${organizationId}/workspaces/${workspaceId}/channels/${channelId}/vips/${conversationId}`
    return this.call('unmarkVip', 'DELETE', at, options)
  }
}

export class OperatorConversations extends Group {
  /**
   * Imports NDJSON or CSV of any size, without a time-out unless one is given for this call. The client never
   * retries it; after a broken import the same content can be sent again.
   */
  async import(
    organizationId: string,
    channelId: string,
    body: Upload,
    {
      contentType,
      workspaceId,
      dryRun,
      columns,
      rejects,
      timeoutMs = Number.POSITIVE_INFINITY,
      ...options
    }: ImportOptions,
  ): Promise<ImportReport> {
    const at = path`/organizations/${organizationId}/channels/${channelId}/conversations`
    const query = { workspaceId, dryRun, columns: columns && JSON.stringify(columns), rejects }
    const rest = { query, upload: { body, contentType } }
    return this.call('importConversations', 'POST', at, { ...options, timeoutMs }, rest)
  }

  /**
   * Every conversation of the channel as NDJSON, in the lines of an import, as it arrives: of any number. With a workspace each
   * says whether it is a VIP there. `timeoutMs` is for the beginning, and then for each part.
   */
  async export(
    organizationId: string,
    channelId: string,
    { workspaceId, ...options }: ExportOptions = {},
  ): Promise<AsyncIterable<Uint8Array>> {
    const at = path`/organizations/${organizationId}/channels/${channelId}/conversations`
    return this.call('exportConversations', 'GET', at, options, { query: { workspaceId }, isStreamed: true })
  }

  /** Deletes one conversation with its VIP marks; an import may bring it back. */
  async delete(
    organizationId: string,
    channelId: string,
    conversationId: string,
    options?: RequestOptions,
  ): Promise<DeletedConversation> {
    const at = path`/organizations/${organizationId}/channels/${channelId}/conversations/${conversationId}`
    return this.call('deleteConversation', 'DELETE', at, options)
  }
}

export class OperatorPeople extends Group {
  /** Erases a person from every channel and from later imports. Idempotent. Repeat it while `done` is false. */
  async erase(organizationId: string, cuid: string, options?: RequestOptions): Promise<PersonErasure> {
    return this.call('erasePerson', 'DELETE', path`/organizations/${organizationId}/people/${cuid}`, options)
  }

  /** Lets imports bring an erased person back. Idempotent. */
  async readmit(organizationId: string, cuid: string, options?: RequestOptions): Promise<PersonReadmission> {
    return this.call('readmitPerson', 'POST', path`/organizations/${organizationId}/people/${cuid}/readmit`, options)
  }
}

export class OperatorMedia extends Group {
  /**
   * Uploads an image or a video, without a time-out unless one is given for this call. The service tells its type by the
   * content. The client never retries it.
   */
  async upload(
    organizationId: string,
    body: Upload,
    { timeoutMs = Number.POSITIVE_INFINITY, ...options }: RequestOptions = {},
  ): Promise<Media> {
    const upload = { body, contentType: 'application/octet-stream' }
    return this.call(
      'uploadMedia',
      'POST',
      path`/organizations/${organizationId}/media`,
      { ...options, timeoutMs },
      { upload },
    )
  }

  /** One page of the uploaded files, newest first. */
  async list(organizationId: string, query: MediaQuery = {}, options?: RequestOptions): Promise<MediaPage> {
    return this.call('listMedia', 'GET', path`/organizations/${organizationId}/media`, options, {
      query,
      shape: 'page',
    })
  }

  /** Every file from `after` on, page by page. */
  listAll(
    organizationId: string,
    query: MediaQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Media, void, undefined> {
    const { limit = PAGE_ROWS_MAX } = query
    const pages = walkPages<MediaPage, string>({
      operation: 'listMedia',
      start: query.after,
      read: (after) => this.list(organizationId, { ...query, limit, after }, options),
      next: ({ nextCursor }) => nextCursor,
      advances: cursorAdvances,
    })
    return flatten(pages, ({ items }) => items)
  }

  /** Deletes a file that no post is waiting to publish. */
  async delete(organizationId: string, mediaId: string, options?: RequestOptions): Promise<DeletedMedia> {
    return this.call('deleteMedia', 'DELETE', path`/organizations/${organizationId}/media/${mediaId}`, options)
  }
}

export class OperatorScheduledPosts extends Group {
  /** The post, with its `etag` for an approval. */
  async get(organizationId: string, scheduledPostId: string, options?: RequestOptions): Promise<VersionedPost> {
    const at = path`/organizations/${organizationId}/scheduled-posts/${scheduledPostId}`
    return versioned(this.send('getOrganizationScheduledPost', 'GET', at, options))
  }

  /** A human's decision about the version that they have read; that version is published at its time. */
  async approve(
    organizationId: string,
    scheduledPostId: string,
    options: ChangeOptions & { ifMatch: string },
  ): Promise<VersionedPost> {
    const at = path`/organizations/${organizationId}/scheduled-posts/${scheduledPostId}/approve`
    return this.#change('approveOrganizationScheduledPost', at, options)
  }

  /** Schedules a FAILED post again, for the channels on which it failed. */
  async retry(
    organizationId: string,
    scheduledPostId: string,
    body: Retry,
    options?: ChangeOptions,
  ): Promise<VersionedPost> {
    const at = path`/organizations/${organizationId}/scheduled-posts/${scheduledPostId}/retry`
    return this.#change('retryScheduledPost', at, options, body)
  }

  /** One page of the changes of a post, oldest first, also of a deleted one. */
  async history(
    organizationId: string,
    scheduledPostId: string,
    query: PostHistoryQuery = {},
    options?: RequestOptions,
  ): Promise<PostChange[]> {
    return (await this.#history(organizationId, scheduledPostId, query, options)).body
  }

  /** Every change of a post from `after` on, page by page. */
  historyAll(
    organizationId: string,
    scheduledPostId: string,
    query: PostHistoryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<PostChange, void, undefined> {
    return walkByHeader('listScheduledPostHistory', query.after, (after) =>
      this.#history(organizationId, scheduledPostId, { ...query, after }, options),
    )
  }

  #history(organizationId: string, scheduledPostId: string, query: PostHistoryQuery, options?: RequestOptions) {
    const at = path`/organizations/${organizationId}/scheduled-posts/${scheduledPostId}/history`
    return this.send<PostChange[]>('listScheduledPostHistory', 'GET', at, options, { query, shape: 'list' })
  }

  #change(operation: string, at: string, { ifMatch, ...options }: ChangeOptions = {}, body?: object) {
    return versioned(this.send(operation, 'POST', at, options, { body, headers: { 'if-match': ifMatch } }))
  }
}

export class OperatorSuperpowers extends Group {
  /** Saves a superpower, so that posts can name it by its creativeTemplateId. */
  async create(organizationId: string, body: NewSuperpower, options?: RequestOptions): Promise<SavedSuperpower> {
    return this.call('createSuperpower', 'POST', path`/organizations/${organizationId}/superpowers`, options, { body })
  }

  /** One page, by name, deactivated ones included. */
  async list(
    organizationId: string,
    query: SuperpowerQuery = {},
    options?: RequestOptions,
  ): Promise<SavedSuperpower[]> {
    return (await this.#list(organizationId, query, options)).body
  }

  /** Every one from `after` on, page by page. */
  listAll(
    organizationId: string,
    query: SuperpowerQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<SavedSuperpower, void, undefined> {
    return walkByHeader('listOrganizationSuperpowers', query.after, (after) =>
      this.#list(organizationId, { after }, options),
    )
  }

  #list(organizationId: string, query: SuperpowerQuery, options?: RequestOptions) {
    const at = path`/organizations/${organizationId}/superpowers`
    return this.send<SavedSuperpower[]>('listOrganizationSuperpowers', 'GET', at, options, { query, shape: 'list' })
  }

  /** Renames it, or says with `active` whether posts can name it. Idempotent. */
  async update(
    organizationId: string,
    creativeTemplateId: string,
    body: SuperpowerPatch,
    options?: RequestOptions,
  ): Promise<SavedSuperpower> {
    const at = path`/organizations/${organizationId}/superpowers/${creativeTemplateId}`
    return this.call('updateSuperpower', 'PATCH', at, options, { body })
  }

  /** Deletes it for good; posts that hold a copy keep it. */
  async delete(
    organizationId: string,
    creativeTemplateId: string,
    options?: RequestOptions,
  ): Promise<DeletedSuperpower> {
    const at = path`/organizations/${organizationId}/superpowers/${creativeTemplateId}`
    return this.call('deleteSuperpower', 'DELETE', at, options)
  }
}

/** The people of an organization. */
export class OperatorMembers extends Group {
  /** By name. */
  async list(organizationId: string, options?: RequestOptions): Promise<Member[]> {
    return this.call('listMembers', 'GET', path`/organizations/${organizationId}/members`, options, { shape: 'list' })
  }

  /** Changes what the person may do, at once and in the sessions that the person has. */
  async update(organizationId: string, personId: string, body: MemberPatch, options?: RequestOptions): Promise<Member> {
    const at = path`/organizations/${organizationId}/members/${personId}`
    return this.call('updateMember', 'PATCH', at, options, { body })
  }

  /** Lists what a removal would end, and the live keys that the person issued. */
  async grants(organizationId: string, personId: string, options?: RequestOptions): Promise<Grants> {
    const at = path`/organizations/${organizationId}/members/${personId}/grants`
    return this.call('getMemberGrants', 'GET', at, options)
  }

  /** The account stays. `revokeKeys`: keys that the person issued, to be revoked in the same step. */
  async remove(
    organizationId: string,
    personId: string,
    query: MemberRemovalQuery = {},
    options?: RequestOptions,
  ): Promise<RemovedMember> {
    const at = path`/organizations/${organizationId}/members/${personId}`
    return this.call('removeMember', 'DELETE', at, options, { query })
  }
}

export class OperatorInvitations extends Group {
  /** The only answer that has the link. */
  async create(organizationId: string, body: NewInvitation, options?: RequestOptions): Promise<IssuedInvitation> {
    const at = path`/organizations/${organizationId}/invitations`
    return this.call('createInvitation', 'POST', at, options, { body })
  }

  /** Those that can still be used, newest first. */
  async list(organizationId: string, options?: RequestOptions): Promise<Invitation[]> {
    return this.call('listInvitations', 'GET', path`/organizations/${organizationId}/invitations`, options, {
      shape: 'list',
    })
  }

  async revoke(organizationId: string, invitationId: string, options?: RequestOptions): Promise<{ id: string }> {
    const at = path`/organizations/${organizationId}/invitations/${invitationId}`
    return this.call('revokeInvitation', 'DELETE', at, options)
  }
}

/** Everyone who has an account on the server. */
export class OperatorUsers extends Group {
  /** Oldest first. */
  async list(options?: RequestOptions): Promise<ListedPerson[]> {
    return this.call('listPeople', 'GET', '/people', options, { shape: 'list' })
  }

  /** Lists what a deactivation would end, and the live keys that the person issued. */
  async grants(personId: string, options?: RequestOptions): Promise<Grants> {
    return this.call('getPersonGrants', 'GET', path`/people/${personId}/grants`, options)
  }

  /** Makes the person an owner or not, deactivates the account or activates it. */
  async update(personId: string, body: PersonPatch, options?: RequestOptions): Promise<UpdatedPerson> {
    return this.call('updatePerson', 'PATCH', path`/people/${personId}`, options, { body })
  }

  /** The link by which a person becomes an owner of the server; an earlier one ends. */
  async inviteOwner(options?: RequestOptions): Promise<EntryLink> {
    return this.call('inviteOwner', 'POST', '/owner-invitation', options)
  }

  /** The link that lets the person in, once. */
  async createSignInLink(personId: string, options?: RequestOptions): Promise<EntryLink> {
    return this.call('createSignInLink', 'POST', path`/people/${personId}/sign-in-link`, options)
  }

  /** The most recently seen first. */
  async sessions(personId: string, options?: RequestOptions): Promise<Session[]> {
    return this.call('listPersonSessions', 'GET', path`/people/${personId}/sessions`, options, { shape: 'list' })
  }

  async endSessions(personId: string, options?: RequestOptions): Promise<{ ended: number }> {
    return this.call('endPersonSessions', 'DELETE', path`/people/${personId}/sessions`, options)
  }

  /** Removes the passkeys, the authenticator app and the recovery codes of a person, and ends the sessions. Idempotent. */
  async resetSecondFactors(personId: string, options?: RequestOptions): Promise<SecondFactorReset> {
    return this.call('resetSecondFactors', 'DELETE', path`/people/${personId}/second-factors`, options)
  }
}

export class OperatorCallers extends Group {
  /** Who calls, and what they may do. */
  async get(options?: RequestOptions): Promise<Caller> {
    return this.call('getOperatorCaller', 'GET', '/whoami', options)
  }
}

export class OperatorWebhook extends Group {
  async get(organizationId: string, options?: RequestOptions): Promise<Webhook> {
    return this.call('getWebhook', 'GET', path`/organizations/${organizationId}/webhook`, options)
  }

  /** The first time the answer has the secret, and no other answer has it. Idempotent. */
  async set(organizationId: string, body: WebhookPut, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.call('setWebhook', 'PUT', path`/organizations/${organizationId}/webhook`, options, { body })
  }

  /** What is on its way fails. */
  async delete(organizationId: string, options?: RequestOptions): Promise<Webhook> {
    return this.call('deleteWebhook', 'DELETE', path`/organizations/${organizationId}/webhook`, options)
  }

  /** The answer has the new secret; the one before signs beside it for a day. */
  async rotateSecret(organizationId: string, options?: RequestOptions): Promise<WebhookWithSecret> {
    return this.call('rotateWebhookSecret', 'POST', path`/organizations/${organizationId}/webhook/secret`, options)
  }

  /** Sends an event of type test. */
  async test(organizationId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.call('testWebhook', 'POST', path`/organizations/${organizationId}/webhook/test`, options)
  }

  /** One page of what was sent, latest first. */
  async deliveries(
    organizationId: string,
    query: WebhookDeliveryQuery = {},
    options?: RequestOptions,
  ): Promise<WebhookDeliveryPage> {
    const at = path`/organizations/${organizationId}/webhook/deliveries`
    return this.call('listWebhookDeliveries', 'GET', at, options, { query, shape: 'page' })
  }

  /** Every delivery from `after` on, page by page. */
  deliveriesAll(
    organizationId: string,
    query: WebhookDeliveryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    const { limit = PAGE_ROWS_MAX } = query
    const pages = walkPages<WebhookDeliveryPage, string>({
      operation: 'listWebhookDeliveries',
      start: query.after,
      read: (after) => this.deliveries(organizationId, { ...query, limit, after }, options),
      next: ({ nextCursor }) => nextCursor,
      advances: cursorAdvances,
    })
    return flatten(pages, ({ items }) => items)
  }

  /** Sends a delivery again, with the same id. */
  async resend(organizationId: string, deliveryId: string, options?: RequestOptions): Promise<WebhookDelivery> {
    const at = path`/organizations/${organizationId}/webhook/deliveries/${deliveryId}/send`
    return this.call('resendWebhookDelivery', 'POST', at, options)
  }
}

export class OperatorAudit extends Group {
  /** What was changed of the server as a whole: accounts, links and sessions; newest first. */
  async listServer(query: AuditQuery = {}, options?: RequestOptions): Promise<AuditPage> {
    return this.call('listServerAuditTrail', 'GET', '/audit', options, { query, shape: 'page' })
  }

  /** One page of who changed what in the organization, newest first. */
  async list(organizationId: string, query: AuditQuery = {}, options?: RequestOptions): Promise<AuditPage> {
    return this.call('listAuditTrail', 'GET', path`/organizations/${organizationId}/audit`, options, {
      query,
      shape: 'page',
    })
  }

  /** Every page from `after` on, of the largest size unless `limit` is given. */
  pages(
    organizationId: string,
    query: AuditQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<AuditPage, void, undefined> {
    const { limit = PAGE_ROWS_MAX } = query
    return walkPages<AuditPage, string>({
      operation: 'listAuditTrail',
      start: query.after,
      read: (after) => this.list(organizationId, { ...query, limit, after }, options),
      next: ({ nextCursor }) => nextCursor,
      advances: cursorAdvances,
    })
  }

  /** Every entry from `after` on, page by page. */
  listAll(
    organizationId: string,
    query?: AuditQuery,
    options?: RequestOptions,
  ): AsyncGenerator<AuditEntry, void, undefined> {
    return flatten(this.pages(organizationId, query, options), ({ items }) => items)
  }
}

export class OperatorMasterKey extends Group {
  /** The next step of a rotation, to be repeated with the `after` of each answer until one has none. */
  async rotate(body: Rotation, options?: RequestOptions): Promise<RotationStep> {
    return this.call('rotateMasterKey', 'POST', '/master-key/rotate', options, { body })
  }
}

/** The embedded database is copied first, which takes as long as it is large. */
const BACKUP_PATIENCE: Patience = { headMs: Number.POSITIVE_INFINITY, partMs: 300_000 }

export class OperatorBackups extends Group {
  /**
   * Makes a backup of the whole server, and gives its bytes as they arrive. An answer that ends early throws. Unless `timeoutMs`
   * is given, it may begin at any time, and each part may take five minutes.
   */
  async create(backup: NewBackup = {}, options: RequestOptions = {}): Promise<AsyncIterable<Uint8Array>> {
    const rest = { body: backup, isStreamed: true, patience: BACKUP_PATIENCE }
    return this.call('createBackup', 'POST', '/backups', options, rest)
  }
}
