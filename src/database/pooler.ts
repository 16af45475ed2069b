import pg from 'pg'
import { newId } from '../lib/ids.js'
import { errorCode } from './database.js'
import { sessionOptions } from './session-options.js'

/** A busy pooler gives two clients the same connection only occasionally. */
const TRIES = 20
const TIMEOUT_MS = 5_000
/** SQLSTATE: a prepared statement with this name already exists, or does not. */
const MIXED_UP = /^(42P05|26000)$/

/**
 * Returns whether a pooler gives the same server connection to several clients and thereby mixes up their prepared
 * statements, as PgBouncer before 1.21 does when it pools by transaction. Leaves nothing behind. Throws what connecting
 * throws.
 */
export async function mixesStatements(url: string): Promise<boolean> {
  const clients = [0, 1].map(
    () =>
      new pg.Client({
        connectionString: sessionOptions(url),
        connectionTimeoutMillis: TIMEOUT_MS,
        query_timeout: TIMEOUT_MS,
        application_name: 'greenroom',
      }),
  )
  const [one, other] = clients as [pg.Client, pg.Client]
  for (const client of clients) client.on('error', () => {})
  try {
    await one.connect()
    await other.connect()
    for (let tried = 0; tried < TRIES; tried++) {
      if ((await processOf(one)) === (await processOf(other)) && (await clash(one, other))) return true
    }
    return false
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]!.pid
}

/** Makes both clients prepare different statements under the same name, which a pooler that knows them keeps apart. */
async function clash(one: pg.Client, other: pg.Client): Promise<boolean> {
  const name = newId('greenroom')
  try {
    await one.query({ name, text: 'select 1' })
    await other.query({ name, text: 'select 2' })
    await one.query({ name, text: 'select 1' })
    return false
  } catch (error) {
    if (MIXED_UP.test(errorCode(error) ?? '')) return true
    throw error
  } finally {
    // A client that does not know the statement gets an error, which says nothing.
    for (const client of [one, other]) await client.query(`deallocate "${name}"`).catch(() => {})
  }
}
