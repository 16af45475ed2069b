import { type Command, Option } from 'commander'
import { type Cli, CliError, example } from '../cli/io.js'
import { printLine, printList } from '../cli/output.js'
import { widthOf } from '../cli/terminal.js'
import { onOneLine, wrap } from '../cli/text.js'
import type { Finding } from '../doctor/doctor.js'
import { download, listBackups, verify } from './backup.js'
import { type DrillOptions, drill } from './drill.js'
import { type MigrateOptions, migrate } from './migrate.js'
import { type MoveOptions, move } from './move.js'
import type { PassphraseOption } from './passphrase.js'
import { type RestoreOptions, restore } from './restore.js'
import { usingFiles } from './using-files.js'

// The commands that work on this machine. They load what they need of the service when they run.

export function addLocalCommands(program: Command, cli: Cli): void {
  addBackup(program, cli)
  addRestore(program, cli)
  addDoctor(program, cli)
  addMove(program, cli)
  addMigrate(program, cli)
}

function addBackup(program: Command, cli: Cli): void {
  const backup = program
    .command('backup [file]')
    .description(
      'back up the whole server while it runs, encrypted, into a file or s3://bucket/prefix/name: rows, uploaded media and the master key',
    )
    .option('--passphrase-file <file>', 'a file with the passphrase of the backup; the default is to ask for it')
    .addOption(
      new Option(
        '--no-master-key',
        'omit the master key and, without --passphrase-file, encrypt nothing; keep the key elsewhere, because no secret can be opened without it',
      ),
    )
    .addHelpText('after', example('greenroom backup acme.backup --passphrase-file passphrase.txt'))
    .action(async (file: string | undefined, options: PassphraseOption) => {
      if (file === undefined) throw new CliError(2, 'Specify the file: greenroom backup acme.backup')
      await usingFiles(() => download(cli, file, options))
    })

  backup
    .command('verify <file>')
    .description(
      'read a backup, a file or s3://bucket/prefix/name, check everything in it against its checksums, and report whether it is authenticated',
    )
    .option(
      '--passphrase-file <file>',
      'a file with the passphrase; the default is to ask for it if the backup is encrypted',
    )
    .option('--restore', 'run a full drill: restore it into a temporary directory, and open its secrets and media')
    .option(
      '--in <directory>',
      "with --restore: the parent of that directory, instead of the system's for temporary files",
    )
    .option('--master-key-file <file>', 'with --restore: the master key, for a backup that holds none')
    .addHelpText('after', example('greenroom backup verify acme.backup --restore'))
    .action((file: string, given: DrillOptions & { restore?: true }, command: Command) => {
      const isWrong = !given.restore && (given.in !== undefined || given.masterKeyFile !== undefined)
      if (isWrong) throw new CliError(2, '--in and --master-key-file need --restore.')
      // `backup` has the passphrase option too, and accepts it in any position.
      const options = command.optsWithGlobals<DrillOptions>()
      return usingFiles(() => (given.restore ? drill(cli, file, options) : verify(cli, file, options)))
    })

  backup
    .command('list [place]')
    .description('list the backups in a directory or in s3://bucket/prefix, by default BACKUP_DIR')
    .addHelpText('after', example('BACKUP_DIR=/var/backups/greenroom greenroom backup list'))
    .action((place: string | undefined) => usingFiles(() => listBackups(cli, place)))
}

function addRestore(program: Command, cli: Cli): void {
  program
    .command('restore <file>')
    .description(
      'restore a backup, a file or s3://bucket/prefix/name, into an empty place, by default the one set in the environment',
    )
    .option('--to <place>', 'a directory, or postgres://…; by default DATABASE_URL, or DATA_DIR')
    .option('--passphrase-file <file>', 'a file with the passphrase of the backup; the default is to ask for it')
    .addOption(new Option('--no-master-key', 'leave the master key in the backup'))
    .option('--master-key-file <file>', 'where the master key is written, for MASTER_KEY_FILE')
    .option(
      '--replaces <place>',
      'the stopped server that this one replaces, a directory or postgres://…: lists the keys, tokens, passwords and members that changed since the backup, and keeps services from starting there',
    )
    .addHelpText('after', example('DATA_DIR=.greenroom greenroom restore acme.backup --replaces old.greenroom'))
    .action((file: string, options: RestoreOptions) => usingFiles(() => restore(cli, file, options)))
}

function addDoctor(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description(
      'check what a service here needs: configuration, ports, database, disk, clock, keys, media, proxy, identity provider, email; changes nothing',
    )
    .addHelpText('after', example('DATA_DIR=.greenroom greenroom doctor'))
    .action(async () => {
      const { examine } = await import('../doctor/doctor.js')
      const findings = await examine({ env: cli.env, clock: cli.clock })
      if (cli.format() === 'table') sayFindings(cli, findings)
      else printList(cli, findings, { columns: ['check', 'state', 'finding', 'remedy'], noun: 'findings' })
      const problems = findings.filter(({ state }) => state === 'problem').length
      if (problems > 0)
        throw new CliError(1, problems === 1 ? 'There is 1 problem.' : `There are ${problems} problems.`)
    })
}

function addMove(program: Command, cli: Cli): void {
  program
    .command('move')
    .description(
      "move this server's database to an empty place, from the embedded engine to PostgreSQL or back; stop the service first; afterwards no service starts on the old place",
    )
    .requiredOption('--to <place>', 'a directory, or postgres://…')
    .option('--again', 'move a database even if it was already moved or replaced by a restored one')
    .addHelpText(
      'after',
      example('DATA_DIR=.greenroom greenroom move --to postgres://greenroom@db.example.com/greenroom'),
    )
    .action((options: MoveOptions) => usingFiles(() => move(cli, options)))
}

function addMigrate(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .description(
      'bring the database up to date in a separate step before the service starts; with MIGRATE_DATABASE_URL as another role, which grants the role of DATABASE_URL the use of the tables',
    )
    .option('--grant-to <role>', 'the role of the service, by default the role of DATABASE_URL')
    .option('--sql', 'only print the statements that grant the role the use of the tables')
    .option('--again', 'take back a database that was moved or replaced by a restored one')
    .addHelpText('after', example('MIGRATE_DATABASE_URL=postgres://greenroom_owner@db/greenroom greenroom migrate'))
    .action((options: MigrateOptions) => usingFiles(() => migrate(cli, options)))
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
