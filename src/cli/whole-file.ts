import { rmSync } from 'node:fs'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { newId } from '../lib/ids.js'
import { CliError, unwritableFile } from './io.js'
import type { Write } from './output.js'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const NEW_FILE_MODE = 0o666

/**
 * Writes a file completely or not at all. The content goes to another name in the same folder until it is on the disk. If
 * `fill` fails or a signal ends the program, nothing remains, and an existing file is unchanged. A new file gets `mode`
 * minus the umask; an existing one keeps its mode. Libraries such as write-file-atomic need the whole content at once and
 * cannot take a stream.
 */
export async function writeWholeFile(
  path: string,
  fill: (write: Write) => Promise<void>,
  mode = NEW_FILE_MODE,
): Promise<void> {
  const target = await findTarget(path)
  const partial = `${target.path}.${newId('partial')}`
  const onSignal = (signal: NodeJS.Signals): void => {
    rmSync(partial, { force: true })
    removeHandlers()
    // Ends the program with the signal itself, so that the shell sees it.
    process.kill(process.pid, signal)
  }
  const removeHandlers = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  try {
    const handle = await open(partial, 'wx', target.mode ?? mode)
    try {
      if (target.mode !== undefined) await handle.chmod(target.mode)
      await writeTo(handle, fill)
    } finally {
      await handle.close()
    }
    await rename(partial, target.path)
  } catch (error) {
    await rm(partial, { force: true })
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : unwritableFile(path, error)
  } finally {
    removeHandlers()
  }
}

/** Returns the real path of the file and its mode. A link is followed and not replaced. */
async function findTarget(path: string): Promise<{ path: string; mode?: number }> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unwritableFile(path, error)
  })
  if (found === undefined) return { path }
  if (found.isFile()) return { path: await realpath(path), mode: found.mode & 0o777 }
  if (found.isDirectory()) throw unwritableFile(path, { code: 'EISDIR' })
  throw new CliError(2, `${path} is not a regular file: redirect the output to it instead.`)
}

/** Small texts are buffered up to this size. */
const GATHERED_CHARACTERS = 64 * 1024

async function writeTo(handle: FileHandle, fill: (write: Write) => Promise<void>): Promise<void> {
  let gathered = ''
  const flush = async (): Promise<void> => {
    await handle.appendFile(gathered)
    gathered = ''
  }
  await fill(async (text) => {
    gathered += text
    if (gathered.length >= GATHERED_CHARACTERS) await flush()
  })
  await flush()
  await handle.sync()
}
