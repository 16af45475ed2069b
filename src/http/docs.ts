import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi.js'

/** `/openapi.json` and, for people, `/docs`: both without a key, every asset served from here. */
export async function mountDocs(app: FastifyInstance, document: OpenApiDocument): Promise<void> {
  const json = JSON.stringify(document)
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(json))
  await app.register(async (docs) => {
    await docs.register(fastifySwagger, { mode: 'static', specification: { document: document as never } })
    await docs.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      // For reading: a browser form cannot sign a call, so there is nothing to try out.
      uiConfig: { layout: 'BaseLayout', supportedSubmitMethods: [], docExpansion: 'list', defaultModelsExpandDepth: 0 },
      theme: { title: 'Greenroom API' },
      // Not the plug-in's own, which sends a browser to https wherever this is served over http.
      staticCSP: "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'",
    })
  })
}
