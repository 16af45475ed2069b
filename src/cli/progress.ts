import type { Io } from './io.js'
import { note } from './output.js'
import { isSmart } from './terminal.js'

interface ProgressState {
  bytes: number
  /** Undefined if the length of the input is unknown. */
  totalBytes: number | undefined
  elapsedMs: number
  allSent: boolean
}

const LINE_EVERY_MS = 5_000

/**
 * Shows an upload on stderr: a progress bar on a terminal that supports escape codes, elsewhere a line every few seconds.
 */
export async function startProgress(io: Io, totalBytes: number | undefined) {
  const startedAt = io.clock.now()
  const state: ProgressState = { bytes: 0, totalBytes, elapsedMs: 0, allSent: false }
  const hasEnd = (): boolean => totalBytes !== undefined
  const bar = isSmart(io, 'stderr') ? await makeBar(io, hasEnd, () => describeProgress(state)) : undefined
  bar?.start(totalBytes ?? 0, 0)
  let shownMs = 0
  const update = (change: Partial<ProgressState>): void => {
    Object.assign(state, change, { elapsedMs: io.clock.now() - startedAt })
    bar?.update(state.bytes)
    if (bar !== undefined || state.elapsedMs - shownMs < LINE_EVERY_MS) return
    shownMs = state.elapsedMs
    note(io, describeProgress(state))
  }
  return {
    /** Adds bytes that are being sent. */
    advance: (bytes: number): void => update({ bytes: state.bytes + bytes }),
    /** Reports that everything is sent and the server is still working. */
    allSent: (): void => update({ allSent: true }),
    bytes: (): number => state.bytes,
    stop: (): void => bar?.stop(),
  }
}

/** Reports how many rows have been read, and the total if it is known. */
type Count = (done: number, total?: number) => void

/** Shows on a terminal how many rows `work` has read. Shows nothing elsewhere, or while rows are printed to the terminal. */
export async function countWhile<Result>(
  io: Io,
  noun: string,
  isRowsShown: boolean,
  work: (count: Count) => Promise<Result>,
): Promise<Result> {
  if (!isSmart(io, 'stderr') || isRowsShown) return work(() => {})
  let shown = { done: 0, total: undefined as number | undefined }
  const bar = await makeBar(
    io,
    () => shown.total !== undefined,
    () => `${toCount(shown.done)}${shown.total === undefined ? '' : ` of ${toCount(shown.total)}`} ${noun}`,
  )
  bar.start(0, 0)
  try {
    return await work((done, total) => {
      shown = { done, total }
      bar.setTotal(total ?? 0)
      bar.update(done)
    })
  } finally {
    bar.stop()
  }
}

export const toCount = (count: number): string => count.toLocaleString('en-US')

async function makeBar({ stderr }: Io, hasEnd: () => boolean, describe: () => string) {
  const { default: cliProgress } = await import('cli-progress')
  return new cliProgress.SingleBar({
    format: (options, { progress }) =>
      hasEnd() ? `${cliProgress.Format.BarFormat(progress, options)} ${describe()}` : describe(),
    stream: stderr,
    barsize: 20,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    // By default the bar turns off the terminal's line wrapping, and a killed program would leave it off.
    linewrap: true,
    // By default Ctrl-C would end only the bar. There is no state to restore.
    gracefulExit: false,
  })
}

/** Returns a string like `31 %, 12.3 of 40.0 MB, 5.2 MB/s, 0:05 left`. */
export function describeProgress({ bytes, totalBytes, elapsedMs, allSent }: ProgressState): string {
  const rate = elapsedMs > 0 ? bytes / elapsedMs : 0
  if (allSent) return `${toMegabytes(bytes)} MB sent, waiting for the server to finish`
  const parts = [`${toMegabytes(rate * 1000)} MB/s`]
  if (totalBytes === undefined) return [`${toMegabytes(bytes)} MB sent`, ...parts].join(', ')
  // A file may grow while it is read.
  const left = Math.max(0, totalBytes - bytes)
  const percent = Math.floor((100 * bytes) / (bytes + left || 1))
  if (rate > 0) parts.push(`${toDuration(left / rate)} left`)
  return [`${percent} %`, `${toMegabytes(bytes)} of ${toMegabytes(totalBytes)} MB`, ...parts].join(', ')
}

export const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** Returns a string like `0:05`, `12:34` or `1:02:03`. */
function toDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const shown = clock[0] === 0 ? clock.slice(1) : clock
  return shown.map((part, index) => String(part).padStart(index === 0 ? 1 : 2, '0')).join(':')
}
