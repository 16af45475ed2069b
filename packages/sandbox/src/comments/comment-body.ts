import { BadRequest } from '../answers.js'
import { type Field, readLimit } from '../fields.js'
import { DAY_MS } from '../lib/dates.js'
import type { SandboxPage } from '../model.js'
import { pick } from '../publications.js'
import type { SandboxComment } from './comments.js'

/** A comment with its page. */
export interface Commented {
  comment: SandboxComment
  page: SandboxPage
  /** Milliseconds since the epoch. */
  now: number
  /** The replies beneath it, oldest first. */
  replies(): readonly SandboxComment[]
}

/** Returns a comment as the platform does, with these fields. */
export const commentBody = (commented: Commented, fields: Field[]): Record<string, unknown> =>
  commented.page.platform === 'facebook' ? bodyOfPage(commented, fields) : bodyOfInstagram(commented, fields)

function bodyOfPage({ comment, page, now }: Commented, fields: Field[]): Record<string, unknown> {
  const { id, text, at, parentId, isHidden, privateReply } = comment
  return pick('Comment', fields, {
    id,
    message: () => text,
    created_time: () => instant(at),
    from: () => authorOf(comment, page),
    parent: () => (parentId === undefined ? undefined : { id: parentId }),
    is_hidden: () => isHidden,
    can_reply_privately: () => canReplyPrivately(comment, now),
    private_reply_conversation: () => (privateReply === undefined ? undefined : { id: `t_${id}` }),
  })
}

function bodyOfInstagram({ comment, page, now, replies }: Commented, fields: Field[]): Record<string, unknown> {
  const { id, text, at, parentId, isHidden } = comment
  const asked = fields.find(({ name }) => name === 'replies')
  return pick('IGComment', fields, {
    id,
    text: () => text,
    timestamp: () => instant(at),
    from: () => authorOf(comment, page),
    username: () => authorOf(comment, page)?.username,
    parent_id: () => parentId,
    hidden: () => isHidden,
    replies() {
      if (asked?.fields === undefined) throw new BadRequest('The field replies needs fields of its own')
      const listed = replies().slice(0, readLimit(asked.modifiers.limit))
      if (listed.length === 0) return undefined
      return {
        data: listed.map((reply) => bodyOfInstagram({ comment: reply, page, now, replies: () => [] }, asked.fields!)),
      }
    },
  })
}

/** The page itself or the person; undefined if the platform hides the author. */
export function authorOf(
  { person, isAnonymous }: SandboxComment,
  page: SandboxPage,
): { id: string; name?: string; username?: string } | undefined {
  if (isAnonymous) return undefined
  const { id, name, username } = person ?? { id: page.id, name: page.name, username: page.name }
  return page.platform === 'facebook' ? { id, name } : { id, username }
}

const canReplyPrivately = ({ person, privateReply, at }: SandboxComment, now: number): boolean =>
  person !== undefined && privateReply === undefined && at >= now - 7 * DAY_MS

/** `2026-11-20T09:00:00+0000` */
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`
