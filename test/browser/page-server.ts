import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { transformSync } from 'esbuild'
import { ROOT } from '../recipes.js'

export interface PageServer {
  origin: string
  close(): Promise<void>
}

/**
 * Serves an empty page at `/`, and the modules of the client, of the interface and of the tests as JavaScript, each at
 * its path in the repository.
 */
export async function startPageServer(): Promise<PageServer> {
  const server = createServer(({ url = '' }, response) => {
    if (url === '/') response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>')
    else if (!/^\/(src\/client|src\/interface(?:\/generated)?|test)\/[\w-]{1,80}\.js$/.test(url))
      response.writeHead(404).end()
    else response.setHeader('content-type', 'text/javascript').end(toJavaScript(url.replace(/\.js$/, '.ts')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function toJavaScript(path: string): string {
  return transformSync(readFileSync(`${ROOT}${path}`, 'utf8'), { loader: 'ts', sourcefile: path }).code
}
