import type { IncomingMessage, ServerResponse } from 'node:http'
import type { createPanel } from './break-something.js'
import type { SandboxModel } from './model.js'
import { PAGE_CONTENT_SECURITY, pageView } from './page-view.js'
import type { SandboxPublication } from './publications.js'

/** Shows what a page has published to people; false for another URL. */
export function showPage(
  request: IncomingMessage,
  response: ServerResponse,
  model: SandboxModel,
  publications: () => SandboxPublication[],
): boolean {
  const id = /^\/pages\/(\d+)$/.exec(request.url ?? '')?.[1]
  if (id === undefined) return false
  const page = model.pages?.find((candidate) => candidate.id === id)
  if (page === undefined) showHtml(response, 404, 'The sandbox has no such page.')
  else
    showHtml(
      response,
      200,
      pageView(
        page,
        publications().filter(({ pageId }) => pageId === id),
      ),
    )
  return true
}

/** Shows the panel and carries out what its buttons say; false for another URL, and without a panel. */
export async function servePanel(
  request: IncomingMessage,
  response: ServerResponse,
  panel: ReturnType<typeof createPanel> | undefined,
): Promise<boolean> {
  if (panel === undefined) return false
  if (request.url === '/') {
    showHtml(response, 200, panel.view())
    return true
  }
  const [, room, action, name] = /^\/(?:(send)\/)?(\w+)\/(\w+)$/.exec(request.url ?? '') ?? []
  const isOfPanel = room === 'send' || action === 'break' || action === 'mend'
  if (action === undefined || !isOfPanel || request.method !== 'POST') return false
  // Another web site must not do it in the visitor's name.
  const isOwn = ['same-origin', undefined].includes(request.headers['sec-fetch-site'] as string | undefined)
  if (!isOwn) showHtml(response, 403, 'Only the page of the sandbox itself breaks, mends or sends something.')
  else if (room === undefined ? panel.act(action, name!) : await panel.send(action, name!)) {
    response.writeHead(303, { location: '/' }).end()
  } else showHtml(response, 404, `There is no such thing to ${room ?? 'break'}.`)
  return true
}

function showHtml(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': PAGE_CONTENT_SECURITY,
  })
  response.end(html)
}
