import type { SandboxPublication } from '../../packages/sandbox/src/publications.js'
import type { OrganizationName } from './stage.js'

/** The published content of a post. */
export interface Content {
  media: string | undefined
  mediaType: string
  captions: Record<string, string>
}

/** A change that the service has acknowledged. */
export interface Change {
  version: number
  actor: string
  action: string
  /** The parts that have their own writers (docs/access.md); empty for a change that four eyes ignores. */
  parts: string[]
}

/**
 * The time between a call and its response, by the fast clock. If `to` is undefined, it is unknown whether the call
 * was carried out.
 */
interface Span {
  from: number
  to: number | undefined
}

/** Everything that is known about a post from outside. */
export interface PostNote {
  sequence: number
  id: string
  organization: OrganizationName
  creator: string
  changes: Change[]
  /** Parts that a call with a lost response may have changed. */
  unsureParts: Set<string>
  approvals: (Span & { content: Content })[]
  /** Changes that end an approval: other content, a return to draft, a rejection, a deletion. */
  ends: (Span & { to: number })[]
  deleted: 'no' | 'maybe' | 'yes'
  /** The highest version that was seen or acknowledged. */
  version: number
}

export const newNote = (note: Pick<PostNote, 'sequence' | 'id' | 'organization' | 'creator'>): PostNote => ({
  ...note,
  changes: [{ version: 1, actor: note.creator, action: 'created', parts: [] }],
  unsureParts: new Set(),
  approvals: [],
  ends: [],
  deleted: 'no',
  version: 1,
})

/**
 * Finds the writers of a version: the certain and the possible ones. It implements the rule of docs/access.md
 * independently: the writers are the creator and the last person to change each part.
 */
export function writersOf(post: PostNote, version: number): { certain: Set<string>; possible: Set<string> } {
  const certain = new Set([post.creator])
  const possible = new Set([post.creator])
  const last = new Map<string, Change>()
  for (const change of post.changes) {
    for (const part of change.parts) {
      possible.add(change.actor)
      const before = last.get(part)
      if (change.version <= version && (before === undefined || before.version < change.version)) last.set(part, change)
    }
  }
  for (const [part, { actor }] of last) if (!post.unsureParts.has(part)) certain.add(actor)
  return { certain, possible }
}

/** True for a publication whose content was approved, if no change had ended that approval. */
export function isApproved(post: PostNote, channelId: string, item: SandboxPublication): boolean {
  return post.approvals.some(({ to, from, content }) => {
    if (from > item.publishedAt || content.captions[channelId] !== item.text) return false
    if (content.media !== item.mediaUrl || content.mediaType !== item.mediaType) return false
    return to === undefined || !post.ends.some((end) => end.from >= to && end.to < item.publishedAt)
  })
}

/** Reads the content of a post from a response of the service. */
export const toContent = (body: {
  media?: string
  mediaType?: string
  mediumsData: Record<string, { caption?: string }>
}): Content => ({
  media: body.media,
  mediaType: body.mediaType ?? 'IMAGE',
  captions: Object.fromEntries(Object.entries(body.mediumsData).map(([id, { caption = '' }]) => [id, caption])),
})
