import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { programName, readClientSettings } from '../config/client.js'
import { findDatabaseUrlMistake } from '../config/database.js'
import { findMisspelt, readConfig, readGivenSettings, SETTINGS, toMisspeltSentence } from '../config/index.js'
import { newSecret } from '../lib/ids.js'
import { isPipe } from '../lib/is-pipe.js'
import { settingsFile, toSettingLine } from '../lib/settings-file.js'
import { toShellWord, toShownPath } from '../lib/shell-word.js'
import { definedOnly, readSecrets, toWholeNumber } from './input.js'
import { type Cli, CliError, example, unwritableFile } from './io.js'
import { note, printObject } from './output.js'
import { readProfiles } from './profile-file.js'

interface InitOptions {
  databaseUrl?: string
  port?: number
}

type Environment = Record<string, string | undefined>

const PORT_MAX = 65_535

export function addInit(program: Command, cli: Cli): void {
  program
    .command('init [directory]')
    .description(
      'set up your own service: create a directory with its settings and secrets (default: DATA_DIR or .greenroom); settings in the environment are written there',
    )
    .option(
      '--database-url <url>',
      'use PostgreSQL instead of the embedded database: postgres://user:password@host/name; - asks for it, or reads it from stdin',
    )
    .option('--port <number>', 'the port to listen on (default: 8080)', toWholeNumber)
    .addHelpText('after', example('greenroom init'))
    .action(async (directory: string | undefined, options: InitOptions) => {
      const dataDir = directory === undefined ? readClientSettings(cli.env).serviceDir : resolve(directory)
      const databaseUrl = await readDatabaseUrl(cli, options.databaseUrl)
      if (options.port !== undefined && options.port > PORT_MAX) {
        throw new CliError(2, `--port must be at most ${PORT_MAX}.`)
      }
      const { port } = options
      const given: Environment = {
        ...readGivenSettings(Object.keys(SETTINGS), cli.env),
        ...definedOnly({ PORT: port?.toString() }),
      }
      if (databaseUrl !== undefined) Object.assign(given, { DATABASE_URL: databaseUrl, DATABASE_URL_FILE: undefined })
      refuseWrong(given)
      const isOnPostgres = Boolean(given.DATABASE_URL || given.DATABASE_URL_FILE)
      const files = filesOf(given, isOnPostgres)
      writeFiles(dataDir, files)
      for (const one of findMisspelt(cli.env)) note(cli, toMisspeltSentence(one))
      printObject(cli, { directory: dataDir, files: Object.keys(files) })
      note(cli, nextSteps(cli, { dataDir, isOnPostgres, hasPassphraseFile: 'backup-passphrase' in files }))
    })
}

async function readDatabaseUrl(cli: Cli, given: string | undefined): Promise<string | undefined> {
  const url = given === '-' ? (await readSecrets(cli, [{ prompt: 'Database URL', noun: 'database URL' }]))[0] : given
  // The error does not repeat the value, because it contains a password.
  const mistake = url === undefined ? undefined : findDatabaseUrlMistake(url)
  if (mistake !== undefined) throw new CliError(2, `--database-url ${mistake}`)
  return url
}

/** A setting that init writes. If the environment does not have a secret, `make` creates one, which gets its own file. */
interface Line {
  name: string
  make?: () => string
  /** The line to write if the environment does not have the setting. */
  otherwise?: string
}

const SECRETS_OF_POSTGRES: readonly Line[] = [{ name: 'DATABASE_URL' }, { name: 'MASTER_KEY', make: newSecret }]

const COMMENTED: readonly (Line | string)[] = [
  '# The settings of this Greenroom. docs/settings.md describes all of them.',
  '# A variable of the environment overrides its line. Paths are relative to this file.',
  '',
  { name: 'HOST' },
  { name: 'PORT', otherwise: `PORT=${SETTINGS.PORT[0]}` },
  { name: 'OPERATOR_TOKEN', make: newSecret },
  ...SECRETS_OF_POSTGRES,
  '',
  '# The address at which browsers and Meta reach the service, and the directory of the images and videos that it serves there.',
  { name: 'PUBLIC_URL', otherwise: '#PUBLIC_URL=https://greenroom.example.com' },
  { name: 'MEDIA_DIR', otherwise: '#MEDIA_DIR=media' },
  '',
  '# Scheduled backups: a directory on another disk, or s3://bucket/prefix. A backup cannot be opened without its passphrase:',
  '# keep a copy of it elsewhere, for example in a password manager.',
  { name: 'BACKUP_DIR', otherwise: '#BACKUP_DIR=/mnt/other-disk/greenroom' },
  { name: 'BACKUP_PASSPHRASE', make: newPassphrase },
  '',
]

/** All settings that a file may have, except those that name the file of a secret. */
const NAMES = Object.keys(SETTINGS).filter(
  (name) => name !== 'DATA_DIR' && !(name.endsWith('_FILE') && name.slice(0, -'_FILE'.length) in SETTINGS),
)

const isSecret = (name: string): boolean => `${name}_FILE` in SETTINGS

/** Returns the path of the file that holds a secret, next to the settings. */
const secretFileOf = (name: string): string =>
  name === 'MASTER_KEY' ? 'master.key' : name.toLowerCase().replaceAll('_', '-')

export const SECRET_FILES = NAMES.filter(isSecret).map(secretFileOf)

const LINES: readonly (Line | string)[] = [
  ...COMMENTED,
  ...NAMES.filter((name) => !COMMENTED.some((line) => typeof line !== 'string' && line.name === name)).map((name) => ({
    name,
  })),
]

/** Returns 128 random bits in groups of four characters, easy to copy onto paper. */
function newPassphrase(): string {
  return newSecret().slice(0, 32).match(/.{4}/g)!.join('-')
}

/** Throws a ConfigError for settings that would stop the service from starting. */
function refuseWrong(given: Environment): void {
  // The keys of the bucket may be given at each start, and a master key can still be created.
  const isBucketAlone = given.BACKUP_DIR?.startsWith('s3:') && given.BACKUP_S3_KEY_ID === undefined
  const judged = isBucketAlone ? { ...given, BACKUP_DIR: undefined } : given
  readConfig(judged, { MASTER_KEY: '00'.repeat(32) })
}

/** Returns the content of each file by its name. The settings come last, so they never name a missing file. */
function filesOf(given: Environment, isOnPostgres: boolean): Record<string, string> {
  const files: Record<string, string> = {}
  const settings = LINES.flatMap((line) => {
    if (typeof line === 'string') return line
    const { name, make, otherwise } = line
    const isOfPostgres = SECRETS_OF_POSTGRES.includes(line)
    if (!isSecret(name)) return given[name] ? lineOf(name, given[name]) : (otherwise ?? [])
    const file = given[`${name}_FILE`]
    if (file) {
      if (isPipe(file)) {
        throw new CliError(2, `${name}_FILE must name a file, not a pipe, because each start reads it again.`)
      }
      return lineOf(`${name}_FILE`, file)
    }
    const secret = given[name] || (isOfPostgres && !isOnPostgres ? undefined : make?.())
    if (secret === undefined) return []
    files[secretFileOf(name)] = toSecretFile(name, secret)
    return `${name}_FILE=${secretFileOf(name)}`
  })
  return { ...files, 'settings.env': `${settings.join('\n').trimEnd()}\n` }
}

function lineOf(name: string, value: string): string {
  const line = toSettingLine(name, value)
  if (line !== undefined) return line
  throw new CliError(
    2,
    `${name} cannot be written to settings.env: its value has a carriage return, or all three of the quotes ', " and \`. Change the value, or unset it here and set it where the service starts.`,
  )
}

/** Adds a line break, which readers remove. */
function toSecretFile(name: string, secret: string): string {
  if (!secret.endsWith('\r')) return `${secret}\n`
  throw new CliError(2, `${name} cannot be written to a file: it ends with a carriage return. Remove it.`)
}

const REMEDIES: Record<string, string> = {
  'settings.env': 'edit it, or choose another directory',
  'backup-passphrase': 'set BACKUP_PASSPHRASE_FILE to it, or choose another directory',
}

/** Writes all files or none, readable only by the user. Never replaces a file. */
function writeFiles(dataDir: string, files: Record<string, string>): void {
  const there = Object.keys(files).find((name) => existsSync(join(dataDir, name)))
  if (there !== undefined) {
    const remedy = REMEDIES[there] ?? 'choose another directory'
    throw new CliError(1, `${join(dataDir, there)} already exists, so nothing was changed: ${remedy}.`)
  }
  const written: string[] = []
  let path = dataDir
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    for (const [name, content] of Object.entries(files)) {
      path = join(dataDir, name)
      writeFileSync(path, content, { mode: 0o600, flag: 'wx', flush: true })
      written.push(path)
    }
  } catch (error) {
    for (const file of written) rmSync(file, { force: true })
    throw unwritableFile(path, error)
  }
}

function nextSteps(
  cli: Cli,
  { dataDir, isOnPostgres, hasPassphraseFile }: { dataDir: string; isOnPostgres: boolean; hasPassphraseFile: boolean },
): string {
  const name = programName(cli.env)
  const isDefault = dataDir === resolve(SETTINGS.DATA_DIR[0])
  const shown = toShownPath(dataDir)
  const set = isDefault ? '' : `DATA_DIR=${toShellWord(shown)} `
  const command = (words: string): string => `  ${set}${name} ${words}`
  const { current } = readProfiles(readClientSettings(cli.env).profilesFile)
  return [
    `${settingsFile(shown)} has the settings, and the files next to it have the secrets.`,
    `Keep a copy of them on another machine.${isOnPostgres ? ' Without master.key the secrets in the database cannot be read.' : ''}`,
    ...(hasPassphraseFile
      ? [`${join(shown, 'backup-passphrase')} is the passphrase of the backups, which cannot be opened without it.`]
      : []),
    ...(isOnPostgres ? ['', 'Check the settings and the database:', command('doctor')] : []),
    '',
    'Start the service with these settings:',
    command('serve'),
    '',
    'In another terminal, in this directory, create an organization and print a link to sign in to the console:',
    command("organizations create 'Acme'"),
    command('users invite-owner'),
    ...(current === undefined
      ? []
      : ['', `Commands call the server of your current profile, ${current}, unless you set GREENROOM_URL.`]),
  ].join('\n')
}
