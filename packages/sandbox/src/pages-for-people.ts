import type { IncomingMessage, ServerResponse } from 'node:http'
import type { createPanel } from './break-something.js'
import type { Comments } from './comments/comments.js'
import type { SandboxModel } from './model.js'
import { PAGE_CONTENT_SECURITY, pageView } from './page-view.js'
import type { SandboxPublication } from './publications.js'

/**
 * Shows a page's publications and their comments, and accepts what people write there: comments, and messages to its
 * inbox. False for another URL.
 */
export async function servePages(
  request: IncomingMessage,
  response: ServerResponse,
  { model, publications, comments }: Platform,
  readBody: () => Promise<string>,
): Promise<boolean> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox.invalid')
  const [, id, act] = /^\/pages\/(\d+)(?:\/(comment|message))?$/.exec(pathname) ?? []
  if (id === undefined || request.method !== (act === undefined ? 'GET' : 'POST')) return false
  const page = model.pages?.find((candidate) => candidate.id === id)
  const published = publications().filter(({ pageId }) => pageId === id)
  if (page === undefined) showHtml(response, 404, 'The sandbox has no such page.')
  else if (act === undefined) {
    showHtml(response, 200, pageView(page, published, comments, searchParams.get('write') ?? undefined))
  } else if (!isOwn(request)) showHtml(response, 403, 'Only pages of the sandbox itself may write.')
  else {
    const form = new URLSearchParams(await readBody())
    const [postId, from, text] = ['post', 'from', 'text'].map((name) => form.get(name)?.trim() ?? '')
    if (!published.some((each) => each.id === postId) || !from || !text) {
      showHtml(response, 404, 'There is no such publication, or the text is empty.')
    } else {
      if (act === 'comment') await comments.comment({ postId: postId!, from, text })
      else await comments.write({ pageId: id, from, text })
      response.writeHead(303, { location: `/pages/${id}#${postId}` }).end()
    }
  }
  return true
}

interface Platform {
  model: SandboxModel
  publications: () => SandboxPublication[]
  comments: Comments
}

/** Shows the panel and carries out its buttons; false for another URL. */
export async function servePanel(
  request: IncomingMessage,
  response: ServerResponse,
  panel: ReturnType<typeof createPanel>,
): Promise<boolean> {
  if (request.url === '/' && request.method === 'GET') {
    showHtml(response, 200, panel.view())
    return true
  }
  const [, room, action, name] = /^\/(?:(send)\/)?(\w+)\/(\w+)$/.exec(request.url ?? '') ?? []
  const isOfPanel = room === 'send' || action === 'break' || action === 'mend'
  if (action === undefined || !isOfPanel || request.method !== 'POST') return false
  if (!isOwn(request)) showHtml(response, 403, 'Only pages of the sandbox itself may break, repair or send something.')
  else if (room === undefined ? panel.act(action, name!) : await panel.send(action, name!)) {
    response.writeHead(303, { location: '/' }).end()
  } else showHtml(response, 404, `There is nothing to ${room ?? 'break'} by this name.`)
  return true
}

/** Another web site must not act in the visitor's name. */
export function isOwn({ headers }: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, host } = headers
  if (site !== undefined) return site === 'same-origin'
  // Browsers send only Origin to an address that is neither https nor on this machine.
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

function showHtml(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_CONTENT_SECURITY,
  })
  response.end(html)
}
