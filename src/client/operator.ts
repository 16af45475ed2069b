import { API_ROUTES } from '../interface/generated/routes.js'
import type {
  ListOrganizationChannelsQuery,
  NewBackup,
  NewKey,
  PostImport,
  RecurrenceRule,
} from '../interface/generated/types.js'
import { type ChangeOptions, Client, PAGE_ROWS_MAX, type VersionedPost } from './client.js'
import type { CreateOptions } from './greenroom.js'
import { newIdempotencyKey, type Runtime, systemRuntime } from './runtime.js'
import { Bearer } from './signer.js'
import { type Patience, type RequestOptions, Transport, type TransportOptions, type Upload } from './transport.js'

export interface GreenroomOperatorOptions extends TransportOptions {
  /** The operator's base path, such as `http://127.0.0.1:8080/operator`. */
  baseUrl: string
  token: string
}

/** The special part of a call that the client may repeat, because the service does it once. */
const once = (idempotencyKey = newIdempotencyKey()) => ({
  headers: { 'idempotency-key': idempotencyKey },
  isIdempotent: true,
})

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

/** The embedded database is copied first, which takes as long as it is large. */
const BACKUP_PATIENCE: Patience = { headMs: Number.POSITIVE_INFINITY, partMs: 300_000 }

/** Calls the operator's side with its token. */
export class GreenroomOperator extends Client<typeof API_ROUTES> {
  readonly organizations = {
    create: this.method('createOrganization'),
    /** One page, oldest first. */
    list: this.itemsMethod('listOrganizations'),
    /** Every one from `after` on, page by page. */
    listAll: this.allItemsMethod('listOrganizations'),
    /** Renames, activates or deactivates it. */
    update: this.method('updateOrganization'),
    /** Deletes a deactivated organization, whose name confirms it. Repeat it while `done` is false. */
    delete: this.method('deleteOrganization'),
  }

  readonly keys = {
    /** The only answer that has the secret. */
    issue: (organizationId: string, body: NewKey = {}, options?: RequestOptions) =>
      this.call('issueKey', { organizationId, body }, options),
    /** Oldest first, revoked ones included. */
    list: this.method('listKeys'),
    /** Changes what a live key may do, and its name. Its secret stays. Idempotent. */
    update: this.method('updateKey'),
    /** From now on the key is refused. Idempotent. */
    revoke: this.method('revokeKey'),
  }

  readonly operatorTokens = {
    /** The only answer that has the token. A name is given once. */
    issue: this.method('issueOperatorToken'),
    /** Oldest first, revoked ones included; that of the server's environment is not among them. */
    list: this.method('listOperatorTokens'),
    /** From now on the token is refused. Idempotent. */
    revoke: this.method('revokeOperatorToken'),
  }

  readonly workspaces = {
    create: this.method('createWorkspace'),
    /** By name. */
    list: this.method('listWorkspaces'),
    /** Renames it. */
    update: this.method('updateWorkspace'),
    /** Deletes it with its VIP marks and connections. Repeat it while `done` is false. */
    delete: this.method('deleteWorkspace'),
  }

  readonly channels = {
    create: this.method('createChannel'),
    /** By name; with `workspaceId` those connected to that workspace. */
    list: (organizationId: string, { workspaceId, ...options }: RequestOptions & ListOrganizationChannelsQuery = {}) =>
      this.call('listOrganizationChannels', { organizationId, query: { workspaceId } }, options),
    /** Renames the channel, or connects it to its platform; a token of null disconnects it. */
    update: this.method('updateChannel'),
    /**
     * Deletes the channel with its conversations. Repeat it while `done` is false. With `force` also while posts are about
     * to be published on it, which then fail there.
     */
    delete: (
      organizationId: string,
      channelId: string,
      { force, ...options }: RequestOptions & { force?: boolean | undefined } = {},
    ) => this.call('deleteChannel', { organizationId, channelId, query: { force } }, options),
    /** Connects the channel to a workspace. Idempotent. */
    connect: this.method('connectChannel'),
    /** Disconnects the channel from a workspace, which removes the workspace's VIP marks on it. Idempotent. */
    disconnect: this.method('disconnectChannel'),
    /** The weekly times at which posts are to go out, of every channel. */
    postingSlots: this.method('listPostingSlots'),
    /** Replaces those of a channel. Idempotent. */
    setPostingSlots: this.method('setPostingSlots'),
  }

  /** The people who get no automated messages on a channel, by the platform's id of them there. */
  readonly optOuts = {
    list: this.method('listOptOuts'),
    listAll: this.allItemsMethod('listOptOuts'),
    /** Idempotent. */
    add: this.method('addOptOut'),
    /** Idempotent. */
    remove: this.method('removeOptOut'),
  }

  readonly adAccounts = {
    create: this.method('createAdAccount'),
    /** By name. */
    list: this.method('listOrganizationAdAccounts'),
    /** Corrects the account, or connects it to the ad platform; an access token of null disconnects it. */
    update: this.method('updateAdAccount'),
    delete: this.method('deleteAdAccount'),
  }

  readonly vips = {
    /** Marks a conversation as a VIP of a workspace. Idempotent. */
    mark: this.method('markVip'),
    /** Removes the mark. Idempotent. */
    unmark: this.method('unmarkVip'),
    /** Marks and unmarks up to 500 together. Idempotent; the answer says what has changed. */
    change: this.method('changeVipMarks'),
    /** Since when a person is a VIP, of which workspaces, and by whom. */
    listOfPerson: this.method('listPersonVipMarks'),
  }

  readonly audience = {
    /** One page of a channel's people, in any of several orders, by conditions or a segment. */
    list: this.method('listAudience'),
    /** The first 25,000 of such a list, all at one moment. */
    export: this.method('exportAudience'),
  }

  readonly segments = {
    /** By name. */
    list: this.method('listSegments'),
    create: this.method('createSegment'),
    /** Another name, or other conditions. */
    update: this.method('updateSegment'),
    delete: this.method('deleteSegment'),
  }

  readonly conversations = {
    /**
     * Imports NDJSON or CSV of any size, without a time-out unless one is given for this call. The client never
     * retries it; after a broken import the same content can be sent again.
     */
    import: (
      organizationId: string,
      channelId: string,
      body: Upload,
      { contentType, workspaceId, dryRun, columns, rejects, ...options }: ImportOptions,
    ) => {
      const query = { workspaceId, dryRun, columns: columns && JSON.stringify(columns), rejects }
      const upload = { body, contentType }
      return this.call('importConversations', { organizationId, channelId, query }, unhurried(options), { upload })
    },
    /**
     * Every conversation of the channel as NDJSON, in the lines of an import, as it arrives, however many there are. With
     * a workspace each says whether it is a VIP there. `timeoutMs` is for the beginning, and then for each part.
     */
    export: (organizationId: string, channelId: string, { workspaceId, ...options }: ExportOptions = {}) =>
      this.call('exportConversations', { organizationId, channelId, query: { workspaceId } }, options),
    /** Deletes one conversation with its VIP marks; an import may bring it back. */
    delete: this.method('deleteConversation'),
  }

  readonly people = {
    /** Erases a person from every channel and from later imports. Idempotent. Repeat it while `done` is false. */
    erase: this.method('erasePerson'),
    /** Lets imports bring an erased person back. Idempotent. */
    readmit: this.method('readmitPerson'),
    /** All that is known of a person, with the latest 100 purchases. */
    get: this.method('getPerson'),
    /** One page of conversations, by the beginning of a name or by a whole id. */
    search: this.method('searchPeople'),
    /** Every one, page by page. */
    searchAll: this.allItemsMethod('searchPeople'),
    /** Links an outside id to the person. Idempotent. */
    link: this.method('linkPerson'),
    unlink: this.method('unlinkPerson'),
  }

  /** The ways in of shops, apps and inboxes. */
  readonly sources = {
    /** The only answer that has the write key, the verify token, and a secret that is made here. */
    create: this.method('createSource'),
    /** One page, with what each did last. */
    list: this.method('listSources'),
    listAll: this.allItemsMethod('listSources'),
    get: this.method('getSource'),
    /** A secret that is given replaces the present one at once. */
    update: this.method('updateSource'),
    /** The purchases and links that came by it stay. */
    delete: this.method('deleteSource'),
    /** Imports purchases of before the source from NDJSON or CSV, without a time-out unless one is given. Idempotent. */
    importPurchases: (
      organizationId: string,
      sourceId: string,
      body: Upload,
      { contentType, ...options }: RequestOptions & { contentType: 'text/csv' | 'application/x-ndjson' },
    ) =>
      this.call('importPurchases', { organizationId, sourceId }, unhurried(options), {
        upload: { body, contentType },
      }),
    /** The secret or key before is accepted for another hour. */
    rotateSecret: this.method('rotateSourceSecret'),
    /** One page of what could not be read or applied, latest first. */
    problems: this.method('listSourceProblems'),
    problemsAll: this.allItemsMethod('listSourceProblems'),
    retry: this.method('retrySourceProblem'),
    dismiss: this.method('dismissSourceProblem'),
  }

  readonly media = {
    /**
     * Uploads an image or a video, without a time-out unless one is given for this call. The service tells its type by the
     * content. The client never retries it.
     */
    upload: (organizationId: string, body: Upload, options?: RequestOptions) =>
      this.call('uploadMedia', { organizationId }, unhurried(options), {
        upload: { body, contentType: 'application/octet-stream' },
      }),
    /**
     * Gives a file its small picture for lists, of a video its poster: a JPEG of at most 640 pixels and 100 KiB. The first
     * one stays. The client never retries it.
     */
    uploadSmallPicture: (organizationId: string, mediaId: string, body: Upload, options?: RequestOptions) =>
      this.call('uploadSmallPicture', { organizationId, mediaId }, options, {
        upload: { body, contentType: 'image/jpeg' },
        // A stream is read once.
        isIdempotent: false,
      }),
    /** One page of the uploaded files, newest first. */
    list: this.method('listMedia'),
    /** Every file from `after` on, page by page. */
    listAll: this.allItemsMethod('listMedia', PAGE_ROWS_MAX),
    /** Deletes a file that no post is waiting to publish. */
    delete: this.method('deleteMedia'),
  }

  readonly scheduledPosts = {
    /** The post, with its `etag` for an approval. */
    get: this.postMethod('getScheduledPost'),
    /** Says why a post that is due is not out yet; `wait` is null while it waits for nothing. */
    wait: this.method('getScheduledPostWait'),
    /** A human's decision about the version that they have read; that version is published at its time. */
    approve: this.postMethod('approveScheduledPost') as (
      organizationId: string,
      scheduledPostId: string,
      options: ChangeOptions & { ifMatch: string },
    ) => Promise<VersionedPost>,
    /** Schedules a FAILED post again, for the channels on which it failed. */
    retry: this.postMethod('retryScheduledPost'),
    /** One page of the changes of a post, oldest first, also of a deleted one. */
    history: this.itemsMethod('listScheduledPostHistory'),
    /** Every change of a post from `after` on, page by page. */
    historyAll: this.allItemsMethod('listScheduledPostHistory'),
    /** One page of the comments that were seen, newest first, with what superpowers decided about each. */
    comments: this.method('listPostComments'),
    /** Every one from `after` on, page by page. */
    commentsAll: this.allItemsMethod('listPostComments'),
    /** The counts of what its superpowers did, by channel. */
    superpowers: this.method('getSuperpowerReport'),
    /** Stops its superpower on a channel for good. Idempotent. */
    stopSuperpower: this.method('stopSuperpower'),
    /** Makes drafts of the lines of a CSV, or with `dryRun` tells what is wrong with them. Retries make none twice. */
    import: (organizationId: string, body: PostImport, { idempotencyKey, ...options }: CreateOptions = {}) =>
      this.call('importScheduledPosts', { organizationId, body }, options, once(idempotencyKey)),
    /** Lets the post repeat: a draft of its own for each time of the rule. Retries make none twice. */
    repeat: (
      organizationId: string,
      scheduledPostId: string,
      body: RecurrenceRule,
      { idempotencyKey, ...options }: CreateOptions = {},
    ) => this.call('createPostSeries', { organizationId, scheduledPostId, body }, options, once(idempotencyKey)),
    /** The series that the post belongs to, with its posts; null where it has none. */
    series: this.method('getSeriesOfPost'),
    /** Stops a series: its posts that lie ahead and are not decided yet go. Idempotent. */
    stopSeries: this.method('stopPostSeries'),
  }

  readonly savedTexts = {
    /** Saves a text, or a group of hashtags, for posts. */
    create: this.method('createSavedText'),
    /** All of them, by name. */
    list: this.method('listSavedTexts'),
    /** Renames it, or replaces what it says. Idempotent. */
    update: this.method('updateSavedText'),
    /** Posts that took it keep what they have. */
    delete: this.method('deleteSavedText'),
  }

  /** People talk about a post among themselves here, and with `shared` with people who have a review link. */
  readonly discussions = {
    /** One page of the messages, in the order in which they were written. */
    list: this.method('listDiscussionMessages'),
    /** Every message from `after` on, page by page. */
    listAll: this.allItemsMethod('listDiscussionMessages'),
    /** Writes a message, or a reply, which opens a resolved thread again. */
    create: this.method('createDiscussionMessage'),
    /** Changes a message that this token has written. */
    update: this.method('updateDiscussionMessage'),
    /** Deletes any message for good. */
    delete: this.method('deleteDiscussionMessage'),
    /** Marks the thread as resolved. Idempotent. */
    resolve: this.method('resolveDiscussionMessage'),
    /** Opens the thread again. Idempotent. */
    reopen: this.method('reopenDiscussionMessage'),
    /** One page of who wrote, edited, deleted, resolved and reopened messages, oldest first. */
    history: this.method('listDiscussionHistory'),
    historyAll: this.allItemsMethod('listDiscussionHistory'),
  }

  readonly superpowers = {
    /** Saves a superpower, so that posts can name it by its creativeTemplateId. */
    create: this.method('createSuperpower'),
    /** One page, by name, deactivated ones included. */
    list: this.itemsMethod('listOrganizationSuperpowers'),
    /** Every one from `after` on, page by page. */
    listAll: this.allItemsMethod('listOrganizationSuperpowers'),
    /** Renames it, or says with `active` whether posts can name it. Idempotent. */
    update: this.method('updateSuperpower'),
    /** Deletes it for good; posts that hold a copy keep it. */
    delete: this.method('deleteSuperpower'),
    /** Decides comments as it would, and tells what of it is not executed. Nothing is stored or sent. */
    explain: this.method('explainSuperpower'),
  }

  /** The raffles of posts that are out. */
  readonly raffles = {
    /** The raffles of a post, by channel. */
    list: this.method('listRaffles'),
    /** Lets the next rank win in the place of a winner. A repeat is refused: that one does not stand any more. */
    redraw: this.method('redrawRaffle'),
    /** A drawn raffle, to verify: it names nobody. */
    export: this.method('exportRaffle'),
  }

  /** The people of an organization. */
  readonly members = {
    /** By name. */
    list: this.method('listMembers'),
    /** Changes what the person may do, at once and in the sessions that the person has. */
    update: this.method('updateMember'),
    /** Lists what a removal would end, and the live keys that the person issued. */
    grants: this.method('getMemberGrants'),
    /** The account stays. `revokeKeys`: keys that the person issued, to be revoked in the same step. */
    remove: this.method('removeMember'),
  }

  readonly invitations = {
    /** The only answer that has the link. */
    create: this.method('createInvitation'),
    /** Those that can still be used, newest first. */
    list: this.method('listInvitations'),
    revoke: this.method('revokeInvitation'),
  }

  /** Everyone who has an account on the server. */
  readonly users = {
    /** Oldest first. */
    list: this.method('listPeople'),
    /** Lists what a deactivation would end, and the live keys that the person issued. */
    grants: this.method('getPersonGrants'),
    /** Makes the person an owner or not, deactivates the account or activates it. */
    update: this.method('updatePerson'),
    /** Deletes the account for good. `revokeKeys`: keys that the person issued, to be revoked in the same step. */
    delete: this.method('deletePerson'),
    /** The link by which a person becomes an owner of the server; an earlier one ends. */
    inviteOwner: this.method('inviteOwner'),
    /** The link that lets the person in, once. */
    createSignInLink: this.method('createSignInLink'),
    /** The most recently seen first. */
    sessions: this.method('listPersonSessions'),
    endSessions: this.method('endPersonSessions'),
    tokens: this.method('listPersonTokens'),
    revokeToken: this.method('revokePersonToken'),
    /** Removes the passkeys, the authenticator app and the recovery codes of a person, and ends the sessions. Idempotent. */
    resetSecondFactors: this.method('resetSecondFactors'),
  }

  readonly webhooks = {
    /** Oldest first. */
    list: this.method('listWebhooks'),
    /** The answer has the secret, and no other answer has it. */
    create: this.method('createWebhook'),
    /** Changes its name, address or events, or switches it off or on. Idempotent. */
    update: this.method('updateWebhook'),
    /** Deliveries that are pending fail. */
    delete: this.method('deleteWebhook'),
    /** The answer has the new secret; the one before signs beside it for a day. */
    rotateSecret: this.method('rotateWebhookSecret'),
    /** Sends an event of type test. */
    test: this.method('testWebhook'),
    /** One page of what was sent, latest first. */
    deliveries: this.method('listWebhookDeliveries'),
    /** Every delivery from `after` on, page by page. */
    deliveriesAll: this.allItemsMethod('listWebhookDeliveries', PAGE_ROWS_MAX),
    /** A delivery with the body that is sent and the beginning of the last answer. */
    delivery: this.method('getWebhookDelivery'),
    /** Sends a delivery again, with the same id. */
    resend: this.method('resendWebhookDelivery'),
  }

  readonly audit = {
    /** One page of the changes of the server as a whole: accounts, links and sessions; newest first. */
    listServer: this.method('listServerAuditTrail'),
    /** One page of who changed what in the organization, newest first. */
    list: this.method('listAuditTrail'),
    /** Every page from `after` on, of the largest size unless `limit` is given. */
    pages: this.pagesMethod('listAuditTrail', PAGE_ROWS_MAX),
    /** Every entry from `after` on, page by page. */
    listAll: this.allItemsMethod('listAuditTrail', PAGE_ROWS_MAX),
  }

  /** The server as a whole. */
  readonly server = {
    /** Reads how its parts are, its last backup, and which master key seals its secrets. */
    health: this.method('getServerHealth'),
  }

  readonly masterKey = {
    /** The next step of a rotation, to be repeated with the `after` of each answer until one has none. */
    rotate: this.method('rotateMasterKey'),
  }

  readonly backups = {
    /**
     * Makes a backup of the whole server, and gives its bytes as they arrive. An answer that ends early throws. Unless
     * `timeoutMs` is given, it may begin at any time, and each part may take five minutes.
     */
    create: (body: NewBackup = {}, options?: RequestOptions) =>
      this.call('createBackup', { body }, options, { patience: BACKUP_PATIENCE }),
  }

  readonly caller = {
    /** The caller, and what the caller may do. */
    get: this.method('getCaller'),
  }

  constructor(options: GreenroomOperatorOptions, runtime: Runtime = systemRuntime) {
    super(new Transport(options.baseUrl, new Bearer(options.token), options, runtime), API_ROUTES)
  }
}

/** An upload takes as long as it is large. */
const unhurried = ({ timeoutMs = Number.POSITIVE_INFINITY, ...options }: RequestOptions = {}): RequestOptions => ({
  ...options,
  timeoutMs,
})
