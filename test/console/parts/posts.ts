import type { PostChange, ScheduledPost } from '../../../src/interface/generated/types.ts'
import { type Call, type FakeService, refusal } from './service.ts'

/** Returns a post that waits for approval, on a Facebook page. */
export const postOf = (changes: Partial<ScheduledPost> = {}): ScheduledPost =>
  ({
    id: 'post_1',
    status: 'WAITING_FOR_APPROVAL',
    media: 'https://media.example/bread.jpg',
    mediaType: 'IMAGE',
    scheduledFor: '2099-12-01T10:00:00.000Z',
    mediumsData: {
      FB_1: {
        caption: 'Bread at eight #bread',
        mediumName: 'Mercado Aurora',
        mediumType: 'FB_PAGE',
        failedToPublish: false,
      },
    },
    ...changes,
  }) as ScheduledPost

export const withCaption = (post: ScheduledPost, caption: string): ScheduledPost => ({
  ...post,
  mediumsData: { FB_1: { ...post.mediumsData.FB_1!, caption } },
})

/** Returns the only page of a list. */
export const page = <T>(items: T[]) => ({ items, nextCursor: null })

/**
 * Posts as the service stores them: each change makes another version, and only changes of the newest version are
 * accepted.
 */
export class FakePosts {
  readonly #posts = new Map<string, { post: ScheduledPost; version: number; history: PostChange[] }>()

  constructor(service: FakeService) {
    const root = '/organizations/org_1/scheduled-posts'
    const idOf = ({ path }: Call): string => path.split('?')[0]!.split('/')[4]!
    const known = (call: Call) => this.#posts.get(idOf(call))
    const toAnswer = (id: string, status = 200) => {
      const { post, version } = this.#posts.get(id)!
      return { status, body: post, headers: { etag: `"${version}"` } }
    }
    const change = (apply: (post: ScheduledPost, body: unknown) => ScheduledPost) => (call: Call) => {
      const found = known(call)
      if (found === undefined) return refusal(404, 'post_not_found')
      if (call.headers.get('if-match') !== `"${found.version}"`) return refusal(412, 'post_changed')
      this.set(apply(found.post, call.body))
      return toAnswer(found.post.id)
    }
    service.on('GET', root, () => {
      const posts = [...this.#posts.values()].map(({ post }) => post)
      return { body: page(posts.filter(({ status }) => status === 'WAITING_FOR_APPROVAL')) }
    })
    service.on('GET', `${root}/*`, (call) => (known(call) ? toAnswer(idOf(call)) : refusal(404, 'post_not_found')))
    service.on('GET', `${root}/*/history`, (call) => ({ body: page(known(call)?.history ?? []) }))
    service.on('GET', `${root}/*/series`, { body: { series: null } })
    service.on('GET', '/organizations/org_1/review-links', { body: page([]) })
    service.on('GET', `${root}/*/discussion`, { body: page([]) })
    service.on('GET', `${root}/*/discussion-history`, { body: page([]) })
    service.on('GET', `${root}/*/last-review`, { body: { review: null } })
    service.on('POST', root, ({ body }) => {
      const post = postOf({ id: 'post_new', status: 'DRAFT' })
      const { channels = {} } = body as { channels?: Record<string, { caption: string }> }
      this.set(withCaption(post, Object.values(channels)[0]?.caption ?? ''))
      return toAnswer('post_new', 201)
    })
    service.on(
      'PATCH',
      `${root}/*`,
      change((post, body) => {
        const { channels, ...fields } = body as { channels?: Record<string, { caption: string }> }
        const next = { ...post, ...fields }
        return channels?.FB_1 === undefined ? next : withCaption(next, channels.FB_1.caption)
      }),
    )
    service.on(
      'POST',
      `${root}/*/approve`,
      change((post) => ({ ...post, status: 'SCHEDULED' })),
    )
    service.on(
      'POST',
      `${root}/*/submit-for-approval`,
      change((post) => ({ ...post, status: 'WAITING_FOR_APPROVAL' })),
    )
    service.on(
      'POST',
      `${root}/*/reject`,
      change((post, body) => ({ ...post, status: 'REJECTED', notes: (body as { notes: string }).notes })),
    )
  }

  get(id: string): ScheduledPost | undefined {
    return this.#posts.get(id)?.post
  }

  set(post: ScheduledPost, by = 'Bea'): void {
    const before = this.#posts.get(post.id)
    const version = (before?.version ?? 0) + 1
    const change = {
      version,
      action: before === undefined ? 'submitted' : 'updated',
      actor: 'user:2',
      actorName: by,
      at: '2026-11-20T09:00:00.000Z',
      ...(before === undefined ? {} : { detail: { changed: ['channels.FB_1'] } }),
    } as unknown as PostChange
    this.#posts.set(post.id, { post, version, history: [...(before?.history ?? []), change] })
  }
}
