/** The benches share their processes, the tenant, the load, the heading and the tables. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { insertKey, keySecretContext } from '../src/access/keys/keys.store.js'
import { insertOrganization } from '../src/access/organizations.store.js'
import { readConfig } from '../src/config/index.js'
import { type AppContext, createContext } from '../src/context.js'
import { newId, newSecret } from '../src/lib/ids.js'
import { signDate } from '../src/lib/sign-date.js'
import { type Child, startChild } from '../test/child.js'
import { createEmptyDatabase } from '../test/test-database.js'
import type { LoadOrder, LoadResult } from './programs/load.js'

export interface Key {
  id: string
  secret: string
}

export type Engine = 'PostgreSQL' | 'embedded'
/** Environment variables. */
export type Env = Record<string, string>

const MASTER_KEY = randomBytes(32).toString('hex')
export const OPERATOR_TOKEN = randomBytes(16).toString('hex')
const children: Child[] = []
const directory = mkdtempSync(join(tmpdir(), 'greenroom-bench-'))

/** Runs a bench and ends everything that it started, even if it fails. */
export async function bench(main: () => Promise<void>): Promise<void> {
  process.once('SIGINT', () => void cleanUp().then(() => process.exit(130)))
  try {
    await main()
  } finally {
    await cleanUp()
  }
}

async function cleanUp(): Promise<void> {
  agent.destroy()
  for (const child of children) child.process.stdin.end()
  await Promise.all(children.map(({ ended }) => ended))
  rmSync(directory, { recursive: true, force: true })
}

/** The settings of a service with its own empty database. */
export async function newDatabase(engine: Engine, name: string): Promise<Env> {
  // These limits are too high to reach, so that their cost is measured with the rest.
  const limits = { KEY_REQUESTS_PER_SECOND: '1000000', IMPORTS_PER_MINUTE: '1000000', INSIGHTS_PER_MINUTE: '1000000' }
  return engine === 'PostgreSQL'
    ? { ...limits, MASTER_KEY, DATABASE_URL: await createEmptyDatabase(`greenroom_bench_${name}`) }
    : { ...limits, MASTER_KEY, DATABASE_URL: '', DATA_DIR: join(directory, name) }
}

/** Works on the service's database before the service starts. */
export async function withContext<T>(env: Env, work: (context: AppContext) => Promise<T>): Promise<T> {
  const context = await createContext(readConfig({ ...env, LOG_LEVEL: 'silent' }))
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

/** Inserts an organization and a key for it. */
export async function insertTenant({ database, sealer }: AppContext): Promise<{ organizationId: string; key: Key }> {
  const createdAt = new Date()
  const organizationId = newId('org')
  const key = { id: newId('key'), secret: newSecret() }
  await insertOrganization(database, { organizationId, name: 'Bench', createdAt })
  const secretSealed = sealer.seal(key.secret, keySecretContext(key.id))
  await insertKey(database, { keyId: key.id, organizationId, secretSealed, createdAt })
  return { organizationId, key }
}

/** Starts a program of the benches, which ends when its standard input closes. */
export function start(program: string, env: Env = {}): Child {
  const child = startChild(new URL(program, import.meta.url), [], env)
  children.push(child)
  return child
}

export interface Server {
  port: number
  pid: number
}

/** A server that can be stopped before the bench ends. */
export interface StoppableServer extends Server {
  stop(): Promise<unknown>
}

/** `npm start` uses this setting, so the servers that it is compared with do too. */
export const SERVER_NODE_OPTIONS = '--max-semi-space-size=64'

/** Starts a program that listens: it writes its port first. */
export async function startServer(program: string, env: Env = {}): Promise<StoppableServer> {
  const child = start(program, { NODE_OPTIONS: SERVER_NODE_OPTIONS, ...env })
  const stop = (): Promise<unknown> => {
    child.process.stdin.end()
    return child.ended
  }
  return { port: Number(await readLine(child)), pid: child.process.pid!, stop }
}

/** Sends a program one line of JSON and returns the line that it answers. */
export async function sendOrder<Result>(child: Child, order: unknown): Promise<Result> {
  child.process.stdin.write(`${JSON.stringify(order)}\n`)
  return JSON.parse(await readLine(child)) as Result
}

export const askLoad = (load: Child, order: LoadOrder): Promise<LoadResult> => sendOrder(load, order)

async function readLine(child: Child): Promise<string> {
  const { value, done } = await child.lines.next()
  if (done) throw new Error(`a program of the bench ended:\n${child.errors()}`)
  return value
}

/** The headers of a request signed now. */
export function signedHeaders({ id, secret }: Key): Record<string, string> {
  const date = new Date().toUTCString()
  return { 'x-api-version': '1', 'x-api-key': id, 'x-date': date, 'x-signature': signDate(secret, date) }
}

export interface RawAnswer {
  status: number
  /** Names and values alternate, as received. */
  rawHeaders: string[]
  headers: Record<string, string | string[] | undefined>
  /** The body as received, compressed or not. */
  body: Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/** Sends one request to a server of the bench, over at most 32 keep-alive connections. */
export function send(
  { port }: Server,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const { statusCode = 0, rawHeaders } = answer
        resolve({ status: statusCode, rawHeaders, headers: answer.headers, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject).end(body)
  })
}

/** Throws unless the response has this status. */
export function expectStatus(answer: RawAnswer, status: number): RawAnswer {
  if (answer.status === status) return answer
  throw new Error(`a response had the status ${answer.status}, not ${status}: ${answer.body}`)
}

/** The user and system time of all threads of a process; NaN if the system does not report it. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    // Every Linux counts in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

/** The resident memory of a process in MiB; NaN if the system does not report it. */
export function residentMib(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Returns, for example, `PostgreSQL 15.18`. */
export async function nameDatabase({ database }: AppContext): Promise<string> {
  const { rows } = await database.query<{ version: string }>("select current_setting('server_version') as version")
  return `${database.engine === 'pglite' ? 'embedded PostgreSQL' : 'PostgreSQL'} ${rows[0]!.version}`
}

/** Describes the machine on which the numbers were measured. */
export function describeMachine(versions: string[]): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${model}, ${cpus().length} cores, ${memory}, ${process.platform}; Node ${process.version}; ${versions.join('; ')}.`
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Two significant digits. */
export const formatRatio = (ratio: number): string => ratio.toFixed(ratio < 0.1 ? 4 : 2)
export const formatCount = (count: number): string =>
  count < 100 ? count.toFixed(1) : Math.round(count).toLocaleString('en')

/** The first row is the heading. The first column is aligned left, the others right. */
export function printTable(table: string[][]): void {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const cells = (row: string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('   ')
  print(`\n${table.map(cells).join('\n')}\n`)
}

export function print(text: string): void {
  process.stdout.write(text)
}
