import { type FileHandle, open } from 'node:fs/promises'
import { addAbortSignal, Readable } from 'node:stream'
import { ConnectionError } from '../client/index.js'
import { type Cli, CliError, unreadableFile } from './io.js'
import { startProgress, toMegabytes } from './progress.js'
import { describeFailure, wasConnected } from './refusal.js'

const CHUNK_BYTES = 256 * 1024

/**
 * Sends a file, or stdin for `-`, and shows progress. `whenLost` is the advice if the connection breaks during the upload.
 * `stop` ends the content after the last whole line, as if the file ended there.
 */
export async function sendFile<Answer>(
  cli: Cli,
  file: string,
  send: (content: Readable) => Promise<Answer>,
  whenLost: string,
  stop?: AbortSignal,
): Promise<Answer> {
  const input = await openInput(cli, file)
  const progress = await startProgress(cli, input.totalBytes)
  const bytes = countBytes(input, progress.advance, stop)
  const counted = stop === undefined ? bytes : wholeLines(bytes, stop)
  const content = Readable.from(counted, { objectMode: false }).once('end', progress.allSent)
  try {
    return await send(content)
  } catch (error) {
    if (!(error instanceof ConnectionError) || !wasConnected(error.cause)) throw error
    const sent = `about ${toMegabytes(progress.bytes())} MB (${describeFailure(error.cause)})`
    throw new CliError(3, `The connection was lost after ${sent}. ${whenLost}`)
  } finally {
    progress.stop()
    input.content.destroy()
  }
}

interface Input {
  /** The name of the file in messages. */
  name: string
  content: Readable
  totalBytes: number | undefined
}

async function openInput({ stdin }: Cli, file: string): Promise<Input> {
  if (file === '-') return { name: 'The input', content: stdin, totalBytes: undefined }
  let handle: FileHandle | undefined
  try {
    handle = await open(file)
    const stat = await handle.stat()
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
    return {
      name: file,
      content: handle.createReadStream({ highWaterMark: CHUNK_BYTES }),
      totalBytes: stat.isFile() ? stat.size : undefined,
    }
  } catch (error) {
    await handle?.close()
    throw unreadableFile(file, error)
  }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
/** The maximum number of bytes held back. Longer partial lines are sent as they arrive. */
const HELD_BYTES_MAX = 1024 * 1024

/** Yields the same bytes, but holds back partial lines until the end. */
async function* wholeLines(chunks: AsyncIterable<Buffer>, stop: AbortSignal): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1
    if (end === 0 && held.length < HELD_BYTES_MAX) {
      held = Buffer.concat([held, chunk])
      continue
    }
    yield Buffer.concat([held, end === 0 ? chunk : chunk.subarray(0, end)])
    held = end === 0 ? Buffer.alloc(0) : chunk.subarray(end)
  }
  if (held.length > 0 && !stop.aborted) yield held
}

async function* countBytes(
  { content, name }: Input,
  onBytes: (bytes: number) => void,
  stop?: AbortSignal,
): AsyncGenerator<Buffer> {
  const source = stop === undefined ? content : addAbortSignal(stop, content)
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      onBytes(chunk.length)
      yield chunk
    }
  } catch (error) {
    if (!stop?.aborted) throw unreadableFile(name, error)
  }
}
