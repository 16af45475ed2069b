import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../interface/languages.js'
import type { Context } from './context.js'
import { languageOf } from './language.js'
import { createOtherBuilds } from './other-builds.js'
import { pageHeaders, type Send, sender, serveAssets } from './static-files.js'

/** No inline script or style; pictures, videos and avatars come from other hosts. */
const CONSOLE_CONTENT_SECURITY =
  "default-src 'self'; img-src 'self' https: data:; media-src 'self' https:; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

/** The paths that the console's router knows: every page of an organization is below `/o/`. */
const PAGES = ['/', '/o/*', '/review', '/device']
/** The path to which the identity provider sends people back. The page removes the query from the address at once. */
const CALLBACK = '/sign-in/callback'

/**
 * Mounts the web console at `/`, as `vite build` made it in `folder`. It is served from memory, like /docs. `base` is the
 * path under which a proxy serves the whole service, ending in a slash. Serves nothing if the console was not built.
 */
export async function mountConsole(
  app: FastifyInstance,
  context: Pick<Context, 'clock' | 'database' | 'log'>,
  folder: URL,
  base: string,
): Promise<void> {
  const others = createOtherBuilds(context)
  const files = await serveAssets(app, folder, '/assets', others.find)
  if (files === undefined) return
  await others.keep(files)
  const headers = pageHeaders(CONSOLE_CONTENT_SECURITY, 'no-store')
  const page = await documentSender(folder, base, headers)
  for (const path of PAGES) app.get(path, page)
  // Its files are requested while the code is still in the address.
  app.get(CALLBACK, await documentSender(folder, base, { ...headers, 'referrer-policy': 'no-referrer' }))
}

/** Sends the document in the language that the request asks for; in English if it was not built in that language. */
async function documentSender(folder: URL, base: string, headers: Record<string, string>): Promise<Send> {
  const senders = new Map<Language, Send>()
  for (const language of LANGUAGES) {
    const name = language === DEFAULT_LANGUAGE ? 'index.html' : `index.${language}.html`
    const html = await readFile(new URL(name, folder), 'utf8').catch(() => undefined)
    const bytes = html?.replace('<base href="/"', () => `<base href="${toAttribute(base)}"`)
    if (bytes !== undefined)
      senders.set(
        language,
        sender(() => Buffer.from(bytes), headers),
      )
  }
  const english = senders.get(DEFAULT_LANGUAGE)
  if (english === undefined) throw new Error(`the console in ${folder} has no index.html`)
  return (request, reply) => (senders.get(languageOf(request.headers)) ?? english)(request, reply)
}

const toAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
