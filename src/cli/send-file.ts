import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ConnectionError } from '../client/index.js'
import { type Cli, CliError, unreadableFile } from './io.js'
import { startProgress, toMegabytes } from './progress.js'
import { describeFailure, wasConnected } from './refusal.js'

const CHUNK_BYTES = 256 * 1024

/** Sends a file, or stdin for `-`, with its progress. `whenLost` says what to do when the connection was lost in the middle. */
export async function sendFile<Answer>(
  cli: Cli,
  file: string,
  send: (content: Readable) => Promise<Answer>,
  whenLost: string,
): Promise<Answer> {
  const input = await openInput(cli, file)
  const progress = await startProgress(cli, input.totalBytes)
  const counted = countBytes(input, progress.advance)
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
  /** Its name in messages. */
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

async function* countBytes({ content, name }: Input, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      onBytes(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw unreadableFile(name, error)
  }
}
