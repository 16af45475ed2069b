/** A page of the sandbox around `body`, which is HTML. It reloads itself unless someone is writing on it. */
export function toDocument(title: string, body: string, { isWriting = false } = {}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isWriting ? '' : '<meta http-equiv="refresh" content="5">'}
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
ul.comments, ul.comments ul { list-style: none; padding-left: 1rem; border-left: 2px solid #8886 }
ul.comments p { margin: .25rem 0 }
form.write { border: 0; padding: 0 }
input, select { font: inherit; max-width: 100% }
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
