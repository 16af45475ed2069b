import { limit } from '../lib/limits.js'
import type { Log, Queryable } from './database.js'

/** What the service relies on in a session, and what keeps the server from waiting for a client that is gone. */
const SETTINGS = {
  // As on the embedded engine.
  TimeZone: 'UTC',
  lock_timeout: `${limit('lockWaitMs')}ms`,
  statement_timeout: `${limit('statementMs')}ms`,
  // A node that vanished in a transaction must not keep its locks.
  idle_in_transaction_session_timeout: `${limit('idleInTransactionMs')}ms`,
} as const

/** The URL with the settings as options of the connection: before its own options, so that these prevail. */
export function sessionOptions(url: string): string {
  const withOptions = new URL(url)
  const { searchParams } = withOptions
  const ours = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  searchParams.set('options', [...ours, searchParams.get('options') ?? ''].join(' ').trim())
  return withOptions.href
}

/** SQL that gives a role the settings, for a pooler that passes no options on. */
export const settingsOfRole = (role: string): string =>
  Object.entries(SETTINGS)
    .map(([name, value]) => `alter role ${role} set ${name} = '${value}';`)
    .join(' ')

/** Says in the log what to do when the options of the connection do not reach the server. */
export async function checkSession(database: Queryable, log: Log): Promise<void> {
  const { rows } = await database.query<{ role: string; missing: string[] }>(
    `select quote_ident(session_user) as role, array_agg(name order by name) as missing
       from pg_settings
      where name = 'TimeZone' and setting not in ('UTC', 'Etc/UTC')
         or name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout') and setting = '0'`,
  )
  const { role, missing } = rows[0]!
  if (missing === null) return
  log.warn(
    { missing },
    `the connections to PostgreSQL lack settings, as behind a pooler that does not pass options on: run ${settingsOfRole(role)}`,
  )
}
