/**
 * `npx tsx scripts/earlier-formats.ts [commit…]`: makes test/earlier, what earlier versions have left behind, one pair
 * of files for each format (docs/decisions/0042). The programs of these versions do it themselves: each is checked
 * out, installed and built in a temporary directory, started on a PostgreSQL of its own and filled over HTTP, and
 * killed; pg_dump writes what it has stored. On the embedded engine it is started and killed too, for the files that
 * it leaves beside its database. Needs git, the registry, and the programs of PostgreSQL.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { systemClock } from '../src/lib/clock.js'
import { makeDemoModel } from '../src/sandbox/model.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { EARLIER_FORMATS, type EarlierFiles } from '../test/earlier-formats.js'
import { runPostgresProgram, startPostgres } from '../test/postgres-server.js'
import { fillEarlier } from './fill-earlier.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TARGET = join(ROOT, 'test', 'earlier')
const MASTER_KEY = 'e4'.repeat(32)
const OPERATOR_TOKEN = 'operator-token-of-earlier-versions'

const model = makeDemoModel({ seed: 20_260_301, today: new Date(systemClock.now()).toISOString().slice(0, 10) })
const wanted = process.argv.slice(2)
const formats = EARLIER_FORMATS.filter(({ commit }) => wanted.length === 0 || wanted.includes(commit))
const postgres = await startPostgres({ settings: { fsync: 'off' } })
const sandbox = await startSandbox({ model: model.model, clock: systemClock })
try {
  for (const { commit } of formats) await make(commit)
} finally {
  await sandbox.close()
  await postgres.stop()
}

async function make(commit: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-earlier-'))
  const checkout = join(directory, 'checkout')
  const run = (...command: [string, ...string[]]): void =>
    void execFileSync(command[0], command.slice(1), { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('git', ['worktree', 'add', '--detach', checkout, commit], { cwd: ROOT, stdio: 'ignore' })
  try {
    run('npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts')
    // The first commits do not pass the check of types.
    run('npx', 'tsc', '-p', 'tsconfig.build.json', '--noCheck')
    const { sql, ...filled } = await fillOnPostgres(commit, checkout, directory)
    const files = await leaveBesideDatabase(checkout, join(directory, 'data'))
    const about = { commit, masterKey: MASTER_KEY, ...filled, files }
    writeFileSync(join(TARGET, `${commit}.json`), `${JSON.stringify(about, null, 2)}\n`)
    writeFileSync(join(TARGET, `${commit}.sql.gz`), gzipSync(sql, { level: 9 }))
    process.stdout.write(`${commit}: ${statSync(join(TARGET, `${commit}.sql.gz`)).size} bytes\n`)
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', checkout], { cwd: ROOT })
    rmSync(directory, { recursive: true, force: true })
  }
}

async function fillOnPostgres(commit: string, checkout: string, directory: string) {
  const name = `earlier_${commit}`
  await runPostgresProgram('psql', ['-q', '-d', postgres.url, '-c', `create database ${name}`])
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  const mediaDir = join(directory, 'media')
  const server = await start(checkout, { DATABASE_URL: url.href, MASTER_KEY, MEDIA_DIR: mediaDir })
  const filled = await fillEarlier({ url: server.url, operatorToken: OPERATOR_TOKEN, platform: model }).finally(
    server.kill,
  )
  const file = join(directory, 'dump.sql')
  await runPostgresProgram('pg_dump', ['--inserts', '--rows-per-insert=50', '--no-owner', '-d', url.href, '-f', file])
  return { ...filled, sql: withoutSettings(readFileSync(file, 'utf8')) }
}

/**
 * Settings and commands of psql are those of the server and the program that wrote the dump; but functions come before
 * tables.
 */
function withoutSettings(dump: string): string {
  return dump
    .split('\n')
    .filter((line) => !/^(SET (?!check_function_bodies)|SELECT pg_catalog\.set_config|\\|--|$)/.test(line))
    .join('\n')
}

/** A killed process leaves its lock, in which the names of this machine and its processes are replaced. */
async function leaveBesideDatabase(checkout: string, dataDir: string): Promise<EarlierFiles> {
  const server = await start(checkout, { DATA_DIR: dataDir })
  await server.kill()
  const files: EarlierFiles = {}
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    if (entry.name === 'database' || entry.name === 'master.key') continue
    files[entry.name] = entry.isDirectory() ? null : anonymous(readFileSync(join(dataDir, entry.name), 'utf8'))
  }
  return files
}

function anonymous(lock: string): string {
  const holder = JSON.parse(lock)
  const [, ticks] = String(holder.started).split(' ')
  return JSON.stringify({ ...holder, pid: 7, host: 'web', started: `00000000-0000-0000-0000-000000000000 ${ticks}` })
}

async function start(checkout: string, env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [join(checkout, 'dist', 'main.js'), 'serve'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ...{ PORT: '0', HOST: '127.0.0.1', OPERATOR_TOKEN, GRAPH_BASE_URL: sandbox.url, PUBLIC_URL: sandbox.url },
      ...env,
    },
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const lines = createInterface({ input: child.stdout! })
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const [, found] = /listens at (http:[^"\s]+)/.exec(line) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error('the earlier version has ended')))
  })
  return { url, kill }
}
