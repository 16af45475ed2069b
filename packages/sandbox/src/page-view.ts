import type { Comments } from './comments/comments.js'
import { commentsView } from './comments/comments-view.js'
import { escapeHtml, toDocument } from './html.js'
import type { SandboxPage } from './model.js'
import type { SandboxPublication } from './publications.js'

/** No scripts, and nothing from another host except published media. */
export const PAGE_CONTENT_SECURITY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; media-src http: https:; form-action 'self'"

/**
 * A page or account with its publications, newest first, and their comments, as HTML. It reloads itself unless someone is
 * writing beneath the publication `writing`.
 */
export function pageView(
  page: SandboxPage,
  publications: SandboxPublication[],
  comments: Comments,
  writing: string | undefined,
): string {
  const isFacebook = page.platform === 'facebook'
  const name = escapeHtml(page.name)
  const listed = publications
    .toReversed()
    .map((publication) =>
      publicationView(name, publication, commentsView(page, publication.id, comments, publication.id === writing)),
    )
    .join('\n')
  return toDocument(
    page.name,
    `<header class="${isFacebook ? 'facebook' : 'instagram'}">
<span class="face" aria-hidden="true">${escapeHtml([...page.name][0]?.toUpperCase() ?? '')}</span>
<h1>${name}</h1>
<p>${isFacebook ? 'Facebook page' : 'Instagram account'} in the sandbox. Nothing here has left this machine.</p>
</header>
<main>
${listed || '<p class="quiet">Nothing has been published yet.</p>'}
</main>`,
    { isWriting: publications.some(({ id }) => id === writing) },
  )
}

function publicationView(name: string, publication: SandboxPublication, comments: string): string {
  const { id, text, mediaType, mediaUrl, publishedAt, received } = publication
  const time = new Date(publishedAt).toISOString()
  const url = escapeHtml(mediaUrl ?? '')
  const media =
    mediaUrl === undefined
      ? ''
      : mediaType === 'VIDEO'
        ? `<video controls muted loop preload="metadata" src="${url}"></video>`
        : `<img src="${url}" alt="">`
  const repeats = received > 1 ? `, received ${received} times` : ''
  return `<article id="${escapeHtml(id)}">
<p class="quiet"><strong>${name}</strong> · <time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></p>
<p class="text" dir="auto">${escapeHtml(text)}</p>
${media}
<p class="quiet id">${escapeHtml(id)}${repeats}</p>
${comments}
</article>`
}
