import { BadRequest, notFound, ok, type SandboxAnswer } from '../answers.js'
import { type Field, parseFields, readLimit } from '../fields.js'
import { requireParam } from '../publications.js'
import type { Handler, SandboxCall, SandboxNode, SandboxPart } from '../route.js'
import { type Commented, commentBody } from './comment-body.js'
import type { Comments, SandboxComment } from './comments.js'
import { sendMessage } from './message-routes.js'
import { findPerson, readPerson } from './profiles.js'
import { REFUSALS } from './refusals.js'

const INSTAGRAM_LIMIT_MAX = 50
const LIKES_MAX = 50
const LIKES_WITHIN_MS = 5_000
const LIKES_LOCKED_MS = 3_600_000

/** Comments, their authors, answers to them, and messages. */
export function commentsPart(comments: Comments): SandboxPart {
  const read: Handler = (call, { id }) =>
    ok(commentBody(commentedOf(comments, call, id), parseFields(call.query.fields ?? 'id')))
  const list: Handler = (call, { id }) => listComments(comments, call, id)
  const remove: Handler = (_call, { id }) => {
    comments.delete(id)
    return ok({ success: true })
  }
  const send: Handler = (call, { page }) => sendMessage(comments, call, page!)
  const like = likes(comments)
  /** Adds the page's own comment to a post or medium. */
  const comment: Handler = ({ params }, { id, page }) => {
    const text = requireParam(params, 'message')
    const object = comments.findObject(id)
    return object === undefined
      ? notFound(id, 'POST')
      : noted(comments, page!.id, object.id, comments.own(object, text))
  }
  return {
    find: (id, call) => findNode(comments, id, call),
    handlers: {
      'GET Post/comments': list,
      'GET Video/comments': list,
      'GET IGMedia/comments': list,
      'GET Comment/comments': list,
      'POST Post/comments': comment,
      'POST IGMedia/comments': comment,
      'GET Comment/': read,
      'GET IGComment/': read,
      'DELETE Comment/': remove,
      'DELETE IGComment/': remove,
      'POST Comment/': ({ params }, { id }) => {
        comments.require(id).text = requireParam(params, 'message')
        return ok({ success: true })
      },
      'POST IGComment/': ({ params }, { id }) => {
        if (!['true', 'false'].includes(String(params.hide))) throw new BadRequest('The parameter hide is required')
        comments.require(id).isHidden = String(params.hide) === 'true'
        return ok({ success: true })
      },
      'GET IGComment/replies': (call, { id }) => {
        const commented = commentedOf(comments, call, id)
        const fields = parseFields(call.query.fields ?? 'id,timestamp,text')
        return ok({ data: commented.replies().map((reply) => commentBody({ ...commented, comment: reply }, fields)) })
      },
      'POST Comment/comments': ({ params }, { id }) => reply(comments, id, params),
      'POST IGComment/replies': ({ params }, { id }) => {
        const { parentId, isHidden } = comments.require(id)
        if (parentId !== undefined) throw new BadRequest('A reply can only be made to a top-level comment')
        if (isHidden) throw new BadRequest('A reply cannot be made to a hidden comment')
        return reply(comments, id, params)
      },
      'POST Comment/likes': (_call, { id, page }) => like.add(page!.id, id),
      'POST IGUser/likes': ({ params }, { id }) => like.ofAccount(id, params, 'POST'),
      'DELETE IGUser/likes': ({ params }, { id }) => like.ofAccount(id, params, 'DELETE'),
      'POST Page/messages': send,
      'POST IGUser/messages': send,
      // The sandbox keeps no threads, but an app may ask for them to see what its token may read.
      'GET IGUser/conversations': () => ok({ data: [] }),
      'GET UserProfile/': (call, node) => readPerson(comments, call, node),
      'GET IGProfile/': (call, node) => readPerson(comments, call, node),
    },
  }
}

function findNode(comments: Comments, id: string, call: SandboxCall): SandboxNode | undefined {
  const comment = comments.find(id)
  if (comment !== undefined) {
    const page = comments.requirePage(comment.pageId)
    return { type: page.platform === 'facebook' ? 'Comment' : 'IGComment', id, page }
  }
  const object = comments.findObject(id)
  if (object !== undefined)
    return { type: object.page.platform === 'facebook' ? 'Post' : 'IGMedia', id, page: object.page }
  return findPerson(comments, id, call)
}

function commentedOf(comments: Comments, call: SandboxCall, id: string): Commented {
  const comment = comments.require(id)
  const replies = (): SandboxComment[] =>
    comments.of(comment.objectId).filter(({ parentId, isRestricted }) => parentId === comment.id && !isRestricted)
  return { comment, page: comments.requirePage(comment.pageId), now: call.now, replies }
}

function reply(comments: Comments, commentId: string, params: Record<string, unknown>): SandboxAnswer {
  const comment = comments.require(commentId)
  const text = requireParam(params, 'message')
  return noted(comments, comment.pageId, commentId, { id: comments.reply(comment, text), text })
}

/** Keeps what the app wrote beneath a comment or on a publication. */
function noted(
  comments: Comments,
  pageId: string,
  commentId: string,
  { id, text }: { id: string; text: string },
): SandboxAnswer {
  comments.replies.push({ at: comments.clock.now(), pageId, commentId, id, text })
  return ok({ id })
}

/** Likes of comments: a page has no limit; an Instagram account can be locked out for an hour. */
function likes(comments: Comments) {
  const lockedUntil = new Map<string, number>()
  const latest = new Map<string, number[]>()
  function add(pageId: string, commentId: string): SandboxAnswer {
    const isRepeat = comments.likes.some((one) => one.commentId === commentId)
    comments.likes.push({ at: comments.clock.now(), pageId, commentId, isRepeat })
    return ok({ success: true })
  }
  function ofAccount(id: string, params: Record<string, unknown>, method: 'POST' | 'DELETE'): SandboxAnswer {
    const [commentId, mediaId] = [params.comment_id, params.media_id]
    if ((commentId === undefined) === (mediaId === undefined)) {
      throw new BadRequest('Either media_id or comment_id is required, and not both')
    }
    const objectId = String(commentId ?? mediaId)
    const pageId = commentId === undefined ? comments.findObject(objectId)?.page.id : comments.find(objectId)?.pageId
    if (pageId !== id) return notFound(objectId, method)
    const now = comments.clock.now()
    if ((lockedUntil.get(id) ?? 0) > now) return REFUSALS.tooManyCalls
    const recent = (latest.get(id) ?? []).filter((at) => at > now - LIKES_WITHIN_MS)
    if (recent.length >= LIKES_MAX) {
      lockedUntil.set(id, now + LIKES_LOCKED_MS)
      return REFUSALS.tooManyCalls
    }
    latest.set(id, [...recent, now])
    if (method === 'POST') return add(id, objectId)
    const at = comments.likes.findIndex((one) => one.commentId === objectId)
    if (at >= 0) comments.likes.splice(at, 1)
    return ok({ success: true })
  }
  return { add, ofAccount }
}

// Lists.

function listComments(comments: Comments, call: SandboxCall, id: string): SandboxAnswer {
  const parent = comments.find(id)
  const object = comments.requireObject(parent?.objectId ?? id)
  const { page } = object
  // Comments on a page's video use the id of its post.
  const isOther = parent === undefined && object.id !== id
  const all = (isOther ? [] : comments.of(object.id)).filter(({ isRestricted }) => !isRestricted)
  const of = (comment: SandboxComment): Commented => ({
    ...{ comment, page, now: call.now },
    replies: () => all.filter(({ parentId }) => parentId === comment.id),
  })
  const under = parent === undefined ? all : all.filter(({ parentId }) => parentId === id)
  if (page.platform === 'facebook') {
    const listed = listOfPage(call.query, under, parent !== undefined)
    return toPage(call, id, listed.map(of), parseFields(call.query.fields ?? 'id,from,message,created_time'))
  }
  const topLevel = newestFirst(under.filter(({ parentId }) => parentId === undefined))
  return toPage(call, id, topLevel.map(of), parseFields(call.query.fields ?? 'id,timestamp,text'), INSTAGRAM_LIMIT_MAX)
}

function listOfPage(
  { filter = 'toplevel', order = 'chronological', since = '0' }: Record<string, string>,
  comments: readonly SandboxComment[],
  isOfComment: boolean,
): SandboxComment[] {
  if (!['toplevel', 'stream'].includes(filter)) throw new BadRequest('Param filter must be one of {TOPLEVEL, STREAM}')
  if (!['chronological', 'reverse_chronological', 'ranked'].includes(order)) {
    throw new BadRequest('Param order must be one of {CHRONOLOGICAL, REVERSE_CHRONOLOGICAL, RANKED}')
  }
  const listed = comments
    .filter(({ parentId }) => filter === 'stream' || isOfComment || parentId === undefined)
    .filter(({ at }) => Math.floor(at / 1000) >= Number(since))
  return order === 'reverse_chronological' ? newestFirst(listed) : newestFirst(listed).toReversed()
}

const newestFirst = (comments: readonly SandboxComment[]): SandboxComment[] =>
  comments.toReversed().toSorted((a, b) => b.at - a.at)

function toPage(
  call: SandboxCall,
  id: string,
  listed: readonly Commented[],
  fields: Field[],
  limitMax = Number.POSITIVE_INFINITY,
): SandboxAnswer {
  const { query } = call
  const limit = Math.min(readLimit(query.limit), limitMax)
  const start = query.after === undefined ? 0 : listed.findIndex(({ comment }) => cursorOf(comment) === query.after) + 1
  if (start === 0 && query.after !== undefined) throw new BadRequest('Invalid cursors values')
  const items = listed.slice(start, start + limit)
  const last = items.at(-1)
  if (last === undefined) return ok({ data: [] })
  const after = cursorOf(last.comment)
  const next = start + limit < listed.length ? call.pageUrl(`/${id}/comments`, { ...query, after }) : undefined
  return ok({
    data: items.map((item) => commentBody(item, fields)),
    paging: { cursors: { before: cursorOf(items[0]!.comment), after }, next },
  })
}

const cursorOf = ({ id }: SandboxComment): string => Buffer.from(`comment:${id}`).toString('base64')
