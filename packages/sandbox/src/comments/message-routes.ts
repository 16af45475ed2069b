import { BadRequest, notFound, ok, type SandboxAnswer } from '../answers.js'
import { DAY_MS } from '../lib/dates.js'
import type { SandboxPage } from '../model.js'
import type { SandboxCall } from '../route.js'
import { requireScope } from '../scopes.js'
import type { Comments } from './comments.js'
import { checkMessage, isTemplate, readObject } from './message-forms.js'
import { REFUSALS } from './refusals.js'

const REPLY_WINDOW_MS = 7 * DAY_MS
const HOUR_MS = 3_600_000
const INSTAGRAM_REPLIES_AN_HOUR = 750

/**
 * Sends a private reply to a comment, or a message to a person who wrote before. A page also sends those of its linked
 * Instagram account: the recipient shows which of the two sends.
 */
export function sendMessage(comments: Comments, call: SandboxCall, sender: SandboxPage): SandboxAnswer {
  const message = readObject(call.params.message, 'message')
  const { comment_id: commentId, id: personId } = readObject(call.params.recipient, 'recipient')
  if (commentId === undefined && typeof personId !== 'string') {
    throw new BadRequest('Param recipient must name a comment_id or an id')
  }
  const senders = [sender, ...call.token.pages.filter(({ pageId }) => pageId === sender.id)]
  const comment = commentId === undefined ? undefined : comments.find(String(commentId))
  const isAbout = (page: SandboxPage): boolean =>
    commentId === undefined ? comments.people.find(page, String(personId)) !== undefined : comment?.pageId === page.id
  // The id of a deleted comment shows its platform: on a page it has two parts.
  const isOther = commentId !== undefined && !String(commentId).includes('_')
  const page = senders.find(isAbout) ?? (isOther ? senders.at(-1)! : sender)
  if (page !== sender) requireScope(call.token, 'instagram_manage_messages')
  if (commentId !== undefined) return replyPrivately(comments, call, page, String(commentId), message)
  return sendTo(comments, page, String(personId), message)
}

function replyPrivately(
  comments: Comments,
  call: SandboxCall,
  page: SandboxPage,
  commentId: string,
  message: Record<string, unknown>,
): SandboxAnswer {
  const comment = comments.find(commentId)
  const now = comments.clock.now()
  const isOfPage = page.platform === 'facebook'
  if (comment?.pageId !== page.id) return isOfPage ? notFound(commentId, 'POST') : REFUSALS.notEligible
  const { person } = comment
  if (person === undefined || comment.at < now - REPLY_WINDOW_MS) {
    return isOfPage ? REFUSALS.notReplyable : REFUSALS.notEligible
  }
  if (comment.privateReply !== undefined) return isOfPage ? REFUSALS.alreadyReplied : REFUSALS.notEligible
  checkMessage(page, message, now)
  const ofLastHour = comments.messages.filter(({ pageId, at }) => pageId === page.id && at > now - HOUR_MS)
  if (!isOfPage && ofLastHour.length >= INSTAGRAM_REPLIES_AN_HOUR) return REFUSALS.tooManyCalls
  // The reply is still used up.
  const spent = !isOfPage && isTemplate(message) && !person.follows ? REFUSALS.notAFollower : call.spent
  comment.privateReply = spent === undefined ? 'app' : 'spent'
  if (spent !== undefined) return spent
  const sent = comments.send(page, person, { commentId, message })
  return ok({ recipient_id: sent.recipientId, message_id: sent.id })
}

function sendTo(
  comments: Comments,
  page: SandboxPage,
  personId: string,
  message: Record<string, unknown>,
): SandboxAnswer {
  const person = comments.people.find(page, personId)
  const isOfPage = page.platform === 'facebook'
  if (person?.conversationId !== personId) {
    return isOfPage ? REFUSALS.noSuchPersonOfPage : REFUSALS.noSuchPersonOfInstagram
  }
  if (person.wroteAt === undefined || person.wroteAt < comments.clock.now() - DAY_MS) {
    return isOfPage ? REFUSALS.outsideWindowOfPage : REFUSALS.outsideWindowOfInstagram
  }
  checkMessage(page, message, comments.clock.now())
  const sent = comments.send(page, person, { commentId: undefined, message })
  return ok({ recipient_id: sent.recipientId, message_id: sent.id })
}
