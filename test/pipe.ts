import { execFile } from 'node:child_process'
import { onTestFinished } from 'vitest'

/** Makes a named pipe that delivers the text to one reader, like `<(…)` in a shell. */
export function makePipe(path: string, text: string): string {
  const writing = execFile('sh', ['-c', 'mkfifo "$0" && printf %s "$1" > "$0"', path, text])
  onTestFinished(() => void writing.kill())
  return path
}
