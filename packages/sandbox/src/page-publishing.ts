import { BadRequest, graphError, ok, type SandboxAnswer } from './answers.js'
import { DAY_MS } from './lib/dates.js'
import type { SandboxPage } from './model.js'
import {
  feedCall,
  isReachable,
  lengthOf,
  type Params,
  type Processed,
  type Publications,
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
    const id = this.publications.newId('12')
    this.#photos.set(id, {
      pageId: page.id,
      url: photoUrl,
      altText: readAltText(params.alt_text_custom),
      uploadedAt: this.publications.clock.now(),
      isShown: false,
    })
    return ok({ id })
  }

  /** Finds a photo; one that no post shows within a day is gone. */
  findPhoto(id: string): Photo | undefined {
    const photo = this.#photos.get(id)
    return photo !== undefined && (photo.isShown || this.publications.clock.now() < photo.uploadedAt + DAY_MS)
      ? photo
      : undefined
  }

  publishPost(page: SandboxPage, params: Params): SandboxAnswer {
    const message = readText(params.message)
    requireLength(message)
    const ids = readAttached(params.attached_media)
    const attached = ids.map((id) => this.findPhoto(id))
    if (attached.some((photo) => photo?.pageId !== page.id)) {
      throw new BadRequest('Invalid parameter: attached_media must be photos of this page')
    }
    if (message === '' && ids.length === 0) throw new BadRequest('The status must not be empty')
    const id = `${page.id}_${this.publications.newId('12')}`
    const photo = attached[0]
    this.publications.add(page.id, id, {
      text: message,
      mediaType: photo && 'IMAGE',
      mediaUrl: photo?.url,
      altText: photo?.altText,
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
      call: videosCall(page.id, params),
    })
    return ok({ id })
  }

  /** Gives the ids of the photos that a post of the feed shows. */
  photoIdsOf(postId: string): string[] | undefined {
    return this.#photoIdsOfPosts.get(postId)
  }
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
