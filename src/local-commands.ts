import { existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { operator } from './cli/client.js'
import { readSecrets } from './cli/input.js'
import { type Cli, CliError, example, unreadableFile, unwritableFile } from './cli/io.js'
import { note, printLine, printList, printObject } from './cli/output.js'
import { toCount, toMegabytes } from './cli/progress.js'
import { widthOf } from './cli/terminal.js'
import { onOneLine, wrap } from './cli/text.js'
import { type Config, readConfig } from './config.js'
import type { Finding } from './doctor.js'
import { PASSPHRASE_CHARS_MIN } from './lib/passphrase.js'
import { StartError } from './lib/start-error.js'

// The commands that work on this machine: what they need of the service is loaded when they run.

interface PassphraseOption {
  passphraseFile?: string
  masterKey: boolean
}

interface PlaceOption {
  to?: string
}

/** Says what is done, a line every two seconds. */
const SAY_EVERY_MS = 2_000
/** Of a service on PostgreSQL, which the master key of the backup will be. */
const NO_KEY = '00'.repeat(32)

export function addLocalCommands(program: Command, cli: Cli): void {
  const backup = program
    .command('backup [file]')
    .description('back up the whole server while it runs: rows, uploaded media and, under a passphrase, the master key')
    .option('--passphrase-file <file>', 'a file with the passphrase for the master key; by default it is asked for')
    .addOption(new Option('--no-master-key', 'leave the master key out; without it no secret opens: keep it elsewhere'))
    .addHelpText('after', example('greenroom backup acme.backup --passphrase-file passphrase.txt'))
    .action(async (file: string | undefined, options: PassphraseOption) => {
      if (file === undefined) throw new CliError(2, 'Name the file: greenroom backup acme.backup')
      await usingFiles(() => download(cli, file, options))
    })

  backup
    .command('verify <file>')
    .description('read a backup and hold everything in it against its checksums')
    .option('--passphrase-file <file>', 'a file with the passphrase: tells also whether the master key opens')
    .addHelpText('after', example('greenroom backup verify acme.backup'))
    .action((file: string, _options: PassphraseOption, command: Command) =>
      usingFiles(async () => {
        // The same option of `backup` takes it, wherever it stands.
        const { passphraseFile } = command.optsWithGlobals<PassphraseOption>()
        const { verifyBackup } = await import('./backup/verify.js')
        const passphrase = passphraseFile === undefined ? undefined : readPassphraseFile(passphraseFile)
        const contents = await verifyBackup(file, { passphrase, onProgress: sayProgress(cli, 'Read') })
        const { head, rows, mediaFiles, mediaBytes, missingMediaFiles, holdsMasterKey, masterKeys } = contents
        printObject(cli, {
          madeAt: head.at,
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
      }),
    )

  program
    .command('restore <file>')
    .description('restore a backup into an empty place, by default that of the environment')
    .option('--to <place>', 'a directory, or postgres://…; by default DATABASE_URL, or DATA_DIR')
    .option('--passphrase-file <file>', 'a file with the passphrase of the master key; by default it is asked for')
    .addOption(new Option('--no-master-key', 'leave the master key in the backup'))
    .option('--master-key-file <file>', 'where the master key is written, for MASTER_KEY_FILE')
    .addHelpText('after', example('DATA_DIR=.greenroom greenroom restore acme.backup'))
    .action((file: string, options: PassphraseOption & PlaceOption & { masterKeyFile?: string }) =>
      usingFiles(() => restore(cli, file, options)),
    )

  program
    .command('doctor')
    .description(
      'look at what a service here needs: configuration, database, disk, clock, master key, tokens, proxy; changes nothing',
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
      "carry this server's database over into an empty place, from the embedded one to PostgreSQL or back; stop the service first",
    )
    .requiredOption('--to <place>', 'a directory, or postgres://…')
    .addHelpText(
      'after',
      example('DATA_DIR=.greenroom greenroom move --to postgres://greenroom@db.example.com/greenroom'),
    )
    .action(({ to }: { to: string }) => usingFiles(() => move(cli, to)))
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

async function download(cli: Cli, file: string, options: PassphraseOption): Promise<void> {
  const { writeFileWhole } = await import('./backup/write-file.js')
  const { readParts } = await import('./backup/backup-file.js')
  if ((await stat(file).catch(() => undefined)) !== undefined) {
    throw new CliError(2, `${file} is there already: name another file.`)
  }
  const passphrase = options.masterKey ? await readPassphrase(cli, options, 'twice') : undefined
  const content = await operator(cli).backups.create(passphrase === undefined ? {} : { passphrase })
  const say = sayEvery(cli)
  let mediaFiles = 0
  let bytes = 0
  let digests: Record<string, { rows: number }> = {}
  const written = await writeFileWhole(resolve(file), async (write) => {
    async function* kept(): AsyncGenerator<Uint8Array> {
      for await (const part of content) {
        await write(Buffer.from(part.buffer, part.byteOffset, part.length))
        bytes += part.length
        yield part
      }
    }
    // What is written is read at once, so that only a whole backup takes the name.
    for await (const { header, content: blocks } of readParts(kept())) {
      const what = header.part === 'rows' ? header.table : header.part
      if (header.part === 'media') mediaFiles += 1
      if (header.part === 'end') digests = header.digests
      for await (const _ of blocks) say(`${toMegabytes(bytes)} MB, ${what}`)
    }
  })
  const rows = Object.values(digests).reduce((sum, digest) => sum + digest.rows, 0)
  printObject(cli, { file, bytes: written.bytes, rows, mediaFiles, masterKey: passphrase !== undefined })
}

async function restore(
  cli: Cli,
  file: string,
  options: PassphraseOption & PlaceOption & { masterKeyFile?: string },
): Promise<void> {
  const { restoreBackup } = await import('./backup/restore.js')
  const { describePlace } = await import('./backup/place.js')
  const { partsOf } = await import('./backup/verify.js')
  const config = readPlaceConfig(cli)
  const place = await placeOf(options.to, config)
  let holdsKey = false
  for await (const { header } of partsOf(file)) {
    holdsKey = header.part === 'masterKey'
    if (header.part !== 'head') break
  }
  const hasKey = config.masterKey !== undefined
  const isWritten = 'dataDir' in place ? !hasKey : options.masterKeyFile !== undefined
  const wantsKey = options.masterKey && holdsKey && (isWritten || options.masterKeyFile !== undefined)
  if (options.masterKey && holdsKey && !wantsKey && !hasKey) {
    throw new CliError(
      2,
      'Name a file for the master key: --master-key-file master.key, or leave it with --no-master-key.',
    )
  }
  const contents = await restoreBackup({
    file,
    place,
    mediaDir: config.mediaDir,
    passphrase: wantsKey ? await readPassphrase(cli, options, 'once') : undefined,
    masterKeyFile: options.masterKeyFile,
    onProgress: sayProgress(cli, 'Restored'),
  })
  const { head, rows, mediaFiles } = contents
  printObject(cli, { place: describePlace(place), madeAt: head.at, rows, mediaFiles, masterKey: wantsKey })
  if (wantsKey && options.masterKeyFile !== undefined)
    note(cli, `Start it with MASTER_KEY_FILE=${options.masterKeyFile}`)
  const isThere = 'dataDir' in place && existsSync(join(place.dataDir, 'master.key'))
  if (!wantsKey && !hasKey && !isThere)
    note(cli, 'The master key was not restored: without it the service does not start.')
  note(
    cli,
    'Before a publisher runs on it: compare the pages with the posts that were due since the backup (docs/operations.md).',
  )
}

async function move(cli: Cli, to: string): Promise<void> {
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
    onProgress: sayProgress(cli, 'Moved'),
  })
  printObject(cli, { from: describePlace(from), to: describePlace(target), tables, rows, resumed })
  if ('dataDir' in from && 'url' in target && config.masterKey === undefined) {
    note(cli, `Start it with DATABASE_URL, and with MASTER_KEY_FILE=${resolve(from.dataDir, 'master.key')}`)
  }
  note(cli, `What was moved is still in ${describePlace(from)}: start no service on it any more.`)
}

/** The environment as for a service; MASTER_KEY may come later. */
function readPlaceConfig(cli: Cli): Config & { masterKey: Buffer | undefined } {
  const config = readConfig(cli.env, { MASTER_KEY: NO_KEY })
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
    { prompt: 'Passphrase for the master key', noun: 'passphrase' },
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
  const { DatabaseUnavailableError } = await import('./backup/place.js')
  try {
    await work()
  } catch (error) {
    if (error instanceof StartError || error instanceof BackupError) throw new CliError(1, error.message)
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
