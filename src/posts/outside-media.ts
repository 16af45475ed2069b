import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Config } from '../config/index.js'
import type { MediaCheck, MediaProblem } from '../interface/generated/types.js'
import { limit } from '../lib/limits.js'
import {
  addressOf,
  isPrivateAddress,
  PrivateAddressError,
  publicLookup,
  type Resolve,
} from '../lib/public-addresses.js'
import { createTurns } from '../lib/turns.js'
import { type StartTimer, startTimer } from '../lib/wait.js'
import { isUploadUrl } from '../media/media.js'

/** An upload is identified by its name, because its bytes cannot be replaced. */
export const UPLOAD: MediaCheck = { fixed: true }

/** The bytes at an external address, or why they are unknown. */
export type Fetched =
  | { is: 'read'; sha256: string; bytes: number }
  /** `isLasting` means that another try would fail in the same way. `reason` is a sentence for people. */
  | { is: 'problem'; problem: MediaProblem; isLasting: boolean; reason: string }

interface FetchOptions {
  timeoutMs: number
  /** Ends a fetch that takes too long; only tests supply their own. */
  startTimer?: StartTimer
  allowsPrivate: boolean
  signal?: AbortSignal
  resolve?: Resolve
}

const REDIRECTS_MAX = 3
const SLOW_KEPT_MS = 30_000
const SLOW_ORIGINS_MAX = 1_000

/** Places for running fetches, and the fetches that wait for one. */
const places = { taken: 0, waiting: [] as (() => void)[] }
/** Origins that recently let a fetch time out, with the time: otherwise each approval would wait for them again. */
const slow = new Map<string, number>()
/** Shared by all fetches: hashing yields to requests. */
const turn = createTurns()

/**
 * Fetches what is at an external address, for a person who decides about it. Returns undefined if there is nothing to fetch:
 * an upload is identified by its name.
 */
export async function checkMedia(config: Config, media: string | null): Promise<MediaCheck | undefined> {
  if (media === null || isUploadUrl(config, media)) return undefined
  if (config.outsideMedia.reach === 'off') return { fixed: false, problem: 'OFF' }
  const fetched = await hashMedia(media, { timeoutMs: limit('outsideMediaMs'), allowsPrivate: allowsPrivate(config) })
  if (fetched.is === 'read') return { fixed: true, sha256: fetched.sha256 }
  return { fixed: false, problem: fetched.problem }
}

/** Fetches recorded media again before they are published. Returns undefined if the server is set to fetch none. */
export async function fetchAgain(config: Config, media: string, signal: AbortSignal): Promise<Fetched | undefined> {
  if (config.outsideMedia.reach === 'off') return undefined
  const timeoutMs = limit('outsideMediaPublishMs')
  return await hashMedia(media, { timeoutMs, allowsPrivate: allowsPrivate(config), signal })
}

const allowsPrivate = ({ outsideMedia }: Config): boolean => outsideMedia.reach === 'any'

/**
 * Reads what is at an address once, within limits of size and time, and keeps only its hash. Every address is checked as it
 * is connected to, including those of redirects. Throws only the reason of an aborted signal.
 */
export async function hashMedia(url: string, options: FetchOptions): Promise<Fetched> {
  const { timeoutMs, signal, startTimer: start = startTimer } = options
  const timeout = new AbortController()
  const ends = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal])
  const origin = URL.canParse(url) ? new URL(url).origin : ''
  const slowAt = slow.get(origin)
  if (slowAt !== undefined && performance.now() - slowAt < SLOW_KEPT_MS) return tooSlow(timeoutMs)
  let isSilent = false
  const cancelTimer = start(() => timeout.abort(), timeoutMs)
  try {
    await takePlace(ends)
    isSilent = true
    try {
      return await follow(url, { ...options, signal: ends, onAnswer: () => (isSilent = false) })
    } finally {
      passPlace()
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof MediaError) return error.toProblem()
    if (timeout.signal.aborted) {
      if (isSilent) noteSlow(origin)
      return tooSlow(timeoutMs)
    }
    return reasonOf(error)
  } finally {
    cancelTimer()
  }
}

async function takePlace(ends: AbortSignal): Promise<void> {
  if (places.taken < limit('outsideMediaAtOnce')) {
    places.taken += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const go = (): void => {
      ends.removeEventListener('abort', stop)
      resolve()
    }
    const stop = (): void => {
      places.waiting = places.waiting.filter((one) => one !== go)
      reject(ends.reason)
    }
    places.waiting.push(go)
    ends.addEventListener('abort', stop, { once: true })
  })
}

/** The place goes to the fetch that has waited longest. */
function passPlace(): void {
  const next = places.waiting.shift()
  if (next === undefined) places.taken -= 1
  else next()
}

function noteSlow(origin: string): void {
  slow.delete(origin)
  slow.set(origin, performance.now())
  if (slow.size > SLOW_ORIGINS_MAX) slow.delete(slow.keys().next().value!)
}

type Following = FetchOptions & { signal: AbortSignal; onAnswer(): void }

async function follow(url: string, options: Following): Promise<Fetched> {
  let target = toWebUrl(url)
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(target, options)
    options.onAnswer()
    try {
      const { statusCode: status = 0, headers } = answer
      if (status >= 300 && status < 400 && headers.location !== undefined) {
        if (redirects === REDIRECTS_MAX) {
          throw new MediaError('REDIRECTS', `It redirects more than ${REDIRECTS_MAX} times.`)
        }
        target = toWebUrl(headers.location, target)
        continue
      }
      if (status !== 200) throw new MediaError('REFUSED', `It answers ${status}.`, !PASSING.has(status) && status < 500)
      return await hash(answer)
    } finally {
      answer.destroy()
    }
  }
}

const PASSING = new Set([408, 425, 429])

function toWebUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new MediaError('REDIRECTS', 'It leads to an address that is not http or https.')
}

function get(target: URL, { allowsPrivate, resolve, signal }: Following): Promise<IncomingMessage> {
  const address = addressOf(target.hostname)
  // An IP address needs no lookup.
  if (!allowsPrivate && address !== undefined && isPrivateAddress(address)) {
    throw new PrivateAddressError(target.hostname)
  }
  const request = target.protocol === 'http:' ? httpRequest : httpsRequest
  return new Promise((answered, failed) => {
    request(
      target,
      {
        agent: false,
        signal,
        ...(allowsPrivate ? {} : { lookup: publicLookup(resolve) }),
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Greenroom' },
      },
      answered,
    )
      .on('error', failed)
      .end()
  })
}

async function hash(answer: IncomingMessage): Promise<Fetched> {
  const bytesMax = limit('outsideMediaBytes')
  const tooLarge = new MediaError('TOO_LARGE', `It has more than ${bytesMax / 1_048_576} MiB.`)
  if (Number(answer.headers['content-length'] ?? 0) > bytesMax) throw tooLarge
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge
    digest.update(chunk)
    const due = turn()
    if (due !== undefined) await due
  }
  if (bytes === 0) throw new MediaError('REFUSED', 'It answers with nothing.')
  return { is: 'read', sha256: digest.digest('hex'), bytes }
}

class MediaError extends Error {
  constructor(
    readonly problem: MediaProblem,
    message: string,
    readonly isLasting = true,
  ) {
    super(message)
    this.name = 'MediaError'
  }

  toProblem(): Fetched {
    return { is: 'problem', problem: this.problem, isLasting: this.isLasting, reason: this.message }
  }
}

const tooSlow = (timeoutMs: number): Fetched => {
  const reason = `It did not come within ${timeoutMs / 1_000} s.`
  return { is: 'problem', problem: 'TOO_SLOW', isLasting: false, reason }
}

function reasonOf(error: unknown): Fetched {
  if (error instanceof PrivateAddressError) {
    return new MediaError('PRIVATE', 'Its address is private: see OUTSIDE_MEDIA.').toProblem()
  }
  const { code = '' } = error as NodeJS.ErrnoException
  return new MediaError('UNREACHABLE', `The connection failed${code === '' ? '' : ` (${code})`}.`, false).toProblem()
}
