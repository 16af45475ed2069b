import type { SandboxPage } from './model.js'
import type { SandboxPublication } from './publishing.js'

/** The publications of a page, newest first, as HTML that loads nothing. */
export function pageView(page: SandboxPage, publications: SandboxPublication[]): string {
  const where = page.platform === 'facebook' ? 'Facebook page' : 'Instagram account'
  const listed = publications.toReversed().map(publicationView).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.name)} · sandbox</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
article { border-top: 1px solid #8886; padding: 1rem 0 }
article:target { border-top: 3px solid }
p { white-space: pre-wrap; overflow-wrap: anywhere; margin: .5rem 0 }
small { overflow-wrap: anywhere; opacity: .75 }
</style>
</head>
<body>
<h1>${escapeHtml(page.name)}</h1>
<p>${where} ${escapeHtml(page.id)} in the sandbox: nothing here has left this machine.</p>
${listed || '<p>Nothing has been published yet.</p>'}
</body>
</html>
`
}

function publicationView({ id, text, mediaType, mediaUrl, publishedAt, received }: SandboxPublication): string {
  const time = new Date(publishedAt).toISOString()
  const media =
    mediaUrl === undefined ? '' : `<br>${mediaType === 'VIDEO' ? 'Video' : 'Image'}: ${escapeHtml(mediaUrl)}`
  const repeats = received > 1 ? `<br>Received ${received} times` : ''
  return `<article id="${escapeHtml(id)}">
<small><time datetime="${time}">${time.slice(0, 19).replace('T', ' ')} UTC</time></small>
<p dir="auto">${escapeHtml(text)}</p>
<small>${escapeHtml(id)}${media}${repeats}</small>
</article>`
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
