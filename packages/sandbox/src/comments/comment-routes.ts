import { BadRequest, notFound, ok, type SandboxAnswer } from '../answers.js'
import { type Field, parseFields, readLimit } from '../fields.js'
import type { SandboxPage } from '../model.js'
import { requireParam } from '../publications.js'
import { get, post, type SandboxCall, type SandboxRoute } from '../route.js'
import { requireScope } from '../scopes.js'
import { type Commented, commentBody } from './comment-body.js'
import type { Comments, SandboxComment } from './comments.js'
import { REFUSALS } from './refusals.js'

const INSTAGRAM_LIMIT_MAX = 50
const PAGE_SCOPES = ['pages_read_engagement', 'pages_read_user_content'] as const
const INSTAGRAM_SCOPES = ['instagram_manage_comments'] as const
const LIKES_MAX = 50
const LIKES_WITHIN_MS = 5_000
const LIKES_LOCKED_MS = 3_600_000

/** Reading comments, replying beneath them and liking them. */
export function commentRoutes(comments: Comments): SandboxRoute[] {
  const likesLockedUntil = new Map<string, number>()
  /** Calls the handler for a comment that the token may see, with its page. */
  const ofComment =
    (handle: (call: SandboxCall, commented: Commented) => SandboxAnswer): SandboxRoute['handle'] =>
    (call, _model, [id = '']) => {
      const commented = findCommented(comments, call, id)
      return commented === undefined ? notFound(id, 'post') : handle(call, commented)
    }
  return [
    get(/^\/(\d+(?:_\d+)?)\/comments$/, (call, _model, [id = '']) => listComments(comments, call, id)),
    get(/^\/(\d+)\/replies$/, (call, _model, [id = '']) => {
      const commented = findCommented(comments, call, id)
      if (commented?.page.platform !== 'instagram') return notFound(id)
      requireScope(call.token, 'instagram_manage_comments')
      const fields = parseFields(call.query.fields ?? 'id,timestamp,text')
      return ok({ data: commented.replies().map((reply) => commentBody({ ...commented, comment: reply }, fields)) })
    }),
    get(/^\/(\d+(?:_\d+)?)$/, (call, _model, [id = '']) => {
      const commented = findCommented(comments, call, id)
      if (commented === undefined) return findPerson(comments, call, id)
      requireReading(call, commented.page)
      return ok(commentBody(commented, parseFields(call.query.fields ?? 'id')))
    }),
    post(
      /^\/(\d+_\d+)\/comments$/,
      ofComment((call, { comment, page }) => {
        requireScope(call.token, 'pages_manage_engagement')
        return reply(comments, call, page, comment)
      }),
    ),
    post(
      /^\/(\d+)\/replies$/,
      ofComment((call, { comment, page }) => {
        if (page.platform !== 'instagram') return notFound(comment.id, 'post')
        requireScope(call.token, 'instagram_manage_comments')
        if (comment.parentId !== undefined) throw new BadRequest('A reply can only be made to a top-level comment')
        if (comment.isHidden) throw new BadRequest('A reply cannot be made to a hidden comment')
        return reply(comments, call, page, comment)
      }),
    ),
    post(
      /^\/(\d+_\d+)\/likes$/,
      ofComment((call, { comment, page }) => {
        requireScope(call.token, 'pages_manage_engagement')
        return like(comments, page, comment)
      }),
    ),
    post(/^\/(\d+)\/likes$/, (call, _model, [id = '']) => {
      const account = call.token.pages.find((page) => page.id === id && page.platform === 'instagram')
      if (account === undefined) return notFound(id, 'post')
      requireScope(call.token, 'instagram_manage_engagement')
      const commentId = requireParam(call.params, 'comment_id')
      const comment = comments.find(commentId)
      if (comment?.pageId !== account.id) return notFound(commentId, 'post')
      const now = comments.clock.now()
      if ((likesLockedUntil.get(id) ?? 0) > now) return REFUSALS.tooManyCalls
      const latest = comments.likes.filter(({ pageId, at }) => pageId === id && at > now - LIKES_WITHIN_MS)
      if (latest.length < LIKES_MAX) return like(comments, account, comment)
      likesLockedUntil.set(id, now + LIKES_LOCKED_MS)
      return REFUSALS.tooManyCalls
    }),
    // Without an edge it edits the comment itself, which is that of a customer.
    post(/^\/(\d+_\d+)$/, (call, _model, [id = '']) => {
      const commented = findCommented(comments, call, id)
      if (commented === undefined) return undefined
      requireScope(call.token, 'pages_manage_engagement')
      commented.comment.text = requireParam(call.params, 'message')
      return ok({ success: true })
    }),
  ]
}

function findCommented(comments: Comments, call: SandboxCall, id: string): Commented | undefined {
  const comment = comments.find(id)
  const page = call.token.pages.find((candidate) => candidate.id === comment?.pageId)
  if (comment === undefined || page === undefined) return undefined
  const replies = (): SandboxComment[] =>
    comments.of(comment.objectId).filter(({ parentId, isRestricted }) => parentId === comment.id && !isRestricted)
  return { comment, page, now: call.now, replies }
}

function requireReading(call: SandboxCall, { platform }: SandboxPage): void {
  const scopes = platform === 'instagram' ? INSTAGRAM_SCOPES : PAGE_SCOPES
  for (const scope of scopes) requireScope(call.token, scope)
}

/** The profile of someone who comments or writes. */
function findPerson(comments: Comments, call: SandboxCall, id: string): SandboxAnswer | undefined {
  if (!(call.query.fields ?? '').split(',').includes('profile_pic')) return undefined
  for (const page of call.token.pages) {
    const person = comments.people.find(page, id)
    if (person !== undefined) return ok({ id, first_name: person.name, name: person.name, username: person.username })
  }
}

function reply(comments: Comments, call: SandboxCall, page: SandboxPage, comment: SandboxComment): SandboxAnswer {
  const text = requireParam(call.params, 'message')
  const id = comments.reply(comment, text)
  comments.replies.push({ at: comments.clock.now(), pageId: page.id, commentId: comment.id, id, text })
  return ok({ id })
}

function like(comments: Comments, page: SandboxPage, { id: commentId }: SandboxComment): SandboxAnswer {
  const isRepeat = comments.likes.some((one) => one.commentId === commentId)
  comments.likes.push({ at: comments.clock.now(), pageId: page.id, commentId, isRepeat })
  return ok({ success: true })
}

// Lists.

function listComments(comments: Comments, call: SandboxCall, id: string): SandboxAnswer {
  const parent = findCommented(comments, call, id)
  const object = comments.findObject(parent?.comment.objectId ?? id)
  const page = call.token.pages.find((candidate) => candidate.id === object?.page.id)
  if (object === undefined || page === undefined) return notFound(id)
  requireReading(call, page)
  // A video of a page is commented under the id of its post.
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
