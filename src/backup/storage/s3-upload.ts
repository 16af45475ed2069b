import { createHash } from 'node:crypto'
import type { S3mini } from 's3mini'
import { StorageError } from './backup-storage.js'
import { codeOf } from './s3-errors.js'

/** The largest number of parts of an upload. Some storages require all parts to have the same size. */
const PARTS_MAX = 10_000

/** Repeats a request that failed for a temporary reason. */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Uploads an object of unknown length in parts: while one is being sent, the next is filled, and only these two are in
 * memory. The storage lists the object once `end` has finished, not before.
 */
export class S3Upload {
  /** The part being filled; it holds `#filled` bytes. */
  #part: Buffer
  #filled = 0
  #bytes = 0
  #uploadId: string | undefined
  readonly #parts: { partNumber: number; etag: string }[] = []
  #running: Promise<void> | undefined

  constructor(
    private readonly client: S3mini,
    private readonly key: string,
    private readonly attempt: Attempt,
    partBytes: number,
  ) {
    this.#part = Buffer.allocUnsafeSlow(partBytes)
  }

  async write(block: Buffer): Promise<void> {
    for (let from = 0; from < block.length; ) {
      // More bytes follow, so this is not the last part, the only one that may be smaller.
      if (this.#filled === this.#part.length) await this.#startPart()
      const copied = block.copy(this.#part, this.#filled, from)
      this.#filled += copied
      from += copied
    }
    this.#bytes += block.length
  }

  /** Returns the size of the object. Throws StorageError unless the storage has all of it. */
  async end(): Promise<number> {
    if (this.#uploadId === undefined) {
      const content = this.#takePart()
      const checked = md5Header(content)
      await this.attempt(() => this.client.putObject(this.key, content, undefined, undefined, checked))
    } else {
      await this.#startPart()
      await this.#running
      await this.#complete(this.#uploadId)
    }
    // A response of 200 may contain an error, and a lost one may belong to a completed upload.
    const stored = await this.attempt(() => this.client.getContentLength(this.key))
    if (stored !== this.#bytes) {
      throw new StorageError(`The storage has ${stored} bytes of ${this.key}, but ${this.#bytes} were sent.`)
    }
    return this.#bytes
  }

  /** Discards the stored parts. Parts that cannot be discarded now are not listed, and the next backup removes them. */
  async abort(): Promise<void> {
    await this.#running?.catch(() => {})
    const uploadId = this.#uploadId
    if (uploadId === undefined) return
    await this.attempt(() => this.client.abortMultipartUpload(this.key, uploadId)).catch(() => {})
  }

  async #startPart(): Promise<void> {
    this.#uploadId ??= await this.attempt(() => this.client.getMultipartUploadId(this.key))
    await this.#running
    const uploadId = this.#uploadId
    const content = this.#takePart()
    const partNumber = this.#parts.length + 1
    if (partNumber > PARTS_MAX) {
      throw new StorageError(
        `The backup is larger than ${Math.round((PARTS_MAX * this.#part.length) / 1024 ** 3)} GiB, the most that a storage accepts in parts: use a directory.`,
      )
    }
    const checked = md5Header(content)
    this.#running = this.attempt(() =>
      this.client.uploadPart(this.key, uploadId, content, partNumber, {}, undefined, checked),
    ).then((part) => void this.#parts.push(part))
    // It is awaited before the next part.
    this.#running.catch(() => {})
  }

  async #complete(uploadId: string): Promise<void> {
    let isAgain = false
    const { etag } = await this.attempt(async () => {
      try {
        return await this.client.completeMultipartUpload(this.key, uploadId, this.#parts)
      } catch (error) {
        // The response to the previous attempt was lost, and the upload is complete.
        if (isAgain && codeOf(error) === 'NoSuchUpload') return { etag: 'complete' }
        isAgain = true
        throw error
      }
    })
    if (!etag) throw new StorageError(`The storage did not join the parts of ${this.key}: try again.`)
  }

  #takePart(): Buffer {
    const content = this.#part.subarray(0, this.#filled)
    this.#part = Buffer.allocUnsafeSlow(this.#part.length)
    this.#filled = 0
    return content
  }
}

/** The client does not sign the content: with this header a storage rejects a part that was changed on the way. */
function md5Header(content: Buffer): Record<`x-amz-${string}`, string> {
  const md5 = createHash('md5').update(content).digest('base64')
  // The client's type allows no headers but Amazon's own.
  return { 'content-md5': md5 } as Record<string, string>
}
