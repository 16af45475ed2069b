/**
 * `npm run test:postgres -- [arguments of vitest]`: runs the tests on a PostgreSQL of their own, made for this run in a
 * temporary directory and deleted afterwards. Needs an installed PostgreSQL 15 or later, not a running one.
 * `--program <file> [arguments]` runs a TypeScript program in their place, on a PostgreSQL that writes to the disk.
 */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const INSTALL_HINT = `No PostgreSQL was found. Install one, it need not run:
  Debian, Ubuntu   apt-get install postgresql
  Fedora           dnf install postgresql-server
  macOS            brew install postgresql@17
or put the directory of its programs (initdb, postgres) into PATH.`

const directories = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...versionsIn('/usr/lib/postgresql', 'bin'),
  ...versionsIn('/opt/homebrew/opt', 'bin', /^postgresql/),
  ...versionsIn('/usr/local/opt', 'bin', /^postgresql/),
  ...versionsIn('/Library/PostgreSQL', 'bin'),
  outputOf('pg_config', ['--bindir']),
]
const programs = directories.find(
  (directory) => directory !== '' && ['initdb', 'postgres'].every((name) => existsSync(join(directory, name))),
)
if (programs === undefined) {
  complain(INSTALL_HINT)
  process.exit(1)
}

const user = unprivilegedUser()
const directory = mkdtempSync(join(tmpdir(), 'greenroom-postgres-'))
const data = join(directory, 'data')
const passwordFile = join(directory, 'password')
const program = process.argv[2] === '--program' ? process.argv.slice(3) : undefined
const children = new Set()
let stopping

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(130))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))

try {
  await main()
} catch (error) {
  complain(error instanceof Error ? error.message : error)
  await stop(1)
}

async function main() {
  const password = randomBytes(16).toString('hex')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) {
    for (const path of [directory, passwordFile]) chownSync(path, user.uid, user.gid)
    chmodSync(directory, 0o700)
  }
  const port = await freePort()
  await succeed(
    start('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
    ]),
  )
  // The data are thrown away, so nothing need reach the disk; but a benchmark must pay for it.
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: program === undefined ? 'off' : 'on',
    max_connections: 100,
  }
  const server = start('postgres', [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ])
  await Promise.race([
    server.ready,
    server.ended.then(() => Promise.reject(new Error(`postgres did not start:\n${server.output()}`))),
  ])

  const command = spawn(
    process.execPath,
    program === undefined
      ? [pathOf('../node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)]
      : ['--import', import.meta.resolve('tsx'), ...program],
    {
      stdio: 'inherit',
      env: { ...process.env, TEST_DATABASE_URL: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` },
    },
  )
  const ended = new Promise((resolve, reject) => command.on('error', reject).on('close', resolve))
  children.add({ process: command, ended })
  await stop((await ended) ?? 1)
}

/** Starts a program of PostgreSQL, which refuses to run as root. */
function start(name, args) {
  const child = spawn(join(programs, name), args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: directory, ...user })
  let output = ''
  const ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        // Only the beginning is of interest: why it did not start.
        if (output.length < 10_000) output += chunk
        if (output.includes('ready to accept connections')) resolve()
      })
    }
  })
  const started = { process: child, ended, ready, output: () => output, name }
  children.add(started)
  return started
}

async function succeed(program) {
  const code = await program.ended
  if (code !== 0) throw new Error(`${program.name} failed:\n${program.output()}`)
}

/** SIGINT ends vitest or the program, and PostgreSQL without waiting for its clients. */
function stop(code) {
  stopping ??= (async () => {
    for (const { process: child } of children) child.kill('SIGINT')
    await Promise.allSettled([...children].map(({ ended }) => ended))
    process.exit(code)
  })()
  return stopping
}

function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(outputOf('id', ['-u', name]))
    const gid = Number(outputOf('id', ['-g', name]))
    if (uid > 0) return { uid, gid }
  }
  complain('PostgreSQL refuses to run as root, and there is no user postgres or nobody: run this as a plain user.')
  process.exit(1)
}

function pathOf(relative) {
  return fileURLToPath(new URL(relative, import.meta.url))
}

function complain(text) {
  process.stderr.write(`${text}\n`)
}

function versionsIn(parent, child, pattern = /^\d/) {
  if (!existsSync(parent)) return []
  const names = readdirSync(parent).filter((name) => pattern.test(name))
  // The newest first.
  names.sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))
  return names.map((name) => join(parent, name, child))
}

function outputOf(program, args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .on('error', reject)
      .listen(0, '127.0.0.1', () => {
        const { port } = server.address()
        server.close(() => resolve(port))
      })
  })
}
