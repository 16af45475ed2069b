import { StartError } from '../lib/start-error.js'
import type { Database } from './database.js'
import { findRow } from './queries.js'

interface Names {
  /** Quoted for SQL, like the others. */
  role: string
  schema: string
  database: string
  version: number
  may_grant: boolean
  has_temporary: boolean
}

/**
 * Returns the statements that let a role use the tables of the database without changing their structure. Throws StartError
 * if the role does not exist.
 */
export async function grantsFor(database: Database, role: string): Promise<string[]> {
  const names = await findRow<Names>(
    database,
    `select quote_ident(r.rolname) as role, quote_ident(current_schema()) as schema,
            quote_ident(current_database()) as database, current_setting('server_version_num')::integer as version,
            pg_has_role(d.datdba, 'usage') as may_grant,
            has_database_privilege(r.oid, d.oid, 'temporary') as has_temporary
       from pg_roles r, pg_database d
      where r.rolname = $1 and d.datname = current_database()`,
    [role],
  )
  if (names === undefined) {
    throw new StartError(`There is no role ${role}: run \`create role ${role} login password '…';\` as a superuser.`)
  }
  const { schema } = names
  const to = `to ${names.role}`
  return [
    ...(names.may_grant ? [`grant connect on database ${names.database} ${to}`] : []),
    // A temporary table is used to detect a full disk.
    ...(names.has_temporary ? [] : [`grant temporary on database ${names.database} ${to}`]),
    `grant usage on schema ${schema} ${to}`,
    `grant select, insert, update, delete on all tables in schema ${schema} ${to}`,
    `grant usage, select, update on all sequences in schema ${schema} ${to}`,
    // Lets it update the planner's statistics of tables that were just filled.
    ...(names.version < 170_000 ? [] : [`grant maintain on all tables in schema ${schema} ${to}`]),
    `revoke insert, update, delete on ${schema}.migrations from ${names.role}`,
  ]
}

export const runGrants = (database: Database, statements: readonly string[]): Promise<void> =>
  database.transaction(async (tx) => {
    for (const statement of statements) await tx.execute(statement)
  })
