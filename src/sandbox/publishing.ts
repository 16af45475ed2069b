import type { Clock } from '../lib/clock.js'
import { BadRequest, graphError, notFound, ok, quotaReached, type SandboxAnswer } from './answers.js'
import { type Field, parseFields, readLimit } from './fields.js'
import type { SandboxPage } from './model.js'
import type { RecordedRequest, SandboxCall, SandboxRoute } from './route.js'
import { requireScope, type Scope } from './scopes.js'

/** A publication on a page or an Instagram account. */
export interface SandboxPublication {
  /** As the platform names it: `<page>_<post>`, or digits for a video and for Instagram. */
  id: string
  pageId: string
  /** The message, description or caption. */
  text: string
  mediaType: 'IMAGE' | 'VIDEO' | undefined
  mediaUrl: string | undefined
  /** Milliseconds since the epoch. */
  publishedAt: number
  permalink: string
  /** How often the call that published it was received, whatever the answer. More than once is a repeated publish. */
  received: number
}

/** The sandbox's publications, and the routes that publish and read them. */
export interface SandboxPublishing {
  routes: readonly SandboxRoute[]
  /** Counts a request that may publish. */
  receive(request: RecordedRequest): void
  /** Oldest first. */
  publications(): SandboxPublication[]
}

type StoredPublication = Omit<SandboxPublication, 'received'> & { call: string }

interface Photo {
  pageId: string
  url: string
  uploadedAt: number
  /** True if a post shows it. */
  isShown: boolean
}

interface Processed {
  /** Polls left until it is ready. */
  polls: number
  error: string | undefined
}

interface Container extends Processed {
  id: string
  accountId: string
  caption: string
  mediaType: 'IMAGE' | 'VIDEO'
  url: string
  createdAt: number
  isPublished: boolean
}

const DAY_MS = 86_400_000
const QUOTA_TOTAL_DEFAULT = 50
const MESSAGE_CHARS_MAX = 63_206
const CAPTION_CHARS_MAX = 2_200

export function createPublishing({ clock, url }: { clock: Clock; url: string }): SandboxPublishing {
  const photos = new Map<string, Photo>()
  const containers = new Map<string, Container>()
  const videos = new Map<string, Processed>()
  const photoIdsOfPosts = new Map<string, string[]>()
  const stored: StoredPublication[] = []
  const storedById = new Map<string, StoredPublication>()
  const received = new Map<string, number>()
  const startedAt = clock.now()
  let lastId = 0

  /** Differs from the ids of earlier starts, which a database may still hold. */
  const newId = (prefix: string): string => `${prefix}${startedAt}${String(++lastId).padStart(5, '0')}`

  function publish(
    pageId: string,
    id: string,
    publication: Pick<StoredPublication, 'text' | 'mediaType' | 'mediaUrl' | 'call'>,
  ): void {
    const item = { id, pageId, publishedAt: clock.now(), permalink: `${url}/pages/${pageId}#${id}`, ...publication }
    stored.push(item)
    storedById.set(id, item)
    // A video is a post of the feed as well.
    if (videos.has(id)) storedById.set(`${pageId}_${id}`, item)
  }

  const isShown = ({ id }: StoredPublication): boolean => videos.get(id)?.error === undefined

  /** No host in `.invalid` is; the sandbox itself fetches nothing. */
  function isReachable(mediaUrl: string): boolean {
    if (!URL.canParse(mediaUrl) || !/^https?:/.test(mediaUrl)) return false
    const { hostname } = new URL(mediaUrl)
    return !hostname.endsWith('.invalid')
  }

  // Pages.

  function uploadPhoto(page: SandboxPage, params: Params): SandboxAnswer {
    const photoUrl = requireParam(params, 'url')
    if (String(params.published) !== 'false') {
      throw new BadRequest('This sandbox knows photos only with published=false, for a post of the feed')
    }
    if (!isReachable(photoUrl)) {
      return graphError({
        code: 324,
        subcode: 2069019,
        message: '(#324) Missing or invalid image file',
        userTitle: 'Missing or invalid image file',
        userMessage: 'The image could not be fetched from its URL.',
      })
    }
    const id = newId('12')
    photos.set(id, { pageId: page.id, url: photoUrl, uploadedAt: clock.now(), isShown: false })
    return ok({ id })
  }

  /** A photo that no post shows within a day is gone. */
  function findPhoto(id: string): Photo | undefined {
    const photo = photos.get(id)
    return photo !== undefined && (photo.isShown || clock.now() < photo.uploadedAt + DAY_MS) ? photo : undefined
  }

  function publishPost(page: SandboxPage, params: Params): SandboxAnswer {
    const message = readText(params.message)
    requireLength(message)
    const ids = readAttached(params.attached_media)
    const attached = ids.map(findPhoto)
    if (attached.some((photo) => photo?.pageId !== page.id)) {
      throw new BadRequest('Invalid parameter: attached_media must be photos of this page')
    }
    if (message === '' && ids.length === 0) throw new BadRequest('The status must not be empty')
    const id = `${page.id}_${newId('12')}`
    const photo = attached[0]
    publish(page.id, id, {
      text: message,
      mediaType: photo && 'IMAGE',
      mediaUrl: photo?.url,
      call: feedCall(page.id, params),
    })
    photoIdsOfPosts.set(id, ids)
    for (const one of attached) one!.isShown = true
    return ok({ id })
  }

  function publishVideo(page: SandboxPage, params: Params, processing: Processed): SandboxAnswer {
    const fileUrl = requireParam(params, 'file_url')
    const description = readText(params.description)
    requireLength(description)
    if (!isReachable(fileUrl)) {
      return graphError({
        code: 389,
        message: '(#389) Unable to fetch video file from URL.',
        userMessage: 'The video could not be fetched from its URL.',
      })
    }
    const id = newId('13')
    videos.set(id, processing)
    publish(page.id, id, {
      text: description,
      mediaType: 'VIDEO',
      mediaUrl: fileUrl,
      call: videosCall(page.id, params),
    })
    return ok({ id })
  }

  // Instagram accounts.

  function createContainer(account: SandboxPage, params: Params, processing: Processed): SandboxAnswer {
    const caption = readText(params.caption)
    if (lengthOf(caption) > CAPTION_CHARS_MAX) {
      return graphError({
        code: 36_004,
        subcode: 2207010,
        message: 'The caption was too long',
        userTitle: 'Caption too long',
        userMessage: `The caption was too long. It can have ${CAPTION_CHARS_MAX} characters at most.`,
      })
    }
    const mediaType = params.image_url !== undefined ? 'IMAGE' : 'VIDEO'
    if (mediaType === 'VIDEO' && params.media_type !== 'REELS') {
      throw new BadRequest('Only photo or video can be accepted as media type: image_url, or REELS with video_url')
    }
    const mediaUrl = requireParam(params, mediaType === 'IMAGE' ? 'image_url' : 'video_url')
    const isFetched = isReachable(mediaUrl)
    // An image is fetched at once, a video later.
    if (mediaType === 'IMAGE' && !isFetched) {
      return graphError({
        code: 9004,
        subcode: 2207052,
        message: 'Only photo or video can be accepted as media type.',
        userTitle: 'Media download has failed',
        userMessage: 'The media could not be fetched from this URI.',
      })
    }
    const id = newId('17')
    containers.set(id, {
      id,
      accountId: account.id,
      caption,
      mediaType,
      url: mediaUrl,
      createdAt: clock.now(),
      isPublished: false,
      polls: processing.polls,
      error: processing.error ?? (isFetched ? undefined : 'Media upload has failed with error code 2207052'),
    })
    return ok({ id })
  }

  function containerStatus(container: Container): ContainerStatus {
    if (container.isPublished) return 'PUBLISHED'
    if (clock.now() >= container.createdAt + DAY_MS) return 'EXPIRED'
    if (container.polls > 0) return 'IN_PROGRESS'
    return container.error === undefined ? 'FINISHED' : 'ERROR'
  }

  function publishContainer(account: SandboxPage, params: Params): SandboxAnswer {
    const container = containers.get(requireParam(params, 'creation_id'))
    const status = container?.accountId === account.id ? containerStatus(container) : undefined
    if (container === undefined || status === undefined || status === 'PUBLISHED' || status === 'ERROR') {
      return graphError({
        code: 24,
        subcode: 2207006,
        message: 'The requested resource does not exist',
        userTitle: 'Media not found',
        userMessage: 'The media with this container id cannot be found.',
      })
    }
    if (status === 'EXPIRED') {
      return graphError({
        code: -2,
        subcode: 2207020,
        message: 'The media has expired',
        userMessage: 'The media you are trying to access has expired. Please try to upload again.',
      })
    }
    if (status === 'IN_PROGRESS') {
      return graphError({
        code: 9007,
        subcode: 2207027,
        message: 'Media ID is not available',
        userTitle: 'Cannot publish',
        userMessage: 'The media is not ready for publishing, please wait for a moment.',
      })
    }
    if (quotaUsed(account) >= quotaTotal(account)) return quotaReached()
    container.isPublished = true
    const id = newId('18')
    const { caption: text, mediaType, url: mediaUrl } = container
    publish(account.id, id, { text, mediaType, mediaUrl, call: containerCall(container.id) })
    return ok({ id })
  }

  const quotaTotal = ({ quotaTotal: total = QUOTA_TOTAL_DEFAULT }: SandboxPage): number => total
  const quotaUsed = ({ id }: SandboxPage): number =>
    stored.filter(({ pageId, publishedAt }) => pageId === id && publishedAt > clock.now() - DAY_MS).length

  // What can be read.

  function listPublications(call: SandboxCall, page: SandboxPage, edge: string): SandboxAnswer {
    const { query } = call
    const limit = readLimit(query.limit)
    const fields = parseFields(query.fields ?? 'id')
    const listed = stored
      .filter((item) => item.pageId === page.id && isShown(item) && (edge !== 'videos' || videos.has(item.id)))
      // Only the feed applies `since`.
      .filter(({ publishedAt }) => edge !== 'feed' || publishedAt >= Number(query.since ?? 0) * 1000)
      .toReversed()
    const start = query.after === undefined ? 0 : listed.findIndex(({ id }) => cursorOf(id) === query.after) + 1
    if (start === 0 && query.after !== undefined) throw new BadRequest('Invalid cursors values')
    const items = listed.slice(start, start + limit)
    const [first, last] = [items[0], items.at(-1)]
    if (first === undefined || last === undefined) return ok({ data: [] })
    const after = cursorOf(last.id)
    return ok({
      data: items.map((item) => publicationBody(item, fields, edge === 'feed' ? 'Post' : undefined)),
      paging: {
        cursors: { before: cursorOf(first.id), after },
        next: start + limit < listed.length ? call.pageUrl(`/${page.id}/${edge}`, { ...query, after }) : undefined,
      },
    })
  }

  function publicationBody(item: StoredPublication, fields: Field[], as?: 'Post'): Record<string, unknown> {
    const { id, text, publishedAt, permalink } = item
    if (as === 'Post' || id.includes('_')) {
      const attachedIds = photoIdsOfPosts.get(id) ?? [id]
      return pick('Post', fields, {
        id: id.includes('_') ? id : `${item.pageId}_${id}`,
        message: () => text,
        created_time: () => instant(publishedAt),
        permalink_url: () => permalink,
        attachments: () => ({
          data: attachedIds.map((attachedId) => ({ target: { id: attachedId, url: permalink } })),
        }),
      })
    }
    const video = videos.get(id)
    if (video !== undefined) {
      return pick('Video', fields, {
        id,
        description: () => text,
        created_time: () => instant(publishedAt),
        permalink_url: () => permalink,
        status: () => videoStatus(video),
      })
    }
    return pick('InstagramMedia', fields, {
      id,
      caption: () => text,
      timestamp: () => instant(publishedAt),
      permalink: () => permalink,
    })
  }

  function videoStatus(video: Processed): Record<string, unknown> {
    if (pollProcessing(video)) return { video_status: 'processing', processing_phase: { status: 'in_progress' } }
    if (video.error === undefined) return { video_status: 'ready', processing_phase: { status: 'complete' } }
    const errors = [{ code: 1_363_008, message: video.error }]
    return { video_status: 'error', processing_phase: { status: 'error', errors } }
  }

  function containerBody(container: Container, fields: Field[]): Record<string, unknown> {
    const status = containerStatus(container)
    if (status === 'IN_PROGRESS') pollProcessing(container)
    return pick('InstagramContainer', fields, {
      id: container.id,
      status_code: () => status,
      status: () => (status === 'ERROR' ? `Error: ${container.error}` : CONTAINER_TEXTS[status]),
    })
  }

  function readObject(call: SandboxCall, id: string): SandboxAnswer | undefined {
    const fields = parseFields(call.query.fields ?? 'id')
    const canSee = (pageId: string): boolean => call.token.pages.some((page) => page.id === pageId)
    const page = call.token.pages.find((candidate) => candidate.id === id)
    if (page?.platform === 'instagram') {
      requireScope(call.token, 'instagram_basic')
      return ok(pick('InstagramUser', fields, { id, name: () => page.name, username: () => page.name }))
    }
    if (page !== undefined) return ok(pick('Page', fields, { id, name: () => page.name }))
    const container = containers.get(id)
    if (container !== undefined && canSee(container.accountId)) return ok(containerBody(container, fields))
    const photo = findPhoto(id)
    if (photo !== undefined && canSee(photo.pageId)) return ok(pick('Photo', fields, { id, link: () => photo.url }))
    const item = storedById.get(id)
    if (item === undefined || !canSee(item.pageId)) return undefined
    return ok(publicationBody(item, fields, id.includes('_') ? 'Post' : undefined))
  }

  const route = (
    method: 'GET' | 'POST',
    platform: SandboxPage['platform'],
    edges: string,
    scope: Scope,
    handle: (call: SandboxCall, page: SandboxPage, edge: string) => SandboxAnswer,
  ): SandboxRoute => ({
    method,
    path: new RegExp(`^/(\\d+)/(${edges})$`),
    handle(call, _model, [id = '', edge = '']) {
      const page = call.token.pages.find((candidate) => candidate.id === id && candidate.platform === platform)
      if (page === undefined) return undefined
      requireScope(call.token, scope)
      return handle(call, page, edge)
    },
  })

  const routes: SandboxRoute[] = [
    route('POST', 'facebook', 'photos', 'pages_manage_posts', ({ params }, page) => uploadPhoto(page, params)),
    route('POST', 'facebook', 'feed', 'pages_manage_posts', ({ params }, page) => publishPost(page, params)),
    route('POST', 'facebook', 'videos', 'pages_manage_posts', ({ params, processing }, page) =>
      publishVideo(page, params, processing),
    ),
    route('GET', 'facebook', 'feed|videos', 'pages_read_engagement', listPublications),
    route('POST', 'instagram', 'media', 'instagram_content_publish', ({ params, processing }, page) =>
      createContainer(page, params, processing),
    ),
    route('POST', 'instagram', 'media_publish', 'instagram_content_publish', ({ params }, page) =>
      publishContainer(page, params),
    ),
    route('GET', 'instagram', 'media', 'instagram_basic', listPublications),
    route('GET', 'instagram', 'content_publishing_limit', 'instagram_content_publish', ({ query }, page) => {
      const limit = pick(undefined, parseFields(query.fields ?? 'quota_usage'), {
        quota_usage: () => quotaUsed(page),
        config: () => ({ quota_total: quotaTotal(page), quota_duration: DAY_MS / 1000 }),
      })
      return ok({ data: [limit] })
    }),
    { method: 'GET', path: /^\/(\d+(?:_\d+)?)$/, handle: (call, _model, [id = '']) => readObject(call, id) },
    // What is left does not exist, or not for this token. A bare number may still be a campaign's.
    { method: 'GET', path: /^\/(\d+_\d+)$/, handle: (_call, _model, [id = '']) => notFound(id) },
    { method: 'POST', path: /^\/(\d+)\/\w+$/, handle: (_call, _model, [id = '']) => notFound(id, 'post') },
    {
      method: 'GET',
      path: /^\/(\d+)\/(?:feed|videos|media|content_publishing_limit)$/,
      handle: (_call, _model, [id = '']) => notFound(id),
    },
  ]

  return {
    routes,
    receive(request) {
      const call = publishingCall(request)
      if (call !== undefined) received.set(call, (received.get(call) ?? 0) + 1)
    },
    publications: () =>
      stored.filter(isShown).map(({ call, ...publication }) => ({ ...publication, received: received.get(call) ?? 0 })),
  }
}

type Params = Record<string, unknown>
type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'ERROR' | 'EXPIRED' | 'PUBLISHED'

const CONTAINER_TEXTS: Record<Exclude<ContainerStatus, 'ERROR'>, string> = {
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
  EXPIRED: 'Expired: Media was not published within 24 hours.',
  PUBLISHED: 'Published: Media has been published.',
}

/** Whether it is still being processed; counts as one poll. */
function pollProcessing(item: Processed): boolean {
  if (item.polls === 0) return false
  item.polls--
  return true
}

// The call that publishes, named by what it publishes: the same name again is a repeat.

function publishingCall({ method, path, query, body }: RecordedRequest): string | undefined {
  const [, id = '', edge] = /^\/(\d+)\/(feed|videos|media_publish)$/.exec(path) ?? []
  if (method !== 'POST' || edge === undefined) return undefined
  const params = { ...query, ...body }
  if (edge === 'feed') return feedCall(id, params)
  return edge === 'videos' ? videosCall(id, params) : containerCall(String(params.creation_id))
}

const feedCall = (pageId: string, { message, attached_media }: Params): string =>
  JSON.stringify(['feed', pageId, message, attached_media])
const videosCall = (pageId: string, { file_url, description }: Params): string =>
  JSON.stringify(['videos', pageId, file_url, description])
const containerCall = (containerId: string): string => JSON.stringify(['media_publish', containerId])

// Parameters and fields.

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

function requireParam(params: Params, name: string): string {
  const value = params[name]
  if (typeof value !== 'string' || value === '') throw new BadRequest(`The parameter ${name} is required`)
  return value
}

/** In code points. */
const lengthOf = (text: string): number => [...text].length

function requireLength(message: string): void {
  if (lengthOf(message) > MESSAGE_CHARS_MAX) {
    throw new BadRequest(`Param message must be at most ${MESSAGE_CHARS_MAX} characters long`)
  }
}

/** `[{ "media_fbid": "1" }]`, or the same as a JSON string. */
function readAttached(value: unknown): string[] {
  if (value === undefined) return []
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value
  if (!Array.isArray(list)) throw new BadRequest('Param attached_media must be an array')
  return list.map((item) => String((item as { media_fbid?: unknown } | null)?.media_fbid))
}

/** The requested values, each computed on demand; `id` always. */
function pick(type: string | undefined, fields: Field[], values: Record<string, string | (() => unknown)>): Params {
  const body: Params = {}
  for (const { name } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) {
      throw new BadRequest(`Tried accessing nonexisting field (${name})${type ? ` on node type (${type})` : ''}`)
    }
    body[name] = typeof value === 'string' ? value : value()
  }
  return values.id === undefined ? body : { ...body, id: values.id }
}

const cursorOf = (id: string): string => Buffer.from(`publication:${id}`).toString('base64')

/** `2026-11-20T09:00:00+0000` */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`
