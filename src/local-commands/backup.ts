import { api } from '../cli/client.js'
import { type Cli, CliError } from '../cli/io.js'
import { note, printList, printObject } from '../cli/output.js'
import { toMegabytes } from '../cli/progress.js'
import type { Config } from '../config/index.js'
import { type PassphraseOption, readPassphrase } from './passphrase.js'
import { readPlaceConfig, sourceOf } from './place.js'
import { NOT_AUTHENTICATED, noteMissingMedia, sayEvery, sayProgress } from './say.js'

export async function listBackups(cli: Cli, place: string | undefined): Promise<void> {
  const { openStorage, openStorageAt } = await import('../backup/storage/open-storage.js')
  const config = (): Config => readPlaceConfig(cli)
  const storage = place === undefined ? await openStorage(config()) : await openStorageAt(place, config)
  if (storage === undefined) {
    throw new CliError(2, 'Specify a directory or s3://bucket/prefix, or set BACKUP_DIR.')
  }
  const found = await storage.list()
  const backups = found
    .filter(({ name }) => name.endsWith('.backup'))
    .map(({ name, bytes }) => ({ backup: storage.pathOf(name), bytes }))
  printList(cli, backups, { columns: ['backup', 'bytes'], noun: 'backups' })
}

export async function verify(cli: Cli, file: string, options: PassphraseOption): Promise<void> {
  const { verifyBackup } = await import('../backup/verify.js')
  const { isEncryptedFile } = await import('../backup/open-backup.js')
  const source = await sourceOf(cli, file)
  const isGiven = options.passphraseFile !== undefined || (await isEncryptedFile(source))
  const passphrase = isGiven ? await readPassphrase(cli, options, 'once') : undefined
  const contents = await verifyBackup(source, { passphrase, onProgress: sayProgress(cli, 'Read') })
  const { head, isAuthenticated, rows, mediaFiles, mediaBytes, missingMediaFiles, holdsMasterKey, masterKeys } =
    contents
  printObject(cli, {
    id: head.id,
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

export async function download(cli: Cli, file: string, options: PassphraseOption): Promise<void> {
  const { findBackup } = await import('../backup/storage/open-storage.js')
  const { openBackup } = await import('../backup/open-backup.js')
  const { storage, name } = await findBackup(file, () => readPlaceConfig(cli))
  if (await storage.has(name)) {
    throw new CliError(2, `${file} already exists: choose another file.`)
  }
  const { masterKey, passphraseFile } = options
  const passphrase = masterKey || passphraseFile !== undefined ? await readPassphrase(cli, options, 'twice') : undefined
  const content = await api(cli).call('createBackup', {
    body: {
      ...(passphrase !== undefined && { passphrase }),
      ...(passphrase !== undefined && !masterKey && { masterKey }),
    },
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
    // The file is read back at once, so that only a complete backup gets the name.
    const { isAuthenticated, parts } = await openBackup(kept(), passphrase)
    if (passphrase !== undefined && !isAuthenticated) {
      throw new CliError(1, 'The server sent a backup that is not encrypted.')
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
