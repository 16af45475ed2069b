import { type AnswerOf, type InputOf, type Method, readRoute } from '../interface/calls.ts'
import { API_ROUTES, REVIEW_ROUTES } from '../interface/generated/routes.ts'
import type {
  HashtagConflict,
  ListMessagesForReviewQuery,
  Me,
  Media,
  Message,
  NewPostByPerson,
  NewReviewMessage,
  PostForPeople,
  Rejection,
  ReviewMessagePatch,
  ValidationDetail,
  VipMark,
} from '../interface/generated/types.ts'
import { isVisibleName } from '../interface/names.ts'
import { urlOf } from './address.ts'
import { askToConfirm, NotConfirmed } from './confirmation.ts'
import { connection, secondStep, sessionEnded } from './connection.ts'
import { takeEarly } from './early.ts'

/** A failed call: an error answer, or no answer at all (`status` 0). `message` is the service's own text. */
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

/** Returns true if the person has to sign in, or to finish signing in. */
export const isSessionOver = (error: unknown): boolean => error instanceof ApiError && OVER.has(error.code)

/**
 * Counts session changes. Signing in, among others, replaces the session; an answer to a call sent before the last change
 * says nothing about the current session.
 */
let changes = 0

function noteSession(error: ApiError, sentAt: number): void {
  if (sentAt !== changes || !isSessionOver(error)) return
  sessionEnded.set(true)
  secondStep.set(error.code === 'second_factor_needed')
}

interface CallOptions {
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** The base address, if it is not that of the session's API. Review pages have their own. */
  root?: string
}

interface Answer<T> {
  body: T
  etag: string | undefined
}

/** The last answer of each read with an ETag, so that unchanged data is not sent again. */
const known = new Map<string, Answer<unknown>>()
const KNOWN_MAX = 100

const ROUTES = { ...API_ROUTES, ...REVIEW_ROUTES }
type Routes = typeof ROUTES

/** Sends a call. If the service requires confirmation, asks the person and sends it once more. */
async function send<Id extends keyof Routes>(
  operation: Id,
  input: InputOf<Routes[Id], Id>,
  { headers, signal, root }: CallOptions = {},
): Promise<Answer<AnswerOf<Id>>> {
  const { query, body } = input as { query?: object; body?: object }
  const { method, path } = readRoute(ROUTES[operation], input)
  const request = { method, url: urlOf(path, query, root), body, headers, signal }
  try {
    return await sendOnce(request)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirmation_needed' || method === 'GET') throw error
    if (!(await askToConfirm())) throw new NotConfirmed()
    return await sendOnce(request)
  }
}

/** Sends a call and returns only the body. */
export const call = async <Id extends keyof Routes>(
  operation: Id,
  input: InputOf<Routes[Id], Id>,
  options?: CallOptions,
): Promise<AnswerOf<Id>> => (await send(operation, input, options)).body

interface Request {
  method: Method
  url: string
  body: object | undefined
  headers: Record<string, string> | undefined
  signal: AbortSignal | undefined
}

/** Sends a call once. Throws an ApiError unless the answer is a success. */
async function sendOnce<T>({ method, url, body, headers, signal }: Request): Promise<Answer<T>> {
  const sentAt = changes
  // All review links share one address, so the token is part of the key.
  const name = `${url} ${headers?.authorization ?? ''}`
  const before = method === 'GET' ? known.get(name) : undefined
  const response =
    (method === 'GET' ? await takeEarly(url) : undefined) ??
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
  // A proxy answers while the service is down; only the service's own answers carry an error code.
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
  const answer = { body: parsed as T, etag: response.headers.get('etag') ?? undefined }
  if (method === 'GET' && answer.etag !== undefined) {
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    known.set(name, answer)
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

/** Returns true if the service now serves a different build of the console. */
export async function isReplaced(): Promise<boolean> {
  const own = [...document.querySelectorAll('script[type=module][src]')].map((script) => script.getAttribute('src')!)
  try {
    const response = await fetch(document.baseURI, { headers: { accept: 'text/html' }, cache: 'no-store' })
    if (!response.ok) return false
    const page = await response.text()
    return own.some((src) => !page.includes(src))
  } catch {
    return false
  }
}

/** Prevents one person's answers from being shown to the next. */
export const forgetAnswers = (): void => known.clear()

/** A post and the ETag of the version that was read. */
export interface VersionedPost {
  post: PostForPeople
  etag: string
}

export type Options = Pick<CallOptions, 'signal'>

type Input<Id extends keyof Routes> = InputOf<Routes[Id], Id>

/**
 * Creates the function of an operation. Its arguments are the named parts of the input, in this order, followed by the
 * options. The types reject lists that leave out a part of the input.
 */
function operation<Id extends keyof Routes, const Names extends readonly (keyof Input<Id>)[]>(
  id: Id & (keyof Input<Id> extends Names[number] ? unknown : never),
  ...names: Names
) {
  type Values = { [Index in keyof Names]: Input<Id>[Names[Index]] }
  return (...given: [...values: Values, options?: Options]): Promise<AnswerOf<Id>> => {
    const input = Object.fromEntries(names.map((name, index) => [name, given[index]]))
    return call<Id>(id, input as Input<Id>, given[names.length] as Options | undefined)
  }
}

interface Named {
  id: string
  name: string
}

/** Shows the id instead of an invisible name. Such names are older than the rule against them. */
const withVisibleName = <Row extends Named>(row: Row): Row => (isVisibleName(row.name) ? row : { ...row, name: row.id })

const named =
  <Given extends unknown[], Row extends Named>(list: (...given: Given) => Promise<Row[]>) =>
  async (...given: Given): Promise<Row[]> =>
    (await list(...given)).map(withVisibleName)

// Operations with functions of their own. Pages call all others by name.

export const listWorkspaces = named(operation('listWorkspaces', 'organizationId'))
export const listChannels = named(operation('listOrganizationChannels', 'organizationId', 'query'))

export const listScheduledPosts = operation('listOrganizationScheduledPosts', 'organizationId', 'query')
export const listScheduledPostHistory = operation(
  'listScheduledPostHistory',
  'organizationId',
  'scheduledPostId',
  'query',
)
export const getLastReview = operation('getLastReview', 'organizationId', 'scheduledPostId')
export const getScheduledPostWait = operation('getScheduledPostWait', 'organizationId', 'scheduledPostId')

type PostChange =
  | 'updateOrganizationScheduledPost'
  | 'undoDecision'
  | 'submitScheduledPostForApproval'
  | 'approveScheduledPost'
  | 'rejectScheduledPost'
  | 'revertScheduledPost'
  | 'retryScheduledPost'

/** Calls an operation on a post and returns the new version. */
const post = async <Id extends 'getScheduledPost' | 'createOrganizationScheduledPost' | PostChange>(
  id: Id,
  input: Input<Id>,
  options?: CallOptions,
): Promise<VersionedPost> => {
  const { body, etag = '' } = await send(id, input, options)
  return { post: body as PostForPeople, etag }
}
const ifMatch = (etag: string): CallOptions => ({ headers: { 'if-match': etag } })

/** Returns a function that changes a post if it is still at version `etag`. */
const change =
  <Id extends PostChange>(id: Id) =>
  (
    organizationId: string,
    scheduledPostId: string,
    etag: string,
    ...[body]: Input<Id> extends { body: infer Body } ? [body: Body] : []
  ) =>
    post(id, { organizationId, scheduledPostId, body } as unknown as Input<Id>, ifMatch(etag))

export const getScheduledPost = (organizationId: string, scheduledPostId: string, options?: Options) =>
  post('getScheduledPost', { organizationId, scheduledPostId }, options)
/** Retries send the same `idempotencyKey`, so that only one post is created. */
export const createScheduledPost = (organizationId: string, body: NewPostByPerson, idempotencyKey: string) =>
  post('createOrganizationScheduledPost', { organizationId, body }, { headers: { 'idempotency-key': idempotencyKey } })
export const updateScheduledPost = change('updateOrganizationScheduledPost')
export const undoDecision = change('undoDecision')
export const submitScheduledPost = change('submitScheduledPostForApproval')
export const approveScheduledPost = change('approveScheduledPost')
export const rejectScheduledPost = change('rejectScheduledPost')
export const revertScheduledPost = change('revertScheduledPost')
export const retryScheduledPost = change('retryScheduledPost')
export const checkPostMedia = operation('checkPostMedia', 'organizationId', 'scheduledPostId')
export const deleteScheduledPost = (organizationId: string, scheduledPostId: string, etag: string) =>
  call('deleteScheduledPost', { organizationId, scheduledPostId }, ifMatch(etag))

export const listSuperpowers = operation('listOrganizationSuperpowers', 'organizationId', 'query')
export const createSuperpower = operation('createSuperpower', 'organizationId', 'body')
export const updateSuperpower = operation('updateSuperpower', 'organizationId', 'creativeTemplateId', 'body')
export const deleteSuperpower = operation('deleteSuperpower', 'organizationId', 'creativeTemplateId')

/** Marks or unmarks a conversation as a VIP of the workspace. Idempotent. */
export const setVipMark = (organizationId: string, { vip, ...conversation }: VipMark) =>
  call(vip ? 'markVip' : 'unmarkVip', { organizationId, ...conversation })

export const listCalendarPosts = operation('listCalendarPosts', 'organizationId', 'query')
export const listPostingSlots = operation('listPostingSlots', 'organizationId')

// Calls made by the holder of a review link, without a session.

const REVIEW_ROOT = new URL('api/review', document.baseURI).href
const byLink = (token: string, etag?: string) => ({
  root: REVIEW_ROOT,
  headers: { authorization: `Bearer ${token}`, ...(etag === undefined ? {} : { 'if-match': etag }) },
})

/** Reads who the link is for, without reading its posts. */
export const readReviewLink = (token: string, options?: Options) =>
  call('readReviewLink', {}, { ...byLink(token), ...options })
export const openReviewLink = (token: string) => call('openReviewLink', {}, byLink(token))

/** Lists the posts of a link, each with the ETag of its version. */
export const listPostsForReview = (token: string, options?: Options) =>
  call('listPostsForReview', {}, { ...byLink(token), ...options })
export const approvePostForReview = (token: string, number: number, etag: string) =>
  call('approvePostForReview', { number: String(number) }, byLink(token, etag))
export const returnPostForReview = (token: string, number: number, etag: string, body: Rejection) =>
  call('returnPostForReview', { number: String(number), body }, byLink(token, etag))
export const undoDecisionForReview = (token: string, number: number, etag: string) =>
  call('undoDecisionForReview', { number: String(number) }, byLink(token, etag))

export const checkMediaForReview = (token: string, number: number) =>
  call('checkMediaForReview', { number: String(number) }, byLink(token))

/** The messages about a post that are shared with the holder of the link. */
export function reviewMessages(token: string, number: number) {
  const by = byLink(token)
  const post = { number: String(number) }
  return {
    list: (query: ListMessagesForReviewQuery, options?: Options) =>
      call('listMessagesForReview', { ...post, query }, { ...by, ...options }),
    write: (body: NewReviewMessage) => call('createMessageForReview', { ...post, body }, by),
    edit: (messageId: string, body: ReviewMessagePatch) =>
      call('updateMessageForReview', { ...post, messageId, body }, by),
    remove: (messageId: string) => call('deleteMessageForReview', { ...post, messageId }, by),
  }
}

export const listMedia = (organizationId: string, options?: Options) =>
  call('listMedia', { organizationId, query: { limit: 200 } }, options)

/** Returns the content of an upload on this server, or undefined if it cannot be read. */
export async function readUpload(url: string): Promise<Blob | undefined> {
  const response = await fetch(url).catch(() => undefined)
  return response?.ok ? response.blob() : undefined
}

/** Returns true if this server no longer has the upload. Throws if the server does not answer. */
export const isUploadGone = async (url: string): Promise<boolean> =>
  (await fetch(url, { method: 'HEAD' })).status === 404

/** The service accepts file names up to this length. */
const NAME_CHARS_MAX = 255

interface UploadOptions {
  onProgress: (part: number) => void
  signal: AbortSignal
}

export const uploadMedia = (organizationId: string, file: File, options: UploadOptions): Promise<Media> =>
  upload('uploadMedia', { organizationId, query: { name: file.name.slice(0, NAME_CHARS_MAX) } }, file, options)

export const uploadSmallPicture = (organizationId: string, mediaId: string, picture: Blob) =>
  upload('uploadSmallPicture', { organizationId, mediaId }, picture)

/** Imports a CSV file, or only checks it, depending on the query. */
export const importCsv = (input: Input<'importConversations'>, file: File, options: UploadOptions) =>
  upload('importConversations', input, file, { ...options, contentType: 'text/csv' })

/** Uploads a file. `onProgress` gets the sent fraction, 0 to 1. An aborted upload is an ApiError of status 0. */
function upload<Id extends 'uploadMedia' | 'uploadSmallPicture' | 'importConversations'>(
  operation: Id,
  input: Input<Id>,
  file: Blob,
  {
    onProgress,
    signal,
    contentType = 'application/octet-stream',
  }: Partial<UploadOptions> & { contentType?: string } = {},
): Promise<AnswerOf<Id>> {
  const sentAt = changes
  // fetch does not report upload progress.
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total)
    request.onerror = () => reject(new ApiError(0, undefined, undefined))
    request.onabort = request.onerror
    request.onload = () => {
      const body = parseJson(request.responseText)
      if (request.status === 200 || request.status === 201) return resolve(body as AnswerOf<Id>)
      const names = ['x-error-code', 'x-request-id', 'retry-after']
      const known = names.flatMap((name): [string, string][] => {
        const value = request.getResponseHeader(name)
        return value === null ? [] : [[name, value]]
      })
      const error = new ApiError(request.status, new Headers(known), body)
      noteSession(error, sentAt)
      reject(error)
    }
    if (signal !== undefined) signal.onabort = () => request.abort()
    const { method, path } = readRoute(ROUTES[operation], input)
    request.open(method, urlOf(path, (input as { query?: object }).query))
    request.setRequestHeader('content-type', contentType)
    request.send(file)
  })
}

export const listAdAccounts = named(operation('listOrganizationAdAccounts', 'organizationId'))
export const listMembers = named(operation('listMembers', 'organizationId'))

// The person who is signed in. Until the second factor is done, the service refuses all calls except those for the factor
// itself.

export async function getMe(options?: Options): Promise<Me> {
  const me = await call('getMe', {}, options)
  return { ...me, organizations: me.organizations.map(withVisibleName) }
}
export const getSignInOptions = operation('getSignInOptions')
export const beginOidcSignIn = operation('beginOidcSignIn', 'body')
export const signOut = operation('signOut')
export const signOutEverywhere = operation('signOutEverywhere')
