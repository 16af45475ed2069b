import { bareHost } from '../lib/addresses.js'
import { certificateFaultOf } from '../lib/certificate-fault.js'
import { StartError } from '../lib/start-error.js'

/** Why a connection to PostgreSQL failed, and what to do. Neither text contains a secret. */
export interface ConnectionFault {
  finding: string
  remedy: string
  /** True if the fault may go away, such as for a server that is starting or a network that is coming up. */
  mayPass: boolean
}

/** The server, database and user that a URL names, for messages. */
interface Target {
  role: string
  database: string
  host: string
  /** The host with its port, or the directory of a socket. */
  server: string
  port: string
  /** True if the URL has one. */
  hasPassword: boolean
}

type Explain = (target: Target, message: string) => Omit<ConnectionFault, 'mayPass'>

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
const oneLine = (message: string): string => message.replaceAll(/\s+/g, ' ').replace(/\.$/, '')

const noPassword: Explain = ({ role, server }) => ({
  finding: `PostgreSQL at ${server} asks for the password of the role ${role}, but none is set.`,
  remedy: 'Put it into the URL of the database (postgres://user:password@host/name) or into PGPASSWORD.',
})

/** PostgreSQL does not distinguish these three cases, so that nobody learns which roles exist. */
const passwordRefused: Explain = (target, message) => {
  const { role, server, host, port, hasPassword } = target
  if (!hasPassword) {
    return {
      ...noPassword(target, message),
      finding: `PostgreSQL at ${server} asks for the password of the role ${role}: the URL of the database has none, and neither PGPASSWORD nor .pgpass has the right one.`,
    }
  }
  return {
    finding: `PostgreSQL at ${server} refuses the password of the role ${role}: it is wrong, or the role does not exist or has expired (VALID UNTIL), and PostgreSQL does not say which.`,
    remedy: `Check with \`psql -h ${host} -p ${port} -U postgres -c 'select rolname, rolvaliduntil from pg_roles'\`. If the role does not exist, run \`create role ${quoted(role)} login password '…';\`; if it has expired, \`alter role ${quoted(role)} valid until 'infinity';\`; otherwise put the correct password into the URL of the database, with its special characters percent-encoded, or set another with \`\\password ${quoted(role)}\`.`,
  }
}

const addLine = ({ role, database }: Target): string =>
  `add a line such as \`hostssl ${quoted(database)} ${quoted(role)} ADDRESS/32 scram-sha-256\` (host for a connection without TLS), and run \`select pg_reload_conf();\`.`

/** PostgreSQL has one SQLSTATE for several refusals of a role (28000), so the message decides. */
const REFUSED_ROLES: readonly [pattern: RegExp, explain: Explain][] = [
  [
    /is not permitted to log in/,
    ({ role }) => ({
      finding: `The role ${role} is not permitted to log in (NOLOGIN).`,
      remedy: `Run \`alter role ${quoted(role)} login;\` as a superuser, or name another role in the URL of the database.`,
    }),
  ],
  [
    /does not exist/,
    ({ role }) => ({
      finding: `There is no role ${role}.`,
      remedy: `Run \`create role ${quoted(role)} login password '…';\` as a superuser, or correct the role in the URL of the database.`,
    }),
  ],
  [
    /pg_hba\.conf rejects/,
    ({ server }, message) => ({
      finding: `A line in pg_hba.conf of PostgreSQL at ${server} rejects this connection (${oneLine(message)}).`,
      remedy: `Find it with \`select * from pg_hba_file_rules where auth_method = 'reject';\` as a superuser, change it or put another line before it, and run \`select pg_reload_conf();\`.`,
    }),
  ],
  [
    /no encryption|SSL off/,
    (target, message) => ({
      finding: `PostgreSQL at ${target.server} does not admit this role without TLS (${oneLine(message)}).`,
      remedy: `Add ?sslmode=verify-full to the URL of the database. If its pg_hba.conf has no line for that either, ${addLine(target)}`,
    }),
  ],
  [
    /no pg_hba\.conf entry/,
    (target, message) => ({
      finding: `PostgreSQL at ${target.server} does not admit this role from this machine (${oneLine(message)}).`,
      remedy: `Its pg_hba.conf needs a line for it: ${addLine(target)}`,
    }),
  ],
]

const roleRefused: Explain = (target, message) => {
  const [, explain] = REFUSED_ROLES.find(([pattern]) => pattern.test(message)) ?? []
  if (explain !== undefined) return explain(target, message)
  return {
    finding: `PostgreSQL at ${target.server} does not admit the role ${target.role} (${oneLine(message)}).`,
    remedy: 'Change its pg_hba.conf, or name another role in the URL of the database.',
  }
}

/** Waiting does not help against these. */
const REFUSALS: Readonly<Record<string, Explain>> = {
  '28P01': passwordRefused,
  '28000': roleRefused,
  '3D000': ({ role, database, server }) => ({
    finding: `There is no database ${database} on the server at ${server}.`,
    remedy: `Run \`create database ${quoted(database)} owner ${quoted(role)} encoding 'UTF8' template template0;\` as a superuser, or correct the name in the URL of the database.`,
  }),
  '42501': ({ role, database }, message) => ({
    finding: `PostgreSQL does not admit this role (${oneLine(message)}).`,
    remedy: `Grant it the right to connect: \`grant connect on database ${quoted(database)} to ${quoted(role)};\` as its owner.`,
  }),
  '55000': ({ database, server }, message) =>
    /invalid database/.test(message)
      ? {
          finding: `The database ${database} on the server at ${server} was left by an interrupted drop.`,
          remedy: `Run \`drop database ${quoted(database)};\` as a superuser, and create it again, or name another database in the URL.`,
        }
      : {
          finding: `The database ${database} on the server at ${server} accepts no connections (allow_connections is false).`,
          remedy: `Run \`alter database ${quoted(database)} allow_connections true;\` as a superuser, connected to another database.`,
        },
}

const unanswered: Explain = ({ server, host, port }) => ({
  finding: `Nothing answers at ${server}.`,
  remedy: `Correct the host and the port in the URL of the database, or let this machine through the firewall: \`pg_isready -h ${host} -p ${port}\` must say that it accepts connections.`,
})

/** These may go away. */
const OUTAGES: Readonly<Record<string, Explain>> = {
  '53300': (_target, message) => ({
    finding: `PostgreSQL has no connection left for this service (${oneLine(message)}).`,
    remedy:
      'Raise the limit (alter role … connection limit, alter database … connection limit, or max_connections), or close other connections.',
  }),
  '57P03': ({ server }, message) => ({
    finding: `PostgreSQL at ${server} does not accept connections yet (${oneLine(message)}).`,
    remedy: 'Wait until it has started; its log shows what it is doing.',
  }),
  ECONNREFUSED: ({ server, host, port }) => ({
    finding: `No PostgreSQL listens at ${server} (connection refused).`,
    remedy: `Start it there, or correct the host and the port in the URL of the database: \`pg_isready -h ${host} -p ${port}\` must say that it accepts connections.`,
  }),
  ENOTFOUND: ({ host }) => ({
    finding: `There is no host ${host}.`,
    remedy: `Correct the host in the URL of the database: \`getent hosts ${host}\` must show an address.`,
  }),
  EAI_AGAIN: ({ host }) => ({
    finding: `The host name ${host} cannot be resolved.`,
    remedy: `Correct the host in the URL of the database, or the DNS of this machine: \`getent hosts ${host}\` must show an address.`,
  }),
  ETIMEDOUT: unanswered,
  EHOSTUNREACH: unanswered,
  ENETUNREACH: unanswered,
  EADDRNOTAVAIL: unanswered,
  ENOENT: ({ server }) => ({
    finding: `There is no PostgreSQL socket in ${server}.`,
    remedy:
      'Start PostgreSQL, or set the directory of its socket (`show unix_socket_directories;`) and its port in the URL of the database.',
  }),
  EACCES: ({ server }) => ({
    finding: `This user may not use the PostgreSQL socket in ${server}.`,
    remedy: 'Start the service as a user that may, or connect by TCP: postgres://user:password@localhost/name.',
  }),
  ECONNRESET: ({ server }) => ({
    finding: `The program at ${server} closed the connection: it may not be PostgreSQL.`,
    remedy: 'Correct the host and the port in the URL of the database.',
  }),
}

/** Errors to which pg gives no code. */
const BY_WORDS: readonly [pattern: RegExp, mayPass: boolean, explain: Explain][] = [
  [/client password must be a string|no password supplied/i, false, noPassword],
  [
    /does not support SSL connections/,
    false,
    ({ server }) => ({
      finding: `PostgreSQL at ${server} does not support TLS, which the URL of the database requires.`,
      remedy:
        'Switch it on there (ssl = on in postgresql.conf), or set ?sslmode=disable on a network that no one else listens on.',
    }),
  ],
  [/error establishing an SSL connection|invalid response|Received unexpected/, false, OUTAGES.ECONNRESET!],
  [/timeout|timed out/i, true, unanswered],
  [/Connection terminated/, true, OUTAGES.ECONNRESET!],
]

/** Explains why a connection failed; undefined for an error about something else. */
export function explainConnection(error: unknown, url: string): ConnectionFault | undefined {
  if (!(error instanceof Error)) return undefined
  const target = targetOf(url)
  const { code = '', message } = error as NodeJS.ErrnoException
  const certificate = certificateFaultOf(error)
  if (certificate !== undefined) {
    const finding = `The certificate of PostgreSQL at ${target.server} ${certificate.is}.`
    return {
      finding,
      remedy: `${certificate.remedy} To name its authority, set sslrootcert=… in the URL of the database.`,
      mayPass: false,
    }
  }
  const refused = REFUSALS[code]
  if (refused !== undefined) return { ...refused(target, message), mayPass: false }
  const away = OUTAGES[code]
  if (away !== undefined) return { ...away(target, message), mayPass: true }
  // The server itself refused the connection, for another reason.
  if ('severity' in error) {
    return {
      finding: `PostgreSQL at ${target.server} does not accept the connection (${oneLine(message)}).`,
      remedy: 'Correct what it names in the URL of the database, or see the log of PostgreSQL.',
      mayPass: !/^(0A|22|42)/.test(code),
    }
  }
  const found = code === '' ? BY_WORDS.find(([pattern]) => pattern.test(message)) : undefined
  return found && { ...found[2](target, message), mayPass: found[1] }
}

function targetOf(url: string): Target {
  const { username, password, pathname, hostname, port, searchParams } = new URL(url)
  const role = decodeURIComponent(username) || searchParams.get('user') || 'of this user'
  const host = bareHost(searchParams.get('host') || decodeURIComponent(hostname) || 'localhost')
  const usedPort = searchParams.get('port') || port || '5432'
  const isSocket = host.startsWith('/')
  return {
    role,
    host,
    port: usedPort,
    hasPassword: Boolean(password || searchParams.get('password')),
    server: isSocket ? host : `${host.includes(':') ? `[${host}]` : host}:${usedPort}`,
    database: decodeURIComponent(pathname.slice(1)) || role,
  }
}

/** A start, or a command, that ends because no connection could be made. */
export class NoConnectionError extends StartError {
  constructor(
    readonly fault: ConnectionFault,
    cause: unknown,
  ) {
    super(toConnectionSentence(fault), { cause })
  }
}

/** Returns one sentence with what to do. */
export const toConnectionSentence = ({ finding, remedy }: ConnectionFault): string =>
  `${finding.replace(/\.$/, '')}: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`
