import { type Logger, pino } from 'pino'

const GATHERED_CHARS = 65_536
const GATHERED_MS = 100

/**
 * A log that writes its lines several at a time, to standard output unless told otherwise: each write by itself costs more
 * than the request that its line is about. A process that is killed outright takes the lines of the last 100 ms with it; any
 * other end writes them.
 */
export function openLog(level: string, dest: number | string = 1): Logger {
  // Gathered here and not there: SonicBoom goes through all it holds at each line. Joined when they go: one text that grew
  // line by line would take twice as long. Written on this thread: what is still on its way on another one could come after
  // a last line that must not wait.
  const file = pino.destination({ dest, sync: true, maxWrite: 2 * GATHERED_CHARS })
  let gathered: string[] = []
  let chars = 0
  let timer: NodeJS.Timeout | undefined
  const write = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (chars > 0) file.write(gathered.join(''))
    gathered = []
    chars = 0
  }
  const flushSync = (): void => {
    write()
    file.flushSync()
  }
  process.once('exit', flushSync)
  return pino({ level }, {
    write(line: string) {
      gathered.push(line)
      chars += line.length
      if (chars >= GATHERED_CHARS) write()
      else timer ??= setTimeout(write, GATHERED_MS).unref()
    },
    // pino asks for it after a fatal line.
    flushSync,
  } as pino.DestinationStream)
}
