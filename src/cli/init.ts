import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { programName, readClientSettings } from '../config/client.js'
import { SETTINGS } from '../config/index.js'
import { newSecret } from '../lib/ids.js'
import { settingsFile } from '../lib/settings-file.js'
import { readSecrets, toWholeNumber } from './input.js'
import { type Cli, CliError, example, unwritableFile } from './io.js'
import { note, printObject } from './output.js'
import { readProfiles } from './profile-file.js'

interface InitOptions {
  databaseUrl?: string
  port?: number
}

const PORT_MAX = 65_535

export function addInit(program: Command, cli: Cli): void {
  program
    .command('init [directory]')
    .description(
      'set up a service of your own: a directory with its settings and its secrets, by default DATA_DIR or .greenroom',
    )
    .option(
      '--database-url <url>',
      'a PostgreSQL in place of the embedded database: postgres://user:password@host/name; - asks for it, or reads it from stdin',
    )
    .option('--port <number>', 'the port that it listens on, 8080 unless said', toWholeNumber)
    .addHelpText('after', example('greenroom init'))
    .action(async (directory: string | undefined, options: InitOptions) => {
      const dataDir = directory === undefined ? readClientSettings(cli.env).serviceDir : resolve(directory)
      const databaseUrl = await readDatabaseUrl(cli, options.databaseUrl)
      if (options.port !== undefined && options.port > PORT_MAX) {
        throw new CliError(2, `--port must be at most ${PORT_MAX}.`)
      }
      const files = filesOf({ databaseUrl, port: options.port })
      writeFiles(dataDir, files)
      printObject(cli, { directory: dataDir, files: Object.keys(files) })
      note(cli, nextSteps(cli, dataDir, databaseUrl !== undefined))
    })
}

async function readDatabaseUrl(cli: Cli, given: string | undefined): Promise<string | undefined> {
  const url = given === '-' ? (await readSecrets(cli, [{ prompt: 'Database URL', noun: 'database URL' }]))[0] : given
  const isDatabase = url === undefined || (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol))
  // The value is not repeated: it holds a password.
  if (!isDatabase) throw new CliError(2, '--database-url must be such as postgres://user:password@host/name.')
  return url
}

/** Gives the content of each file by its name. The settings come last, so that they never name a file that is missing. */
function filesOf({ databaseUrl, port }: { databaseUrl: string | undefined; port: number | undefined }) {
  const isOnPostgres = databaseUrl !== undefined
  const settings = [
    '# The settings of this Greenroom, which reads them here. README.md lists all of them with what they mean.',
    '# A variable of the environment goes before its line, and paths are relative to this file.',
    '',
    `PORT=${port ?? SETTINGS.PORT[0]}`,
    'OPERATOR_TOKEN_FILE=operator-token',
    ...(isOnPostgres ? ['DATABASE_URL_FILE=database-url', 'MASTER_KEY_FILE=master.key'] : []),
    '',
    '# The address at which browsers and the platform reach it, and a directory for images and videos that they fetch there.',
    '#PUBLIC_URL=https://greenroom.example.com',
    '#MEDIA_DIR=media',
    '',
    '# Backups that it makes by itself. Keep their passphrase elsewhere too.',
    '#BACKUP_DIR=backups',
    '#BACKUP_PASSPHRASE_FILE=backup-passphrase',
    '',
  ]
  return {
    'operator-token': `${newSecret()}\n`,
    ...(isOnPostgres ? { 'database-url': `${databaseUrl}\n`, 'master.key': `${newSecret()}\n` } : {}),
    'settings.env': settings.join('\n'),
  }
}

/** Writes all files, for the user alone, or none. It replaces no file. */
function writeFiles(dataDir: string, files: Record<string, string>): void {
  const there = Object.keys(files).find((name) => existsSync(join(dataDir, name)))
  if (there !== undefined) {
    const remedy = there === 'settings.env' ? 'edit it, or name another directory' : 'name another directory'
    throw new CliError(1, `${join(dataDir, there)} is there already, and nothing was changed: ${remedy}.`)
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

function nextSteps(cli: Cli, dataDir: string, isOnPostgres: boolean): string {
  const name = programName(cli.env)
  const isDefault = dataDir === resolve(SETTINGS.DATA_DIR[0])
  const shown = relative('', dataDir).startsWith('..') ? dataDir : relative('', dataDir)
  const set = isDefault ? '' : `DATA_DIR='${shown}' `
  const command = (words: string): string => `  ${set}${name} ${words}`
  const { current } = readProfiles(readClientSettings(cli.env).profilesFile)
  return [
    `${settingsFile(shown)} holds the settings, and the files beside it the secrets: keep a copy of them.`,
    ...(isOnPostgres
      ? ['Without master.key no secret in the database opens.', '', 'Look whether all is well:', command('doctor')]
      : []),
    '',
    'Start the service, which reads them there:',
    command('serve'),
    '',
    'In another terminal, in this directory, the link by which you get into the console, and an organization:',
    command('users invite-owner'),
    command("organizations create 'Acme'"),
    ...(current === undefined
      ? []
      : ['', `The commands call the server of your current profile, ${current}, until you set GREENROOM_URL.`]),
  ].join('\n')
}
