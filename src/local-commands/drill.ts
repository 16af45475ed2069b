import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Drilled } from '../backup/drill.js'
import { readData } from '../cli/input.js'
import { type Cli, CliError, unwritableFile } from '../cli/io.js'
import { note, printObject } from '../cli/output.js'
import { toCount } from '../cli/progress.js'
import { isMasterKey } from '../config/master-keys.js'
import { type PassphraseOption, readPassphrase } from './passphrase.js'
import { sourceOf } from './place.js'
import { NOT_AUTHENTICATED, noteMissingMedia, sayProgress } from './say.js'

export interface DrillOptions extends PassphraseOption {
  in?: string
  masterKeyFile?: string
}

/** Restores a backup into a throwaway place, and reports what was found there. Running services do not notice. */
export async function drill(cli: Cli, file: string, options: DrillOptions): Promise<void> {
  const { drillBackup } = await import('../backup/drill.js')
  const { isEncryptedFile } = await import('../backup/open-backup.js')
  const { masterKeyFile } = options
  const masterKey = masterKeyFile === undefined ? undefined : await readMasterKey(cli, masterKeyFile)
  const source = await sourceOf(cli, file)
  const isGiven = options.passphraseFile !== undefined || (await isEncryptedFile(source))
  const passphrase = isGiven ? await readPassphrase(cli, options, 'once') : undefined
  const startedAt = cli.clock.now()
  const found = await inThrowawayDirectory(options.in, (directory) =>
    drillBackup({
      ...{ file: source, passphrase, masterKey, directory, clock: cli.clock },
      onProgress: sayProgress(cli, 'Restored'),
    }),
  )
  printFound(cli, found, (cli.clock.now() - startedAt) / 1000)
}

/** Reads the file once, because it may be a pipe. */
async function readMasterKey(cli: Cli, file: string): Promise<string> {
  const key = (await readData(cli, `@${file}`)).toString().trim()
  if (isMasterKey(key)) return key
  throw new CliError(2, `${file} does not contain a master key, which is 64 hex digits.`)
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The directory is removed at the end, even after a failure or a signal. */
async function inThrowawayDirectory<T>(
  within: string | undefined,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const parent = resolve(within ?? tmpdir())
  let directory: string | undefined
  const remove = (): void => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  const onSignal = (): void => {
    remove()
    process.exit(130)
  }
  for (const signal of SIGNALS) process.once(signal, onSignal)
  try {
    directory = makeDirectory(parent)
    return await work(directory)
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal)
    remove()
  }
}

function makeDirectory(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'greenroom-drill-'))
  } catch (error) {
    throw unwritableFile(parent, error)
  }
}

function printFound(cli: Cli, found: Drilled, tookSeconds: number): void {
  const { head, isAuthenticated, secrets, absentMedia, missingMediaFiles } = found
  printObject(cli, {
    id: head.id ?? null,
    madeAt: head.at,
    authenticated: isAuthenticated,
    version: head.program,
    schema: head.migrations.at(-1),
    migrated: found.migrated,
    rows: found.rows,
    organizations: found.organizations,
    conversations: found.conversations,
    posts: found.posts,
    mediaFiles: found.mediaFiles,
    missingMediaFiles,
    secrets: secrets?.count ?? null,
    secretsOpened: secrets === undefined ? null : secrets.count - secrets.unopened.length,
    tookSeconds: Math.round(tookSeconds * 10) / 10,
  })
  note(cli, 'The backup was restored into a temporary place, and every row matches its checksum.')
  if (!isAuthenticated) note(cli, NOT_AUTHENTICATED)
  noteMissingMedia(cli, missingMediaFiles)
  if (secrets === undefined) {
    note(
      cli,
      'WARNING: The backup contains no master key, so no secret was opened. Use --master-key-file to try yours.',
    )
  }
  const unopened = secrets?.unopened ?? []
  if (unopened.length > 0) {
    throw new CliError(1, `${toCount(unopened.length)} secrets cannot be opened, such as that of ${unopened[0]}.`)
  }
  if (absentMedia.length > missingMediaFiles) {
    throw new CliError(1, `${toCount(absentMedia.length)} uploaded files were not restored, such as ${absentMedia[0]}.`)
  }
}
