import type {
  AuditPage,
  AuditQuery,
  IssuedKey,
  IssuedOperatorToken,
  Key,
  NewKey,
  NewOperatorToken,
  OperatorToken,
  Organization,
  OrganizationPatch,
} from '../interface/access.ts'
import type { Flag, VipMark, VipUserList, VipUserQuery } from '../interface/audience.ts'
import type {
  Channel,
  ChannelDeletion,
  ChannelPatch,
  ChannelQuery,
  NewChannel,
  NewWorkspace,
  PlatformToken,
  Workspace,
  WorkspaceDeletion,
} from '../interface/channels.ts'
import type { HashtagConflict, Message, ValidationDetail } from '../interface/errors.ts'
import type { ConnectedAdAccount, DailyInsightsList, DailyInsightsQuery, NewAdAccount } from '../interface/insights.ts'
import type { Media, MediaPage } from '../interface/media.ts'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookDeliveryQuery,
  WebhookPut,
  WebhookWithSecret,
} from '../interface/notifications.ts'
import type {
  Acceptance,
  EntryLink,
  Grants,
  Invitation,
  InvitationView,
  IssuedInvitation,
  LinkSignIn,
  LinkToken,
  ListedPerson,
  Me,
  Member,
  MemberPatch,
  MemberRemovalQuery,
  NewInvitation,
  OidcRedirect,
  OidcReturn,
  OidcStart,
  OwnNotifications,
  OwnNotificationsPut,
  PasswordChange,
  PasswordSignIn,
  PersonPatch,
  RemovedMember,
  Session,
  SeveralAccounts,
  SignedOut,
  SignInOptions,
} from '../interface/people.ts'
import type {
  LastReview,
  NewScheduledPost,
  PostChange,
  PostHistoryQuery,
  Rejection,
  Retry,
  ScheduledPost,
  ScheduledPostPatch,
  ScheduledPostQuery,
} from '../interface/posts.ts'
import type { IssuedReviewLink, NewReviewLink, PostForReview, ReviewLink } from '../interface/reviews.ts'
import type {
  PasskeyProof,
  PasskeyRequest,
  SecondFactorNeeded,
  SecondFactorReset,
} from '../interface/second-factors.ts'
import type { NewSuperpower, SavedSuperpower, SuperpowerPatch, SuperpowerQuery } from '../interface/superpowers.ts'
import { at, urlOf } from './address.ts'
import { askToConfirm, NotConfirmed } from './confirmation.ts'
import { connection, secondStep, sessionEnded } from './connection.ts'
import { takeEarly } from './early.ts'

/** An answer that is no success, or none at all (`status` 0). `message` is the service's own sentence. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string
  readonly conflicts: HashtagConflict[]
  readonly details: ValidationDetail[]
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, headers: Headers | undefined, body: unknown) {
    const {
      message = '',
      conflicts = [],
      error = [],
    } = (body ?? {}) as Partial<Message> & {
      conflicts?: HashtagConflict[]
      error?: ValidationDetail[]
    }
    super(message)
    this.status = status
    this.code = headers?.get('x-error-code') ?? (status === 0 ? 'unreachable' : 'unknown')
    this.requestId = headers?.get('x-request-id') ?? ''
    this.conflicts = conflicts
    this.details = error
    const seconds = Number(headers?.get('retry-after') ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined
  }
}

const OVER = new Set(['session_missing', 'session_ended', 'second_factor_needed'])

/** True when the person has to sign in, or to finish signing in. */
export const isSessionOver = (error: unknown): boolean => error instanceof ApiError && OVER.has(error.code)

/**
 * Counts changes: a sign-in and some others replace the session, so an answer to a call that was sent before the last one says
 * nothing about the session of now.
 */
let changes = 0

function noteSession(error: ApiError, sentAt: number): void {
  if (sentAt !== changes || !isSessionOver(error)) return
  sessionEnded.set(true)
  secondStep.set(error.code === 'second_factor_needed')
}

interface CallOptions {
  query?: object | undefined
  body?: object | undefined
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** In place of that of the session. */
  root?: string
}

interface Answer<T> {
  body: T
  etag: string | undefined
  nextCursor: string | undefined
}

/** The last answer of each read that has an ETag, so that an unchanged one is not sent again. */
const known = new Map<string, Answer<unknown>>()
const KNOWN_MAX = 100

/** Sends a call; where the service wants the person to confirm it first, asks them, and sends it once more. */
export async function send<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
  try {
    return await sendOnce<T>(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirmation_needed' || method === 'GET') throw error
    if (!(await askToConfirm())) throw new NotConfirmed()
    return await sendOnce<T>(method, path, options)
  }
}

/** Throws an ApiError for every answer that is no success, and for none. */
async function sendOnce<T>(method: string, path: string, options: CallOptions): Promise<Answer<T>> {
  const sentAt = changes
  const { query, body, headers = {}, signal, root } = options
  const url = urlOf(path, query, root)
  const before = method === 'GET' ? known.get(url) : undefined
  const early = method === 'GET' ? await takeEarly(url) : undefined
  const response =
    early ??
    (await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(before?.etag === undefined ? {} : { 'if-none-match': before.etag }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal ?? null,
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      connection.set('lost')
      throw new ApiError(0, undefined, undefined)
    }))
  const isAway = response.status === 502 || response.status === 503 || response.status === 504
  // A proxy answers for a service that is away; the service's own answers carry a code.
  connection.set(isAway && response.headers.get('x-error-code') === null ? 'lost' : 'there')
  if (response.status === 304 && before !== undefined) return before as Answer<T>
  const text = await response.text()
  const parsed: unknown = text === '' ? undefined : parseJson(text)
  if (!response.ok) {
    const error = new ApiError(response.status, response.headers, parsed)
    noteSession(error, sentAt)
    throw error
  }
  if (method !== 'GET') changes += 1
  const answer = {
    body: parsed as T,
    etag: response.headers.get('etag') ?? undefined,
    nextCursor: response.headers.get('x-next-cursor') ?? undefined,
  }
  if (method === 'GET' && answer.etag !== undefined) {
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    known.set(url, answer)
  }
  return answer
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is known of the last person must not be shown to the next. */
export const forgetAnswers = (): void => known.clear()

/** A post as it was read: `etag` names the version. */
export interface VersionedPost {
  post: ScheduledPost
  etag: string
}

const versioned = ({ body, etag }: Answer<ScheduledPost>): VersionedPost => ({ post: body, etag: etag ?? '' })
export const bodyOf = <T>({ body }: Answer<T>): T => body

export type Options = Pick<CallOptions, 'signal'>

export interface Page<T> {
  items: T[]
  nextCursor: string | undefined
}

// One function for each operation that the console uses.

export const listWorkspaces = (organizationId: string, options?: Options): Promise<Workspace[]> =>
  send<Workspace[]>('GET', at(organizationId, 'workspaces'), options).then(bodyOf)

export const listChannels = (organizationId: string, query: ChannelQuery = {}, options?: Options): Promise<Channel[]> =>
  send<Channel[]>('GET', at(organizationId, 'channels'), { ...options, query }).then(bodyOf)

export const listScheduledPosts = (
  organizationId: string,
  query: ScheduledPostQuery,
  options?: Options,
): Promise<Page<ScheduledPost>> =>
  send<ScheduledPost[]>('GET', at(organizationId, 'scheduled-posts'), { ...options, query }).then(
    ({ body, nextCursor }) => ({ items: body, nextCursor }),
  )

export const getScheduledPost = (organizationId: string, id: string, options?: Options): Promise<VersionedPost> =>
  send<ScheduledPost>('GET', at(organizationId, 'scheduled-posts', id), options).then(versioned)

/** `idempotencyKey`: the same for each try, so that a repeat makes no second post. */
export const createScheduledPost = (
  organizationId: string,
  body: NewScheduledPost,
  idempotencyKey: string,
): Promise<VersionedPost> =>
  send<ScheduledPost>('POST', at(organizationId, 'scheduled-posts'), {
    body,
    headers: { 'idempotency-key': idempotencyKey },
  }).then(versioned)

export const updateScheduledPost = (
  organizationId: string,
  id: string,
  body: ScheduledPostPatch,
  etag: string,
): Promise<VersionedPost> =>
  send<ScheduledPost>('PATCH', at(organizationId, 'scheduled-posts', id), {
    body,
    headers: { 'if-match': etag },
  }).then(versioned)

export const deleteScheduledPost = (organizationId: string, id: string, etag: string): Promise<unknown> =>
  send('DELETE', at(organizationId, 'scheduled-posts', id), { headers: { 'if-match': etag } })

/** A change of a post's status, of the version that the caller has seen. */
function decide(organizationId: string, id: string, what: string, etag: string, body?: object): Promise<VersionedPost> {
  const path = at(organizationId, 'scheduled-posts', id, what)
  return send<ScheduledPost>('POST', path, { body, headers: { 'if-match': etag } }).then(versioned)
}

export const submitScheduledPost = (organizationId: string, id: string, etag: string) =>
  decide(organizationId, id, 'submit-for-approval', etag)
export const approveScheduledPost = (organizationId: string, id: string, etag: string) =>
  decide(organizationId, id, 'approve', etag)
export const rejectScheduledPost = (organizationId: string, id: string, etag: string, body: Rejection) =>
  decide(organizationId, id, 'reject', etag, body)
export const revertScheduledPost = (organizationId: string, id: string, etag: string) =>
  decide(organizationId, id, 'revert', etag)
export const retryScheduledPost = (organizationId: string, id: string, etag: string, body: Retry) =>
  decide(organizationId, id, 'retry', etag, body)

export const listScheduledPostHistory = (
  organizationId: string,
  id: string,
  query: PostHistoryQuery = {},
  options?: Options,
): Promise<Page<PostChange>> =>
  send<PostChange[]>('GET', at(organizationId, 'scheduled-posts', id, 'history'), { ...options, query }).then(
    ({ body, nextCursor }) => ({ items: body, nextCursor }),
  )

export const listSuperpowers = (
  organizationId: string,
  query: SuperpowerQuery = {},
  options?: Options,
): Promise<Page<SavedSuperpower>> =>
  send<SavedSuperpower[]>('GET', at(organizationId, 'superpowers'), { ...options, query }).then(
    ({ body, nextCursor }) => ({ items: body, nextCursor }),
  )

export const listVipUsers = (
  organizationId: string,
  query: VipUserQuery & { hasBirthday?: Flag },
  options?: Options,
): Promise<VipUserList> => send<VipUserList>('GET', at(organizationId, 'vip-users'), { ...options, query }).then(bodyOf)

/** Marks, or unmarks, a conversation as a VIP of the workspace. Idempotent. */
export const setVipMark = (organizationId: string, mark: VipMark): Promise<VipMark> => {
  const { workspaceId, channelId, conversationId } = mark
  const path = at(organizationId, 'workspaces', workspaceId, 'channels', channelId, 'vips', conversationId)
  return send<VipMark>(mark.vip ? 'PUT' : 'DELETE', path).then(bodyOf)
}

export const listMembers = (organizationId: string, options?: Options): Promise<Member[]> =>
  send<Member[]>('GET', at(organizationId, 'members'), options).then(bodyOf)

export const listReviewLinks = (organizationId: string, id: string, options?: Options): Promise<ReviewLink[]> =>
  send<ReviewLink[]>('GET', at(organizationId, 'scheduled-posts', id, 'review-links'), options).then(bodyOf)
export const createReviewLink = (organizationId: string, id: string, body: NewReviewLink): Promise<IssuedReviewLink> =>
  send<IssuedReviewLink>('POST', at(organizationId, 'scheduled-posts', id, 'review-links'), { body }).then(bodyOf)
export const revokeReviewLink = (organizationId: string, id: string, linkId: string): Promise<unknown> =>
  send('DELETE', at(organizationId, 'scheduled-posts', id, 'review-links', linkId))

// Of one who holds a link to a post, and has no session.

const REVIEW_ROOT = new URL('review/api', document.baseURI).href
const byLink = (token: string, etag?: string) => ({
  root: REVIEW_ROOT,
  headers: { authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'if-match': etag }) },
})

/** A post as who holds the link has read it: `etag` names the version. */
export interface VersionedReview {
  review: PostForReview
  etag: string
}

export const getReview = (token: string, options?: Options): Promise<VersionedReview> =>
  send<PostForReview>('GET', '/post', { ...byLink(token), ...options }).then(({ body, etag }) => ({
    review: body,
    etag: etag ?? '',
  }))
export const approveByLink = (token: string, etag: string): Promise<unknown> =>
  send('POST', '/approve', byLink(token, etag))
export const returnByLink = (token: string, etag: string, body: Rejection): Promise<unknown> =>
  send('POST', '/return', { ...byLink(token, etag), body })

export const getLastReview = (organizationId: string, id: string, options?: Options): Promise<LastReview> =>
  send<LastReview>('GET', at(organizationId, 'scheduled-posts', id, 'last-review'), options).then(bodyOf)

export const createSuperpower = (organizationId: string, body: NewSuperpower): Promise<SavedSuperpower> =>
  send<SavedSuperpower>('POST', at(organizationId, 'superpowers'), { body }).then(bodyOf)
export const updateSuperpower = (organizationId: string, id: string, body: SuperpowerPatch): Promise<SavedSuperpower> =>
  send<SavedSuperpower>('PATCH', at(organizationId, 'superpowers', id), { body }).then(bodyOf)
export const deleteSuperpower = (organizationId: string, id: string): Promise<unknown> =>
  send('DELETE', at(organizationId, 'superpowers', id))

export const listMedia = (organizationId: string, options?: Options): Promise<MediaPage> =>
  send<MediaPage>('GET', at(organizationId, 'media'), { ...options, query: { limit: 200 } }).then(bodyOf)

/** Sends a file; `onProgress` hears how much of it is there, from 0 to 1. An abort is an ApiError of status 0. */
export function uploadMedia(
  organizationId: string,
  file: File,
  { onProgress, signal }: { onProgress: (part: number) => void; signal: AbortSignal },
): Promise<Media> {
  const sentAt = changes
  // Of a fetch no progress is told.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onerror = () => reject(new ApiError(0, undefined, undefined))
    request.onabort = request.onerror
    request.onload = () => {
      const body = parseJson(request.responseText)
      if (request.status === 201) return resolve(body as Media)
      const names = ['x-error-code', 'x-request-id', 'retry-after']
      const known = names.flatMap((name): [string, string][] => {
        const value = request.getResponseHeader(name)
        return value === null ? [] : [[name, value]]
      })
      const error = new ApiError(request.status, new Headers(known), body)
      noteSession(error, sentAt)
      reject(error)
    }
    signal.onabort = () => request.abort()
    request.open('POST', urlOf(at(organizationId, 'media')))
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.send(file)
  })
}

export const listAdAccounts = (organizationId: string, options?: Options): Promise<ConnectedAdAccount[]> =>
  send<ConnectedAdAccount[]>('GET', at(organizationId, 'ad-accounts'), options).then(bodyOf)
export const createAdAccount = (organizationId: string, body: NewAdAccount): Promise<ConnectedAdAccount> =>
  send<ConnectedAdAccount>('POST', at(organizationId, 'ad-accounts'), { body }).then(bodyOf)
export const connectAdAccount = (
  organizationId: string,
  id: string,
  body: PlatformToken,
): Promise<ConnectedAdAccount> =>
  send<ConnectedAdAccount>('PATCH', at(organizationId, 'ad-accounts', id), { body }).then(bodyOf)
export const listDailyInsights = (
  organizationId: string,
  adAccountId: string,
  query: DailyInsightsQuery,
  options?: Options,
): Promise<DailyInsightsList> =>
  send<DailyInsightsList>('GET', at(organizationId, 'ad-accounts', adAccountId, 'campaigns', 'daily-insights'), {
    ...options,
    query,
  }).then(bodyOf)

export const listAuditTrail = (organizationId: string, query: AuditQuery, options?: Options): Promise<AuditPage> =>
  send<AuditPage>('GET', at(organizationId, 'audit'), { ...options, query }).then(bodyOf)

// Settings of an organization.

export const updateOrganization = (organizationId: string, body: OrganizationPatch): Promise<Organization> =>
  send<Organization>('PATCH', at(organizationId), { body }).then(bodyOf)

export const createWorkspace = (organizationId: string, body: NewWorkspace): Promise<Workspace> =>
  send<Workspace>('POST', at(organizationId, 'workspaces'), { body }).then(bodyOf)
export const renameWorkspace = (organizationId: string, id: string, name: string): Promise<Workspace> =>
  send<Workspace>('PATCH', at(organizationId, 'workspaces', id), { body: { name } }).then(bodyOf)
/** Until nothing is left: each call deletes so many rows, and one that finds nothing any more has been overtaken. */
async function deleteAll(path: string, query?: object): Promise<void> {
  for (let calls = 0; ; calls += 1) {
    try {
      if ((await send<ChannelDeletion | WorkspaceDeletion>('DELETE', path, { query })).body.done) return
    } catch (error) {
      if (calls > 0 && error instanceof ApiError && error.status === 404) return
      throw error
    }
  }
}

/** With its VIP marks. */
export const deleteWorkspace = (organizationId: string, id: string): Promise<void> =>
  deleteAll(at(organizationId, 'workspaces', id))
/** With its people. Refused with `channel_in_use` while posts are about to be published there, unless they may fail. */
export const deleteChannel = (organizationId: string, id: string, { force }: { force: boolean }): Promise<void> =>
  deleteAll(at(organizationId, 'channels', id), { force })
/** Connects a channel to a workspace, or disconnects it. Idempotent. */
export const setConnection = (
  organizationId: string,
  workspaceId: string,
  channelId: string,
  on: boolean,
): Promise<unknown> => send(on ? 'PUT' : 'DELETE', at(organizationId, 'workspaces', workspaceId, 'channels', channelId))

export const createChannel = (organizationId: string, body: NewChannel): Promise<Channel> =>
  send<Channel>('POST', at(organizationId, 'channels'), { body }).then(bodyOf)
export const updateChannel = (organizationId: string, id: string, body: ChannelPatch): Promise<Channel> =>
  send<Channel>('PATCH', at(organizationId, 'channels', id), { body }).then(bodyOf)

export const getOwnNotifications = (organizationId: string, options?: Options): Promise<OwnNotifications> =>
  send<OwnNotifications>('GET', at(organizationId, 'own-notifications'), options).then(bodyOf)
export const setOwnNotifications = (organizationId: string, body: OwnNotificationsPut): Promise<OwnNotifications> =>
  send<OwnNotifications>('PUT', at(organizationId, 'own-notifications'), { body }).then(bodyOf)

/** `webhook` is missing where the organization has none. */
export const getWebhook = (organizationId: string, options?: Options): Promise<{ webhook?: Webhook }> =>
  send<Webhook>('GET', at(organizationId, 'webhook'), options).then(
    ({ body }) => ({ webhook: body }),
    (error: unknown) => {
      if (error instanceof ApiError && error.code === 'webhook_not_found') return {}
      throw error
    },
  )
export const setWebhook = (organizationId: string, body: WebhookPut): Promise<WebhookWithSecret> =>
  send<WebhookWithSecret>('PUT', at(organizationId, 'webhook'), { body }).then(bodyOf)
export const rotateWebhookSecret = (organizationId: string): Promise<WebhookWithSecret> =>
  send<WebhookWithSecret>('POST', at(organizationId, 'webhook', 'secret')).then(bodyOf)
export const deleteWebhook = (organizationId: string): Promise<Webhook> =>
  send<Webhook>('DELETE', at(organizationId, 'webhook')).then(bodyOf)
export const testWebhook = (organizationId: string): Promise<WebhookDelivery> =>
  send<WebhookDelivery>('POST', at(organizationId, 'webhook', 'test')).then(bodyOf)
export const listWebhookDeliveries = (
  organizationId: string,
  query: WebhookDeliveryQuery,
  options?: Options,
): Promise<WebhookDeliveryPage> =>
  send<WebhookDeliveryPage>('GET', at(organizationId, 'webhook', 'deliveries'), { query, ...options }).then(bodyOf)
export const resendWebhookDelivery = (organizationId: string, id: string): Promise<WebhookDelivery> =>
  send<WebhookDelivery>('POST', at(organizationId, 'webhook', 'deliveries', id, 'send')).then(bodyOf)

export const listKeys = (organizationId: string, options?: Options): Promise<Key[]> =>
  send<Key[]>('GET', at(organizationId, 'keys'), options).then(bodyOf)
export const issueKey = (organizationId: string, body: NewKey): Promise<IssuedKey> =>
  send<IssuedKey>('POST', at(organizationId, 'keys'), { body }).then(bodyOf)
export const revokeKey = (organizationId: string, id: string): Promise<Key> =>
  send<Key>('DELETE', at(organizationId, 'keys', id)).then(bodyOf)

export const updateMember = (organizationId: string, id: string, body: MemberPatch): Promise<Member> =>
  send<Member>('PATCH', at(organizationId, 'members', id), { body }).then(bodyOf)
/** Lists what ends when the person is removed, and the keys that they issued. */
export const listGrants = (organizationId: string, id: string, options?: Options): Promise<Grants> =>
  send<Grants>('GET', at(organizationId, 'members', id, 'grants'), options).then(bodyOf)
/** `revokeKeys`: ids of keys that the person issued. */
export const removeMember = (organizationId: string, id: string, revokeKeys: string[]): Promise<RemovedMember> =>
  send<RemovedMember>('DELETE', at(organizationId, 'members', id), {
    query: { revokeKeys: revokeKeys.join() } satisfies MemberRemovalQuery,
  }).then(bodyOf)
export const listInvitations = (organizationId: string, options?: Options): Promise<Invitation[]> =>
  send<Invitation[]>('GET', at(organizationId, 'invitations'), options).then(bodyOf)
export const createInvitation = (organizationId: string, body: NewInvitation): Promise<IssuedInvitation> =>
  send<IssuedInvitation>('POST', at(organizationId, 'invitations'), { body }).then(bodyOf)
export const revokeInvitation = (organizationId: string, id: string): Promise<unknown> =>
  send('DELETE', at(organizationId, 'invitations', id))

// Of the server as a whole.

export const listOrganizations = (after: string | undefined, options?: Options): Promise<Page<Organization>> =>
  send<Organization[]>('GET', '/organizations', { ...options, query: { after } }).then(({ body, nextCursor }) => ({
    items: body,
    nextCursor,
  }))
export const createOrganization = (name: string): Promise<Organization> =>
  send<Organization>('POST', '/organizations', { body: { name } }).then(bodyOf)
export const listOperatorTokens = (options?: Options): Promise<OperatorToken[]> =>
  send<OperatorToken[]>('GET', '/operator-tokens', options).then(bodyOf)
export const issueOperatorToken = (body: NewOperatorToken): Promise<IssuedOperatorToken> =>
  send<IssuedOperatorToken>('POST', '/operator-tokens', { body }).then(bodyOf)
export const revokeOperatorToken = (name: string): Promise<unknown> =>
  send('DELETE', `/operator-tokens/${encodeURIComponent(name)}`)
export const listPeople = (options?: Options): Promise<ListedPerson[]> =>
  send<ListedPerson[]>('GET', '/people', options).then(bodyOf)
export const confirmMail = (personId: string): Promise<unknown> =>
  send('PATCH', `/people/${encodeURIComponent(personId)}`, { body: { mailProven: true } satisfies PersonPatch })
export const resetSecondFactors = (personId: string): Promise<SecondFactorReset> =>
  send<SecondFactorReset>('DELETE', `/people/${encodeURIComponent(personId)}/second-factors`).then(bodyOf)
export const inviteOwner = (): Promise<EntryLink> => send<EntryLink>('POST', '/owner-invitation').then(bodyOf)

// Of the person who is signed in.

export const getMe = (options?: Options): Promise<Me> => send<Me>('GET', '/me', options).then(bodyOf)
export const getSignInOptions = (): Promise<SignInOptions> => send<SignInOptions>('GET', '/sign-in').then(bodyOf)
/** Half a session may come of it: the service then refuses every call but those of the second factor. */
type Entered = Promise<Me | SecondFactorNeeded>
export const signIn = (body: PasswordSignIn): Promise<Me | SecondFactorNeeded | SeveralAccounts> =>
  send<Me | SecondFactorNeeded | SeveralAccounts>('POST', '/sign-in', { body }).then(bodyOf)
export const signInByLink = (body: LinkSignIn): Entered =>
  send<Me | SecondFactorNeeded>('POST', '/sign-in/link', { body }).then(bodyOf)
export const beginPasskeySignIn = (): Promise<PasskeyRequest> =>
  send<PasskeyRequest>('POST', '/sign-in/passkey/begin').then(bodyOf)
export const finishPasskeySignIn = (body: PasskeyProof): Promise<Me> =>
  send<Me>('POST', '/sign-in/passkey/finish', { body }).then(bodyOf)
export const readInvitation = (body: LinkToken): Promise<InvitationView> =>
  send<InvitationView>('POST', '/invitation/read', { body }).then(bodyOf)
export const acceptInvitation = (body: Acceptance): Entered =>
  send<Me | SecondFactorNeeded>('POST', '/invitation/accept', { body }).then(bodyOf)
export const beginOidcSignIn = (body: OidcStart): Promise<OidcRedirect> =>
  send<OidcRedirect>('POST', '/sign-in/oidc', { body }).then(bodyOf)
export const finishOidcSignIn = (body: OidcReturn): Entered =>
  send<Me | SecondFactorNeeded>('POST', '/sign-in/oidc/finish', { body }).then(bodyOf)
export const signOut = (): Promise<SignedOut> => send<SignedOut>('POST', '/sign-out').then(bodyOf)
export const signOutEverywhere = (): Promise<unknown> => send('DELETE', '/sessions')
export const changePassword = (body: PasswordChange): Promise<unknown> => send('PUT', '/me/password', { body })
export const listSessions = (options?: Options): Promise<Session[]> =>
  send<Session[]>('GET', '/sessions', options).then(bodyOf)
export const endSession = (id: string): Promise<unknown> => send('DELETE', `/sessions/${encodeURIComponent(id)}`)
