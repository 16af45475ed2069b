import { choice, directory, integer, mebibytes, url } from './parsers.js'
import { type ConfigOf, group, setting } from './setting.js'

export const database = group({
  dataDir: setting(
    { name: 'DATA_DIR', parse: directory, default: '.greenroom' },
    'Directory of the embedded database and of what the program makes for itself; `.greenroom-demo` for the demo.',
  ),
  dataMaxBytes: setting(
    { name: 'DATA_MAX_MB', parse: mebibytes(512, 999_999_999) },
    'What the embedded database may take on disk, in MiB, 512 or more; past it writes are refused with 503, and reads go on.',
  ),
  /** Without it the embedded database in `dataDir` is used. */
  url: setting(
    {
      name: 'DATABASE_URL',
      parse: url('postgres:', 'postgresql:'),
      secret: true,
      needs: {
        MASTER_KEY:
          'MASTER_KEY is required with DATABASE_URL, so that every node can open the sealed secrets: make one with `openssl rand -hex 32` and keep it.',
      },
    },
    'A PostgreSQL (15 or later) to use instead of the embedded database: `postgres://user:password@host/name`.',
  ),
  poolMax: setting(
    { name: 'DATABASE_POOL_MAX', parse: integer(2, 1000), default: '10' },
    'Connections to PostgreSQL at most, 2 to 1000; two fifths of them read, the others make changes.',
  ),
  statements: setting(
    { name: 'DATABASE_STATEMENTS', parse: choice('named', 'unnamed'), default: 'named' },
    '`unnamed` behind a pooler that shares connections and does not know prepared statements, as PgBouncer before 1.21.',
  ),
  startTimeoutMs: setting(
    { name: 'START_TIMEOUT_MS', parse: integer(0, 600_000), default: '30000' },
    'How long a start waits for PostgreSQL to be there, 0 to 600000, in milliseconds.',
  ),
})

export type DatabaseConfig = ConfigOf<typeof database>
