/** The fleet of the trials: processes of this machine, with each database in its own network. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A bridge that only this machine uses: nothing is routed to or from it. */
const BRIDGE = 'greenroom-br'
const HOST = '10.199.77.1'
const addressOf = (node: number): string => `10.199.77.${10 + node}`
const namespaceOf = (node: number): string => `greenroom-pg${node}`
const linkOf = (node: number): string => `greenroom-v${node}`

const ETCD_PORT = 23790
const DATABASE_PORT = 25000
export const API_PORT = 28000
/** The same nodes behind a proxy that repeats no request. */
export const API_PLAIN_PORT = 28001
const POOLER_PORT = 26432
export const NODE_PORTS: Readonly<Record<string, number>> = {
  api1: 28081,
  api2: 28082,
  pub1: 28091,
  pub2: 28092,
  pooled: 28083,
}

export const OPERATOR_TOKEN = randomBytes(16).toString('hex')
export const MASTER_KEY = randomBytes(32).toString('hex')
const PASSWORD = 'greenroom'
export const DATABASE_URL = `postgres://greenroom:${PASSWORD}@127.0.0.1:${DATABASE_PORT}/greenroom`
const POOLER_URL = `postgres://greenroom:${PASSWORD}@127.0.0.1:${POOLER_PORT}/greenroom`

const PROGRAMS = { patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', pgbouncer: 'pgbouncer', ip: 'iproute2' }

const directory = mkdtempSync(join(tmpdir(), 'greenroom-fleet-'))
const children = new Map<string, ChildProcess>()
let postgresUser = { uid: 0, gid: 0 }

const run = (program: string, args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Runs a program that may fail, because its object may already be gone. */
function attempt(program: string, args: string[]): string {
  try {
    return run(program, args)
  } catch {
    return ''
  }
}

export async function until(what: string, seconds: number, check: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s (logs in ${directory})`)
    await wait(100)
  }
}

/** Returns the status of a GET; 0 without a response. */
export async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000), headers: { connection: 'close' } })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

function start(
  name: string,
  command: string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): void {
  const log = openSync(join(directory, `${name}.log`), 'a')
  const child = spawn(command[0]!, command.slice(1), { cwd: directory, stdio: ['ignore', log, log], ...options })
  children.set(name, child)
}

export function kill(name: string, signal: NodeJS.Signals): void {
  children.get(name)?.kill(signal)
}

export async function ended(name: string): Promise<void> {
  const child = children.get(name)
  await until(
    `the end of ${name}`,
    60,
    () => child === undefined || child.exitCode !== null || child.signalCode !== null,
  )
}

/** Installs missing packages, and starts the network, etcd, both databases and the proxy. */
export async function up(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error('the fleet needs Linux and root: it makes network namespaces')
  }
  const missing = Object.entries(PROGRAMS).flatMap(([program, debian]) =>
    attempt('which', [program]) === '' ? [debian] : [],
  )
  if (postgresPrograms() === undefined) missing.push('postgresql')
  if (missing.length > 0) {
    process.stderr.write(`installing ${missing.join(', ')}\n`)
    run('apt-get', ['update', '-qq'])
    run('env', [
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      'install',
      '-y',
      '-qq',
      '--no-install-recommends',
      ...missing,
    ])
  }
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(run('id', [flag, 'postgres'])))
  postgresUser = { uid: uid!, gid: gid! }
  chmodSync(directory, 0o755)

  removeNetwork()
  run('ip', ['link', 'add', BRIDGE, 'type', 'bridge'])
  run('ip', ['addr', 'add', `${HOST}/24`, 'dev', BRIDGE])
  run('ip', ['link', 'set', BRIDGE, 'up'])
  for (const node of [1, 2]) {
    const [namespace, link] = [namespaceOf(node), linkOf(node)]
    run('ip', ['netns', 'add', namespace])
    run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace])
    run('ip', ['link', 'set', link, 'master', BRIDGE, 'up'])
    run('ip', ['-n', namespace, 'addr', 'add', `${addressOf(node)}/24`, 'dev', 'eth0'])
    for (const device of ['lo', 'eth0']) run('ip', ['-n', namespace, 'link', 'set', device, 'up'])
  }
  startEtcd()
  await until('etcd', 30, async () => (await statusOf(`http://${HOST}:${ETCD_PORT}/health`)) === 200)
  for (const node of [1, 2]) {
    const data = join(directory, `pg${node}`)
    mkdirSync(data, { mode: 0o700 })
    chownSync(data, postgresUser.uid, postgresUser.gid)
    writeFileSync(join(directory, `patroni${node}.yml`), patroniSettings(node, data))
    startPatroni(node)
    // The second database is a copy of the first.
    await until(`pg${node}`, 60, async () => (await statusOf(`http://${addressOf(node)}:8008/health`)) === 200)
  }
  writeFileSync(join(directory, 'haproxy.cfg'), PROXY_SETTINGS)
  start('haproxy', ['haproxy', '-f', join(directory, 'haproxy.cfg'), '-db'])
  await until('a synchronous standby', 60, isWhole)
  const psql = join(postgresPrograms()!, 'psql')
  const superuser = `postgres://postgres:${PASSWORD}@127.0.0.1:${DATABASE_PORT}/postgres`
  await until('the proxy', 20, () => attempt(psql, ['-Atc', 'select 1', superuser]) === '1')
  run(psql, [
    '-qc',
    `create role greenroom login password '${PASSWORD}'`,
    '-c',
    'create database greenroom owner greenroom',
    superuser,
  ])
}

/** Stops everything that was started, and removes the network. */
export function down(keepLogs: boolean): void {
  for (const child of children.values()) child.kill('SIGKILL')
  removeNetwork()
  if (!keepLogs) rmSync(directory, { recursive: true, force: true })
  else process.stderr.write(`logs: ${directory}\n`)
}

function removeNetwork(): void {
  for (const node of [1, 2]) {
    killAll(node)
    attempt('ip', ['netns', 'del', namespaceOf(node)])
    attempt('ip', ['link', 'del', linkOf(node)])
  }
  attempt('ip', ['link', 'del', BRIDGE])
}

/** Kills the fleet's processes in a database's network, as if its machine had failed. */
export function killAll(node: number): void {
  for (let time = 0; time < 3; time++) {
    for (const pid of attempt('ip', ['netns', 'pids', namespaceOf(node)])
      .split('\n')
      .filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended since it was listed.
      }
    }
  }
}

export function startEtcd(): void {
  const client = `http://${HOST}:${ETCD_PORT}`
  const peer = `http://127.0.0.1:${ETCD_PORT + 1}`
  start('etcd', [
    ...[
      'etcd',
      '--data-dir',
      join(directory, 'etcd'),
      '--listen-client-urls',
      client,
      '--advertise-client-urls',
      client,
    ],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ])
}

export function startPatroni(node: number): void {
  const settings = join(directory, `patroni${node}.yml`)
  const asPostgres = ['setpriv', `--reuid=${postgresUser.uid}`, `--regid=${postgresUser.gid}`, '--clear-groups']
  start(`patroni${node}`, ['ip', 'netns', 'exec', namespaceOf(node), ...asPostgres, 'patroni', settings])
}

/** Takes a database's machine off the network, or puts it back. */
export const setLink = (node: number, state: 'up' | 'down'): string => run('ip', ['link', 'set', linkOf(node), state])

/** Returns the number of the primary. */
export async function findPrimary(): Promise<number> {
  for (;;) {
    for (const node of [1, 2]) if ((await statusOf(`http://${addressOf(node)}:8008/primary`)) === 200) return node
    await wait(100)
  }
}

export const isPrimary = async (node: number): Promise<boolean> =>
  (await statusOf(`http://${addressOf(node)}:8008/primary`)) === 200

/** Returns whether the standby follows the primary synchronously. */
export async function isWhole(): Promise<boolean> {
  for (const node of [1, 2]) if ((await statusOf(`http://${addressOf(node)}:8008/synchronous`)) === 200) return true
  return false
}

/** Returns the process on the standby that receives writes. */
export async function walReceiver(): Promise<number> {
  const standby = 3 - (await findPrimary())
  const pids = run('ip', ['netns', 'pids', namespaceOf(standby)]).split('\n')
  const found = pids.find((pid) => attempt('ps', ['-o', 'args=', '-p', pid]).includes('walreceiver'))
  if (found === undefined) throw new Error('the standby stopped receiving')
  return Number(found)
}

/** Starts a process of the service from dist/. */
export function startNode(name: string, env: Record<string, string>): void {
  const main = new URL('../../dist/main.js', import.meta.url).pathname
  const role = name.startsWith('pub') ? 'publisher' : 'api'
  start(name, [process.execPath, '--max-semi-space-size=64', main, 'serve', '--role', role], {
    env: { ...process.env, DATABASE_URL, MASTER_KEY, OPERATOR_TOKEN, PORT: String(NODE_PORTS[name]), ...env },
  })
}

export const isReady = async (name: string): Promise<boolean> =>
  (await statusOf(`http://127.0.0.1:${NODE_PORTS[name]}/readyz`)) === 200

/** Starts a PgBouncer that pools by transaction, and a node of the service behind it. */
export async function startPooled(env: Record<string, string>): Promise<void> {
  const users = join(directory, 'users.txt')
  writeFileSync(users, `"greenroom" "${PASSWORD}"\n`)
  const settings = join(directory, 'pgbouncer.ini')
  writeFileSync(
    settings,
    `[databases]
greenroom = host=127.0.0.1 port=${DATABASE_PORT}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${POOLER_PORT}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 8
ignore_startup_parameters = options, extra_float_digits
`,
  )
  start('pgbouncer', ['pgbouncer', settings], postgresUser)
  startNode('pooled', { ...env, DATABASE_URL: POOLER_URL, DATABASE_STATEMENTS: 'unnamed' })
  await until('the node behind PgBouncer', 30, () => isReady('pooled'))
}

function postgresPrograms(): string | undefined {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
    return versions[0] && join('/usr/lib/postgresql', versions[0], 'bin')
  } catch {
    return undefined
  }
}

// docs/postgresql.md explains these settings.
const patroniSettings = (node: number, data: string): string => `scope: greenroom
name: pg${node}
restapi: {listen: '${addressOf(node)}:8008', connect_address: '${addressOf(node)}:8008'}
etcd3: {host: '${HOST}:${ETCD_PORT}'}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    synchronous_mode: true
    failsafe_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 150, wal_sender_timeout: 20s}
  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
  pg_hba:
    - host all all 10.199.77.0/24 scram-sha-256
    - host replication all 10.199.77.0/24 scram-sha-256
postgresql:
  listen: '${addressOf(node)}:5432'
  connect_address: '${addressOf(node)}:5432'
  data_dir: ${join(data, 'data')}
  bin_dir: ${postgresPrograms()}
  pgpass: ${join(data, 'pgpass')}
  authentication:
    superuser: {username: postgres, password: ${PASSWORD}}
    replication: {username: replicator, password: ${PASSWORD}}
    rewind: {username: rewinder, password: ${PASSWORD}}
  parameters: {unix_socket_directories: '${data}'}
`

const apis = (options: string): string => `  mode http
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 1s fall 2 rise 1
${options}
  server api1 127.0.0.1:${NODE_PORTS.api1} check
  server api2 127.0.0.1:${NODE_PORTS.api2} check
`

const PROXY_SETTINGS = `global
  maxconn 4000
defaults
  timeout connect 2s
  timeout check 3s
  timeout client 60s
  timeout server 60s
listen database
  bind 127.0.0.1:${DATABASE_PORT}
  mode tcp
  timeout client 30m
  timeout server 30m
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
  server pg1 ${addressOf(1)}:5432 check port 8008
  server pg2 ${addressOf(2)}:5432 check port 8008
listen api
  bind 127.0.0.1:${API_PORT}
${apis('  option redispatch\n  retries 3')}
listen plain
  bind 127.0.0.1:${API_PLAIN_PORT}
${apis('  retries 0')}
`
