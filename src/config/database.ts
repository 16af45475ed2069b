import { choice, directory, integer, isDecodable, mebibytes, onOff } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const SCHEME = /^postgres(?:ql)?:\/\//
const ENCODE = `node -p 'encodeURIComponent(fs.readFileSync(0, "utf8").trim())'`

const SUCH_AS = 'must be a URL such as postgres://user:password@host/name'

/**
 * Returns the rest of a sentence that begins with the name of the setting; undefined if the URL is usable. Does not
 * repeat the URL, because it contains a password.
 */
export function findDatabaseUrlMistake(given: string): string | undefined {
  if (!SCHEME.test(given)) return `${SUCH_AS}.`
  const [authority, afterAuthority] = cutBefore(given.replace(SCHEME, ''), /[/?#]/)
  const [path, afterPath] = cutBefore(afterAuthority, /[?#]/)
  const [query] = cutBefore(afterPath, /#/)
  const user = authority.slice(0, Math.max(0, authority.lastIndexOf('@')))
  const server = authority.slice(authority.lastIndexOf('@') + 1)
  // A slash, question mark or hash in a password ends the authority early and leaves the @ of the host after it. The
  // start of the password would then be looked up as a host.
  if (afterAuthority.includes('@') || !isDecodable(user)) {
    return `has a user or a password that is not percent-encoded (@ is %40, : is %3A, / is %2F, ? is %3F, # is %23, % is %25): \`${ENCODE}\` encodes what it reads from stdin.`
  }
  if (!isDecodable(path)) return 'has a database name that is not percent-encoded (% is %25).'
  if (/^[\da-f.]*:[\da-f.]*:/i.test(server)) {
    return 'has an IPv6 address without brackets: postgres://user:password@[::1]:5432/name.'
  }
  if (/^(?::|$)/.test(server) && authority !== '') {
    return 'must name a host, such as postgres://user:password@host/name, or %2Fvar%2Frun%2Fpostgresql for the directory of a socket.'
  }
  const ports = [/:(\d{1,9})$/.exec(server)?.[1], new URLSearchParams(query).get('port')]
  if (ports.some((port) => port && !isPort(port))) return 'has a port that is not a whole number from 1 to 65535.'
  return isDecodable(server) && URL.canParse(given) ? undefined : `${SUCH_AS}, and its host or port is malformed.`
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

/** Returns the text before the first of these characters, and the rest. */
function cutBefore(text: string, characters: RegExp): [before: string, rest: string] {
  const at = text.search(characters)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

const databaseUrl: Parser<string> = (given) => {
  const mistake = findDatabaseUrlMistake(given)
  if (mistake !== undefined) throw new Mistake(mistake)
  return given
}

export const database = group({
  dataDir: setting('DATA_DIR', directory, { default: '.greenroom' }).about(
    'Directory of the embedded database and of the files that the service creates. The demo uses `.greenroom-demo`.',
  ),
  dataMaxBytes: setting('DATA_MAX_MB', mebibytes(512, 999_999_999)).about(
    'Size limit of the embedded database in MiB, 512 or more. Beyond it writes fail with 503; reads still work.',
  ),
  /** Undefined uses the embedded database in `dataDir`. */
  url: setting('DATABASE_URL', databaseUrl, {
    secret: true,
    needs: {
      MASTER_KEY:
        'MASTER_KEY is required with DATABASE_URL, so that every node can open the secrets: make one with `openssl rand -hex 32`, and keep it.',
    },
  }).about(
    'URL of a PostgreSQL database (version 15 or later) to use instead of the embedded one, such as `postgres://user:password@host/name`.',
  ),
  migrateUrl: setting('MIGRATE_DATABASE_URL', databaseUrl, { secret: true }).about(
    'URL of the same database for `greenroom migrate`, with the role that owns the tables. The default is DATABASE_URL.',
  ),
  migratesAtStart: setting('MIGRATE_AT_START', onOff, { default: 'on' }).about(
    '`off` is for a role that may not change tables. The service then refuses to start until `greenroom migrate` has run.',
  ),
  poolMax: setting('DATABASE_POOL_MAX', integer(2, 1000), { default: '10' }).about(
    'Maximum number of PostgreSQL connections of a process, 2 to 1000. Two fifths of them read; the others write.',
  ),
  statements: setting('DATABASE_STATEMENTS', choice('named', 'unnamed'), { default: 'named' }).about(
    '`unnamed` is for a pooler that shares connections and does not support prepared statements, such as PgBouncer before 1.21.',
  ),
  startTimeoutMs: setting('START_TIMEOUT_MS', integer(0, 600_000), { default: '30000' }).about(
    'Milliseconds that a start waits for PostgreSQL, 0 to 600000.',
  ),
})

export type DatabaseConfig = ConfigOf<typeof database>
