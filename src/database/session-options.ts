import { limit } from '../lib/limits.js'

/** What the service relies on in a session, and what keeps the server from waiting for a client that is gone. */
export const SESSION_SETTINGS = {
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
  const ours = Object.entries(SESSION_SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  searchParams.set('options', [...ours, searchParams.get('options') ?? ''].join(' ').trim())
  return withOptions.href
}
