import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { BackupSource } from './backup/open-backup.js'
import type { Restored } from './backup/restore.js'
import { operator } from './cli/client.js'
import { readSecrets } from './cli/input.js'
import { type Cli, CliError, example, unreadableFile, unwritableFile } from './cli/io.js'
import { note, printLine, printList, printObject } from './cli/output.js'
import { toCount, toMegabytes } from './cli/progress.js'
import { widthOf } from './cli/terminal.js'
import { onOneLine, wrap } from './cli/text.js'
import { type Config, readConfig, readEnvironment } from './config.js'
import type { Finding } from './doctor.js'
import { PASSPHRASE_CHARS_MIN } from './lib/passphrase.js'
import { StartError } from './lib/start-error.js'

// The commands that work on this machine: what they need of the service is loaded when they run.

interface PassphraseOption {
  passphraseFile?: string
  masterKey: boolean
}

interface RestoreOptions extends PassphraseOption {
  to?: string
  masterKeyFile?: string
  replaces?: string
}

interface MoveOptions {
  to: string
  again?: boolean
}

/** Says what is done, a line every two seconds. */
const SAY_EVERY_MS = 2_000
/** Of a service on PostgreSQL, which the master key of the backup will be. */
const NO_KEY = '00'.repeat(32)

export function addLocalCommands(program: Command, cli: Cli): void {
  const backup = program
    .command('backup [file]')
    .description(
      'back up the whole server while it runs, encrypted, into a file or s3://bucket/prefix/name: rows, uploaded media and the master key',
    )
    .option('--passphrase-file <file>', 'a file with the passphrase of the backup; by default it is asked for')
    .addOption(
      new Option(
        '--no-master-key',
        'leave the master key out, and, without --passphrase-file, encrypt nothing; without the key no secret opens: keep it elsewhere',
      ),
    )
    .addHelpText('after', example('greenroom backup acme.backup --passphrase-file passphrase.txt'))
    .action(async (file: string | undefined, options: PassphraseOption) => {
      if (file === undefined) throw new CliError(2, 'Name the file: greenroom backup acme.backup')
      await usingFiles(() => download(cli, file, options))
    })

  backup
    .command('verify <file>')
    .description(
      'read a backup, a file or s3://bucket/prefix/name, hold everything in it against its checksums, and tell whether it is authenticated',
    )
    .option(
      '--passphrase-file <file>',
      'a file with the passphrase; that of an encrypted backup is asked for by default',
    )
    .addHelpText('after', example('greenroom backup verify acme.backup'))
    .action((file: string, _options: PassphraseOption, command: Command) =>
      // The same option of `backup` takes it, wherever it stands.
      usingFiles(() => verify(cli, file, command.optsWithGlobals<PassphraseOption>())),
    )

  backup
    .command('list [place]')
    .description('list the backups in a directory or in s3://bucket/prefix, by default those of BACKUP_DIR')
    .addHelpText('after', example('BACKUP_DIR=/var/backups/greenroom greenroom backup list'))
    .action((place: string | undefined) => usingFiles(() => list(cli, place)))

  program
    .command('restore <file>')
    .description(
      'restore a backup, a file or s3://bucket/prefix/name, into an empty place, by default that of the environment',
    )
    .option('--to <place>', 'a directory, or postgres://…; by default DATABASE_URL, or DATA_DIR')
    .option('--passphrase-file <file>', 'a file with the passphrase of the backup; by default it is asked for')
    .addOption(new Option('--no-master-key', 'leave the master key in the backup'))
    .option('--master-key-file <file>', 'where the master key is written, for MASTER_KEY_FILE')
    .option(
      '--replaces <place>',
      'the stopped server that this one replaces, a directory or postgres://…: names the keys, tokens, passwords and members that changed since the backup; afterwards no service starts there',
    )
    .addHelpText('after', example('DATA_DIR=.greenroom greenroom restore acme.backup --replaces old.greenroom'))
    .action((file: string, options: RestoreOptions) => usingFiles(() => restore(cli, file, options)))

  program
    .command('doctor')
    .description(
      'look at what a service here needs: configuration, ports, database, disk, clock, keys, media, proxy, identity provider, mail; changes nothing',
    )
    .addHelpText('after', example('DATA_DIR=.greenroom greenroom doctor'))
    .action(async () => {
      const { examine } = await import('./doctor.js')
      const findings = await examine({ env: cli.env, clock: cli.clock })
      if (cli.format() === 'table') sayFindings(cli, findings)
      else printList(cli, findings, { columns: ['check', 'state', 'finding', 'remedy'], noun: 'findings' })
      const problems = findings.filter(({ state }) => state === 'problem').length
      if (problems > 0)
        throw new CliError(1, problems === 1 ? 'There is 1 problem.' : `There are ${problems} problems.`)
    })

  program
    .command('move')
    .description(
      "carry this server's database over into an empty place, from the embedded one to PostgreSQL or back; stop the service first; afterwards no service starts on the place before",
    )
    .requiredOption('--to <place>', 'a directory, or postgres://…')
    .option('--again', 'move a database that was moved, or replaced by a restored one, before')
    .addHelpText(
      'after',
      example('DATA_DIR=.greenroom greenroom move --to postgres://greenroom@db.example.com/greenroom'),
    )
    .action((options: MoveOptions) => usingFiles(() => move(cli, options)))
}

const MARKS = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ', none: '        ' } as const

function sayFindings(cli: Cli, findings: readonly Finding[]): void {
  const room = widthOf(cli, 'stdout') - MARKS.ok.length - 1
  for (const { check, state, finding, remedy } of findings) {
    const lines = [`${check}: ${onOneLine(finding)}`, ...(remedy === '' ? [] : [onOneLine(remedy)])]
    for (const [index, line] of lines.flatMap((text) => wrap(text, room)).entries()) {
      printLine(cli, `${index === 0 ? MARKS[state] : MARKS.none} ${line}`)
    }
  }
}

async function list(cli: Cli, place: string | undefined): Promise<void> {
  const { openStorage, openStorageAt } = await import('./backup/storage/open-storage.js')
  const config = (): Config => readPlaceConfig(cli)
  const storage = place === undefined ? await openStorage(config()) : await openStorageAt(place, config)
  if (storage === undefined) {
    throw new CliError(2, 'Name a directory or s3://bucket/prefix, or set BACKUP_DIR.')
  }
  const found = await storage.list()
  const backups = found
    .filter(({ name }) => name.endsWith('.backup'))
    .map(({ name, bytes }) => ({ backup: storage.pathOf(name), bytes }))
  printList(cli, backups, { columns: ['backup', 'bytes'], noun: 'backups' })
}

async function verify(cli: Cli, file: string, options: PassphraseOption): Promise<void> {
  const { verifyBackup } = await import('./backup/verify.js')
  const { isEncryptedFile } = await import('./backup/open-backup.js')
  const source = await sourceOf(cli, file)
  const isGiven = options.passphraseFile !== undefined || (await isEncryptedFile(source))
  const passphrase = isGiven ? await readPassphrase(cli, options, 'once') : undefined
  const contents = await verifyBackup(source, { passphrase, onProgress: sayProgress(cli, 'Read') })
  const { head, isAuthenticated, rows, mediaFiles, mediaBytes, missingMediaFiles, holdsMasterKey, masterKeys } =
    contents
  printObject(cli, {
    id: head.id ?? null,
    madeAt: head.at,
    authenticated: isAuthenticated,
    version: head.program,
    engine: head.engine,
    schema: head.migrations.at(-1),
    tables: head.tables.length,
    rows,
    mediaFiles,
    mediaBytes,
    missingMediaFiles,
    masterKey: masterKeys !== undefined ? 'opens' : holdsMasterKey ? 'sealed' : 'none',
    sha256: contents.sha256,
  })
  if (!isAuthenticated) note(cli, NOT_AUTHENTICATED)
  noteMissingMedia(cli, missingMediaFiles)
}

/** A file of this machine by its path, as it was typed; one in a bucket with the settings of the environment. */
async function sourceOf(cli: Cli, file: string): Promise<BackupSource> {
  if (!file.startsWith('s3:')) return file
  const { findBackup } = await import('./backup/storage/open-storage.js')
  return await findBackup(file, () => readPlaceConfig(cli))
}

function noteMissingMedia(cli: Cli, files: number): void {
  if (files === 0) return
  note(
    cli,
    `WARNING: ${toCount(files)} uploaded media ${files === 1 ? 'file is' : 'files are'} not in the backup. The server that made it has no MEDIA_DIR, or they are not there: see its log.`,
  )
}

const NOT_AUTHENTICATED =
  'The backup is not authenticated: its checksums tell damage, but anyone who could write to the file could change it.'

async function download(cli: Cli, file: string, options: PassphraseOption): Promise<void> {
  const { findBackup } = await import('./backup/storage/open-storage.js')
  const { openBackup } = await import('./backup/open-backup.js')
  const { storage, name } = await findBackup(file, () => readPlaceConfig(cli))
  if (await storage.has(name)) {
    throw new CliError(2, `${file} is there already: name another file.`)
  }
  const { masterKey, passphraseFile } = options
  const passphrase = masterKey || passphraseFile !== undefined ? await readPassphrase(cli, options, 'twice') : undefined
  const content = await operator(cli).backups.create({
    ...(passphrase !== undefined && { passphrase }),
    ...(passphrase !== undefined && !masterKey && { masterKey }),
  })
  const say = sayEvery(cli)
  let mediaFiles = 0
  let missing = 0
  let bytes = 0
  let id: string | undefined
  let digests: Record<string, { rows: number }> = {}
  const written = await storage.write(name, async (write) => {
    async function* kept(): AsyncGenerator<Uint8Array> {
      for await (const part of content) {
        await write(Buffer.from(part.buffer, part.byteOffset, part.length))
        bytes += part.length
        yield part
      }
    }
    // What is written is read at once, so that only a whole backup takes the name.
    const { isAuthenticated, parts } = await openBackup(kept(), passphrase)
    if (passphrase !== undefined && !isAuthenticated) {
      throw new CliError(1, 'The server sent a backup that is not encrypted: it is of an earlier version. Upgrade it.')
    }
    for await (const { header, content: blocks } of parts) {
      const what = header.part === 'rows' ? header.table : header.part
      if (header.part === 'head') id = header.id
      if (header.part === 'media') mediaFiles += 1
      if (header.part === 'end') {
        digests = header.digests
        missing = header.missing
      }
      for await (const _ of blocks) say(`${toMegabytes(bytes)} MB, ${what}`)
    }
  })
  const rows = Object.values(digests).reduce((sum, digest) => sum + digest.rows, 0)
  const encrypted = passphrase !== undefined
  const about = { file, id: id ?? null, bytes: written.bytes, rows, mediaFiles, missingMediaFiles: missing, encrypted }
  printObject(cli, { ...about, masterKey: encrypted && masterKey })
  noteMissingMedia(cli, missing)
}

async function restore(cli: Cli, file: string, options: RestoreOptions): Promise<void> {
  const { restoreBackup } = await import('./backup/restore.js')
  const { describePlace } = await import('./backup/place.js')
  const { hasMasterKey } = await import('./backup/verify.js')
  const { isEncryptedFile } = await import('./backup/open-backup.js')
  const config = readPlaceConfig(cli)
  const place = await placeOf(options.to, config)
  const source = await sourceOf(cli, file)
  const isEncrypted = await isEncryptedFile(source)
  const isGiven = isEncrypted || options.passphraseFile !== undefined
  let passphrase = isGiven ? await readPassphrase(cli, options, 'once') : undefined
  const holdsKey = await hasMasterKey(source, passphrase)
  const hasKey = config.masterKey !== undefined
  const isWritten = 'dataDir' in place ? !hasKey : options.masterKeyFile !== undefined
  const wantsKey = options.masterKey && holdsKey && (isWritten || options.masterKeyFile !== undefined)
  if (options.masterKey && holdsKey && !wantsKey && !hasKey) {
    throw new CliError(
      2,
      'Name a file for the master key: --master-key-file master.key, or leave it with --no-master-key.',
    )
  }
  if (!isEncrypted) note(cli, `${NOT_AUTHENTICATED} Restore it only if you know where it has been.`)
  if (wantsKey) passphrase ??= await readPassphrase(cli, options, 'once')
  const replaces = options.replaces === undefined ? undefined : await placeOf(options.replaces, config)
  const restored = await restoreBackup({
    file: source,
    place,
    mediaDir: config.mediaDir,
    passphrase,
    masterKey: wantsKey,
    masterKeyFile: options.masterKeyFile,
    replaces,
    clock: cli.clock,
    wait: cli.wait,
    onProgress: sayProgress(cli, 'Restored'),
  })
  printRestored(cli, restored, { place: describePlace(place), masterKey: wantsKey })
  if (wantsKey && options.masterKeyFile !== undefined)
    note(cli, `Start it with MASTER_KEY_FILE=${options.masterKeyFile}`)
  const isThere = 'dataDir' in place && existsSync(join(place.dataDir, 'master.key'))
  if (!wantsKey && !hasKey && !isThere)
    note(cli, 'The master key was not restored: without it the service does not start.')
  note(
    cli,
    'Before a publisher runs on it: compare the pages with the posts that were due since the backup (docs/operations.md).',
  )
  note(
    cli,
    replaces === undefined
      ? 'Start no service any more on what the backup was made of, or posts are published twice: --replaces would have set it aside.'
      : `No service starts on ${describePlace(replaces)} any more, but with --again.`,
  )
}

/** Tells what was restored, and what counted no more on the server before and counts again. */
function printRestored(cli: Cli, restored: Restored, about: { place: string; masterKey: boolean }): void {
  const { head, isAuthenticated, rows, mediaFiles, ended, undone, newerBackup, exportedBefore } = restored
  const summary = {
    ...{ place: about.place, id: head.id ?? null, madeAt: head.at, authenticated: isAuthenticated },
    ...{ rows, mediaFiles, masterKey: about.masterKey },
  }
  if (cli.format() === 'table') printObject(cli, summary)
  else printObject(cli, { ...summary, ended, undone: undone ?? null })
  const counts = Object.entries(ended).map(([noun, count]) => `${count} ${noun}`)
  note(cli, `These ended: ${counts.join(', ')}. People sign in again; invite and link again.`)
  noteMissingMedia(cli, restored.missingMediaFiles)
  if (newerBackup !== undefined) {
    note(cli, `A newer backup was made at ${newerBackup.made_at.toISOString()}: ${newerBackup.file}.`)
  }
  if (exportedBefore !== undefined) {
    note(
      cli,
      `The server before has its audit trail of before ${exportedBefore.toISOString()} in files alone (AUDIT_EXPORT_DIR): look there for what else changed since ${head.at}.`,
    )
  }
  if (undone === undefined) {
    note(
      cli,
      `All keys, operator tokens, passwords and members are those of ${head.at}: what was revoked, changed or removed since counts again. Revoke, change and remove it again; with --replaces the server before tells what it was.`,
    )
  } else if (undone.length === 0) {
    note(cli, `No key, operator token, password or member changed since ${head.at}.`)
  } else {
    note(cli, `Since ${head.at} this changed on the server before, and is undone:`)
    for (const { what, id, name, organizationId, operation, at, effect } of undone) {
      const where = organizationId === 'server' ? '' : ` of ${organizationId}`
      note(
        cli,
        `- ${what} ${id}${name === null ? '' : ` (${onOneLine(name)})`}${where}: ${effect} (${operation}, ${at})`,
      )
    }
  }
}

async function move(cli: Cli, { to, again = false }: MoveOptions): Promise<void> {
  const { moveDatabase } = await import('./backup/move.js')
  const { describePlace } = await import('./backup/place.js')
  const config = readPlaceConfig(cli)
  const [from, target] = [await placeOf(undefined, config), await placeOf(to, config)]
  const hex = (key: Buffer | undefined): string[] => (key === undefined ? [] : [key.toString('hex')])
  const { rows, tables, resumed } = await moveDatabase({
    from,
    to: target,
    // The files of a data directory: the key before first, while a rotation is under way.
    masterKeys: [...hex(config.masterKeyPrevious), ...hex(config.masterKey)],
    again,
    clock: cli.clock,
    wait: cli.wait,
    onProgress: sayProgress(cli, 'Moved'),
  })
  printObject(cli, { from: describePlace(from), to: describePlace(target), tables, rows, resumed })
  if ('dataDir' in from && 'url' in target && config.masterKey === undefined) {
    note(cli, `Start it with DATABASE_URL, and with MASTER_KEY_FILE=${resolve(from.dataDir, 'master.key')}`)
  }
  note(cli, `What was moved is still in ${describePlace(from)}: no service starts on it any more, but with --again.`)
}

/** The environment as for a service; MASTER_KEY may come later. */
function readPlaceConfig(cli: Cli): Config & { masterKey: Buffer | undefined } {
  const config = readConfig(readEnvironment(cli.env), { MASTER_KEY: NO_KEY })
  return { ...config, masterKey: config.masterKey?.toString('hex') === NO_KEY ? undefined : config.masterKey }
}

async function placeOf(given: string | undefined, { databaseUrl, dataDir }: Config) {
  const { toPlace } = await import('./backup/place.js')
  if (given === undefined) return databaseUrl === undefined ? { dataDir } : { url: databaseUrl }
  const place = toPlace(given)
  return 'dataDir' in place ? { dataDir: resolve(place.dataDir) } : place
}

async function readPassphrase(
  cli: Cli,
  { passphraseFile }: PassphraseOption,
  times: 'once' | 'twice',
): Promise<string> {
  if (passphraseFile !== undefined) return readPassphraseFile(passphraseFile)
  const asksTwice = times === 'twice' && cli.stdin.isTTY === true
  const [passphrase, again] = await readSecrets(cli, [
    { prompt: 'Passphrase of the backup', noun: 'passphrase' },
    ...(asksTwice ? [{ prompt: 'The same again', noun: 'passphrase' }] : []),
  ])
  if (asksTwice && passphrase !== again) throw new CliError(2, 'The two are not the same.')
  return checkPassphrase(passphrase!)
}

function readPassphraseFile(file: string): string {
  try {
    return checkPassphrase(readFileSync(file, 'utf8').replace(/\r?\n$/, ''))
  } catch (error) {
    throw error instanceof CliError ? error : unreadableFile(file, error)
  }
}

function checkPassphrase(passphrase: string): string {
  if (passphrase.length >= PASSPHRASE_CHARS_MIN) return passphrase
  throw new CliError(2, `The passphrase must have ${PASSPHRASE_CHARS_MIN} characters or more.`)
}

function sayEvery(cli: Cli): (line: string) => void {
  let saidAt = cli.clock.now()
  return (line) => {
    if (cli.clock.now() - saidAt < SAY_EVERY_MS) return
    saidAt = cli.clock.now()
    note(cli, line)
  }
}

function sayProgress(cli: Cli, did: string): (what: string, rows: number) => void {
  const say = sayEvery(cli)
  return (what, rows) => say(`${did} ${toCount(rows)} of ${what}`)
}

/** What a person can put right becomes a message. */
async function usingFiles(work: () => Promise<void>): Promise<void> {
  const { BackupError } = await import('./backup/backup-file.js')
  const { StorageError } = await import('./backup/storage/backup-storage.js')
  const { DatabaseUnavailableError } = await import('./backup/place.js')
  try {
    await work()
  } catch (error) {
    const isSaid = error instanceof StartError || error instanceof BackupError || error instanceof StorageError
    if (isSaid) throw new CliError(1, error.message)
    if (error instanceof DatabaseUnavailableError) {
      const { message, code } = (error.cause ?? {}) as NodeJS.ErrnoException
      throw new CliError(1, `The database cannot be used: ${message || code}.`)
    }
    const { syscall, path, code } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw code === 'ENOENT' && syscall === 'open'
      ? unreadableFile(path ?? 'the file', error)
      : unwritableFile(path ?? 'the file', error)
  }
}
