/**
 * `npm run bench:client` measures the size of the built client and how long it takes to walk 25,000 users. It compares
 * the client with a handwritten loop around fetch that only signs: it has no timeout, no retries and no checks of the
 * pages. The service uses the embedded engine.
 */
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { connectChannel, insertChannel, insertWorkspace } from '../src/channels/channels.store.js'
import type * as Client from '../src/client/index.js'
import type { VipUserList } from '../src/client/index.js'
import type { AppContext } from '../src/context.js'
import { newId } from '../src/lib/ids.js'
import {
  bench,
  describeMachine,
  formatCount,
  formatRatio,
  insertTenant,
  type Key,
  median,
  newDatabase,
  print,
  printTable,
  startServer,
  withContext,
} from './shared.js'

const USERS = 25_000
const ROUNDS = 15
const BYTES_MAX = 8_000
const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Data {
  key: Key
  workspaceId: string
  mediumId: string
}

async function main(): Promise<void> {
  const built = mkdtempSync(join(tmpdir(), 'greenroom-client-'))
  try {
    build(built)
    printSize(join(built, 'client'))
    await measureWalks(await import(pathToFileURL(join(built, 'client/index.js')).href))
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

/** Builds as `npm run build` does, but only the client. */
function build(directory: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const config = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: { rootDir: join(ROOT, 'src'), outDir: directory, typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: [join(ROOT, 'src/client')],
    exclude: [join(ROOT, 'src/**/*.test.ts')],
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  execFileSync(process.execPath, [tsc, '-p', directory], { stdio: 'inherit' })
}

function printSize(directory: string): void {
  const files = readdirSync(directory).filter((name) => name.endsWith('.js'))
  const contents = files.map((name) => readFileSync(join(directory, name)))
  const row = (name: string, content: Buffer) => [
    name,
    formatCount(content.length),
    formatCount(gzipSync(content, { level: 9 }).length),
  ]
  const whole = Buffer.concat(contents)
  printTable([
    ['the built client, not minified', 'bytes', 'gzipped'],
    ...files.map((name, index) => row(name, contents[index]!)),
    row('all together', whole),
  ])
  const bytes = gzipSync(whole, { level: 9 }).length
  print(`Goal: under ${formatCount(BYTES_MAX)} bytes gzipped: ${bytes < BYTES_MAX ? 'met' : 'missed'}.\n`)
}

async function measureWalks({ Greenroom }: typeof Client): Promise<void> {
  const env = await newDatabase('embedded', 'client')
  const data = await withContext(env, fill)
  const baseUrl = `http://127.0.0.1:${(await startServer('programs/service.ts', env)).port}/v1`
  const { key, ...of } = data
  const client = new Greenroom({ baseUrl, key: key.id, secret: key.secret })
  const users = { ...of, scope: 'all' } as const
  const kinds: [name: string, query: Record<string, string>, compact: boolean][] = [
    ['whole rows, 125 pages of 200', { limit: '200' }, false],
    ['compact rows, 5 pages of 5,000', { compact: 'true' }, true],
  ]
  const table = [['ms to walk 25,000 users', 'by hand', 'listAll', 'of by hand', 'pages', 'of by hand']]
  for (const [name, query, compact] of kinds) {
    const walks = {
      byHand: () => walkByHand(baseUrl, key, { ...users, ...query }),
      listAll: () => countUsers(client.vipUsers.listAll({ ...users, compact })),
      pages: () => countPages(client.vipUsers.pages({ ...users, compact })),
    }
    const times = { byHand: [] as number[], listAll: [] as number[], pages: [] as number[] }
    // The first round is a warm-up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [way, walk] of Object.entries(walks) as [keyof typeof times, () => Promise<number>][]) {
        const startedAt = performance.now()
        const walked = await walk()
        if (walked !== USERS) throw new Error(`${way} walked ${walked} users, not ${USERS}`)
        if (round > 0) times[way].push(performance.now() - startedAt)
      }
    }
    const [byHand, listAll, pages] = [median(times.byHand), median(times.listAll), median(times.pages)]
    table.push([
      name,
      formatCount(byHand),
      formatCount(listAll),
      formatRatio(listAll / byHand),
      formatCount(pages),
      formatRatio(pages / byHand),
    ])
  }
  printTable(table)
  print(`Medians of ${ROUNDS} interleaved rounds, one walk at a time. ${describeMachine(['embedded engine'])}\n`)
}

async function countUsers(users: AsyncIterable<Client.VipUser>): Promise<number> {
  let count = 0
  for await (const { conversationId } of users) if (conversationId !== '') count++
  return count
}

async function countPages(pages: AsyncIterable<VipUserList>): Promise<number> {
  let count = 0
  for await (const { items } of pages) for (const { conversationId } of items) if (conversationId !== '') count++
  return count
}

async function walkByHand(baseUrl: string, { id, secret }: Key, query: Record<string, string>): Promise<number> {
  let count = 0
  for (let offset = 0; ; ) {
    const date = new Date().toUTCString()
    const signature = createHmac('sha256', secret).update(date).digest('hex')
    const answer = await fetch(`${baseUrl}/vip-users?${new URLSearchParams({ ...query, offset: String(offset) })}`, {
      headers: { 'x-api-key': id, 'x-date': date, 'x-signature': signature, 'x-api-version': '1' },
    })
    const page = (await answer.json()) as VipUserList
    for (const { conversationId } of page.items) if (conversationId !== '') count++
    if (!page.mayHaveMore) return count
    offset = page.nextOffset
  }
}

async function fill(context: AppContext): Promise<Data> {
  const { database } = context
  const { organizationId, key } = await insertTenant(context)
  const [workspaceId, mediumId] = [newId('ws'), 'FB_PAGE_1000000']
  await insertWorkspace(database, organizationId, { workspace_id: workspaceId, name: 'Bench', type: 'VIP' })
  await insertChannel(database, organizationId, { channel_id: mediumId, type: 'FB_PAGE', name: mediumId })
  await connectChannel(database, organizationId, workspaceId, mediumId)
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, last_name,
       profile_pic, birthday, last_user_message_at_ms, lifetime_value)
     select $1, $2, 't_' || md5(n::text), 'cu_' || (100000000 + n), 'user.' || n, 'First' || n % 997, 'Last' || n % 4999,
            'https://media.example/profiles/' || md5('p' || n) || '.jpg', '1990-05-04', 1710000000000 + n * 1000::bigint, n
       from generate_series(1, $3::int) n`,
    [organizationId, mediumId, USERS],
  )
  await database.query('vacuum analyze')
  return { key, workspaceId, mediumId }
}

await bench(main)
