import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const INSTALL_HINT = `No PostgreSQL was found. Install one, it need not run:
  Debian, Ubuntu   apt-get install postgresql
  Fedora           dnf install postgresql-server
  macOS            brew install postgresql@17
or put the directory of its programs into PATH.`
const PROGRAMS = ['initdb', 'postgres', 'pg_basebackup', 'pg_dump', 'psql']

export interface PostgresServer {
  /** The URL of its superuser. */
  url: string
  /** Stops it without waiting for its clients and deletes its data. */
  stop(): Promise<void>
  /** Stops it as a crash does: what its standbys have not received is lost. */
  kill(): Promise<void>
}

export interface PostgresOptions {
  settings?: Record<string, string | number>
  /** The URL of a server that the new one copies and follows. */
  standbyOf?: string
}

/**
 * Starts a PostgreSQL from the installed programs (15 or later), on a free port of this machine, with its data in a
 * temporary directory. Rejects with what to install if there is none, or with the server's output.
 */
export async function startPostgres({ settings = {}, standbyOf }: PostgresOptions = {}): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-postgres-'))
  const removeData = (): void => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeData)
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const start = (name: string, args: string[]): Program =>
    startProgram(join(findPrograms(), name), args, { cwd: directory, ...user })

  const url = new URL(standbyOf ?? `postgres://postgres:${randomBytes(16).toString('hex')}@127.0.0.1/postgres`)
  if (standbyOf === undefined) await succeed(start('initdb', initArguments(directory, data, url.password, user)))
  else await succeed(start('pg_basebackup', ['-d', standbyOf, '-D', data, '-R', '-c', 'fast', '--no-sync']))
  url.port = String(await freePort())

  const all = { listen_addresses: '127.0.0.1', port: url.port, unix_socket_directories: '', ...settings }
  const server = start('postgres', [
    '-D',
    data,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.child.kill(signal)
    await server.ended
    process.off('exit', removeData)
    removeData()
  }
  const isReady = await Promise.race([server.says(/ready to accept/).then(() => true), server.ended.then(() => false)])
  if (!isReady) throw new Error(`postgres did not start:\n${server.output()}`)
  // SIGINT: a fast shutdown; SIGQUIT: an immediate one.
  return { url: url.href, stop: () => end('SIGINT'), kill: () => end('SIGQUIT') }
}

/**
 * Starts a PgBouncer in front of the server, as its superuser, that shares connections by transaction and passes no
 * options on. Rejects if none is installed.
 */
export async function startPgBouncer(serverUrl: string): Promise<Pick<PostgresServer, 'url' | 'stop'>> {
  const user = unprivilegedUser()
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-pgbouncer-'))
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const server = new URL(serverUrl)
  const url = new URL(serverUrl)
  url.port = String(await freePort())
  const [config, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')]
  writeFileSync(users, `"${server.username}" "${server.password}"\n`)
  writeFileSync(
    config,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${url.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
ignore_startup_parameters = options, extra_float_digits
`,
  )
  const program = startProgram('pgbouncer', [config], { cwd: directory, ...user })
  const isReady = await Promise.race([
    program.says(/process up/).then(() => true),
    program.ended.then(
      () => false,
      () => false,
    ),
  ])
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  if (!isReady) {
    remove()
    throw new Error(`PgBouncer did not start: install it (apt-get install pgbouncer).\n${program.output()}`)
  }
  return {
    url: url.href,
    async stop() {
      program.child.kill('SIGQUIT')
      await program.ended
      remove()
    },
  }
}

/** Runs one of PostgreSQL's client programs and returns its output. Rejects with that output if it fails. */
export async function runPostgresProgram(name: string, args: string[]): Promise<string> {
  const program = startProgram(join(findPrograms(), name), args, { cwd: tmpdir() })
  await succeed(program)
  return program.output()
}

type User = { uid: number; gid: number } | undefined

function initArguments(directory: string, data: string, password: string, user: User): string[] {
  const passwordFile = join(directory, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  const access = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  return ['-D', data, ...access, '-E', 'UTF8', '--no-locale', '--no-sync']
}

interface Program {
  child: ChildProcess
  name: string
  /** Its exit code. */
  ended: Promise<number | null>
  /** Resolves once its output matches. */
  says(pattern: RegExp): Promise<void>
  /** The beginning of its output, which shows why it did not start. */
  output(): string
}

function startProgram(name: string, args: string[], options: { cwd: string; uid?: number; gid?: number }): Program {
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let output = ''
  let waiting: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      if (output.length < 10_000) output += chunk
      for (const check of waiting) check()
    })
  }
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  const says = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (pattern.test(output)) resolve()
      }
      waiting = [...waiting, check]
      check()
    })
  return { child, name, ended, says, output: () => output }
}

async function succeed(program: Program): Promise<void> {
  if ((await program.ended) !== 0) throw new Error(`${program.name} failed:\n${program.output()}`)
}

function findPrograms(): string {
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versionsIn('/usr/lib/postgresql', /^\d/),
    ...versionsIn('/opt/homebrew/opt', /^postgresql/),
    ...versionsIn('/usr/local/opt', /^postgresql/),
    ...versionsIn('/Library/PostgreSQL', /^\d/),
    outputOf('pg_config', ['--bindir']),
  ]
  const found = directories.find(
    (directory) => directory !== '' && PROGRAMS.every((name) => existsSync(join(directory, name))),
  )
  if (found === undefined) throw new Error(INSTALL_HINT)
  return found
}

/** The newest version first. */
function versionsIn(parent: string, pattern: RegExp): string[] {
  if (!existsSync(parent)) return []
  const names = readdirSync(parent).filter((name) => pattern.test(name))
  names.sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))
  return names.map((name) => join(parent, name, 'bin'))
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(outputOf('id', ['-u', name]))
    const gid = Number(outputOf('id', ['-g', name]))
    if (uid > 0) return { uid, gid }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no user postgres or nobody: run this as a plain user.',
  )
}

function outputOf(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
  })
}
