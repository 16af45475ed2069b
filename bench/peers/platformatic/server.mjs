/**
 * A ready-made API: Platformatic DB makes it from the tables, configured and not programmed. No signature, no scan guardrail.
 * Takes DATABASE_URL; writes its port to standard output.
 */
import { buildServer } from '@platformatic/db'

const app = await buildServer({
  server: { hostname: '127.0.0.1', port: 0, logger: { level: 'fatal' } },
  db: {
    connectionString: process.env.DATABASE_URL,
    poolSize: 10,
    openapi: true,
    graphql: false,
    events: false,
    limit: { default: 50, max: 5_000 },
  },
  metrics: false,
  watch: false,
})
await app.start()
process.stdout.write(`${new URL(app.url).port}\n`)
process.stdin.resume().on('end', () => process.exit(0))
