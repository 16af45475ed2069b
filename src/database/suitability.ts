import { StartError } from '../lib/start-error.js'
import { quoted } from './columns.js'
import type { Log, Queryable } from './database.js'
import { readValue } from './queries.js'
import { TABLE_ENTRIES } from './tables.js'

/** A property of the database, its role or its server that a service cannot work with. */
export interface Unsuitable {
  finding: string
  remedy: string
  /** True if a start would fail later, with a less helpful message. */
  isFatal: boolean
  /** True if it may go away, such as when a standby is promoted. */
  mayPass?: boolean
}

/** The message has a sentence for each reason, with what to do. */
export class UnsuitableDatabaseError extends StartError {
  constructor(readonly reasons: readonly Unsuitable[]) {
    super(reasons.map(toSentence).join('\n'))
  }
}

const toSentence = ({ finding, remedy }: Unsuitable): string => `${finding.replace(/\.$/, '')}: ${lowerFirst(remedy)}`
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

interface Facts {
  role: string
  /** Quoted for SQL, like those below. */
  role_name: string
  database: string
  database_name: string
  /** Null if no schema of the search path can be used. */
  schema_name: string | null
  may_create: boolean
  encoding: string
  standby: boolean
  read_only: boolean
  /** Null for no limit. */
  role_connections: number | null
  database_connections: number | null
  server_connections: number
  /** The tables of a service that the role does not own. */
  foreign_tables: { name: string; owner: string; readable: boolean }[]
  /** Tables of the service whose rows the role may not read and change. */
  closed_tables: string[]
  migrated: boolean
}

/** How the service will use the database. */
interface Use {
  poolMax: number
  /** False for a role that uses the tables of another one, which has run `greenroom migrate`. */
  migrates: boolean
}

/** Each pool needs one connection, and a backup or an export needs another. */
const CONNECTIONS_NEEDED = 3

async function readFacts(database: Queryable): Promise<Facts> {
  const { rows } = await database.query<Facts>(
    `select current_user as role, quote_ident(current_user) as role_name,
            current_database() as database, quote_ident(current_database()) as database_name,
            quote_ident(current_schema()) as schema_name,
            coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
            pg_encoding_to_char(d.encoding) as encoding,
            pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only,
            case when r.rolconnlimit >= 0 and not r.rolsuper then r.rolconnlimit end as role_connections,
            case when d.datconnlimit >= 0 and not r.rolsuper then d.datconnlimit end as database_connections,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
              as server_connections,
            to_regclass('migrations') is not null as migrated,
            coalesce((
              select json_agg(json_build_object('name', quote_ident(c.relname), 'owner', pg_get_userbyid(c.relowner),
                                                'readable', has_table_privilege(c.oid, 'select')) order by c.relname)
                from pg_class c
               where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
                 and c.relname in ('migrations', 'organizations', 'scheduled_posts')
                 and not pg_has_role(c.relowner, 'usage')), '[]') as foreign_tables,
            array(
              select c.relname::text from pg_class c
               where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
                 and not (has_table_privilege(c.oid, 'select') and (c.relname = 'migrations'
                          or has_table_privilege(c.oid, 'insert') and has_table_privilege(c.oid, 'update')
                             and has_table_privilege(c.oid, 'delete')))
               order by c.relname) as closed_tables
       from pg_database d, pg_roles r
      where d.datname = current_database() and r.rolname = session_user`,
    [TABLE_ENTRIES.map(([name]) => name)],
  )
  return rows[0]!
}

const STANDBY: Unsuitable = {
  finding: 'DATABASE_URL leads to a standby, which accepts no changes.',
  remedy: 'Set it to the primary.',
  isFatal: true,
  mayPass: true,
}

/** Finds everything that is wrong, and changes nothing. */
export async function findUnsuitable(database: Queryable, { poolMax, migrates }: Use): Promise<Unsuitable[]> {
  const facts = await readFacts(database)
  // The other checks are for the primary.
  const found = facts.standby
    ? [STANDBY]
    : [checkRights(facts, migrates), checkEncoding(facts), checkConnections(facts, poolMax)]
  return found.filter((one) => one !== undefined)
}

function checkRights(facts: Facts, migrates: boolean): Unsuitable | undefined {
  const { role, role_name, database_name, schema_name, may_create, read_only, foreign_tables } = facts
  if (read_only) {
    return {
      finding: `The role ${role} is read-only in this database (default_transaction_read_only).`,
      remedy: `Run \`alter role ${role_name} in database ${database_name} set default_transaction_read_only = off;\`, or set DATABASE_URL to another role.`,
      isFatal: true,
    }
  }
  if (!migrates) return checkUse(facts)
  const [foreign] = foreign_tables
  if (foreign !== undefined) {
    return {
      finding: foreign.readable
        ? `The role ${role} may use the tables of ${foreign.owner} but not alter them, as a start does.`
        : `The role ${role} may not read the tables of ${foreign.owner}.`,
      remedy: `Set DATABASE_URL to the role ${foreign.owner}, or run \`grant ${quoted(foreign.owner)} to ${role_name};\` as a superuser. A service whose role may not change tables needs MIGRATE_AT_START=off, and \`greenroom migrate\` with MIGRATE_DATABASE_URL.`,
      isFatal: true,
    }
  }
  if (may_create) return undefined
  const schema = schema_name ?? 'public'
  return {
    finding: `The role ${role} may not create tables in the schema ${schema}.`,
    remedy: `Run \`grant usage, create on schema ${schema} to ${role_name};\` as the owner of the database ${database_name}, or make the role its owner.`,
    isFatal: true,
  }
}

/** A role that does not migrate needs only the rows. */
function checkUse({ role, closed_tables: [closed] }: Facts): Unsuitable | undefined {
  if (closed === undefined) return undefined
  return {
    finding: `The role ${role} may not read and change the rows of the table ${closed}.`,
    remedy: `Run \`greenroom migrate --grant-to ${role}\` with the role that owns the tables, in MIGRATE_DATABASE_URL.`,
    isFatal: true,
  }
}

function checkEncoding({ database, database_name, role_name, encoding, migrated }: Facts): Unsuitable | undefined {
  if (encoding === 'UTF8') return undefined
  return {
    finding: `The database ${database} has the encoding ${encoding}, which cannot store every character.`,
    remedy: migrated
      ? 'Back it up, create a database with UTF8, and restore the backup there.'
      : `Drop it, and run \`create database ${database_name} owner ${role_name} encoding 'UTF8' template template0;\`.`,
    // This does not stop a service that works with the texts it has.
    isFatal: !migrated,
  }
}

function checkConnections(facts: Facts, poolMax: number): Unsuitable | undefined {
  const { role, role_name, database, database_name, role_connections, database_connections, server_connections } = facts
  const enough = `connection limit ${poolMax + 1};\``
  const limits = [
    { of: `The role ${role}`, most: role_connections, raise: `run \`alter role ${role_name} ${enough}` },
    {
      of: `The database ${database}`,
      most: database_connections,
      raise: `run \`alter database ${database_name} ${enough}`,
    },
    { of: 'The server', most: server_connections, raise: 'raise max_connections' },
  ].map((one) => ({ ...one, most: one.most ?? Number.POSITIVE_INFINITY }))
  const { of, most, raise } = limits.reduce((least, other) => (other.most < least.most ? other : least))
  if (most > poolMax) return undefined
  const isFatal = most < CONNECTIONS_NEEDED
  const remedy = isFatal ? `${raise}.` : `set DATABASE_POOL_MAX to ${most - 1}, or ${raise}.`
  return {
    finding: `${of} allows ${most} connections, but DATABASE_POOL_MAX ${poolMax} plus one for a backup needs ${poolMax + 1}.`,
    remedy: remedy.charAt(0).toUpperCase() + remedy.slice(1),
    isFatal,
  }
}

/** Throws UnsuitableDatabaseError for the properties that prevent a start, and logs the others as warnings. */
export async function checkSuitability(database: Queryable, use: Use, log: Log): Promise<void> {
  const found = await findUnsuitable(database, use)
  const fatal = found.filter(({ isFatal }) => isFatal)
  if (fatal.length > 0) throw new UnsuitableDatabaseError(fatal)
  for (const { finding, remedy } of found) log.warn({ remedy }, finding)
}

/** Returns the server's own time. */
export const readServerTime = (database: Queryable): Promise<Date> => readValue(database, 'select clock_timestamp()')
