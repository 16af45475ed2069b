import { BadRequest, graphError, ok, type SandboxAnswer } from './answers.js'
import { DAY_MS } from './lib/dates.js'
import type { SandboxPage } from './model.js'
import {
  feedCall,
  isPublic,
  isReachable,
  lengthOf,
  type Params,
  type Processed,
  type Publications,
  photosCall,
  readAiGenerated,
  readAltText,
  readText,
  requireParam,
  videosCall,
} from './publications.js'

export interface Photo {
  pageId: string
  url: string
  altText: string | undefined
  uploadedAt: number
  /** True if a post shows it. */
  isShown: boolean
}

const MESSAGE_CHARS_MAX = 63_206

/** Publishing on Facebook pages: photos, posts of the feed, and videos. */
export class PagePublishing {
  readonly #photos = new Map<string, Photo>()
  readonly #photoIdsOfPosts = new Map<string, string[]>()

  constructor(readonly publications: Publications) {}

  uploadPhoto(page: SandboxPage, params: Params): SandboxAnswer {
    const photoUrl = requireParam(params, 'url')
    requireNoSchedule(params)
    if (!isReachable(photoUrl)) {
      return graphError({
        code: 324,
        subcode: 2069019,
        message: '(#324) Missing or invalid image file',
        userTitle: 'Missing or invalid image file',
        userMessage: 'The image could not be fetched from its URL.',
      })
    }
    const id = this.publications.newId('12')
    const now = this.publications.clock.now()
    const altText = readAltText(params.alt_text_custom)
    this.#photos.set(id, { pageId: page.id, url: photoUrl, altText, uploadedAt: now, isShown: isPublic(params) })
    if (!isPublic(params)) return ok({ id })
    const text = readText(params.message ?? params.caption)
    requireLength(text)
    const postId = `${page.id}_${this.publications.newId('12')}`
    this.publications.add(page.id, postId, {
      ...{ text, mediaType: 'IMAGE', mediaUrl: photoUrl, altText, call: photosCall(page.id, params) },
      isAiGenerated: readAiGenerated(params, now),
    })
    this.#photoIdsOfPosts.set(postId, [id])
    return ok({ id, post_id: postId })
  }

  /** Finds a photo; a photo that no post uses within a day is gone. */
  findPhoto(id: string): Photo | undefined {
    const photo = this.#photos.get(id)
    return photo !== undefined && (photo.isShown || this.publications.clock.now() < photo.uploadedAt + DAY_MS)
      ? photo
      : undefined
  }

  publishPost(page: SandboxPage, params: Params): SandboxAnswer {
    const message = readText(params.message)
    requireLength(message)
    requireNoSchedule(params)
    if (!isPublic(params)) throw new BadRequest('This sandbox knows no posts that are not published')
    const ids = readAttached(params.attached_media)
    const attached = ids.map((id) => this.findPhoto(id))
    if (attached.some((photo) => photo?.pageId !== page.id)) {
      throw new BadRequest('Invalid parameter: attached_media must be photos of this page')
    }
    if (message === '' && ids.length === 0 && readText(params.link) === '')
      throw new BadRequest('The status must not be empty')
    const id = `${page.id}_${this.publications.newId('12')}`
    const photo = attached[0]
    this.publications.add(page.id, id, {
      text: message,
      mediaType: photo && 'IMAGE',
      mediaUrl: photo?.url,
      altText: photo?.altText,
      isAiGenerated: readAiGenerated(params, this.publications.clock.now()),
      call: feedCall(page.id, params),
    })
    this.#photoIdsOfPosts.set(id, ids)
    for (const one of attached) one!.isShown = true
    return ok({ id })
  }

  publishVideo(page: SandboxPage, params: Params, processing: Processed): SandboxAnswer {
    const fileUrl = requireParam(params, 'file_url')
    const description = readText(params.description)
    requireLength(description)
    requireNoSchedule(params)
    if (!isReachable(fileUrl)) {
      return graphError({
        code: 389,
        message: '(#389) Unable to fetch video file from URL.',
        userMessage: 'The video could not be fetched from its URL.',
      })
    }
    const id = this.publications.newId('13')
    this.publications.videos.set(id, processing)
    this.publications.add(page.id, id, {
      text: description,
      mediaType: 'VIDEO',
      mediaUrl: fileUrl,
      isAiGenerated: readAiGenerated(params, this.publications.clock.now()),
      call: videosCall(page.id, params),
    })
    return ok({ id })
  }

  /** The ids of the photos in a post of the feed. */
  photoIdsOf(postId: string): string[] | undefined {
    return this.#photoIdsOfPosts.get(postId)
  }
}

/** Ignoring the parameter would publish at once, which the platform does not do. */
function requireNoSchedule({ scheduled_publish_time: time }: Params): void {
  if (time !== undefined) throw new BadRequest('This sandbox knows no scheduled posts')
}

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
