import { BadRequest, notFound, ok, type SandboxAnswer } from './answers.js'
import { type Field, parseFields, readLimit } from './fields.js'
import { InstagramPublishing } from './instagram-publishing.js'
import type { Clock } from './lib/clock.js'
import type { SandboxPage } from './model.js'
import { PagePublishing } from './page-publishing.js'
import {
  type Processed,
  Publications,
  pick,
  pollProcessing,
  type SandboxPublication,
  type StoredPublication,
} from './publications.js'
import { get, post, type RecordedRequest, type SandboxCall, type SandboxRoute } from './route.js'
import { requireScope, type Scope } from './scopes.js'

/** The parts of the platform that publish, and the publications that they share. */
interface Platform {
  publications: Publications
  pages: PagePublishing
  instagram: InstagramPublishing
}

/** The sandbox's publications, and the routes that publish and read them. */
export function createPublishing({ clock, url }: { clock: Clock; url: string }) {
  const publications = new Publications(clock, url)
  const platform = {
    publications,
    pages: new PagePublishing(publications),
    instagram: new InstagramPublishing(publications),
  }
  return {
    stored: publications,
    routes: publishingRoutes(platform),
    /** Counts a request that may publish. */
    receive: (request: RecordedRequest) => publications.receive(request),
    /** Oldest first. */
    publications: (): SandboxPublication[] =>
      publications
        .visible()
        .map(({ call, ...publication }) => ({ ...publication, received: publications.timesReceived(call) })),
  }
}

type PageHandler = (call: SandboxCall, page: SandboxPage, edge: string) => SandboxAnswer

const route = (
  method: 'GET' | 'POST',
  platform: SandboxPage['platform'],
  edges: string,
  scope: Scope,
  handle: PageHandler,
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

const publishingRoutes = (platform: Platform): SandboxRoute[] => {
  const { pages, instagram } = platform
  const list: PageHandler = (call, page, edge) => listPublications(platform, call, page, edge)
  return [
    route('POST', 'facebook', 'photos', 'pages_manage_posts', ({ params }, page) => pages.uploadPhoto(page, params)),
    route('POST', 'facebook', 'feed', 'pages_manage_posts', ({ params }, page) => pages.publishPost(page, params)),
    route('POST', 'facebook', 'videos', 'pages_manage_posts', ({ params, processing }, page) =>
      pages.publishVideo(page, params, processing),
    ),
    route('GET', 'facebook', 'feed|videos', 'pages_read_engagement', list),
    route('POST', 'instagram', 'media', 'instagram_content_publish', ({ params, processing }, page) =>
      instagram.createContainer(page, params, processing),
    ),
    route('POST', 'instagram', 'media_publish', 'instagram_content_publish', ({ params }, page) =>
      instagram.publishContainer(page, params),
    ),
    route('GET', 'instagram', 'media', 'instagram_basic', list),
    route('GET', 'instagram', 'content_publishing_limit', 'instagram_content_publish', ({ query }, page) =>
      instagram.quota(page, parseFields(query.fields ?? 'quota_usage')),
    ),
    get(/^\/(\d+(?:_\d+)?)$/, (call, _model, [id = '']) => readObject(platform, call, id)),
    // Any other object does not exist, or not for this token. A bare number may still be a campaign's.
    get(/^\/(\d+_\d+)$/, (_call, _model, [id = '']) => notFound(id)),
    post(/^\/(\d+)\/\w+$/, (_call, _model, [id = '']) => notFound(id, 'post')),
    get(/^\/(\d+)\/(?:feed|videos|media|content_publishing_limit)$/, (_call, _model, [id = '']) => notFound(id)),
  ]
}

function listPublications(platform: Platform, call: SandboxCall, page: SandboxPage, edge: string): SandboxAnswer {
  const { query } = call
  const { publications } = platform
  const limit = readLimit(query.limit)
  const fields = parseFields(query.fields ?? 'id')
  const listed = publications
    .visible()
    .filter((item) => item.pageId === page.id && (edge !== 'videos' || publications.videos.has(item.id)))
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
    data: items.map((item) => publicationBody(platform, item, fields, edge === 'feed' ? 'Post' : undefined)),
    paging: {
      cursors: { before: cursorOf(first.id), after },
      next: start + limit < listed.length ? call.pageUrl(`/${page.id}/${edge}`, { ...query, after }) : undefined,
    },
  })
}

function publicationBody(
  { publications, pages }: Platform,
  item: StoredPublication,
  fields: Field[],
  as?: 'Post',
): Record<string, unknown> {
  const { id, text, publishedAt, permalink } = item
  if (as === 'Post' || id.includes('_')) {
    const attachedIds = pages.photoIdsOf(id) ?? [id]
    return pick('Post', fields, {
      id: publications.postIdOfVideo(id) ?? id,
      message: () => text,
      created_time: () => instant(publishedAt),
      permalink_url: () => permalink,
      attachments: () => ({
        data: attachedIds.map((attachedId) => ({ target: { id: attachedId, url: permalink } })),
      }),
    })
  }
  const video = publications.videos.get(id)
  if (video !== undefined) {
    return pick('Video', fields, {
      id,
      description: () => text,
      // Without that of the page.
      post_id: () => (video.polls > 0 ? undefined : publications.postIdOfVideo(id)?.split('_')[1]),
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

function readObject(platform: Platform, call: SandboxCall, id: string): SandboxAnswer | undefined {
  const fields = parseFields(call.query.fields ?? 'id')
  const canSee = (pageId: string): boolean => call.token.pages.some((page) => page.id === pageId)
  const page = call.token.pages.find((candidate) => candidate.id === id)
  if (page?.platform === 'instagram') {
    requireScope(call.token, 'instagram_basic')
    return ok(pick('InstagramUser', fields, { id, name: () => page.name, username: () => page.name }))
  }
  if (page !== undefined) return ok(pick('Page', fields, { id, name: () => page.name }))
  const container = platform.instagram.find(id)
  if (container !== undefined && canSee(container.accountId)) return ok(platform.instagram.body(container, fields))
  const photo = platform.pages.findPhoto(id)
  if (photo !== undefined && canSee(photo.pageId)) return ok(pick('Photo', fields, { id, link: () => photo.url }))
  const item = platform.publications.find(id)
  if (item === undefined || !canSee(item.pageId)) return undefined
  return ok(publicationBody(platform, item, fields, id.includes('_') ? 'Post' : undefined))
}

const cursorOf = (id: string): string => Buffer.from(`publication:${id}`).toString('base64')

/** `2026-11-20T09:00:00+0000` */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`
