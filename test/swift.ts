import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findTool } from './tools.js'

/** OpenStack Swift, an object storage that speaks the S3 protocol, with an account and no bucket. */
export interface Swift {
  url: string
  keyId: string
  secret: string
  region: string
  close(): Promise<void>
}

const KINDS = ['account', 'container', 'object'] as const
/** Its modules take seconds to load. */
const START_MS = 60_000

/** Its programs come from Debian's packages; without them the tests are skipped. */
export const hasSwift = (): boolean =>
  ['swift-ring-builder', 'swift-proxy-server', ...KINDS.map((kind) => `swift-${kind}-server`)].every(
    (program) => findTool(program) !== undefined,
  )

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts one node with a folder as its only disk. It takes some seconds. */
export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-swift-'))
  mkdirSync(join(folder, 'devices', 'd1'), { recursive: true })
  const [secret, region] = ['a-secret-of-the-storage', 'eu-test-1']
  const run = (...args: string[]): void =>
    void execFileSync('swift-ring-builder', args, { cwd: folder, stdio: 'ignore' })
  const common = (port: number): string =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nworkers = 0\nuser = ${userInfo().username}\nswift_dir = ${folder}\ndevices = ${folder}/devices\nmount_check = false\nfallocate_reserve = 0\n`
  const servers: ChildProcess[] = []
  const start = (kind: string, configuration: string): void => {
    writeFileSync(join(folder, `${kind}.conf`), configuration)
    servers.push(spawn(`swift-${kind}-server`, [join(folder, `${kind}.conf`)], { cwd: folder, stdio: 'ignore' }))
  }
  const close = async (): Promise<void> => {
    await Promise.all(
      servers
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map((server) => {
          const ended = once(server, 'exit')
          server.kill('SIGKILL')
          return ended
        }),
    )
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const kind of KINDS) {
      const port = await findFreePort()
      run(`${kind}.builder`, 'create', '2', '1', '1')
      const place = ['--region', '1', '--zone', '1', '--ip', '127.0.0.1', '--port', String(port), '--device', 'd1']
      run(`${kind}.builder`, 'add', ...place, '--weight', '1')
      run(`${kind}.builder`, 'rebalance')
      start(
        kind,
        `${common(port)}[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
      )
    }
    const port = await findFreePort()
    // Its configuration must name a cache, but it runs without one.
    const filters = {
      catch_errors: 'catch_errors',
      cache: 'memcache\nmemcache_servers = 127.0.0.1:1',
      s3api: `s3api\nlocation = ${region}`,
      tempauth: `tempauth\nuser_backups_operator = ${secret} .admin`,
      slo: 'slo',
    }
    start(
      'proxy',
      `${common(port)}[pipeline:main]\npipeline = ${Object.keys(filters).join(' ')} proxy-server\n[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n${Object.entries(
        filters,
      )
        .map(([name, use]) => `[filter:${name}]\nuse = egg:swift#${use}\n`)
        .join('')}`,
    )
    const url = `http://127.0.0.1:${port}`
    const giveUpAt = Date.now() + START_MS
    while (!(await isReady(url))) {
      if (Date.now() > giveUpAt) throw new Error('Swift did not start')
      await sleep(250)
    }
    return { url, keyId: 'backups:operator', secret, region, close }
  } catch (error) {
    await close()
    throw error
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/info`).then(
    () => true,
    () => false,
  )
