import { S3mini } from 's3mini'
import type { S3Config, S3Place } from '../../config/backup.js'
import { limit } from '../../lib/limits.js'
import { type Wait, waitJittered } from '../../lib/wait.js'
import { type BackOff, giveUpAfter, retry } from '../../work/backoff.js'
import type { Write } from '../backup-file.js'
import { type BackupStorage, StorageError, type StoredBackup } from './backup-storage.js'
import { addressOf } from './s3-address.js'
import { isLasting, toNoBucket, toStorageError } from './s3-errors.js'
import { type Attempt, S3Upload } from './s3-upload.js'

const PART_BYTES = limit('backupPartBytes')
const REQUEST_MS = limit('backupRequestMs')
/** The timeout of requests that send and receive little. */
const QUICK_MS = 30_000
/** Checks have a shorter timeout, because a person or a start waits for them. */
const LOOK_MS = 10_000
const LOOK_BACK_OFF = giveUpAfter(1_000)
const BACK_OFF = giveUpAfter(1_000, 2_000, 4_000)

/** Set by tests, so that they do not wait, and send little. */
export interface S3Options {
  wait?: Wait
  partBytes?: number
  requestMs?: number
}

/**
 * Keeps backups in a bucket of an S3-compatible storage. The client signs requests and parses answers. Retries, timeouts and
 * whole uploads are ours (docs/decisions/backups.md).
 */
export function openS3(config: S3Config, place: S3Place, options: S3Options = {}): BackupStorage {
  return new Bucket(config, place, options)
}

class Bucket implements BackupStorage {
  readonly title: string
  readonly #config: S3Config
  readonly #wait: Wait
  readonly #requestMs: number
  readonly #partBytes: number
  /** The client for parts, and for completing them. */
  readonly #uploading: S3mini
  readonly #quick: S3mini

  constructor(
    config: S3Config,
    private readonly place: S3Place,
    { wait = waitJittered, requestMs = REQUEST_MS, partBytes = PART_BYTES }: S3Options,
  ) {
    this.title = `s3://${place.bucket}/${place.prefix}`
    this.#config = config
    this.#wait = wait
    this.#requestMs = requestMs
    this.#partBytes = partBytes
    this.#uploading = this.#connect(fetchWithin(requestMs))
    this.#quick = this.#connect(fetchWithin(Math.min(requestMs, QUICK_MS)))
  }

  pathOf(name: string): string {
    return this.title + name
  }

  /** Starting and discarding an upload shows that the key may write. It leaves nothing. */
  async check(): Promise<void> {
    const client = this.#connect(fetchWithin(Math.min(this.#requestMs, LOOK_MS)))
    const key = this.#keyOf('greenroom-look')
    await this.#listWith(client, LOOK_BACK_OFF)
    const uploadId = await this.#attempt(() => client.getMultipartUploadId(key), LOOK_BACK_OFF)
    await this.#attempt(() => client.abortMultipartUpload(key, uploadId), LOOK_BACK_OFF)
  }

  async write<T>(name: string, fill: (write: Write) => Promise<T>): Promise<{ bytes: number; result: T }> {
    const attempt: Attempt = (work) => this.#attempt(work)
    const upload = new S3Upload(this.#uploading, this.#keyOf(name), attempt, this.#partBytes)
    try {
      const result = await fill((block) => upload.write(block))
      return { bytes: await upload.end(), result }
    } catch (error) {
      await upload.abort()
      throw error
    }
  }

  list(): Promise<StoredBackup[]> {
    return this.#listWith(this.#quick, BACK_OFF)
  }

  async #listWith(client: S3mini, backOff: BackOff<number | undefined>): Promise<StoredBackup[]> {
    const { prefix } = this.place
    const page = (): ReturnType<S3mini['listObjects']> => client.listObjects('/', prefix, undefined, { delimiter: '/' })
    const objects = await this.#attempt(page, backOff)
    if (objects === null) throw this.#noBucket()
    return objects
      .map(({ Key, Size }) => ({ name: Key.slice(prefix.length), bytes: Size }))
      .filter(({ name }) => name !== '' && !name.includes('/'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async has(name: string): Promise<boolean> {
    return (await this.#attempt(() => this.#quick.objectExists(this.#keyOf(name)))) === true
  }

  /** Continues where a connection broke off, in the same version of the object. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const key = this.#keyOf(name)
    let offset = 0
    let etag: string | undefined
    for (let failures = 0; ; ) {
      try {
        // Without this header, the storage may continue with another object.
        const sameVersion = etag === undefined ? {} : { 'If-Match': etag }
        const { client, quiet } = this.#connectForReading()
        const response = await client.getObjectRaw(key, offset === 0, offset, undefined, sameVersion)
        etag ??= response.headers.get('etag') ?? undefined
        if (offset > 0 && response.status !== 206)
          throw new StorageError(`${this.title} did not send the requested part of ${name}: try again.`)
        for await (const bytes of quiet(response)) {
          offset += bytes.length
          failures = 0
          yield bytes
        }
        return
      } catch (error) {
        const waitMs = BACK_OFF.after(failures++)
        if (waitMs === undefined || isLasting(error)) throw this.#describe(error, name)
        await this.#wait(waitMs)
      }
    }
  }

  async remove(name: string): Promise<void> {
    await this.#attempt(() => this.#quick.deleteObject(this.#keyOf(name)))
  }

  async removeUnfinished(pattern: RegExp): Promise<string[]> {
    const answer = await this.#attempt(() =>
      this.#quick.listMultipartUploads('/', '', 'GET', { prefix: this.place.prefix }),
    )
    const dead = uploadsIn(answer)
      .map(({ Key, UploadId }) => ({ name: Key.slice(this.place.prefix.length), uploadId: UploadId }))
      .filter(({ name }) => pattern.test(name))
    for (const { name, uploadId } of dead) {
      await this.#attempt(() => this.#quick.abortMultipartUpload(this.#keyOf(name), uploadId))
    }
    return dead.map(({ name }) => `${name} (unfinished)`)
  }

  #keyOf(name: string): string {
    return this.place.prefix + name
  }

  #connect(fetch: typeof globalThis.fetch): S3mini {
    const { region, keyId, secret } = this.#config
    return new S3mini({
      ...{ region, fetch },
      accessKeyId: keyId,
      secretAccessKey: secret,
      endpoint: addressOf(this.#config, this.place.bucket),
    })
  }

  /** Makes a client whose timeout limits each pause, because a large object takes longer than a request may. */
  #connectForReading(): { client: S3mini; quiet(response: Response): AsyncGenerator<Uint8Array> } {
    const given = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const restart = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => given.abort(timedOut()), this.#requestMs)
    }
    const client = this.#connect(async (url, init) => {
      restart()
      try {
        return await fetchOnce(url, { ...init, signal: given.signal })
      } finally {
        clearTimeout(timer)
      }
    })
    return {
      client,
      async *quiet({ body }) {
        if (body === null) return
        const reader = body.getReader()
        try {
          for (;;) {
            // The time in which the caller works on the last piece does not count.
            restart()
            const { done, value } = await reader.read()
            clearTimeout(timer)
            if (done) return
            yield value
          }
        } finally {
          clearTimeout(timer)
          await reader.cancel().catch(() => {})
        }
      },
    }
  }

  /** Repeats what failed for a temporary reason. Throws StorageError. */
  async #attempt<T>(work: () => Promise<T>, backOff: BackOff<number | undefined> = BACK_OFF): Promise<T> {
    const mayPass = (error: unknown): boolean => !isLasting(error)
    return await retry(work, { backOff, mayPass, wait: this.#wait }).catch((error) => {
      throw this.#describe(error)
    })
  }

  #describe(error: unknown, name?: string): StorageError {
    if (error instanceof StorageError) return error
    return toStorageError(error, { title: this.title, name, ...this.place, ...this.#config })
  }

  #noBucket(): StorageError {
    return new StorageError(toNoBucket({ ...this.place, ...this.#config }))
  }
}

/** A redirect leads to another region, where the signature would be invalid: its response says which. */
const fetchOnce: typeof globalThis.fetch = (url, init) => fetch(url, { ...init, redirect: 'manual' })

const fetchWithin =
  (ms: number): typeof globalThis.fetch =>
  (url, init) =>
    fetchOnce(url, { ...init, signal: AbortSignal.timeout(ms) })

const timedOut = (): Error => new DOMException('The storage did not answer in time.', 'TimeoutError')

/** Parses a response that lists one upload, several or none. */
function uploadsIn(answer: unknown): { Key: string; UploadId: string }[] {
  const { ListMultipartUploadsResult: result } = answer as {
    ListMultipartUploadsResult?: { Upload?: unknown } | string
  }
  const uploads = typeof result === 'object' ? result.Upload : undefined
  return [uploads].flat().filter((upload) => upload !== undefined) as { Key: string; UploadId: string }[]
}
