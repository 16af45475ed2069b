import { limit } from '../lib/limits.js'
import { StartError } from '../lib/start-error.js'
import type { Log, Queryable } from './database.js'

/** A setting that affects results. A database or a role may have another value. */
interface ResultSetting {
  name: string
  value: string
  /** Returns whether the value, as pg_settings shows it, is right. By default only `value` is. */
  accepts?: (setting: string) => boolean
  /** False if some servers or roles refuse it as a connection option. It is then only checked. */
  isSent?: false
}

const RESULT_SETTINGS: readonly ResultSetting[] = [
  // The embedded engine has the same.
  { name: 'TimeZone', value: 'UTC', accepts: (setting) => /^(Etc\/)?UTC$/.test(setting) },
  // The drivers parse no other style. The order of day and month matters only if the year is not first.
  { name: 'DateStyle', value: 'ISO,MDY', accepts: (setting) => setting.startsWith('ISO') },
  { name: 'IntervalStyle', value: 'postgres' },
  // Fewer digits round, and a page that begins after a rounded value skips rows.
  { name: 'extra_float_digits', value: '1', accepts: (setting) => Number(setting) >= 1 },
  { name: 'bytea_output', value: 'hex' },
  { name: 'standard_conforming_strings', value: 'on' },
  // Otherwise a null in an array is the text 'NULL'.
  { name: 'array_nulls', value: 'on' },
  { name: 'transform_null_equals', value: 'off' },
  // Otherwise a single statement would fail if another one changes the same row.
  { name: 'default_transaction_isolation', value: 'read committed' },
  // Otherwise an expected refusal, such as for a name that is taken, would cost the connection.
  { name: 'exit_on_error', value: 'off' },
  // Drops rows that an index finds.
  { name: 'gin_fuzzy_search_limit', value: '0' },
  // pg sends it itself.
  { name: 'client_encoding', value: 'UTF8', isSent: false },
  // Another value turns foreign keys and triggers off. Only a superuser may set it.
  { name: 'session_replication_role', value: 'origin', isSent: false },
  // It ends long changes. Servers before 17 do not know it.
  { name: 'transaction_timeout', value: '0', isSent: false },
]

const SENT = RESULT_SETTINGS.filter(({ isSent }) => isSent !== false).map(({ name, value }) => [name, value] as const)

/** PgBouncer passes no options on, but applies these to whichever connection it lends, if they are sent separately. */
const KEPT_BY_POOLERS = ['TimeZone', 'DateStyle', 'standard_conforming_strings']

/** Returns settings as startup parameters of a connection. */
export const startupParameters = (): Record<string, string> =>
  Object.fromEntries(SENT.filter(([name]) => KEPT_BY_POOLERS.includes(name)))

/** Timeouts that keep a server from waiting for a client that is gone, and a client from waiting for others' locks. */
const TIMEOUTS = {
  lock_timeout: `${limit('lockWaitMs')}ms`,
  statement_timeout: `${limit('statementMs')}ms`,
  // A node that disappeared in a transaction must not keep its locks.
  idle_in_transaction_session_timeout: `${limit('idleInTransactionMs')}ms`,
  // The pool keeps idle connections on purpose.
  idle_session_timeout: '0',
} as const

/**
 * Turns just-in-time compilation off. Statements that the planner considers expensive are short here, and compiling takes
 * many times as long as running: storing 26 deliveries takes 8.7 ms with it, and 1.5 ms without.
 */
const SPEED = { jit: 'off' } as const

/**
 * Returns the URL with the settings as connection options, which override those of the database and the role. Timeouts come
 * before the URL's own options, so that the URL's prevail; the settings that affect results come after them.
 */
export function sessionOptions(url: string): string {
  const withOptions = new URL(url)
  const { searchParams } = withOptions
  const own = searchParams.get('options') ?? ''
  const defaults = toOptions(Object.entries({ ...TIMEOUTS, ...SPEED }))
  searchParams.set('options', [defaults, own, toOptions(SENT)].filter(Boolean).join(' '))
  // pg treats these as verify-full, and prints a warning of several lines until the URL says so.
  const isAlias = ['prefer', 'require', 'verify-ca'].includes(searchParams.get('sslmode') ?? '')
  if (isAlias && searchParams.get('uselibpqcompat') !== 'true') searchParams.set('sslmode', 'verify-full')
  // pg leaves these encoded in the name of a database, and our URLs encode an @ there as %40.
  withOptions.pathname = withOptions.pathname.replaceAll(/%(?:2[46BCF]|3[ABD]|40)/gi, decodeURIComponent)
  return withOptions.href
}

const toOptions = (settings: readonly (readonly [string, string])[]): string =>
  settings.map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`).join(' ')

/** Returns SQL that gives a role the settings, for a pooler that passes no options on. */
export const settingsOfRole = (role: string): string =>
  [...SENT, ...Object.entries({ ...TIMEOUTS, ...SPEED })]
    .map(([name, value]) => `alter role ${role} set ${name} = '${value}';`)
    .join(' ')

interface SessionState {
  role: string
  database: string
  schema: string | null
  settings: Record<string, string>
}

/** A setting with which a service works, but not well. */
export interface SessionFault {
  finding: string
  /** SQL that corrects it. */
  remedy: string
  /** Fields for the log. */
  about: object
}

/** Logs what `findSessionFaults` finds, and throws what it throws. */
export async function checkSession(database: Queryable, log: Log): Promise<void> {
  for (const { finding, remedy, about } of await findSessionFaults(database)) {
    log.warn(about, `${finding}: run ${remedy}`)
  }
}

/**
 * Checks the settings that reached the server: finds missing timeouts, and commits that a crash may lose. Throws StartError
 * for a setting that would change results.
 */
export async function findSessionFaults(database: Queryable): Promise<SessionFault[]> {
  const names = [...RESULT_SETTINGS.map(({ name }) => name), ...Object.keys(TIMEOUTS), 'synchronous_commit']
  const { rows } = await database.query<SessionState>(
    `select quote_ident(session_user) as role, quote_ident(current_database()) as database, current_schema() as schema,
            (select json_object_agg(name, setting) from pg_settings where name = any($1)) as settings`,
    [names],
  )
  const { role, database: name, schema, settings } = rows[0]!
  const setInDatabase = (setting: string, value: string): string =>
    `alter role ${role} in database ${name} set ${setting} = '${value}';`
  const wrong = RESULT_SETTINGS.filter(({ name, value, accepts = (setting) => setting === value }) => {
    const setting = settings[name]
    return setting !== undefined && !accepts(setting)
  })
  if (wrong.length > 0) {
    const found = wrong.map((one) => `${one.name} is ${settings[one.name]}`).join(', ')
    const remedy = wrong.map((one) => setInDatabase(one.name, one.value)).join(' ')
    throw new StartError(
      `The database would give wrong results, because ${found}: run ${remedy} If there is a pooler, let it connect again (RECONNECT in PgBouncer).`,
    )
  }
  if (schema === null) {
    throw new StartError(
      `The database has no schema for the tables, because search_path names no existing schema: run ${setInDatabase('search_path', 'public')} or set it to another schema.`,
    )
  }
  const faults: SessionFault[] = []
  if (settings.synchronous_commit === 'off') {
    faults.push({
      finding: 'synchronous_commit is off, so a crash of PostgreSQL loses acknowledged changes',
      remedy: setInDatabase('synchronous_commit', 'on'),
      about: { setting: 'synchronous_commit' },
    })
  }
  const missing = Object.keys(TIMEOUTS).filter(
    (timeout) => timeout !== 'idle_session_timeout' && settings[timeout] === '0',
  )
  if (missing.length > 0) {
    faults.push({
      finding: 'the connections to PostgreSQL lack settings, as happens behind a pooler that does not pass on options',
      remedy: settingsOfRole(role),
      about: { missing },
    })
  }
  return faults
}
