import { CliError, unreadableFile, unwritableFile } from '../cli/io.js'
import { StartError } from '../lib/start-error.js'

/** Runs a command, and prints a message for each error that a person can fix. */
export async function usingFiles(work: () => Promise<void>): Promise<void> {
  const { BackupError } = await import('../backup/backup-file.js')
  const { StorageError } = await import('../backup/storage/backup-storage.js')
  const { toConnectionSentence } = await import('../database/connection-fault.js')
  const { DatabaseUnavailableError } = await import('../database/database.js')
  try {
    await work()
  } catch (error) {
    const isSaid = error instanceof StartError || error instanceof BackupError || error instanceof StorageError
    if (isSaid) throw new CliError(1, error.message)
    if (error instanceof DatabaseUnavailableError) {
      if (error.fault !== undefined) throw new CliError(1, toConnectionSentence(error.fault))
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
