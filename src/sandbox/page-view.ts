import type { SandboxPage } from './model.js'
import type { SandboxPublication } from './publications.js'

/** No script, and nothing of another host but the media of what was published. */
export const PAGE_CONTENT_SECURITY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; media-src http: https:; form-action 'self'"

/** A page or an account with its publications, newest first, as HTML. It reloads itself. */
export function pageView(page: SandboxPage, publications: SandboxPublication[]): string {
  const isFacebook = page.platform === 'facebook'
  const name = escapeHtml(page.name)
  const listed = publications
    .toReversed()
    .map((publication) => publicationView(name, publication))
    .join('\n')
  return toDocument(
    page.name,
    `<header class="${isFacebook ? 'facebook' : 'instagram'}">
<span class="face" aria-hidden="true">${escapeHtml([...page.name][0]?.toUpperCase() ?? '')}</span>
<h1>${name}</h1>
<p>${isFacebook ? 'Facebook page' : 'Instagram account'} in the sandbox: nothing here has left this machine.</p>
</header>
<main>
${listed || '<p class="quiet">Nothing has been published yet.</p>'}
</main>`,
  )
}

function publicationView(name: string, publication: SandboxPublication): string {
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
</article>`
}

/** A page of the sandbox around `body`, which is HTML. */
export function toDocument(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>${escapeHtml(title)} · sandbox</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 0 auto; padding: 1rem }
header { display: grid; grid-template-columns: auto 1fr; column-gap: .75rem; padding: 1rem; border-radius: .75rem; color: #fff }
header p { grid-column: 2; margin: 0 }
h1 { font-size: 1.25rem; margin: 0 }
.facebook { background: #1459b3 }
.instagram { background: linear-gradient(45deg, #9c4a12, #b0135e 55%, #6a1fb0) }
.face { grid-row: span 2; width: 3rem; height: 3rem; border-radius: 50%; background: #fff; color: #333; font: 700 1.5rem/3rem system-ui; text-align: center }
article, form { border: 1px solid #8886; border-radius: .75rem; margin: 1rem 0; padding: .75rem 1rem }
article:target { outline: 3px solid #1459b3 }
img, video { display: block; width: 100%; max-height: 32rem; object-fit: contain; background: #0001; border-radius: .5rem }
p { margin: .5rem 0 }
.text { white-space: pre-wrap; overflow-wrap: anywhere }
.quiet { font-size: .875rem; overflow-wrap: anywhere; color: color-mix(in srgb, CanvasText 75%, Canvas) }
.id { font-size: .75rem }
.on { border: 2px solid #c1121f }
h2 { font-size: 1.05rem; margin: 0 }
button { font: inherit; padding: .4rem .8rem; margin: .15rem .15rem .15rem 0 }
</style>
</head>
<body>
${body}
</body>
</html>
`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
