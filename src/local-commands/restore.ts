import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Restored } from '../backup/restore.js'
import { type Cli, CliError } from '../cli/io.js'
import { note, printObject } from '../cli/output.js'
import { onOneLine } from '../cli/text.js'
import { toShellWord } from '../lib/shell-word.js'
import { type PassphraseOption, readPassphrase } from './passphrase.js'
import { placeOf, readPlaceConfig, sourceOf } from './place.js'
import { NOT_AUTHENTICATED, noteMissingMedia, sayProgress } from './say.js'

export interface RestoreOptions extends PassphraseOption {
  to?: string
  masterKeyFile?: string
  replaces?: string
}

export async function restore(cli: Cli, file: string, options: RestoreOptions): Promise<void> {
  const { restoreBackup } = await import('../backup/restore.js')
  const { describePlace } = await import('../backup/place.js')
  const { hasMasterKey } = await import('../backup/verify.js')
  const { isEncryptedFile } = await import('../backup/open-backup.js')
  const config = readPlaceConfig(cli)
  const place = await placeOf(options.to, config)
  const source = await sourceOf(cli, file)
  const isEncrypted = await isEncryptedFile(source)
  const isGiven = isEncrypted || options.passphraseFile !== undefined
  let passphrase = isGiven ? await readPassphrase(cli, options, 'once') : undefined
  const holdsKey = await hasMasterKey(source, passphrase)
  const hasKey = config.masterKeys.current !== undefined
  const isWritten = options.masterKeyFile !== undefined || ('dataDir' in place && !hasKey)
  const wantsKey = options.masterKey && holdsKey && isWritten
  if (options.masterKey && holdsKey && !wantsKey && !hasKey) {
    throw new CliError(
      2,
      'Specify a file for the master key with --master-key-file master.key, or leave it in the backup with --no-master-key.',
    )
  }
  if (!isEncrypted) note(cli, `${NOT_AUTHENTICATED} Restore it only if you know where it has been.`)
  if (wantsKey) passphrase ??= await readPassphrase(cli, options, 'once')
  const replaces = options.replaces === undefined ? undefined : await placeOf(options.replaces, config)
  const restored = await restoreBackup({
    file: source,
    place,
    mediaDir: config.media?.dir,
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
    note(cli, `Start it with MASTER_KEY_FILE=${toShellWord(options.masterKeyFile)}`)
  const isThere = 'dataDir' in place && existsSync(join(place.dataDir, 'master.key'))
  if (!wantsKey && !hasKey && !isThere)
    note(cli, 'The master key was not restored: the service does not start without it.')
  note(
    cli,
    'Before a publisher runs on it, compare the pages with the posts that were due since the backup (docs/backup.md).',
  )
  note(
    cli,
    replaces === undefined
      ? 'Never start a service again on the source of the backup, or posts are published twice. With --replaces it would have been set aside.'
      : `From now on a service starts on ${describePlace(replaces)} only with --again.`,
  )
}

/**
 * Prints what was restored, and which keys, tokens, passwords and members are valid again although the previous server had
 * ended them.
 */
function printRestored(cli: Cli, restored: Restored, about: { place: string; masterKey: boolean }): void {
  const { head, isAuthenticated, rows, mediaFiles, ended, undone } = restored
  const summary = {
    ...{ place: about.place, id: head.id, madeAt: head.at, authenticated: isAuthenticated },
    ...{ rows, mediaFiles, masterKey: about.masterKey },
  }
  if (cli.format() === 'table') printObject(cli, summary)
  else printObject(cli, { ...summary, ended, undone: undone ?? null })
  const counts = Object.entries(ended).map(([noun, count]) => `${count} ${noun}`)
  note(cli, `The restore ended: ${counts.join(', ')}. People must sign in again; invite people and make links again.`)
  noteMissingMedia(cli, restored.missingMediaFiles)
  for (const remark of remarksOn(restored)) note(cli, remark)
}

function* remarksOn({ head, undone, newerBackup, exportedBefore }: Restored): Generator<string> {
  if (newerBackup !== undefined) {
    yield `A newer backup was made at ${newerBackup.made_at.toISOString()}: ${newerBackup.file}.`
  }
  if (exportedBefore !== undefined) {
    yield `The previous server has its audit trail from before ${exportedBefore.toISOString()} only in files (AUDIT_EXPORT_DIR): look there for other changes since ${head.at}.`
  }
  if (undone === undefined) {
    yield `All keys, operator tokens, passwords and members are those of ${head.at}: anything revoked, changed or removed since then is valid again. Revoke, change and remove it again; --replaces lists it from the previous server.`
  } else if (undone.length === 0) {
    yield `No key, operator token, password or member changed since ${head.at}.`
  } else {
    yield `These changes on the previous server since ${head.at} are undone:`
    for (const { what, id, name, organizationId, operation, at, effect } of undone) {
      const where = organizationId === 'server' ? '' : ` of ${organizationId}`
      const named = name === null ? '' : ` (${onOneLine(name)})`
      yield `- ${what} ${id}${named}${where}: ${effect} (${operation}, ${at})`
    }
  }
}
