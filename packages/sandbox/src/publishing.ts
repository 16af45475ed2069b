import { BadRequest, notFound, ok, type SandboxAnswer } from './answers.js'
import { type Field, parseFields, readLimit } from './fields.js'
import { InstagramPublishing } from './instagram-publishing.js'
import type { Clock } from './lib/clock.js'
import type { SandboxPage } from './model.js'
import { pageInsights } from './page-insights.js'
import { PagePublishing } from './page-publishing.js'
import {
  type Processed,
  Publications,
  pick,
  pollProcessing,
  type SandboxPublication,
  type StoredPublication,
} from './publications.js'
import type { Handler, RecordedRequest, SandboxCall, SandboxNode, SandboxPart } from './route.js'
import { nodeOfPage, pageBody } from './token-routes.js'
import { appScopedIdOf } from './tokens.js'

/** The parts of the platform that publish, and their shared publications. */
interface Platform {
  publications: Publications
  pages: PagePublishing
  instagram: InstagramPublishing
}

/** The sandbox's publications, with the code that publishes and reads them. */
export function createPublishing({ clock, url }: { clock: Clock; url: string }) {
  const publications = new Publications(clock, url)
  const platform = {
    publications,
    pages: new PagePublishing(publications),
    instagram: new InstagramPublishing(publications),
  }
  return {
    stored: publications,
    part: publishingPart(platform),
    /** Counts a request that may publish. */
    receive: (request: RecordedRequest) => publications.receive(request),
    /** Lists the visible publications, oldest first. */
    publications: (): SandboxPublication[] =>
      publications
        .visible()
        .map(({ call, ...publication }) => ({ ...publication, received: publications.timesReceived(call) })),
  }
}

function publishingPart(platform: Platform): SandboxPart {
  const { pages, instagram } = platform
  const list =
    (edge: string): Handler =>
    (call, { page }) =>
      listPublications(platform, call, page!, edge)
  const readItem: Handler = (call, { id, type }) => {
    const item = platform.publications.find(id)
    // The node was commented on, but never published here.
    if (item === undefined) return notFound(id)
    return ok(publicationBody(platform, item, parseFields(call.query.fields ?? 'id'), type))
  }
  return {
    find: (id, call) => findNode(platform, id, call),
    handlers: {
      'GET Page/': (call, { page }) => ok(pageBody(page!, call, parseFields(call.query.fields ?? 'id,name'))),
      'GET Page/feed': list('feed'),
      'GET Page/videos': list('videos'),
      'GET Page/insights': pageInsights,
      'POST Page/photos': ({ params }, { page }) => pages.uploadPhoto(page!, params),
      'POST Page/feed': ({ params }, { page }) => pages.publishPost(page!, params),
      'POST Page/videos': ({ params, processing }, { page }) => pages.publishVideo(page!, params, processing),
      'GET IGUser/': (call, { page }) => ok(accountBody(platform, call, page!)),
      'GET IGUser/media': list('media'),
      'POST IGUser/media': ({ params, processing }, { page }) => instagram.createContainer(page!, params, processing),
      'POST IGUser/media_publish': ({ params, forgets }, { page }) =>
        instagram.publishContainer(page!, params, forgets),
      'GET IGUser/content_publishing_limit': ({ query }, { page }) =>
        instagram.quota(page!, parseFields(query.fields ?? 'quota_usage')),
      'GET IGContainer/': ({ query }, { id }) =>
        ok(instagram.body(instagram.find(id)!, parseFields(query.fields ?? 'id'))),
      'GET Photo/': ({ query }, { id }) => {
        const link = () => pages.findPhoto(id)!.url
        return ok(pick('Photo', parseFields(query.fields ?? 'id'), { id, link }))
      },
      'GET Post/': readItem,
      'GET Video/': readItem,
      'GET IGMedia/': readItem,
    },
  }
}

function findNode({ publications, pages, instagram }: Platform, id: string, { model }: SandboxCall) {
  const pageOf = (pageId: string | undefined): SandboxPage | undefined =>
    model.pages?.find((page) => page.id === pageId)
  const own = pageOf(id)
  if (own !== undefined) return nodeOfPage(own)
  const container = instagram.find(id)
  if (container !== undefined) return { type: 'IGContainer', id, page: pageOf(container.accountId) } as const
  const photo = pages.findPhoto(id)
  if (photo !== undefined) return { type: 'Photo', id, page: pageOf(photo.pageId) } as const
  const item = publications.find(id)
  const page = item && pageOf(item.pageId)
  if (page === undefined) return undefined
  const type = page.platform === 'instagram' ? 'IGMedia' : id.includes('_') ? 'Post' : 'Video'
  return { type, id, page } satisfies SandboxNode
}

/** On the host of Instagram login, `id` differs for each app, and `user_id` is the id that webhooks and edges use. */
function accountBody({ publications }: Platform, { token, query }: SandboxCall, account: SandboxPage) {
  const { id, name } = account
  const shared = {
    ...{ name: () => name, username: () => name },
    media_count: () => publications.visible().filter(({ pageId }) => pageId === id).length,
  }
  const fields = parseFields(query.fields ?? 'id')
  if (token.kind !== 'instagram') return pick('IGUser', fields, { ...shared, id })
  return pick('IGUser', fields, { ...shared, id: appScopedIdOf(id), user_id: id, account_type: 'BUSINESS' })
}

const TYPE_OF_EDGE: Readonly<Record<string, SandboxNode['type']>> = { feed: 'Post', videos: 'Video', media: 'IGMedia' }

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
    data: items.map((item) => publicationBody(platform, item, fields, TYPE_OF_EDGE[edge]!)),
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
  type: SandboxNode['type'],
): Record<string, unknown> {
  const { id, text, publishedAt, permalink } = item
  if (type === 'Post') {
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
  if (type === 'Video' && video !== undefined) {
    return pick('Video', fields, {
      id,
      description: () => text,
      // The id of the post, without the prefix of the page.
      post_id: () => (video.polls > 0 ? undefined : publications.postIdOfVideo(id)?.split('_')[1]),
      created_time: () => instant(publishedAt),
      permalink_url: () => permalink,
      status: () => videoStatus(video),
    })
  }
  return pick('IGMedia', fields, {
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

const cursorOf = (id: string): string => Buffer.from(`publication:${id}`).toString('base64')

/** Formats a time as the platform does: `2026-11-20T09:00:00+0000`. */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`
