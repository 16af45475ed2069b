/**
 * `npm run test:postgres -- [arguments of vitest]` runs the tests on their own PostgreSQL, made for this run in a
 * temporary directory and deleted afterwards. PostgreSQL 15 or later must be installed; it need not run. `--pgbouncer` as
 * the first argument puts an installed PgBouncer in front, which shares connections by transaction. `--program <file>
 * [arguments]` runs a TypeScript program instead, on a PostgreSQL that writes to the disk.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { settingsOfRole } from '../src/database/session-options.js'
import { runPostgresProgram, startPgBouncer, startPostgres } from '../test/postgres-server.js'

const isPooled = process.argv[2] === '--pgbouncer'
const args = process.argv.slice(isPooled ? 3 : 2)
const program = args[0] === '--program' ? args.slice(1) : undefined
let command: ChildProcess | undefined
let stopped = false

// The command ends first, then the server, as after any run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true
    command?.kill('SIGINT')
  })
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

async function main(): Promise<number> {
  // The data is deleted afterwards, so tests need no disk writes; a benchmark must pay for them.
  const fsync = program === undefined ? 'off' : 'on'
  const server = await startPostgres({ settings: { fsync, max_connections: 100 } })
  try {
    return stopped ? 130 : await (isPooled ? runPooled(server.url) : run(server.url))
  } finally {
    await server.stop()
  }
}

async function runPooled(serverUrl: string): Promise<number> {
  await runPostgresProgram('psql', ['-q', '-d', serverUrl, '-c', settingsOfRole('postgres')])
  const pooler = await startPgBouncer(serverUrl)
  try {
    return await run(pooler.url, { DATABASE_STATEMENTS: 'unnamed' })
  } finally {
    await pooler.stop()
  }
}

function run(url: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const line = program === undefined ? [vitest, 'run', ...args] : ['--import', import.meta.resolve('tsx'), ...program]
  const child = spawn(process.execPath, line, {
    stdio: 'inherit',
    env: { ...process.env, ...env, TEST_DATABASE_URL: url },
  })
  command = child
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? 1))
  })
}
