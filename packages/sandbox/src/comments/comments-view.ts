import { escapeHtml } from '../html.js'
import type { SandboxPage } from '../model.js'
import type { Comments, SandboxComment } from './comments.js'
import { PEOPLE } from './people.js'

/** At most this many threads are shown beneath a publication, the latest ones. */
const THREADS_MAX = 50
const PRIVATE_REPLIES: Readonly<Record<NonNullable<SandboxComment['privateReply']>, string | undefined>> = {
  app: undefined,
  human: 'A person at the page answered in the inbox.',
  spent: 'The only private reply is used up, but nothing was sent.',
}

/** The comments on a publication, the answers to them, and the box to write one, as HTML. */
export function commentsView(page: SandboxPage, publicationId: string, comments: Comments, isWriting: boolean): string {
  const all = comments.of(publicationId)
  const threads = all.filter(({ parentId }) => parentId === undefined)
  const shown = threads.slice(-THREADS_MAX)
  const listed = shown.map((comment) => {
    const replies = all
      .filter(({ parentId }) => parentId === comment.id)
      .map((reply) => commentView(page, reply, comments))
    return `<li>${commentView(page, comment, comments)}${replies.length === 0 ? '' : `<ul><li>${replies.join('</li><li>')}</li></ul>`}</li>`
  })
  const earlier =
    threads.length > shown.length ? `<p class="quiet">${threads.length - shown.length} earlier comments.</p>` : ''
  const list = listed.length === 0 ? '' : `${earlier}<ul class="comments">${listed.join('')}</ul>`
  return `${list}${isWriting ? boxView(page, publicationId) : linkView(page, publicationId)}`
}

/** A comment with its like and its private reply. */
function commentView(page: SandboxPage, comment: SandboxComment, { likes, messages, replies }: Comments): string {
  const { id, person, text, at, privateReply, isHidden } = comment
  const by =
    person === undefined
      ? `<strong>${escapeHtml(page.name)}</strong>${replies.some((reply) => reply.id === id) ? '' : ' (a human)'}`
      : `<strong>${escapeHtml(person.name)}</strong>`
  const noted = [
    ...(likes.some(({ commentId }) => commentId === id) ? ['♥ liked by the page'] : []),
    ...(isHidden ? ['hidden'] : []),
    ...messages
      .filter(({ commentId }) => commentId === id)
      .map((sent) => `✉ to ${person?.name}: ${textOf(sent.message)}`),
    ...(privateReply === undefined ? [] : [PRIVATE_REPLIES[privateReply] ?? '']),
  ].filter((note) => note !== '')
  const time = new Date(at).toISOString()
  return `<p class="text" dir="auto">${by} ${escapeHtml(text)}</p>
<p class="quiet"><time datetime="${time}">${time.slice(11, 19)}</time>${noted.map((note) => `<br>${escapeHtml(note)}`).join('')}</p>`
}

/** A message as text; a template includes its buttons and picture. */
function textOf(message: Record<string, unknown>): string {
  if (typeof message.text === 'string') return message.text
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && ['text', 'title', 'url', 'image_url'].includes(name)) texts.push(inner)
      else collect(inner)
    }
  }
  collect(message)
  return texts.join(' · ')
}

const linkView = ({ id }: SandboxPage, publicationId: string): string =>
  `<p><a href="/pages/${id}?write=${escapeHtml(publicationId)}#${escapeHtml(publicationId)}">Write a comment</a></p>`

/** The document with the box does not reload itself, because that would discard what someone is writing. */
function boxView({ id }: SandboxPage, publicationId: string): string {
  const people = PEOPLE.map((name) => `<option>${name}</option>`).join('')
  return `<form class="write" method="post" action="/pages/${id}/comment">
<input type="hidden" name="post" value="${escapeHtml(publicationId)}">
<label>As <select name="from">${people}</select></label>
<label>Text <input name="text" required maxlength="2000" autocomplete="off" autofocus></label>
<button>Comment</button>
<button formaction="/pages/${id}/message">Send it to the inbox instead</button>
<a href="/pages/${id}#${escapeHtml(publicationId)}">Cancel</a>
</form>`
}
