import { BadRequest, graphError, ok, quotaReached, type SandboxAnswer } from './answers.js'
import type { Field } from './fields.js'
import { DAY_MS } from './lib/dates.js'
import type { SandboxPage } from './model.js'
import {
  containerCall,
  isReachable,
  lengthOf,
  type Params,
  type Processed,
  type Publications,
  pick,
  pollProcessing,
  readAiGenerated,
  readAltText,
  readText,
  requireParam,
} from './publications.js'

export interface Container extends Processed {
  id: string
  accountId: string
  caption: string
  mediaType: 'IMAGE' | 'VIDEO'
  url: string
  altText: string | undefined
  isAiGenerated: true | undefined
  createdAt: number
  isPublished: boolean
}

const QUOTA_TOTAL_DEFAULT = 50
const CAPTION_CHARS_MAX = 2_200
const HASHTAGS_MAX = 30
const MENTIONS_MAX = 20
const CONTAINERS_A_DAY = 400

type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'ERROR' | 'EXPIRED' | 'PUBLISHED'

const CONTAINER_TEXTS: Record<Exclude<ContainerStatus, 'ERROR'>, string> = {
  IN_PROGRESS: 'In Progress: Media is still being processed.',
  FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
  EXPIRED: 'Expired: Media was not published within 24 hours.',
  PUBLISHED: 'Published: Media has been published.',
}

/** Publishing on Instagram accounts: a container is created, processed, and published. */
export class InstagramPublishing {
  readonly #containers = new Map<string, Container>()

  constructor(readonly publications: Publications) {}

  find(id: string): Container | undefined {
    return this.#containers.get(id)
  }

  createContainer(account: SandboxPage, params: Params, processing: Processed): SandboxAnswer {
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
    requireFewTags(caption)
    const mediaType = params.image_url !== undefined ? 'IMAGE' : 'VIDEO'
    const kind = readText(params.media_type)
    if (!(mediaType === 'VIDEO' ? ['REELS'] : ['', 'IMAGE']).includes(kind)) {
      throw new BadRequest('Only photo or video can be accepted as media type: image_url, or REELS with video_url')
    }
    if (String(params.is_carousel_item) === 'true') throw new BadRequest('This sandbox knows no carousels')
    if (mediaType === 'VIDEO' && params.alt_text !== undefined) {
      throw new BadRequest('The parameter alt_text is only for image posts')
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
    const now = this.publications.clock.now()
    if (this.#countOfDay(account, now) >= CONTAINERS_A_DAY) return quotaReached()
    const id = this.publications.newId('17')
    this.#containers.set(id, {
      id,
      accountId: account.id,
      caption,
      mediaType,
      url: mediaUrl,
      altText: readAltText(params.alt_text),
      isAiGenerated: readAiGenerated(params, now),
      createdAt: now,
      isPublished: false,
      polls: processing.polls,
      error: processing.error ?? (isFetched ? undefined : 'Media upload has failed with error code 2207052'),
    })
    return ok({ id })
  }

  #countOfDay({ id }: SandboxPage, now: number): number {
    let count = 0
    for (const { accountId, createdAt } of this.#containers.values()) {
      if (accountId === id && createdAt > now - DAY_MS) count++
    }
    return count
  }

  #status(container: Container): ContainerStatus {
    if (container.isPublished) return 'PUBLISHED'
    if (this.publications.clock.now() >= container.createdAt + DAY_MS) return 'EXPIRED'
    if (container.polls > 0) return 'IN_PROGRESS'
    return container.error === undefined ? 'FINISHED' : 'ERROR'
  }

  publishContainer(account: SandboxPage, params: Params, forgets: boolean): SandboxAnswer {
    const container = this.#containers.get(requireParam(params, 'creation_id'))
    const status = container?.accountId === account.id ? this.#status(container) : undefined
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
    if (this.publications.countOfDay(account) >= quotaTotal(account)) return quotaReached()
    container.isPublished = true
    if (forgets) this.#containers.delete(container.id)
    const id = this.publications.newId('18')
    const { caption: text, mediaType, url: mediaUrl, altText, isAiGenerated } = container
    const call = containerCall(container.id)
    this.publications.add(account.id, id, { text, mediaType, mediaUrl, altText, isAiGenerated, call })
    return ok({ id })
  }

  quota(page: SandboxPage, fields: Field[]): SandboxAnswer {
    const limit = pick(undefined, fields, {
      quota_usage: () => this.publications.countOfDay(page),
      config: () => ({ quota_total: quotaTotal(page), quota_duration: DAY_MS / 1000 }),
    })
    return ok({ data: [limit] })
  }

  body(container: Container, fields: Field[]): Record<string, unknown> {
    const status = this.#status(container)
    if (status === 'IN_PROGRESS') pollProcessing(container)
    return pick('IGContainer', fields, {
      id: container.id,
      status_code: () => status,
      status: () => (status === 'ERROR' ? `Error: ${container.error}` : CONTAINER_TEXTS[status]),
    })
  }
}

const quotaTotal = ({ quotaTotal: total = QUOTA_TOTAL_DEFAULT }: SandboxPage): number => total

/** A mark at the beginning of a word. */
const TAGS = [
  [/(?<![\p{L}\p{N}_])#[\p{L}\p{N}_]/gu, HASHTAGS_MAX],
  [/(?<![\p{L}\p{N}_])@[\p{L}\p{N}_]/gu, MENTIONS_MAX],
] as const

function requireFewTags(caption: string): void {
  for (const [tag, max] of TAGS) {
    if ((caption.match(tag)?.length ?? 0) <= max) continue
    const message = `Cannot use more than ${max} tags per created media`
    throw BadRequest.with(graphError({ code: 100, subcode: 2207040, message, userMessage: message }))
  }
}
