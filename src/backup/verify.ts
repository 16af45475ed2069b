import { RowDigest } from '../database/rows.js'
import { openUnderPassphrase } from '../lib/passphrase.js'
import { BackupError, type Head, type Header, linesOf, MASTER_KEY_CONTEXT, type Part } from './backup-file.js'
import { refuseOtherName } from './backup-name.js'
import { type BackupSource, nameOfSource, openBackupFile } from './open-backup.js'

/** The contents of a backup. */
export interface Contents {
  head: Head
  /** True if it was encrypted under the passphrase: only then can no one else have made or changed it. */
  isAuthenticated: boolean
  rows: number
  mediaFiles: number
  mediaBytes: number
  missingMediaFiles: number
  /** The keys as hex, where they are in it and the passphrase was given. */
  masterKeys: string[] | undefined
  holdsMasterKey: boolean
  /** Names what is in it. */
  sha256: string
  digests: Extract<Header, { part: 'end' }>['digests']
}

export type OnProgress = (what: string, rows: number) => void

/** Tells if a master key is in the file. Reads its beginning alone. Throws BackupError, or the system's error. */
export async function hasMasterKey(file: BackupSource, passphrase: string | undefined): Promise<boolean> {
  const { parts } = await openBackupFile(file, passphrase)
  for await (const { header } of parts) if (header.part !== 'head') return header.part === 'masterKey'
  return false
}

/** Reads a whole backup and holds everything in it against its checksums. Throws BackupError, or the system's error. */
export async function verifyBackup(
  file: BackupSource,
  { passphrase, onProgress = () => {} }: { passphrase?: string | undefined; onProgress?: OnProgress } = {},
): Promise<Contents> {
  const { isAuthenticated, parts } = await openBackupFile(file, passphrase)
  const verification = new Verification(passphrase, onProgress)
  for await (const part of parts) {
    const end = await verification.read(part)
    if (end === undefined) continue
    const contents = { isAuthenticated, ...verification.contents(end) }
    if (passphrase !== undefined && !isAuthenticated && !contents.holdsMasterKey) {
      throw new BackupError(
        'It is not encrypted, though there is a passphrase: someone may have put it into the place of yours. If you trust the file, give the command without the passphrase.',
      )
    }
    refuseOtherName(nameOfSource(file), contents.head)
    return contents
  }
  throw new BackupError('It is cut short: it was not written, or not copied, to its end.')
}

/** The parts of a backup that have been read. */
class Verification {
  #head: Head | undefined
  #masterKeys: string[] | undefined
  #holdsMasterKey = false
  #mediaFiles = 0
  #mediaBytes = 0
  readonly #digests = new Map<string, RowDigest>()

  constructor(
    private readonly passphrase: string | undefined,
    private readonly onProgress: OnProgress,
  ) {}

  /** Gives the last part. */
  async read({ header, content }: Part): Promise<Extract<Header, { part: 'end' }> | undefined> {
    if (header.part === 'end') return header
    if (header.part === 'head') this.#head = header
    else if (header.part === 'rows') await this.#readRows(header.table, content)
    else if (header.part === 'masterKey') {
      this.#holdsMasterKey = true
      const sealed: Buffer[] = []
      for await (const block of content) sealed.push(block)
      if (this.passphrase !== undefined) {
        this.#masterKeys = await openKeys(Buffer.concat(sealed), header, this.passphrase)
      }
    } else {
      let bytes = 0
      for await (const block of content) bytes += block.length
      if (bytes !== header.bytes) throw new BackupError('It is damaged (a file has another size): take another copy.')
      this.#mediaFiles += 1
      this.#mediaBytes += bytes
      this.onProgress('media', this.#mediaFiles)
    }
    return undefined
  }

  async #readRows(table: string, content: AsyncIterable<Buffer>): Promise<void> {
    const isKnown = this.#head!.tables.some(({ name }) => name === table)
    if (!isKnown || this.#digests.has(table)) {
      throw new BackupError('It is damaged (rows of no table): take an earlier backup.')
    }
    const digest = new RowDigest()
    this.#digests.set(table, digest)
    for await (const lines of linesOf(content)) {
      for (const line of lines) digest.add(line)
      this.onProgress(table, digest.rows)
    }
  }

  contents(end: Extract<Header, { part: 'end' }>): Omit<Contents, 'isAuthenticated'> {
    const isWhole =
      Object.keys(end.digests).length === this.#digests.size &&
      [...this.#digests].every(([table, digest]) => end.digests[table] && digest.equals(end.digests[table]))
    if (!isWhole) throw new BackupError('It is damaged (not all rows are there): take an earlier backup.')
    return {
      head: this.#head!,
      rows: [...this.#digests.values()].reduce((sum, { rows }) => sum + rows, 0),
      mediaFiles: this.#mediaFiles,
      mediaBytes: this.#mediaBytes,
      missingMediaFiles: end.missing,
      masterKeys: this.#masterKeys,
      holdsMasterKey: this.#holdsMasterKey,
      sha256: end.sha256,
      digests: end.digests,
    }
  }
}

async function openKeys(
  sealed: Buffer,
  { sealing }: Extract<Header, { part: 'masterKey' }>,
  passphrase: string,
): Promise<string[]> {
  const opened = await openUnderPassphrase(sealed, sealing, passphrase, MASTER_KEY_CONTEXT)
  if (opened === undefined) throw new BackupError('The passphrase is wrong: the master key in it does not open.')
  return JSON.parse(opened.toString())
}
