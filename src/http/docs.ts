import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi.js'

/** Of Swagger UI. */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

// For reading: a browser form cannot sign a call, so there is nothing to try out.
const START = `SwaggerUIBundle({
  url: new URL('../../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  supportedSubmitMethods: [],
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`

const toPage = (assets: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Greenroom API</title>
<link rel="stylesheet" href="${assets}/swagger-ui.css">
<link rel="stylesheet" href="${assets}/index.css">
<link rel="icon" type="image/png" href="${assets}/favicon-32x32.png" sizes="32x32">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/start.js"></script>
</body>
</html>
`

const CONTENT_SECURITY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"

/**
 * `/openapi.json` and, for people, `/docs`: both without a key. Every asset is served from memory: a stream of a file keeps
 * its descriptor when the caller goes while it waits for its turn on the connection.
 */
export async function mountDocs(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  const headers = { 'content-security-policy': CONTENT_SECURITY }
  const serve = (path: string, type: string, content: string | Buffer): void => {
    const bytes = Buffer.from(content)
    app.get(path, (_request, reply) => reply.headers({ 'content-type': type, ...headers }).send(bytes))
  }
  serve('/openapi.json', 'application/json; charset=utf-8', JSON.stringify(document))
  serve('/docs', 'text/html; charset=utf-8', toPage('/docs/static'))
  // Relative, for a proxy that adds a prefix.
  serve('/docs/', 'text/html; charset=utf-8', toPage('static'))
  serve('/docs/static/start.js', 'text/javascript; charset=utf-8', START)
  const folder = new URL('static/', import.meta.resolve('@fastify/swagger-ui'))
  for (const [name, type] of Object.entries(ASSETS)) {
    serve(`/docs/static/${name}`, type, await readFile(new URL(name, folder)))
  }
}
