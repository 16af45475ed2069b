import type {
  AuditQuery,
  NewKey,
  NewOperatorToken,
  NewOrganization,
  OrganizationDeletionQuery,
  OrganizationPatch,
  OrganizationQuery,
  Rotation,
} from '../interface/access.js'
import type { NewBackup } from '../interface/backup.js'
import type {
  ChannelPatch,
  ChannelQuery,
  NewChannel,
  NewWorkspace,
  PlatformToken,
  WorkspacePatch,
} from '../interface/channels.js'
import type { NewAdAccount } from '../interface/insights.js'
import type { MediaQuery } from '../interface/media.js'
import type { WebhookDeliveryQuery, WebhookPut } from '../interface/notifications.js'
import type { MemberPatch, MemberRemovalQuery, NewInvitation, PersonPatch } from '../interface/people.js'
import type { PostHistoryQuery, Retry } from '../interface/posts.js'
import { OPERATOR_ROUTES } from '../interface/routes.js'
import type { NewSuperpower, SuperpowerPatch, SuperpowerQuery } from '../interface/superpowers.js'
import { type ChangeOptions, Client, Group, PAGE_ROWS_MAX } from './group.js'
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
  /** For a CSV: the field for each column that is called otherwise; '' leaves the column out. */
  columns?: Readonly<Record<string, string>> | undefined
  /** How many rejected lines are listed: 100 by default, at most 10,000. */
  rejects?: number | undefined
}

export interface ExportOptions extends RequestOptions {
  /** The VIP workspace of the field `vip`, which the lines lack without it. */
  workspaceId?: string | undefined
}

/** Calls the operator's side with its token. */
export class GreenroomOperator extends Client {
  readonly organizations = this.group(OperatorOrganizations)
  readonly keys = this.group(OperatorKeys)
  readonly operatorTokens = this.group(OperatorTokens)
  readonly workspaces = this.group(OperatorWorkspaces)
  readonly channels = this.group(OperatorChannels)
  readonly adAccounts = this.group(OperatorAdAccounts)
  readonly vips = this.group(OperatorVips)
  readonly conversations = this.group(OperatorConversations)
  readonly people = this.group(OperatorPeople)
  readonly media = this.group(OperatorMedia)
  readonly scheduledPosts = this.group(OperatorScheduledPosts)
  readonly superpowers = this.group(OperatorSuperpowers)
  readonly members = this.group(OperatorMembers)
  readonly invitations = this.group(OperatorInvitations)
  readonly users = this.group(OperatorUsers)
  readonly webhook = this.group(OperatorWebhook)
  readonly audit = this.group(OperatorAudit)
  readonly masterKey = this.group(OperatorMasterKey)
  readonly backups = this.group(OperatorBackups)
  readonly caller = this.group(OperatorCallers)

  constructor(options: GreenroomOperatorOptions, runtime: Runtime = systemRuntime) {
    super(new Transport(options.baseUrl, new Bearer(options.token), options, runtime))
  }
}

class OperatorGroup extends Group<typeof OPERATOR_ROUTES> {
  constructor(transport: Transport) {
    super(transport, OPERATOR_ROUTES)
  }
}

class OperatorOrganizations extends OperatorGroup {
  create = (body: NewOrganization, options?: RequestOptions) => this.call('createOrganization', { body }, options)

  /** One page, oldest first. */
  list = async (query: OrganizationQuery = {}, options?: RequestOptions) =>
    (await this.call('listOrganizations', { query }, options)).items

  /** Every one from `after` on, page by page. */
  listAll = (query: OrganizationQuery = {}, options?: RequestOptions) =>
    this.itemsOf('listOrganizations', { query }, options)

  /** Renames, activates or deactivates it. */
  update = (organizationId: string, body: OrganizationPatch, options?: RequestOptions) =>
    this.call('updateOrganization', { organizationId, body }, options)

  /** Deletes a deactivated organization, whose name confirms it. Repeat it while `done` is false. */
  delete = (organizationId: string, query: OrganizationDeletionQuery, options?: RequestOptions) =>
    this.call('deleteOrganization', { organizationId, query }, options)
}

class OperatorKeys extends OperatorGroup {
  /** The only answer that has the secret. */
  issue = (organizationId: string, body: NewKey = {}, options?: RequestOptions) =>
    this.call('issueKey', { organizationId, body }, options)

  /** Oldest first, revoked ones included. */
  list = (organizationId: string, options?: RequestOptions) => this.call('listKeys', { organizationId }, options)

  /** From now on the key is refused. Idempotent. */
  revoke = (organizationId: string, keyId: string, options?: RequestOptions) =>
    this.call('revokeKey', { organizationId, keyId }, options)
}

class OperatorTokens extends OperatorGroup {
  /** The only answer that has the token. A name is given once. */
  issue = (body: NewOperatorToken, options?: RequestOptions) => this.call('issueOperatorToken', { body }, options)

  /** Oldest first, revoked ones included; that of the server's environment is not among them. */
  list = (options?: RequestOptions) => this.call('listOperatorTokens', {}, options)

  /** From now on the token is refused. Idempotent. */
  revoke = (name: string, options?: RequestOptions) => this.call('revokeOperatorToken', { name }, options)
}

class OperatorWorkspaces extends OperatorGroup {
  create = (organizationId: string, body: NewWorkspace, options?: RequestOptions) =>
    this.call('createWorkspace', { organizationId, body }, options)

  /** By name. */
  list = (organizationId: string, options?: RequestOptions) =>
    this.call('listOrganizationWorkspaces', { organizationId }, options)

  /** Renames it. */
  update = (organizationId: string, workspaceId: string, body: WorkspacePatch, options?: RequestOptions) =>
    this.call('updateWorkspace', { organizationId, workspaceId, body }, options)

  /** Deletes it with its VIP marks and connections. Repeat it while `done` is false. */
  delete = (organizationId: string, workspaceId: string, options?: RequestOptions) =>
    this.call('deleteWorkspace', { organizationId, workspaceId }, options)
}

class OperatorChannels extends OperatorGroup {
  create = (organizationId: string, body: NewChannel, options?: RequestOptions) =>
    this.call('createChannel', { organizationId, body }, options)

  /** By name; with `workspaceId` those connected to that workspace. */
  list = (organizationId: string, { workspaceId, ...options }: RequestOptions & ChannelQuery = {}) =>
    this.call('listOrganizationChannels', { organizationId, query: { workspaceId } }, options)

  /** Renames the channel, or connects it to its platform; a token of null disconnects it. */
  update = (organizationId: string, channelId: string, body: ChannelPatch, options?: RequestOptions) =>
    this.call('updateChannel', { organizationId, channelId, body }, options)

  /**
   * Deletes the channel with its conversations. Repeat it while `done` is false. With `force` also while posts are about to
   * be published on it, which then fail there.
   */
  delete = (
    organizationId: string,
    channelId: string,
    { force, ...options }: RequestOptions & { force?: boolean | undefined } = {},
  ) => this.call('deleteChannel', { organizationId, channelId, query: { force } }, options)

  /** Connects the channel to a workspace. Idempotent. */
  connect = (organizationId: string, workspaceId: string, channelId: string, options?: RequestOptions) =>
    this.call('connectChannel', { organizationId, workspaceId, channelId }, options)

  /** Disconnects the channel from a workspace, which removes the workspace's VIP marks on it. Idempotent. */
  disconnect = (organizationId: string, workspaceId: string, channelId: string, options?: RequestOptions) =>
    this.call('disconnectChannel', { organizationId, workspaceId, channelId }, options)
}

class OperatorAdAccounts extends OperatorGroup {
  create = (organizationId: string, body: NewAdAccount, options?: RequestOptions) =>
    this.call('createAdAccount', { organizationId, body }, options)

  /** By name. */
  list = (organizationId: string, options?: RequestOptions) =>
    this.call('listOrganizationAdAccounts', { organizationId }, options)

  /** Connects the account to the ad platform; null disconnects it. */
  connect = (organizationId: string, adAccountId: string, body: PlatformToken, options?: RequestOptions) =>
    this.call('connectAdAccount', { organizationId, adAccountId, body }, options)
}

class OperatorVips extends OperatorGroup {
  /** Marks a conversation as a VIP of a workspace. Idempotent. */
  mark = (
    organizationId: string,
    workspaceId: string,
    channelId: string,
    conversationId: string,
    options?: RequestOptions,
  ) => this.call('markVip', { organizationId, workspaceId, channelId, conversationId }, options)

  /** Removes the mark. Idempotent. */
  unmark = (
    organizationId: string,
    workspaceId: string,
    channelId: string,
    conversationId: string,
    options?: RequestOptions,
  ) => this.call('unmarkVip', { organizationId, workspaceId, channelId, conversationId }, options)
}

class OperatorConversations extends OperatorGroup {
  /**
   * Imports NDJSON or CSV of any size, without a time-out unless one is given for this call. The client never
   * retries it; after a broken import the same content can be sent again.
   */
  import = (
    organizationId: string,
    channelId: string,
    body: Upload,
    { contentType, workspaceId, dryRun, columns, rejects, ...options }: ImportOptions,
  ) => {
    const query = { workspaceId, dryRun, columns: columns && JSON.stringify(columns), rejects }
    const upload = { body, contentType }
    return this.call('importConversations', { organizationId, channelId, query }, unhurried(options), { upload })
  }

  /**
   * Every conversation of the channel as NDJSON, in the lines of an import, as it arrives, however many there are. With
   * a workspace each says whether it is a VIP there. `timeoutMs` is for the beginning, and then for each part.
   */
  export = (organizationId: string, channelId: string, { workspaceId, ...options }: ExportOptions = {}) =>
    this.call('exportConversations', { organizationId, channelId, query: { workspaceId } }, options)

  /** Deletes one conversation with its VIP marks; an import may bring it back. */
  delete = (organizationId: string, channelId: string, conversationId: string, options?: RequestOptions) =>
    this.call('deleteConversation', { organizationId, channelId, conversationId }, options)
}

class OperatorPeople extends OperatorGroup {
  /** Erases a person from every channel and from later imports. Idempotent. Repeat it while `done` is false. */
  erase = (organizationId: string, cuid: string, options?: RequestOptions) =>
    this.call('erasePerson', { organizationId, cuid }, options)

  /** Lets imports bring an erased person back. Idempotent. */
  readmit = (organizationId: string, cuid: string, options?: RequestOptions) =>
    this.call('readmitPerson', { organizationId, cuid }, options)
}

class OperatorMedia extends OperatorGroup {
  /**
   * Uploads an image or a video, without a time-out unless one is given for this call. The service tells its type by the
   * content. The client never retries it.
   */
  upload = (organizationId: string, body: Upload, options?: RequestOptions) =>
    this.call('uploadMedia', { organizationId }, unhurried(options), {
      upload: { body, contentType: 'application/octet-stream' },
    })

  /** One page of the uploaded files, newest first. */
  list = (organizationId: string, query: MediaQuery = {}, options?: RequestOptions) =>
    this.call('listMedia', { organizationId, query }, options)

  /** Every file from `after` on, page by page. */
  listAll = (organizationId: string, query: MediaQuery = {}, options?: RequestOptions) =>
    this.itemsOf('listMedia', { organizationId, query: inLargePages(query) }, options)

  /** Deletes a file that no post is waiting to publish. */
  delete = (organizationId: string, mediaId: string, options?: RequestOptions) =>
    this.call('deleteMedia', { organizationId, mediaId }, options)
}

class OperatorScheduledPosts extends OperatorGroup {
  /** The post, with its `etag` for an approval. */
  get = (organizationId: string, scheduledPostId: string, options?: RequestOptions) =>
    this.change('getOrganizationScheduledPost', { organizationId, scheduledPostId }, options)

  /** A human's decision about the version that they have read; that version is published at its time. */
  approve = (organizationId: string, scheduledPostId: string, options: ChangeOptions & { ifMatch: string }) =>
    this.change('approveOrganizationScheduledPost', { organizationId, scheduledPostId }, options)

  /** Schedules a FAILED post again, for the channels on which it failed. */
  retry = (organizationId: string, scheduledPostId: string, body: Retry, options?: ChangeOptions) =>
    this.change('retryScheduledPost', { organizationId, scheduledPostId, body }, options)

  /** One page of the changes of a post, oldest first, also of a deleted one. */
  history = async (
    organizationId: string,
    scheduledPostId: string,
    query: PostHistoryQuery = {},
    options?: RequestOptions,
  ) => (await this.call('listScheduledPostHistory', { organizationId, scheduledPostId, query }, options)).items

  /** Every change of a post from `after` on, page by page. */
  historyAll = (
    organizationId: string,
    scheduledPostId: string,
    query: PostHistoryQuery = {},
    options?: RequestOptions,
  ) => this.itemsOf('listScheduledPostHistory', { organizationId, scheduledPostId, query }, options)
}

class OperatorSuperpowers extends OperatorGroup {
  /** Saves a superpower, so that posts can name it by its creativeTemplateId. */
  create = (organizationId: string, body: NewSuperpower, options?: RequestOptions) =>
    this.call('createSuperpower', { organizationId, body }, options)

  /** One page, by name, deactivated ones included. */
  list = async (organizationId: string, query: SuperpowerQuery = {}, options?: RequestOptions) =>
    (await this.call('listOrganizationSuperpowers', { organizationId, query }, options)).items

  /** Every one from `after` on, page by page. */
  listAll = (organizationId: string, query: SuperpowerQuery = {}, options?: RequestOptions) =>
    this.itemsOf('listOrganizationSuperpowers', { organizationId, query }, options)

  /** Renames it, or says with `active` whether posts can name it. Idempotent. */
  update = (organizationId: string, creativeTemplateId: string, body: SuperpowerPatch, options?: RequestOptions) =>
    this.call('updateSuperpower', { organizationId, creativeTemplateId, body }, options)

  /** Deletes it for good; posts that hold a copy keep it. */
  delete = (organizationId: string, creativeTemplateId: string, options?: RequestOptions) =>
    this.call('deleteSuperpower', { organizationId, creativeTemplateId }, options)
}

/** The people of an organization. */
class OperatorMembers extends OperatorGroup {
  /** By name. */
  list = (organizationId: string, options?: RequestOptions) => this.call('listMembers', { organizationId }, options)

  /** Changes what the person may do, at once and in the sessions that the person has. */
  update = (organizationId: string, personId: string, body: MemberPatch, options?: RequestOptions) =>
    this.call('updateMember', { organizationId, personId, body }, options)

  /** Lists what a removal would end, and the live keys that the person issued. */
  grants = (organizationId: string, personId: string, options?: RequestOptions) =>
    this.call('getMemberGrants', { organizationId, personId }, options)

  /** The account stays. `revokeKeys`: keys that the person issued, to be revoked in the same step. */
  remove = (organizationId: string, personId: string, query: MemberRemovalQuery = {}, options?: RequestOptions) =>
    this.call('removeMember', { organizationId, personId, query }, options)
}

class OperatorInvitations extends OperatorGroup {
  /** The only answer that has the link. */
  create = (organizationId: string, body: NewInvitation, options?: RequestOptions) =>
    this.call('createInvitation', { organizationId, body }, options)

  /** Those that can still be used, newest first. */
  list = (organizationId: string, options?: RequestOptions) => this.call('listInvitations', { organizationId }, options)

  revoke = (organizationId: string, invitationId: string, options?: RequestOptions) =>
    this.call('revokeInvitation', { organizationId, invitationId }, options)
}

/** Everyone who has an account on the server. */
class OperatorUsers extends OperatorGroup {
  /** Oldest first. */
  list = (options?: RequestOptions) => this.call('listPeople', {}, options)

  /** Lists what a deactivation would end, and the live keys that the person issued. */
  grants = (personId: string, options?: RequestOptions) => this.call('getPersonGrants', { personId }, options)

  /** Makes the person an owner or not, deactivates the account or activates it. */
  update = (personId: string, body: PersonPatch, options?: RequestOptions) =>
    this.call('updatePerson', { personId, body }, options)

  /** The link by which a person becomes an owner of the server; an earlier one ends. */
  inviteOwner = (options?: RequestOptions) => this.call('inviteOwner', {}, options)

  /** The link that lets the person in, once. */
  createSignInLink = (personId: string, options?: RequestOptions) =>
    this.call('createSignInLink', { personId }, options)

  /** The most recently seen first. */
  sessions = (personId: string, options?: RequestOptions) => this.call('listPersonSessions', { personId }, options)

  endSessions = (personId: string, options?: RequestOptions) => this.call('endPersonSessions', { personId }, options)

  /** Removes the passkeys, the authenticator app and the recovery codes of a person, and ends the sessions. Idempotent. */
  resetSecondFactors = (personId: string, options?: RequestOptions) =>
    this.call('resetSecondFactors', { personId }, options)
}

class OperatorCallers extends OperatorGroup {
  /** The caller, and what the caller may do. */
  get = (options?: RequestOptions) => this.call('getOperatorCaller', {}, options)
}

class OperatorWebhook extends OperatorGroup {
  get = (organizationId: string, options?: RequestOptions) => this.call('getWebhook', { organizationId }, options)

  /** The first time the answer has the secret, and no other answer has it. Idempotent. */
  set = (organizationId: string, body: WebhookPut, options?: RequestOptions) =>
    this.call('setWebhook', { organizationId, body }, options)

  /** Deliveries that are pending fail. */
  delete = (organizationId: string, options?: RequestOptions) => this.call('deleteWebhook', { organizationId }, options)

  /** The answer has the new secret; the one before signs beside it for a day. */
  rotateSecret = (organizationId: string, options?: RequestOptions) =>
    this.call('rotateWebhookSecret', { organizationId }, options)

  /** Sends an event of type test. */
  test = (organizationId: string, options?: RequestOptions) => this.call('testWebhook', { organizationId }, options)

  /** One page of what was sent, latest first. */
  deliveries = (organizationId: string, query: WebhookDeliveryQuery = {}, options?: RequestOptions) =>
    this.call('listWebhookDeliveries', { organizationId, query }, options)

  /** Every delivery from `after` on, page by page. */
  deliveriesAll = (organizationId: string, query: WebhookDeliveryQuery = {}, options?: RequestOptions) =>
    this.itemsOf('listWebhookDeliveries', { organizationId, query: inLargePages(query) }, options)

  /** Sends a delivery again, with the same id. */
  resend = (organizationId: string, deliveryId: string, options?: RequestOptions) =>
    this.call('resendWebhookDelivery', { organizationId, deliveryId }, options)
}

class OperatorAudit extends OperatorGroup {
  /** One page of the changes of the server as a whole: accounts, links and sessions; newest first. */
  listServer = (query: AuditQuery = {}, options?: RequestOptions) =>
    this.call('listServerAuditTrail', { query }, options)

  /** One page of who changed what in the organization, newest first. */
  list = (organizationId: string, query: AuditQuery = {}, options?: RequestOptions) =>
    this.call('listAuditTrail', { organizationId, query }, options)

  /** Every page from `after` on, of the largest size unless `limit` is given. */
  pages = (organizationId: string, query: AuditQuery = {}, options?: RequestOptions) =>
    this.pagesOf('listAuditTrail', { organizationId, query: inLargePages(query) }, options)

  /** Every entry from `after` on, page by page. */
  listAll = (organizationId: string, query?: AuditQuery, options?: RequestOptions) =>
    this.itemsOf('listAuditTrail', { organizationId, query: inLargePages(query) }, options)
}

class OperatorMasterKey extends OperatorGroup {
  /** The next step of a rotation, to be repeated with the `after` of each answer until one has none. */
  rotate = (body: Rotation, options?: RequestOptions) => this.call('rotateMasterKey', { body }, options)
}

/** The embedded database is copied first, which takes as long as it is large. */
const BACKUP_PATIENCE: Patience = { headMs: Number.POSITIVE_INFINITY, partMs: 300_000 }

class OperatorBackups extends OperatorGroup {
  /**
   * Makes a backup of the whole server, and gives its bytes as they arrive. An answer that ends early throws. Unless
   * `timeoutMs` is given, it may begin at any time, and each part may take five minutes.
   */
  create = (body: NewBackup = {}, options: RequestOptions = {}) =>
    this.call('createBackup', { body }, options, { patience: BACKUP_PATIENCE })
}

const inLargePages = <Query extends { limit?: number }>(query?: Query) => ({
  ...query,
  limit: query?.limit ?? PAGE_ROWS_MAX,
})

/** An upload takes as long as it is large. */
const unhurried = ({ timeoutMs = Number.POSITIVE_INFINITY, ...options }: RequestOptions = {}): RequestOptions => ({
  ...options,
  timeoutMs,
})
