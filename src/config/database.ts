import { choice, directory, integer, mebibytes, url } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const database = group({
  dataDir: setting('DATA_DIR', directory, { default: '.greenroom' }).about(
    'Directory of the embedded database and of what the program makes for itself; `.greenroom-demo` for the demo.',
  ),
  dataMaxBytes: setting('DATA_MAX_MB', mebibytes(512, 999_999_999)).about(
    'What the embedded database may take on disk, in MiB, 512 or more; past it writes are refused with 503, and reads go on.',
  ),
  /** Without it the embedded database in `dataDir` is used. */
  url: setting('DATABASE_URL', url('postgres:', 'postgresql:'), {
    secret: true,
    needs: {
      MASTER_KEY:
        'MASTER_KEY is required with DATABASE_URL, so that every node can open the sealed secrets: make one with `openssl rand -hex 32` and keep it.',
    },
  }).about('A PostgreSQL (15 or later) to use instead of the embedded database: `postgres://user:password@host/name`.'),
  poolMax: setting('DATABASE_POOL_MAX', integer(2, 1000), { default: '10' }).about(
    'Connections to PostgreSQL at most, 2 to 1000; two fifths of them read, the others make changes.',
  ),
  statements: setting('DATABASE_STATEMENTS', choice('named', 'unnamed'), { default: 'named' }).about(
    '`unnamed` behind a pooler that shares connections and does not know prepared statements, as PgBouncer before 1.21.',
  ),
  startTimeoutMs: setting('START_TIMEOUT_MS', integer(0, 600_000), { default: '30000' }).about(
    'How long a start waits for PostgreSQL to be there, 0 to 600000, in milliseconds.',
  ),
})

export type DatabaseConfig = ConfigOf<typeof database>
