/**
 * `npm run bench:import` measures how many conversations are imported per second over HTTP, on both engines, and how this
 * affects readers. `--quick` imports fewer. The service runs in its own process and shares the machine with the database
 * and this program.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { openPglite } from '../src/database/pglite/pglite.js'
import { openPostgres } from '../src/database/postgres.js'
import { demoAudience } from '../src/demo/people.js'
import { signDate } from '../src/lib/sign-date.js'
import { startChild } from '../test/child.js'
import { createEmptyDatabase } from '../test/test-database.js'

const QUICK = process.argv.includes('--quick')
const LINES = QUICK ? 25_000 : 100_000
const ROUNDS = QUICK ? 1 : 3
/** The channel that is read during the import has as many conversations as one scan. */
const READ_CHANNEL_LINES = 25_000
/** This many read requests start per second, however long the earlier ones take. */
const READS_A_SECOND = 100
const WARM_UP_MS = 1_000
const IDLE_MS = QUICK ? 2_000 : 5_000
const OPERATOR_TOKEN = randomBytes(16).toString('hex')
const CHUNK_CHARS = 64 * 1024

interface Service {
  url: string
  pid: number
}

/** The duration of each read, in milliseconds. */
type Latencies = number[]

const agent = new Agent({ keepAlive: true })

const [cpu] = cpus()
process.stdout.write(`
${LINES} lines of NDJSON, each naming some of the fields, one in ten a VIP; ${READS_A_SECOND} reads of full pages a second beside it.
${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}; Node ${process.version}; ${await versions()}.
Service, database and client share this machine.
`)
if (process.env.TEST_DATABASE_URL) {
  await measure('PostgreSQL', { DATABASE_URL: await createEmptyDatabase('greenroom_bench') })
}
const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))
try {
  await measure('embedded', { DATABASE_URL: '', DATA_DIR: dataDir })
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
agent.destroy()

async function versions(): Promise<string> {
  const names: string[] = []
  const url = process.env.TEST_DATABASE_URL
  for (const database of [url ? openPostgres({ url, poolMax: 1 }) : undefined, await openPglite()]) {
    if (database === undefined) continue
    const { rows } = await database.query<{ version: string }>("select current_setting('server_version') as version")
    names.push(`${database.engine === 'pglite' ? 'embedded PostgreSQL' : 'PostgreSQL'} ${rows[0]!.version}`)
    await database.close()
  }
  return names.join(', ')
}

async function measure(engine: string, database: Record<string, string>): Promise<void> {
  const child = startChild(new URL('programs/service.ts', import.meta.url), [], {
    ...database,
    MASTER_KEY: randomBytes(32).toString('hex'),
    OPERATOR_TOKEN,
  })
  try {
    const { value: port, done } = await child.lines.next()
    if (done) throw new Error(`the service did not start:\n${child.errors()}`)
    await measureService(engine, { url: `http://127.0.0.1:${port}`, pid: child.process.pid! })
  } finally {
    child.process.stdin.end()
    await child.ended
  }
}

async function measureService(engine: string, service: Service): Promise<void> {
  const organization = `/organizations/${(await operate(service, 'POST', '/organizations', { name: 'Bench' })).id}`
  const key = await operate(service, 'POST', `${organization}/keys`)
  const workspace = await operate(service, 'POST', `${organization}/workspaces`, { name: 'Bench', type: 'VIP' })
  let channels = 0
  /** Creates a new, empty channel. */
  const makeChannel = async (): Promise<string> => {
    const platformId = String(++channels)
    await operate(service, 'POST', `${organization}/channels`, { type: 'FB_PAGE', platformId, name: platformId })
    await operate(service, 'PUT', `${organization}/workspaces/${workspace.id}/channels/FB_PAGE_${platformId}`)
    return `FB_PAGE_${platformId}`
  }
  /** Returns lines per second. */
  const importLines = async (channelId: string, lines: string[], count: number): Promise<number> => {
    const startedAt = performance.now()
    const path = `${organization}/channels/${channelId}/conversations?workspaceId=${workspace.id}`
    const answer = await operate(service, 'POST', path, lines)
    if (answer.imported !== count) throw new Error(`of ${count} lines ${answer.imported} were imported`)
    return (count / (performance.now() - startedAt)) * 1000
  }
  const pagesOf = (channelId: string): string =>
    `/v1/vip-users?workspaceId=${workspace.id}&mediumId=${channelId}&scope=all`

  const readChannel = await makeChannel()
  await importLines(readChannel, makeLines(1, READ_CHANNEL_LINES), READ_CHANNEL_LINES)
  const lines = makeLines(2, LINES)
  const read = (channelId: string) => readWhile(service, pagesOf(channelId), key)
  // The first page of a channel is measured elsewhere.
  await read(readChannel)(() => wait(WARM_UP_MS))
  const idle = await read(readChannel)(() => wait(IDLE_MS))

  const rates: Record<'alone' | 'again' | 'besideReads' | 'besideOwnReads', number[]> = {
    alone: [],
    again: [],
    besideReads: [],
    besideOwnReads: [],
  }
  const besides: Latencies = []
  const own: Latencies = []
  for (let round = 0; round < ROUNDS; round++) {
    const channelId = await makeChannel()
    rates.alone.push(await importLines(channelId, lines, LINES))
    rates.again.push(await importLines(channelId, lines, LINES))
    const second = await makeChannel()
    besides.push(
      ...(await read(readChannel)(async () => void rates.besideReads.push(await importLines(second, lines, LINES)))),
    )
    const third = await makeChannel()
    own.push(...(await read(third)(async () => void rates.besideOwnReads.push(await importLines(third, lines, LINES)))))
  }
  printTable(engine, [
    ['', 'lines/s', 'reads: median', '99 %', '99 % of idle'],
    ['no import', '', ...latencyCells(idle, idle)],
    ['import', perSecond(rates.alone), '', '', ''],
    ['the same file again', perSecond(rates.again), '', '', ''],
    ['reads of another channel', perSecond(rates.besideReads), ...latencyCells(besides, idle)],
    ['reads of the same channel', perSecond(rates.besideOwnReads), ...latencyCells(own, idle)],
  ])
  const peak = peakMemory(service)
  if (peak !== undefined) process.stdout.write(`The service's peak memory: ${peak}.\n`)
}

/** Returns the file in chunks, as a socket would deliver it. */
function makeLines(seed: number, count: number): string[] {
  const chunks: string[] = []
  let chunk = ''
  for (const line of demoAudience({ seed, prefix: `t_${seed}`, count, vipShare: 0.1, now: Date.now() })) {
    chunk += `${JSON.stringify(line)}\n`
    if (chunk.length < CHUNK_CHARS) continue
    chunks.push(chunk)
    chunk = ''
  }
  return [...chunks, chunk]
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
async function operate(service: Service, method: string, path: string, body?: object | string[]): Promise<any> {
  const isFile = Array.isArray(body)
  return JSON.parse(
    await send(`${service.url}/api${path}`, method, body, {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      ...(body === undefined ? {} : { 'content-type': isFile ? 'application/x-ndjson' : 'application/json' }),
    }),
  )
}

/** Reads pages at a steady pace until `work` is done. */
function readWhile(service: Service, path: string, key: { id: string; secret: string }) {
  return async (work: () => Promise<void>): Promise<Latencies> => {
    const latencies: Latencies = []
    const reading = new Set<Promise<void>>()
    let failure: unknown
    const timer = setInterval(() => {
      const startedAt = performance.now()
      const date = new Date().toUTCString()
      const signature = signDate(key.secret, date)
      const headers = { 'x-api-version': '1', 'x-api-key': key.id, 'x-date': date, 'x-signature': signature }
      const read = send(`${service.url}${path}`, 'GET', undefined, headers)
        .then(() => void latencies.push(performance.now() - startedAt))
        .catch((error) => {
          failure = error
        })
        .finally(() => reading.delete(read))
      reading.add(read)
    }, 1000 / READS_A_SECOND)
    try {
      await work()
    } finally {
      clearInterval(timer)
    }
    await Promise.all(reading)
    if (failure !== undefined) throw failure
    return latencies
  }
}

/** Returns the body of a successful response. */
function send(
  url: string,
  method: string,
  body: object | string[] | undefined,
  headers: Record<string, string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent }, async (answer) => {
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += part
      if (answer.statusCode === 200 || answer.statusCode === 201) resolve(text)
      else reject(new Error(`${method} ${url} answered ${answer.statusCode}: ${text}`))
    })
    call.on('error', reject)
    if (Array.isArray(body)) Readable.from(body, { objectMode: false }).pipe(call)
    else call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

function perSecond(rates: number[]): string {
  return Math.round(quantile(rates, 0.5)).toLocaleString('en')
}

function latencyCells(latencies: Latencies, idle: Latencies): string[] {
  const p99 = quantile(latencies, 0.99)
  return [`${quantile(latencies, 0.5).toFixed(1)} ms`, `${p99.toFixed(1)} ms`, (p99 / quantile(idle, 0.99)).toFixed(2)]
}

/** Undefined if the system does not report it. */
function peakMemory({ pid }: Service): string | undefined {
  try {
    const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return `${Math.round(Number(kibibytes) / 1024)} MiB`
  } catch {
    return undefined
  }
}

function printTable(title: string, table: string[][]): void {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('   '),
  )
  process.stdout.write(`\n${title}\n\n${lines.join('\n')}\n`)
}
