/**
 * `npm run test:hostile -- [--engine embedded|postgres] [names]` runs each attack of this folder against its own built
 * service, in its own process with 1,024 descriptors, on the embedded engine and on its own PostgreSQL. Prints the cost
 * beside the limit; the exit code is 1 if a limit is exceeded.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startChild } from '../child.js'
import { type PostgresServer, startPostgres } from '../postgres-server.js'
import { canMount } from '../tools.js'
import type { Figures, Neighbour } from './monitor.js'

export interface Target {
  url: string
  port: number
  pid: number
  dataDir: string
  /** The small disk that the attack requires. */
  disk: string | undefined
  operatorToken: string
  /** Sends a JSON call to `/api`; throws unless it succeeds. */
  operator(method: string, path: string, body?: unknown): Promise<Record<string, string>>
}

export interface Attack {
  name: string
  /** Settings of the service. */
  env?: Record<string, string>
  bounds?: Partial<Bounds>
  /** The database is on its own disk of this many MiB. Only root can mount one; other users skip the attack. */
  smallDiskMib?: number
  /** Throws if its setup fails or a request gets a wrong answer. */
  run(target: Target): Promise<void>
}

interface Bounds {
  worstWaitMs: number
  rssMib: number
  descriptors: number
  descriptorsLeft: number
  diskMib: number
}

// The embedded engine keeps up to 128 files open.
const BOUNDS: Bounds = { worstWaitMs: 500, rssMib: 1_024, descriptors: 900, descriptorsLeft: 250, diskMib: 512 }
const ATTACK_MS_MAX = 120_000
const OPERATOR_TOKEN = 'operator-token-of-the-attacks'
const DATABASE = 'greenroom_hostile'

/** These are not attacks. */
const HELPERS = ['run.ts', 'monitor.ts', 'tools.ts', 'people.ts']
/** The time to count to 300 million on the machine of the limits; waits are printed beside it. */
const YARDSTICK_MS = 750

const { values: options, positionals: only } = parseArgs({
  allowPositionals: true,
  options: { engine: { type: 'string' } },
})
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !HELPERS.includes(file))
  .map((file) => file.replace('.ts', ''))
  .filter((name) => only.length === 0 || only.includes(name))
const engines = ['embedded', 'postgres'].filter((engine) => (options.engine ?? engine) === engine)
if (engines.length === 0 || names.length === 0) throw new Error('No such engine or attack.')
let isClean = true
for (const engine of engines) {
  const server = engine === 'postgres' ? await startPostgres() : undefined
  process.stdout.write(`${engine}:\n`)
  try {
    for (const name of names) {
      const { default: attack } = (await import(`./${name}.js`)) as { default: Attack }
      isClean = (await runAttack(attack, server)) && isClean
    }
  } finally {
    await server?.stop()
  }
}
process.exit(isClean ? 0 : 1)

async function runAttack(attack: Attack, server: PostgresServer | undefined): Promise<boolean> {
  if (attack.smallDiskMib !== undefined && !canMount()) {
    process.stdout.write(`skipped ${attack.name}: this user cannot mount a disk\n`)
    return true
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-hostile-'))
  const disk = attack.smallDiskMib === undefined ? undefined : mountDisk(attack.smallDiskMib)
  const database = server && (await createDatabase(server.url, disk))
  const onDisk: Record<string, string> = disk !== undefined && server === undefined ? { DATA_DIR: disk } : {}
  const service = startService(dataDir, { ...database?.env, ...onDisk, ...attack.env })
  const ended = once(service, 'close')
  try {
    const target = await ready(service, { dataDir, disk })
    const neighbour = JSON.stringify(await makeNeighbour(target))
    const monitor = startChild(new URL('monitor.ts', import.meta.url), [target.url, String(target.pid), neighbour])
    await monitor.lines.next()
    const speed = yardstickMs() / YARDSTICK_MS
    const startedAt = performance.now()
    let failure: string | undefined
    try {
      await Promise.race([attack.run(target), timeOut(attack.name)])
    } catch (error) {
      failure = String(error)
    }
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    monitor.process.stdin.end()
    const figures = JSON.parse((await monitor.lines.next()).value) as Figures
    const bytes = database === undefined ? sizeOf(dataDir) : await database.size()
    return report(attack, { ...figures, diskMib: bytes / 2 ** 20 }, { seconds, speed, failure })
  } finally {
    service.kill('SIGKILL')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
    await database?.drop()
    if (disk !== undefined) unmountDisk(disk)
  }
}

function mountDisk(mib: number): string {
  const disk = mkdtempSync(join(tmpdir(), 'greenroom-hostile-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', disk])
  return disk
}

function unmountDisk(disk: string): void {
  execFileSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
}

async function makeNeighbour({ operator }: Target): Promise<Neighbour> {
  const { id: organizationId } = await operator('POST', '/organizations', { name: 'Neighbour' })
  const at = `/organizations/${organizationId}`
  const { id, secret } = await operator('POST', `${at}/keys`)
  const { id: workspaceId } = await operator('POST', `${at}/workspaces`, { name: 'VIPs', type: 'VIP' })
  const page = { type: 'FB_PAGE', name: 'Page of the neighbour', platformId: '999' }
  const { id: channelId } = await operator('POST', `${at}/channels`, page)
  await operator('PUT', `${at}/workspaces/${workspaceId}/channels/${channelId}`)
  return {
    path: `/v1/vip-users?workspaceId=${workspaceId}&mediumId=${channelId}`,
    key: { id: id!, secret: secret! },
  }
}

async function createDatabase(serverUrl: string, disk: string | undefined) {
  const run = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  if (disk !== undefined) {
    const [row] = await run(`select setting from pg_settings where name = 'data_directory'`)
    const { uid, gid } = statSync(String(row!.setting))
    chownSync(disk, uid, gid)
    chmodSync(disk, 0o700)
    await run(`create tablespace ${DATABASE} location '${disk}'`)
  }
  await run(`create database ${DATABASE}${disk === undefined ? '' : ` tablespace ${DATABASE}`}`)
  const url = new URL(serverUrl)
  url.pathname = `/${DATABASE}`
  return {
    env: { DATABASE_URL: url.href, MASTER_KEY: '5e'.repeat(32) },
    size: async () => Number((await run(`select pg_database_size('${DATABASE}') as size`))[0]!.size),
    async drop() {
      await run(`drop database ${DATABASE} with (force)`)
      if (disk !== undefined) await run(`drop tablespace ${DATABASE}`)
    },
  }
}

/** How long this process takes to count now. */
function yardstickMs(): number {
  const startedAt = performance.now()
  let sum = 0
  for (let i = 0; i < 3e8; i++) sum += i
  return sum > 0 ? performance.now() - startedAt : 0
}

function startService(dataDir: string, env: Record<string, string> = {}): ChildProcess {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  return spawn('sh', ['-c', 'ulimit -n 1024; exec "$0" --max-semi-space-size=64 "$1" serve', process.execPath, main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'info',
      DATA_DIR: dataDir,
      OPERATOR_TOKEN,
      // The attacks come from the address of the callers whose answers are timed.
      FAILED_ATTEMPTS_PER_MINUTE: '0',
      GRAPH_BASE_URL: 'http://127.0.0.1:1',
      ...env,
    },
  })
}

async function ready(service: ChildProcess, places: Pick<Target, 'dataDir' | 'disk'>): Promise<Target> {
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    service.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length > 100_000) return
      text += chunk
      const [, found] = /Greenroom listens at (http:\/\/[\d.:]+)/.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    service.once('close', () => reject(new Error(`the service did not start: ${text}`)))
  })
  return {
    url,
    port: Number(new URL(url).port),
    pid: service.pid!,
    ...places,
    operatorToken: OPERATOR_TOKEN,
    async operator(method, path, body) {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${answer}`)
      return JSON.parse(answer)
    },
  }
}

async function timeOut(name: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ATTACK_MS_MAX).unref())
  throw new Error(`${name} takes longer than ${ATTACK_MS_MAX / 1000} s`)
}

function report(
  attack: Attack,
  figures: Bounds,
  { seconds, speed, failure }: { seconds: number; speed: number; failure: string | undefined },
): boolean {
  const bounds = { ...BOUNDS, ...attack.bounds }
  const broken = (Object.keys(bounds) as (keyof Bounds)[]).filter((name) => figures[name] > bounds[name])
  const columns = (Object.keys(bounds) as (keyof Bounds)[]).map(
    (name) => `${name} ${Math.round(figures[name])}${broken.includes(name) ? ' >' : ' of'} ${bounds[name]}`,
  )
  const isClean = broken.length === 0 && failure === undefined
  process.stdout.write(
    `${isClean ? 'ok    ' : 'BROKEN'} ${attack.name.padEnd(24)} ${columns.join(' | ')} | ${seconds} s | yardstick ${speed.toFixed(1)}${failure === undefined ? '' : `\n       ${failure}`}\n`,
  )
  return isClean
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, path) => {
    try {
      return sum + statSync(join(folder, path)).size
    } catch {
      // It was deleted in between.
      return sum
    }
  }, 0)
}
