/**
 * The ceiling of bench/intake/acknowledged.ts: a bare node:http server that stores each body in its own row, commits, and
 * answers 200. It writes its port to standard output, and ends when its standard input closes.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importBuilt } from './built.js'

const { DATABASE_URL: url = '', DATA_DIR: dataDir = '' } = process.env
const database = url === '' ? await openEmbedded() : await openPostgres()
await database.execute(
  'create table if not exists bare_inbox (id bigint generated always as identity primary key, body text)',
)

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    database.query('insert into bare_inbox (body) values ($1)', [Buffer.concat(chunks).toString('utf8')]).then(
      () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}'),
      () => response.writeHead(500).end(),
    )
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.resume().on('end', () => void database.close().then(() => process.exit(0)))

async function openPostgres() {
  const built = await importBuilt<typeof import('../../src/database/postgres.js')>('database/postgres.js')
  return built.openPostgres({ url, poolMax: 10 })
}

async function openEmbedded() {
  const built = await importBuilt<typeof import('../../src/database/pglite/pglite.js')>('database/pglite/pglite.js')
  return await built.openPglite({ dataDir })
}
